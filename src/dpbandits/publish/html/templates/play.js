"use strict";
// The front page's game: as many runs as the paper has, drawn here by the kernels, and others at a click.
addEventListener("DOMContentLoaded", () => {
  const section = document.getElementById("play"), given = JSON.parse(section.querySelector(".given").textContent);
  const [button, ten, says, tally, picture] = ["button.again", "button.ten", ".says", ".tally", ".dots"].map((name) => section.querySelector(name));
  const choices = [...section.querySelectorAll("input[type=radio]")], written = Numbers.number;
  const FAR = 20, LEFT = 12, RIGHT = 22, ROW = 80, TOP = 30, STRIP = 24, MANY = 10, MOST = 200, NAME = 18;
  const machine = new Machine((text) => fail(text));
  // The set that is shown: its number, from 0, and those before it are in the strip. The address has it, and the choice.
  let number = 0, asking = 0, shown = null;
  // Sets that were drawn, by cell and number.
  const sets = new Map(given.cells.map((cell) => [cell, []]));

  const place = () => Math.max(0, choices.findIndex((one) => one.checked));
  const chosen = () => given.cells[1 + place()];
  const shownAs = (cell) => (cell.word ? `${cell.title.split(",")[0]}, first batch ${cell.word}` : cell.title);
  const sorted = (values) => [...values].sort((a, b) => a - b);
  const median = (values) => { const all = sorted(values), half = all.length / 2; return (all[Math.ceil(half) - 1] + all[Math.floor(half)]) / 2; };
  const mean = (values) => values.reduce((total, value) => total + value, 0) / values.length;

  function fail(text) {
    says.textContent = text;
    button.disabled = true;
  }

  function svg(name, attributes, text = "") {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return made;
  }

  function draw(drawn) {
    shown = drawn;
    const W = Math.max(300, Math.min(640, picture.clientWidth));
    const rows = drawn.map(({ cell }) => sets.get(cell).slice(0, number + 1));
    const all = rows.flatMap((row) => row.flatMap(({ last }) => [...last])), low = 10 ** Math.floor(Math.log10(Math.max(1, Math.min(...all)))), high = 10 ** Math.ceil(Math.log10(Math.max(1e5, ...all)));
    const X = (value) => LEFT + ((W - LEFT - RIGHT) * Math.log(Math.max(value, low) / low)) / Math.log(high / low);
    const strip = TOP + ROW * drawn.length + 22, height = strip + STRIP * drawn.length + 26 + NAME, made = svg("svg", { viewBox: `0 0 ${W} ${height}`, role: "img", "aria-label": drawn.map(({ cell, last }) => `${shownAs(cell)}: mean regret ${written(mean(last))}, median ${written(median(last))}, worst ${written(Math.max(...last))}`).join("; ") });
    // On a phone not every power of ten has room for its number.
    const powers = Math.round(Math.log10(high / low)), every = Math.max(1, Math.ceil(80 / ((W - LEFT - RIGHT) / powers)));
    for (let power = 0; power <= powers; power++) {
      const at = low * 10 ** power;
      made.append(svg("line", { x1: X(at), x2: X(at), y1: TOP - 18, y2: height - NAME - 22, class: "grid" }));
      if ((powers - power) % every === 0) made.append(svg("text", { x: X(at), y: height - NAME - 6, "text-anchor": power === 0 ? "start" : power === powers ? "end" : "middle", class: "tick" }, written(at)));
    }
    made.append(svg("text", { x: W / 2, y: height - 6, "text-anchor": "middle", class: "tick" }, "regret (rewards), on a logarithmic axis"));
    drawn.forEach(({ cell, last }, row) => {
      const base = TOP + ROW * row + 44, far = FAR * median(last), taken = [];
      made.append(svg("text", { x: LEFT, y: base - 40, class: "name" }, shownAs(cell)));
      for (const value of sorted(last)) {
        // Dots that would hide each other are put one upon the other.
        const x = X(value), level = taken.filter((other) => Math.abs(other - x) < 7).length % 5;
        taken.push(x);
        made.append(svg("circle", { cx: x, cy: base - 7 * level, r: value > far ? 6 : 4, class: `run-${row}${value > far ? " far" : ""}` }));
      }
      made.append(svg("path", { d: `M${X(mean(last))} ${base + 7}l-5 9h10z`, class: "mean" }), svg("text", { x: X(mean(last)) + 9, y: base + 17, class: "tick" }, `mean ${written(mean(last))}`));
    });
    // All means so far: a set is a stroke, the one above is the long one.
    made.append(svg("text", { x: LEFT, y: strip - 2, class: "name" }, number ? `Means of ${number + 1} sets; thick: the set above` : "Mean of this set; each next set adds one"));
    rows.forEach((row, i) => row.forEach(({ last }, set) => {
      const x = X(mean(last)), y = strip + 10 + STRIP * i, long = set === number ? 4 : 0;
      made.append(svg("path", { d: `M${x} ${y - long}v${14 + 2 * long}`, class: `set run-${i}${long ? " last" : ""}` }));
    }));
    picture.replaceChildren(made);
  }

  function tell(drawn) {
    const [its, own] = drawn.map(({ last }) => mean(last)), [one, other] = drawn.map(({ cell }) => sets.get(cell).slice(0, number + 1));
    const [winner, loser] = own < its ? [drawn[1], drawn[0]] : [drawn[0], drawn[1]];
    says.textContent = `In these ${given.runs} runs ${shownAs(winner.cell)} is better: mean regret ${written(Math.min(own, its))} against ${written(Math.max(own, its))} of ${shownAs(loser.cell)}.`;
    const means = other.map(({ last }) => mean(last)), wins = means.filter((value, set) => value < mean(one[set].last)).length;
    tally.textContent = number
      ? `${shownAs(drawn[1].cell)} won ${wins} of ${number + 1} sets. Its means go from ${written(Math.min(...means))} to ${written(Math.max(...means))}.`
      : `Would other ${given.runs} runs say the same?`;
    section.dataset.drawn = String(number + 1);
    section.dataset.digests = drawn.map(({ digest }) => digest).join(" ");
    section.dataset.commands = drawn.map(({ command }) => command).join("\n");
    history.replaceState(null, "", number || place() ? `#play=${place()},${number}` : location.pathname + location.search);
  }

  /** Simulate the sets of a cell up to the one that is shown, if they are not there yet. */
  async function drawSets(cell) {
    const known = sets.get(cell);
    while (known.length <= number) {
      const asked = { algorithm: cell.algorithm, base: null, parameters: cell.parameters, arms: given.arms, epsilon: given.epsilon, horizon: given.horizon, checkpoints: 1, rootSeed: given.root_seed, runs: given.runs, first: (known.length * given.runs) % given.total };
      known.push({ cell, ...await machine.send("simulate", asked) });
    }
    return known[number];
  }

  async function play() {
    const mine = ++asking;
    button.disabled = ten.disabled = true;
    try {
      const drawn = [await drawSets(given.cells[0]), await drawSets(chosen())];
      if (mine !== asking) return;
      draw(drawn);
      tell(drawn);
      button.textContent = `${given.runs} other runs`;
    } catch (error) {
      if (error && mine === asking) { fail(error.message); return; }
    }
    button.disabled = ten.disabled = false;
  }

  function more(count) {
    number = Math.min(number + count, MOST);
    play();
  }

  function script(file) {
    return new Promise((resolve, reject) => {
      const made = document.createElement("script");
      made.src = file;
      made.onload = resolve;
      made.onerror = () => reject(new Error("The algorithms' file, shared/kernels.js, is not beside this page."));
      document.head.append(made);
    });
  }

  async function begin() {
    try {
      await script("shared/kernels.js");
      await machine.start();
      // What does not repeat the native runs to the last bit is not shown.
      for (const name of new Set(given.cells.map((cell) => cell.algorithm))) {
        if (!(await machine.send("compare", { algorithm: name })).same) throw new Error("This browser computes other bytes than the workflow does, so nothing is drawn.");
      }
      await play();
    } catch (error) {
      fail(`${error?.message ?? error} It needs 64-bit WebAssembly: Chromium and Chrome from 133, Firefox from 134.`);
    }
  }

  const asked = /^#play=(\d+),(\d+)$/.exec(location.hash);
  if (asked && choices[asked[1]]) {
    choices[asked[1]].checked = true;
    number = Math.min(Number(asked[2]), MOST);
  }
  button.addEventListener("click", () => more(1));
  ten.addEventListener("click", () => more(MANY));
  for (const one of choices) one.addEventListener("change", play);
  addEventListener("resize", () => shown && draw(shown));
  // The kernels are as large as all of the page: they come when the game is seen, after everything else.
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    (window.requestIdleCallback ?? setTimeout)(begin);
  });
  seen.observe(section);
});
