"use strict";
// The front page's game: as many runs as the paper has, drawn here by the kernels, and others at a click.
addEventListener("DOMContentLoaded", () => {
  const section = document.getElementById("play"), given = JSON.parse(section.querySelector(".given").textContent);
  const [button, says, tally, picture] = ["button.again", ".says", ".tally", ".dots"].map((name) => section.querySelector(name));
  const choices = [...section.querySelectorAll("input[type=radio]")], written = Numbers.number;
  const FAR = 20, LEFT = 12, RIGHT = 22, ROW = 80, TOP = 30;
  const machine = new Machine((text) => fail(text));
  // Of each choice: how many sets were drawn, in how many the first algorithm won, and how many runs were far.
  let number = 0, asking = 0, shown = null;
  const counts = new Map();

  const chosen = () => given.cells[1 + Math.max(0, choices.findIndex((one) => one.checked))];
  const shownAs = (cell) => (cell.word ? `${cell.title}, first batch ${cell.word}` : cell.title);
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
    const all = drawn.flatMap(({ last }) => [...last]), low = 10 ** Math.floor(Math.log10(Math.max(1, Math.min(...all)))), high = 10 ** Math.ceil(Math.log10(Math.max(1e5, ...all)));
    const X = (value) => LEFT + ((W - LEFT - RIGHT) * Math.log(Math.max(value, low) / low)) / Math.log(high / low);
    const height = TOP + ROW * drawn.length + 26, made = svg("svg", { viewBox: `0 0 ${W} ${height}`, role: "img", "aria-label": drawn.map(({ cell, last }) => `${shownAs(cell)}: mean regret ${written(mean(last))}, median ${written(median(last))}, worst ${written(Math.max(...last))}`).join("; ") });
    for (let at = low; at <= high; at *= 10) {
      made.append(svg("line", { x1: X(at), x2: X(at), y1: TOP - 18, y2: height - 22, class: "grid" }), svg("text", { x: X(at), y: height - 6, "text-anchor": at === low ? "start" : at === high ? "end" : "middle", class: "tick" }, written(at)));
    }
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
    picture.replaceChildren(made);
  }

  function tell(drawn) {
    const [one, other] = drawn, cell = other.cell, [its, own] = [mean(one.last), mean(other.last)];
    const count = counts.get(cell) ?? { sets: 0, wins: 0, far: 0 };
    counts.set(cell, count);
    count.sets += 1;
    count.wins += own < its;
    count.far += other.last.filter((value) => value > FAR * median(other.last)).length;
    const [winner, loser] = own < its ? [other, one] : [one, other];
    says.textContent = `In these ${given.runs} runs ${winner.cell.title} is better: mean regret ${written(Math.min(own, its))} against ${written(Math.max(own, its))} of ${loser.cell.title}.`;
    const total = count.sets * given.runs;
    tally.textContent = `So far: ${cell.title} won ${count.wins} of ${count.sets} ${count.sets === 1 ? "set" : "sets"}; ${count.far === 0 ? `none of its ${written(total)} runs` : `${written(count.far)} of its ${written(total)} runs`} cost more than ${FAR} times the median.`;
    section.dataset.drawn = String(count.sets);
    section.dataset.digests = drawn.map(({ digest }) => digest).join(" ");
    section.dataset.commands = drawn.map(({ command }) => command).join("\n");
  }

  async function play() {
    const mine = ++asking, first = (number * given.runs) % given.total;
    button.disabled = true;
    try {
      const drawn = [];
      for (const cell of [given.cells[0], chosen()]) {
        const asked = { algorithm: cell.algorithm, base: null, parameters: cell.parameters, arms: given.arms, epsilon: given.epsilon, horizon: given.horizon, checkpoints: 1, rootSeed: given.root_seed, runs: given.runs, first };
        drawn.push({ cell, ...await machine.send("simulate", asked) });
      }
      if (mine !== asking) return;
      draw(drawn);
      tell(drawn);
      button.textContent = `${given.runs} other runs`;
    } catch (error) {
      if (error && mine === asking) { fail(error.message); return; }
    }
    button.disabled = false;
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

  button.addEventListener("click", () => { number += 1; play(); });
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
