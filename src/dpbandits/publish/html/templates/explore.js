"use strict";
// Explore: curves over all aggregates; what is chosen is kept in the address.
addEventListener("DOMContentLoaded", () => {
  const form = document.getElementById("choose"), root = document.getElementById("curves"), problem = document.getElementById("problem");
  const papers = JSON.parse(form.dataset.papers);
  const HEIGHTS = [["mean", "mean", "mean_low", "mean_high"], ["median", "q50"], ["95 % quantile", "q95"], ["99 % quantile", "q99"], ["worst run", "maximum"]];
  // Uniform play and the number of rounds say how much, and how much a round, is lost.
  const BOUNDS = [["uniform play", "uniform"], ["rounds (regret per round)", "rounds"], ["asymptotic lower bound", "lower"]];
  let chosen = new URLSearchParams(location.hash.slice(1)), written = "";

  const write = () => {
    written = `#${chosen}`;
    history.replaceState(null, "", written);
  };
  const last = (values) => values[values.length - 1];
  const distinct = (rows, value) => [...new Set(rows.map(value))];
  const numerically = (one, other) => (one === null) - (other === null) || one - other;

  // Whether a quantity is the same in all rows that share something.
  function follows(rows, name, of) {
    const seen = new Map();
    return rows.every((row) => {
      const key = of(row), value = row.at[name];
      if (!seen.has(key)) seen.set(key, value);
      return seen.get(key) === value;
    });
  }

  function curvesOf(rows, x, ambiguous, byTitle) {
    const groups = new Map();
    for (const row of rows) {
      const name = byTitle || !ambiguous.has(row.title) ? row.title : row.algorithm;
      if (!groups.has(name)) groups.set(name, []);
      groups.get(name).push(row);
    }
    return [...groups].map(([name, own]) => {
      const one = own[0];
      const base = { name, colour: one.colour, dash: one.dash, points: false };
      if (x === "round") {
        const heights = HEIGHTS.map(([word, value, low, high]) => ({ word, value: one[value], ...(low ? { low: one[low], high: one[high] } : {}) }));
        const bounds = Object.fromEntries(BOUNDS.map(([word, key]) => [word, key === "rounds" ? one.round : one[key]]).filter(([, values]) => values));
        return { ...base, x: one.round, heights, bounds, runs: one.runs, cells: one.round.map(() => one.cell), rounds: one.round, scale: one.round.map(() => 1) };
      }
      // Several environments at one place: the worst, as in the figures.
      const at = new Map();
      for (const row of own) if (!at.has(row.at[x]) || last(at.get(row.at[x]).mean) < last(row.mean)) at.set(row.at[x], row);
      const sorted = [...at.values()].sort((a, b) => numerically(a.at[x], b.at[x])).filter((row) => row.at[x] !== null || at.size === 1);
      const column = (key) => sorted.map((row) => last(row[key]));
      const heights = HEIGHTS.map(([word, value, low, high]) => ({ word, value: column(value), ...(low ? { low: column(low), high: column(high) } : {}) }));
      const bounds = Object.fromEntries(BOUNDS.map(([word, key]) => [word, key === "rounds" ? column("round") : sorted.map((row) => (row[key] ? last(row[key]) : null))]).filter(([, values]) => values.some((value) => value !== null)));
      const level = sorted.length === 1 && sorted[0].at[x] === null;
      return { ...base, x: level ? null : sorted.map((row) => row.at[x]), heights, bounds, runs: sorted.map((row) => row.runs), cells: sorted.map((row) => row.cell), rounds: column("round"), scale: sorted.map(() => 1) };
    });
  }

  // Everything from the address: first choose what is there, then draw.
  async function draw() {
    problem.textContent = "";
    const paper = Object.hasOwn(papers, chosen.get("paper")) ? chosen.get("paper") : Object.keys(papers)[0];
    const experiments = Object.keys(papers[paper].experiments);
    const word = (name) => (Object.hasOwn(papers[paper].names, name) ? papers[paper].names[name] : name);
    const experiment = experiments.includes(chosen.get("experiment")) ? chosen.get("experiment") : papers[paper].first;
    let data;
    try {
      data = await Look.load("experiment", `${paper}/${experiment}`, `data/${paper}/explore-${experiment}.js`);
    } catch (error) {
      problem.textContent = `There are no data: ${error.message}.`;
      return;
    }
    // Without a budget a row is of an algorithm without privacy, as in the figures.
    const rows = data.rows.map((row) => (row.at.epsilon === null ? { ...row, title: `${row.title} (not private)` } : row)), titles = new Map();
    for (const row of rows) {
      if (!titles.has(row.title)) titles.set(row.title, new Set());
      titles.get(row.title).add(row.algorithm);
    }
    const ambiguous = new Set([...titles].filter(([, labels]) => labels.size > 1).map(([title]) => title));
    const axes = Object.entries(data.axes);
    const xs = [...(data.over_time ? [["round", "round t"]] : []), ...axes];
    const x = xs.some(([key]) => key === chosen.get("x")) ? chosen.get("x") : xs[0]?.[0] ?? "horizon";
    const byAlgorithm = (name) => follows(rows, name, (row) => row.algorithm);
    const byEnvironment = (name) => follows(rows, name, (row) => row.environment);
    const worst = x !== "round" && byEnvironment(x) && !byAlgorithm(x);
    const environments = distinct(rows, (row) => row.environment).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));

    // Each selector narrows the rows, or makes a panel of each of its values.
    const selectors = [];
    const environmentChoices = [...(x !== "round" && environments.length > 1 ? [["worst", "the worst at each point"]] : []), ...(environments.length > 1 ? [["*", "each, a panel"]] : []), ...environments.map((name) => [name, word(name)])];
    const pick = (key, choices, otherwise) => (choices.some(([value]) => value === chosen.get(key)) ? chosen.get(key) : otherwise);
    const environment = pick("environment", environmentChoices, worst || (x !== "round" && environments.length > 1) ? "worst" : environments[0]);
    selectors.push({ key: "environment", label: "Environment", choices: environmentChoices, value: environment, of: (row) => row.environment, free: environment === "worst", each: environment === "*" });
    for (const [name, label] of axes) {
      // What follows from all else, as a batch size from a budget, is nothing to choose.
      const free = name === "epsilon" || name === "horizon" || !follows(rows, name, (row) => [row.algorithm, row.environment, row.at.epsilon, row.at.horizon].join());
      if (name === x || byAlgorithm(name) || byEnvironment(name) || !free) continue;
      const values = distinct(rows, (row) => row.at[name]).filter((value) => value !== null).sort(numerically);
      const choices = [["*", "each, a panel"], ...values.map((value) => [String(value), Numbers.number(value)])];
      const value = pick(name, choices, String(values[Math.floor(values.length / 2)]));
      // Without a budget there is no privacy: such a row is in every panel.
      selectors.push({ key: name, label, choices, value, of: (row) => (row.at[name] === null ? null : String(row.at[name])), free: false, each: value === "*", title: label.split(" ").pop() });
    }
    const panelsOf = (left, titled, rest) => {
      if (!rest.length) return [[titled.join(", "), left]];
      const [one, ...others] = rest;
      if (one.free) return panelsOf(left, titled, others);
      const values = one.each ? one.choices.map(([value]) => value).filter((value) => value !== "*" && value !== "worst") : [one.value];
      return values.flatMap((value) => {
        const words = one.key === "environment" ? word(value) : `${one.title} = ${one.choices.find(([key]) => key === value)[1]}`;
        return panelsOf(left.filter((row) => one.of(row) === value || one.of(row) === null), one.each || one.key === "environment" ? [...titled, words] : titled, others);
      });
    };
    const panels = panelsOf(rows, [], selectors).filter(([, own]) => own.length).map(([title, own]) => ({
      title: title || word(experiment),
      x: { label: xs.find(([key]) => key === x)?.[1] ?? "horizon T", log: x !== "corruption" },
      y: { label: x === "round" ? "regret" : "regret at the horizon", log: true },
      curves: curvesOf(own, x, ambiguous, byAlgorithm(x)),
    }));

    // Selectors, in the order in which they narrow.
    const select = (key, label, choices, value, forget = []) => Look.choice(label, choices, value, (to) => {
      forget.forEach((name) => chosen.delete(name));
      chosen.set(key, to);
      draw();
    });
    const all = [...chosen.keys()];
    const focused = document.activeElement?.closest?.("#choose label")?.firstChild?.textContent;
    form.replaceChildren(
      select("paper", "Paper", Object.entries(papers).map(([key, { title }]) => [key, title.length > 60 ? `${title.slice(0, 57)}…` : title]), paper, all),
      select("experiment", "Experiment", experiments.map((name) => [name, `${word(name)}`]), experiment, all.filter((key) => key !== "paper")),
      select("x", "Along the axis", xs.length ? xs : [["horizon", "horizon T"]], x, ["xlog", "ylog", "environment"]),
      ...selectors.map((one) => select(one.key, one.label[0].toUpperCase() + one.label.slice(1), one.choices, one.value)),
    );
    [...form.querySelectorAll("label")].find((label) => label.firstChild.textContent === focused)?.querySelector("select").focus();
    chosen.set("paper", paper);
    chosen.set("experiment", experiment);
    chosen.set("x", x);
    selectors.forEach((one) => chosen.set(one.key, one.value));
    write();

    root.look = Look.show(root, { panels, cells: data.cells, published: data.published }, {
      // Here panels stand right below the page's heading; elsewhere below a figure's.
      heading: "h2",
      state: Look.read(chosen),
      change: (state, first) => {
        Look.write(chosen, state, first);
        write();
      },
      runsFrom: (name) => Look.load("runs", `${paper}/${name}`, `data/${paper}/runs-${name}.js`),
    });
    root.dataset.drawn = written;
  }
  addEventListener("hashchange", () => {
    if (location.hash === written) return;
    chosen = new URLSearchParams(location.hash.slice(1));
    draw();
  });
  draw();
});
