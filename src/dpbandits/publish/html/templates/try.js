"use strict";
// The page Try: what is asked for goes to a worker (see try_worker.js), what comes back is drawn.

const kernels = KERNELS;
const $ = (id) => document.getElementById(id);
const form = $("asked"), fields = form.elements;
const INK = "#1c1d21", SOFT = "#5a5e66", ARMS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#1c1d21", "#8b8f96", "#7a5195", "#a05a2c"];
const START = {
  stochastic: { name: "Mean rewards", arms: [0.75, 0.7, 0.7, 0.7, 0.7], low: 0 },
  adversarial: { name: "Losses, the same in every round", arms: [0.3, 0.45, 0.5, 0.55, 0.7], low: 0 },
  experts: { name: "Losses of the actions; each is an expert’s advice", arms: [0.3, 0.45, 0.5, 0.55, 0.7], low: 0 },
  full_information: { name: "Mean losses", arms: [0.3, 0.45, 0.5, 0.55, 0.7], low: 0 },
  linear: { name: "θ: mean rewards of the actions e₁, e₂, …", arms: [0.8, 0.5, 0.2, 0.1, -0.2], low: -1 },
};
const MOST_ARMS = 10;
const compared = new Map();
const presets = JSON.parse($("presets").textContent);
// Colours of algorithms, by their ids: those of the figures. Of two with one colour the second is black.
const colours = JSON.parse($("colours").textContent);
const colourOf = (which) => { const own = shown.map(({ algorithm }) => colours[algorithm] ?? INK); return which && own[1] === own[0] ? INK : own[which]; };
// What is drawn: results with their title, the first of the algorithm that was asked for, then of what is beside it.
let arms = [...START.stochastic.arms], given = {}, shown = [], watched = null, watchable = null, asking = 0, usual = "";
const machine = new Machine((text) => fault(text));

// What fields are called, by what the command line calls them.
const CALLED = { epsilon: "Budget ε", horizon: "Horizon T", seeds: "Runs", "root-seed": "Root seed", checkpoints: "Checkpoints" };

/** The command line's words for a person who has a form: the field, what was typed, and what it takes. */
function forPerson(text) {
  const [, where, value, allowed] = /^(\S+): (.*) is not allowed; allowed: (.*)$/s.exec(text) ?? [];
  if (!allowed) return text;
  const name = where.split(".").at(-1).replace("--", ""), arm = /^--environment\.(\d+)$/.exec(where);
  const field = fields[{ "root-seed": "rootSeed", seeds: "runs" }[name] ?? name];
  return `${arm ? `Arm ${Number(arm[1]) + 1}` : CALLED[name] ?? name} cannot be ${field?.value?.trim() ? `“${field.value.trim()}”` : value === "NaN" ? "empty" : value}: it takes ${allowed}.`;
}

function fault(text, where = null) {
  $("fault").textContent = forPerson(text);
  $("fault").hidden = !text;
  for (const field of form.querySelectorAll(".is-bad")) field.classList.remove("is-bad");
  if (where) {
    const name = where.split(".").at(-1).replace("--", "").replace("root-seed", "rootSeed").replace("seeds", "runs");
    fields[name]?.classList?.add("is-bad");
  }
}

// What is asked for.

const declared = () => kernels.algorithms[fields.algorithm.value];
const number = (text) => (text.trim() === "" ? NaN : Number(text.trim().replace(/^10\^(\d+)$/, "1e$1")));

function asked() {
  const parameters = {};
  for (const field of $("parameters").querySelectorAll("input")) {
    if (field.value.trim() !== "") parameters[field.name] = number(field.value);
  }
  return {
    algorithm: fields.algorithm.value, base: declared().bases ? fields.base.value : null, parameters, arms,
    epsilon: declared().private === null ? null : number(fields.epsilon.value), horizon: number(fields.horizon.value),
    runs: number(fields.runs.value), rootSeed: number(fields.rootSeed.value), checkpoints: number(fields.checkpoints.value),
  };
}

/** What runs beside it, with the paper's values of its parameters; null for nothing. */
function askedBeside(wanted) {
  const algorithm = fields.beside.value, each = kernels.algorithms[algorithm];
  const itself = algorithm === wanted.algorithm && !Object.keys(wanted.parameters).length;
  return algorithm && !itself ? { ...wanted, algorithm, base: each.bases ? each.base : null, parameters: {}, epsilon: each.private === null ? null : number(fields.epsilon.value) } : null;
}

// The address has what was asked for, so that it can be shared.

const ADDRESSED = ["algorithm", "base", "beside", "epsilon", "horizon", "runs", "rootSeed", "checkpoints"];

function address() {
  const words = new URLSearchParams(ADDRESSED.filter((name) => !(name === "base" && $("base").hidden)).map((name) => [name, fields[name].value.trim()]));
  words.set("arms", arms.join(","));
  for (const field of $("parameters").querySelectorAll("input")) if (field.value.trim()) words.set(`parameter.${field.name}`, field.value.trim());
  return words.toString();
}

function follow(text) {
  const words = new URLSearchParams(text);
  if (!kernels.algorithms[words.get("algorithm")]) return;
  fields.algorithm.value = words.get("algorithm");
  form.dataset.setting = declared().setting;
  const values = (words.get("arms") ?? "").split(",").map(Number);
  arms = values.length > 1 && values.length <= MOST_ARMS && values.every((value) => value >= START[declared().setting].low && value <= 1) ? values : [...START[declared().setting].arms];
  given = Object.fromEntries([...words].filter(([name]) => name.startsWith("parameter.")).map(([name, value]) => [name.slice(10), value]));
  showAlgorithm();
  for (const name of ADDRESSED) if (words.has(name) && name !== "algorithm") fields[name].value = words.get(name);
  showParameters();
  showSliders();
}

// Sliders: the budget, by its logarithm, and the smallest gap; the other gaps keep their proportions to it.

function gaps() {
  const lossy = declared().setting !== "stochastic" && declared().setting !== "linear", best = lossy ? Math.min(...arms) : Math.max(...arms);
  const all = arms.map((value) => Math.abs(best - value)), positive = all.filter((gap) => gap > 0);
  return { best, sign: lossy ? 1 : -1, all, least: positive.length ? Math.min(...positive) : 0 };
}

function showSliders() {
  const epsilon = number(fields.epsilon.value), { least } = gaps();
  if (epsilon > 0) $("epsilon-slider").value = Math.log10(epsilon);
  $("gap-slider").value = least;
  $("gap-shown").textContent = least ? written(least) : "none";
}

function showAlgorithm() {
  const each = declared(), setting = START[each.setting], beside = fields.beside.value;
  const others = Object.entries(kernels.algorithms).filter(([, other]) => other.setting === each.setting);
  fields.beside.replaceChildren(new Option("nothing", ""), ...others.map(([name, other]) => new Option(other.title, name)));
  fields.beside.value = others.some(([name]) => name === beside) ? beside : "";
  $("about").textContent = `${each.source}. ${each.private ? `${each.private} is claimed.` : "Not private."}${each.deviations === "none" ? "" : ` Differs from its source: ${each.deviations}.`}`.replaceAll("epsilon", "ε");
  $("base").hidden = !each.bases;
  fields.base.replaceChildren(...(each.bases ?? []).map((base) => new Option(kernels.algorithms[base].title, base, base === each.base, base === each.base)));
  $("epsilon").hidden = each.private === null;
  if (each.most_epsilon !== null && number(fields.epsilon.value) > each.most_epsilon) fields.epsilon.value = String(each.most_epsilon);
  $("environment").querySelector("legend").textContent = setting.name;
  // Where batches do not grow a run takes a time that grows with T.
  const quick = each.decides === "batches" && (each.setting === "stochastic" || each.setting === "full_information");
  [fields.horizon.value, fields.runs.value] = quick ? ["1e6", "1000"] : ["1e4", "100"];
  fields.preset.value = "";
  fields.preset.disabled = each.setting !== "stochastic";
  showParameters();
}

function showParameters() {
  const each = declared(), base = each.bases ? kernels.algorithms[fields.base.value].parameters : [];
  $("parameters").querySelector("div").replaceChildren(...[...each.parameters, ...base].map((parameter) => {
    const label = document.createElement("label"), input = document.createElement("input"), small = document.createElement("small");
    label.className = "field";
    Object.assign(input, { name: parameter.name, inputMode: "decimal", autocomplete: "off", value: given[parameter.name] ?? "" });
    small.textContent = `${parameter.description}; ${parameter.range || "any number"}. The paper’s value: ${parameter.default_text}`;
    label.append(`${parameter.name} `, input, small);
    return label;
  }));
}

// Arms that can be dragged.

function svg(name, attributes = {}, ...inside) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function showArms(focus = -1) {
  const { low } = START[declared().setting], W = 320, H = 170, top = 22, bottom = 22, step = W / arms.length;
  const place = (value) => top + ((1 - value) / (1 - low)) * (H - top - bottom);
  const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "group", "aria-label": "Arms: drag, or use the arrow keys" });
  picture.append(svg("line", { x1: 0, x2: W, y1: place(0), y2: place(0), stroke: "#8b8f96" }));
  arms.forEach((value, k) => {
    const middle = step * (k + 0.5), wide = Math.min(36, step * 0.7), y = place(value), zero = place(0);
    const arm = svg("g", { class: "arm", tabindex: 0, role: "slider", "aria-label": `arm ${k + 1}`, "aria-valuemin": low, "aria-valuemax": 1, "aria-valuenow": value });
    arm.append(
      svg("rect", { x: middle - step / 2, y: 0, width: step, height: H, fill: "transparent" }),
      svg("rect", { x: middle - wide / 2, y: Math.min(y, zero), width: wide, height: Math.max(1, Math.abs(zero - y)), fill: ARMS[k], opacity: 0.35 }),
      svg("rect", { x: middle - wide / 2, y: y - 4, width: wide, height: 8, rx: 3, fill: ARMS[k] }),
      svg("text", { x: middle, y: y - 8, "text-anchor": "middle", fill: INK }, String(value)),
      svg("text", { x: middle, y: H - 5, "text-anchor": "middle", fill: SOFT }, String(k + 1)));
    const set = (to) => {
      const rounded = Math.round(Math.min(1, Math.max(low, to)) * 1000) / 1000;
      if (rounded === arms[k]) return;
      arms[k] = rounded;
      showArms(k);
      later();
    };
    arm.addEventListener("keydown", (event) => {
      const by = { ArrowUp: 0.01, ArrowRight: 0.01, ArrowDown: -0.01, ArrowLeft: -0.01, PageUp: 0.1, PageDown: -0.1 }[event.key];
      if (by) { event.preventDefault(); set(arms[k] + by * (event.shiftKey ? 0.1 : 1)); }
    });
    arm.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const move = (at) => {
        const box = $("arms").firstElementChild.getBoundingClientRect();
        const to = 1 - (((at.clientY - box.top) / box.height) * H - top) / (H - top - bottom) * (1 - low);
        set(Math.round(to * 100) / 100);
      };
      const end = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", end); removeEventListener("pointercancel", end); };
      addEventListener("pointermove", move);
      addEventListener("pointerup", end);
      addEventListener("pointercancel", end);
      move(event);
    });
    picture.append(arm);
  });
  $("arms").replaceChildren(picture);
  showSliders();
  if (focus >= 0) picture.querySelectorAll(".arm")[focus].focus({ preventScroll: true });
  $("more").disabled = arms.length >= MOST_ARMS;
  $("fewer").disabled = arms.length <= 2;
}

// Pictures.

const written = Numbers.number;

function ticks(low, high, logarithmic, most = 6) {
  if (logarithmic) {
    const first = Math.ceil(Math.log10(low) - 1e-9), end = Math.floor(Math.log10(high) + 1e-9), by = Math.max(1, Math.ceil((end - first + 1) / most));
    return Array.from({ length: Math.max(0, Math.floor((end - first) / by) + 1) }, (_, i) => 10 ** (first + i * by));
  }
  const rough = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(rough)), by = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
  return Array.from({ length: Math.floor(high / by) - Math.ceil(low / by) + 1 }, (_, i) => (Math.ceil(low / by) + i) * by);
}

/** A frame with axes; what is drawn in it is given in its own units. */
function frame(place, { x, y, xLog = false, yLog = false, xName, yName, label, H = 400, top = 12 }) {
  const W = Math.max(320, Math.min(900, place.clientWidth || 640)), left = 72, right = 14, bottom = 42;
  const scale = (range, log, from, to) => {
    const [a, b] = log ? range.map(Math.log10) : range;
    return (value) => from + (((log ? Math.log10(value) : value) - a) / (b - a || 1)) * (to - from);
  };
  const X = scale(x, xLog, left, W - right), Y = scale(y, yLog, H - bottom, top);
  const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": label });
  for (const at of ticks(...x, xLog, W < 480 ? 4 : 7)) {
    picture.append(svg("line", { x1: X(at), x2: X(at), y1: top, y2: H - bottom, stroke: "#eceef0" }), svg("text", { x: X(at), y: H - bottom + 17, "text-anchor": X(at) > W - right - 24 ? "end" : "middle" }, written(at)));
  }
  for (const at of ticks(...y, yLog)) {
    picture.append(svg("line", { x1: left, x2: W - right, y1: Y(at), y2: Y(at), stroke: "#eceef0" }), svg("text", { x: left - 6, y: Y(at) + 4, "text-anchor": "end" }, written(at, 6)));
  }
  picture.append(svg("path", { d: `M${left},${top}V${H - bottom}H${W - right}`, fill: "none", stroke: INK }));
  picture.append(svg("text", { x: (left + W - right) / 2, y: H - 6, "text-anchor": "middle", fill: SOFT }, xName), svg("text", { x: 0, y: 0, "text-anchor": "middle", fill: SOFT, transform: `translate(13 ${(top + H - bottom) / 2}) rotate(-90)` }, yName));
  return { picture, X, Y, W, H };
}

function draw() {
  if (!shown.length) return;
  const { rounds, slope } = shown[0], xLog = $("logarithmic").checked, yLog = $("steep").checked, alone = shown.length === 1;
  const most = Math.max(...shown.flatMap(({ mean, quantiles }) => [...mean, ...quantiles[4]]), 1e-9);
  // A bound far above all runs would leave nothing to see of them.
  const within = slope && Number.isFinite(slope) ? rounds.filter((t) => slope * Math.log(t) <= 1.5 * most) : [];
  const lower = within.map((t) => slope * Math.log(t)), all = [...shown.flatMap(({ mean, quantiles }) => [...mean, ...quantiles[4]]), ...lower], high = Math.max(...all, most);
  const positive = all.filter((value) => value > 0), low = yLog ? Math.max(Math.min(...positive, high), high / 1e6) : Math.min(0, ...shown.flatMap(({ quantiles }) => quantiles[0]));
  const label = shown.map(({ title, mean, quantiles }) => `${title}: mean at T ${written(mean.at(-1))}, median ${written(quantiles[2].at(-1))}, between ${written(quantiles[0].at(-1))} and ${written(quantiles[4].at(-1))} in nine runs of ten`).join("; ");
  // On a phone the legend stands above the curves, which it would hide.
  const narrow = ($("chart").clientWidth || 640) < 560, entries = 2 * shown.length + 1 + Boolean(slope), above = narrow ? 12 + 18 * entries : 12;
  const { picture, X, Y, W, H } = frame($("chart"), { top: above, H: 388 + above, x: [xLog ? 1 : 0, rounds.at(-1)], y: [low, high * (yLog ? 1.5 : 1.05)], xLog, yLog, xName: "rounds", yName: "regret", label: `Regret over rounds. ${label}` });
  const points = (values) => values.map((value, i) => `${X(rounds[i]).toFixed(1)},${Y(yLog ? Math.max(value, low) : value).toFixed(1)}`);
  const band = (a, b, fill, opacity) => svg("polygon", { points: [...points(b), ...points(a).reverse()].join(" "), fill, opacity });
  const line = (values, colour, dashes, width = 2) => svg("polyline", { points: points(values).join(" "), fill: "none", stroke: colour, "stroke-width": width, ...(dashes ? { "stroke-dasharray": dashes } : {}) });
  const legend = [];
  shown.forEach(({ title, mean, quantiles }, i) => {
    // An algorithm has one colour, whatever stands beside it; its median is dashed.
    const colour = colourOf(i), other = colour;
    picture.append(band(quantiles[0], quantiles[4], colour, 0.14));
    if (alone) picture.append(band(quantiles[1], quantiles[3], colour, 0.22));
    picture.append(line(mean, colour, null, 2.5), line(quantiles[2], other, "7 4"));
    legend.push([alone ? "mean" : `${title}: mean`, colour, null], [alone ? "median" : `${title}: median`, other, "7 4"]);
  });
  legend.push([alone ? "half and nine tenths of the runs" : "nine tenths of the runs", null, null]);
  if (slope) { picture.append(line(lower, INK, "2 4")); legend.push([`lower bound as t grows: ${written(slope)} log t`, INK, "2 4"]); }
  // On a logarithmic axis curves end above, and leave room below.
  const [left, top] = narrow ? [8, 14] : yLog ? [W - 300, H - 42 - 18 * legend.length] : [82, 26];
  legend.forEach(([text, colour, dashes], i) => {
    const y = top + 18 * i;
    picture.append(colour ? svg("line", { x1: left, x2: left + 28, y1: y - 4, y2: y - 4, stroke: colour, "stroke-width": 2.5, ...(dashes ? { "stroke-dasharray": dashes } : {}) }) : svg("rect", { x: left, y: y - 10, width: 28, height: 11, fill: SOFT, opacity: 0.35 }));
    picture.append(svg("text", { x: left + 34, y, stroke: "#fff", "stroke-width": 4, "paint-order": "stroke" }, text));
  });
  $("chart").replaceChildren(picture);
  $("bound").hidden = !slope;
  drawRuns();
}

/** Every run's regret at T as a point, sorted; a click watches the run. */
function drawRuns() {
  const sorted = shown.map(({ last }) => [...last.keys()].sort((a, b) => last[a] - last[b])), [order] = sorted, n = order.length;
  const high = Math.max(1e-9, ...shown.map(({ last }, i) => last[sorted[i].at(-1)])), least = Math.min(...shown.map(({ last }, i) => last[sorted[i][0]]));
  const yLog = $("steep").checked && high > 0, low = yLog ? Math.max(least, high / 1e6) : Math.min(0, least);
  const { picture, X, Y } = frame($("last"), { x: [0, n - 1 || 1], y: [low, high * (yLog ? 1.5 : 1.05)], yLog, xName: "runs, sorted", yName: "regret at T", label: `Regret at T of ${n} runs, from ${written(least)} to ${written(high)}`, H: 190 });
  // Of many equal points those at the ends matter.
  const few = n <= 1500 ? [...order.keys()] : new Set([...Array(500).keys()].map((i) => Math.round((i * (n - 301)) / 499)).concat([...Array(300).keys()].map((i) => n - 1 - i)));
  shown.forEach(({ last }, which) => {
    for (const i of few) picture.append(svg("circle", { cx: X(i).toFixed(1), cy: Y(Math.max(low, last[sorted[which][i]])).toFixed(1), r: 3, fill: colourOf(which), opacity: 0.7 }));
  });
  picture.addEventListener("click", (event) => {
    if (!watchable) return;
    const box = picture.getBoundingClientRect(), at = ((event.clientX - box.left) / box.width) * picture.viewBox.baseVal.width;
    let nearest = 0;
    for (const i of order.keys()) if (Math.abs(X(i) - at) < Math.abs(X(nearest) - at)) nearest = i;
    watch(order[nearest]);
  });
  if (watchable) picture.style.cursor = "pointer";
  $("last").replaceChildren(picture);
  shown[0].order = order;
}

// Running.

let timer;
function later(wait = 120) {
  clearTimeout(timer);
  timer = setTimeout(run, wait);
}

async function run() {
  clearTimeout(timer);
  const mine = ++asking, wanted = asked(), beside = askedBeside(wanted), now = address();
  $("watch").hidden = true;
  usual ||= now;
  history.replaceState(null, "", now === usual ? location.pathname + location.search : `#${now}`);
  // A task that is not wanted any more ends with its worker.
  if (machine.busy) await machine.start();
  if (mine !== asking) return;
  $("cancel").disabled = false;
  document.body.setAttribute("aria-busy", "true");
  try {
    const about = await machine.send("describe", wanted);
    if (mine !== asking) return;
    fault("");
    $("command").textContent = about.command;
    $("digest").textContent = "–";
    for (const field of $("parameters").querySelectorAll("input")) field.placeholder = typeof about.values[field.name] === "number" ? written(about.values[field.name]) : about.values[field.name];
    watchable = about.watchable;
    $("watchers").hidden = !watchable;
    const fit = await same(wanted.algorithm);
    if (mine !== asking) return;
    if (!fit) {
      shown = [];
      for (const part of ["chart", "last"]) $(part).replaceChildren();
      for (const part of ["status", "command"]) $(part).textContent = "";
      $("watchers").hidden = true;
      document.body.dataset.done = mine;
      return;
    }
    $("status").textContent = "Running.";
    const titled = (one, result) => ({ algorithm: one.algorithm, title: kernels.algorithms[one.algorithm].title + (one === wanted && beside?.algorithm === one.algorithm ? ", as asked" : ""), ...result });
    const show = (result) => {
      if (mine !== asking) return;
      shown = [titled(wanted, result)];
      draw();
      $("status").textContent = `${result.done.toLocaleString("en")} of ${result.of.toLocaleString("en")} runs.`;
    };
    const began = performance.now(), result = await machine.send("simulate", wanted, show);
    if (mine !== asking) return;
    show(result);
    const each = (1000 * result.milliseconds) / result.of, took = performance.now() - began;
    const notes = result.notes.map((note) => ` ${note}.`);
    notes.unshift(...await besides(beside, (other) => { if (mine === asking) { shown = [titled(wanted, result), titled(beside, other)]; draw(); } }));
    if (mine !== asking) return;
    $("status").textContent = `${result.of.toLocaleString("en")} runs in ${took.toFixed(0)} ms, ${written(each)} µs of kernel each. Regret at T: ${shown.map(({ title, mean, quantiles }) => `${shown.length > 1 ? `${title} ` : ""}mean ${written(mean.at(-1))}, median ${written(quantiles[2].at(-1))}`).join("; ")}.${notes.join("")}`;
    $("digest").textContent = result.digest;
    document.body.dataset.done = mine;
    document.body.dataset.milliseconds = result.milliseconds;
  } catch (error) {
    if (error && mine === asking) {
      fault(error.message, error.where);
      $("status").textContent = "";
      document.body.dataset.done = mine;
    }
  } finally {
    if (mine === asking) {
      $("cancel").disabled = true;
      document.body.removeAttribute("aria-busy");
    }
  }
}

/** Simulate what stands beside what was asked for, and show it; return what is to be said of it. */
async function besides(wanted, show) {
  if (!wanted) return [];
  const { title } = kernels.algorithms[wanted.algorithm];
  try {
    if (!await same(wanted.algorithm, false)) return [` ${title} is not offered in this browser.`];
    show(await machine.send("simulate", wanted));
    return [];
  } catch (error) {
    // A task that ended with its worker has no error.
    if (!error) throw error;
    return [` ${title} is not drawn: ${forPerson(error.message)}`];
  }
}

/** Say whether an algorithm's first runs have the native bytes in this browser. */
async function same(algorithm, aloud = true) {
  if (!compared.has(algorithm)) {
    const found = await machine.send("compare", { algorithm });
    compared.set(algorithm, found.same);
    const cell = document.querySelector(`#comparison tr[data-algorithm="${algorithm}"]`).cells[2];
    cell.textContent = found.same ? `✓ yes, ${found.results.map((each) => each.digest.slice(0, 12)).join(", ")}` : `✗ no: ${found.results.map((each) => `${each.digest.slice(0, 12)}, natively ${each.native.slice(0, 12)}`).join("; ")}`;
    cell.dataset.same = found.same;
    cell.dataset.defaults = found.results.every((each) => each.defaults);
  }
  if (!compared.get(algorithm)) {
    fields.algorithm.querySelector(`option[value="${algorithm}"]`).disabled = true;
    if (aloud) fault(`${kernels.algorithms[algorithm].title} is not offered in this browser: its first runs have other bytes than the native ones.`);
  }
  return compared.get(algorithm);
}

async function compareAll() {
  let done = 0;
  $("compare").disabled = true;
  try {
    for (const algorithm of Object.keys(kernels.algorithms)) {
      await same(algorithm);
      $("compared").textContent = `${++done} of ${Object.keys(kernels.algorithms).length} compared, ${[...compared.values()].filter(Boolean).length} have the same bytes.`;
    }
    $("comparison").dataset.done = "true";
  } catch (error) {
    if (error) fault(error.message);
  }
  $("compare").disabled = false;
}

// One run.

async function watch(run) {
  const began = performance.now();
  try {
    const found = await machine.send("watch", { ...asked(), run });
    fault("");
    $("watch").hidden = false;
    watched = found;
    tellRun(found);
    $("watch-heading").textContent = `Watch one run: number ${run}`;
    $("proof").textContent = `${found.exact ? "Every sum and every noise above is proved by the random stream: what is drawn again leads from the state before a batch to the state after it." : "Not every draw could be repeated."} The regret of the run is ${written(found.regret)}. ${(performance.now() - began).toFixed(0)} ms.`;
    $("watch").dataset.exact = found.exact;
    $("watch-heading").focus();
  } catch (error) {
    if (error) fault(error.message, error.where);
  }
}

function tellRun(found) {
  const { events, culprit, scale } = found, name = (arm) => `arm ${arm + 1} (${arms[arm]})`, many = (n) => `${n.toLocaleString("en")} round${n === 1 ? "" : "s"}`;
  const signed = (x) => `${x < 0 ? "" : "+"}${written(x)}`;
  if (culprit && culprit.left > 0) {
    const noisy = events[culprit.noisy], left = events[culprit.place];
    const odds = noisy.noise < 0 ? `, as low in one release of ${written(Math.round(2 * Math.exp(-noisy.noise / scale)))}` : "";
    const later = culprit.noisy === culprit.place ? "" : ` After batch ${left.batch}, ${many(left.t)} in, the mean of its ${left.n.toLocaleString("en")} rewards is still ${written(left.mean)}.`;
    $("story").textContent = `The first noisy batch that made it: batch ${noisy.batch} of the best arm, ${name(noisy.arm)}, after ${many(noisy.t)}. Its rewards in ${many(noisy.size)} sum to ${noisy.rewards.toLocaleString("en")} (${written(noisy.size * arms[noisy.arm])} are expected), and the noise on that is ${signed(noisy.noise)} at a scale of ${written(scale)}${odds}: the private mean becomes ${written(noisy.mean)}.${later} Then the arm is not pulled ${culprit.forever ? `in the ${many(culprit.left)} that are left` : `for ${many(culprit.left)}`}.`;
  } else {
    $("story").textContent = "No batch of the best arm made it be left.";
  }
  drawMeans(found);
  const rows = events.map((event, place) => {
    const decided = event.indices === null ? "each arm once, in random order" : event.indices.map((index, k) => (k === event.arm ? `▸ ${k + 1}: ${written(index)}` : `${k + 1}: ${written(index)}`)).join(", ");
    const cells = [event.t.toLocaleString("en"), event.arm + 1, `${event.batch}: ${many(event.size)}`, event.cut ? "cut by T" : event.rewards.toLocaleString("en"), event.cut ? "" : signed(event.noise), event.cut ? "" : `${written(event.mean)}${event.mean !== event.clipped[event.arm] ? ` → ${written(event.clipped[event.arm])}` : ""}`, decided];
    const row = document.createElement("tr");
    if (place === culprit?.noisy) row.className = "culprit";
    row.append(...cells.map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  });
  const few = Math.max(30, (culprit?.noisy ?? 0) + 5);
  $("batches").tBodies[0].replaceChildren(...rows.slice(0, few));
  $("batches").tHead.rows[0].cells[6].textContent = `What decided: ${found.index}`;
  $("all-batches").hidden = rows.length <= few;
  $("all-batches").onclick = () => { $("batches").tBodies[0].replaceChildren(...rows); $("all-batches").hidden = true; };
}

function drawMeans({ events, culprit }) {
  const end = events.at(-1).t + events.at(-1).size, released = events.filter((event) => !event.cut);
  const { picture, X, Y } = frame($("means"), { x: [1, end], y: [0, 1], xLog: true, xName: "rounds", yName: "private mean, clipped to [0, 1]", label: "Private mean of every arm after each of its batches; thin lines are the true means", H: 260 });
  arms.forEach((mean, k) => {
    picture.append(svg("line", { x1: X(1), x2: X(end), y1: Y(Math.max(0, mean)), y2: Y(Math.max(0, mean)), stroke: ARMS[k], "stroke-dasharray": "2 5", opacity: 0.7 }));
    let path = "";
    for (const event of released.filter((each) => each.arm === k)) {
      const x = X(event.t + event.size).toFixed(1), y = Y(event.clipped[k]).toFixed(1);
      path += path ? `H${x}V${y}` : `M${x},${y}`;
      picture.append(svg("circle", { cx: x, cy: y, r: 3.5, fill: ARMS[k] }));
    }
    if (path) picture.append(svg("path", { d: `${path}H${X(end)}`, fill: "none", stroke: ARMS[k], "stroke-width": 1.8 }));
    const held = released.filter((each) => each.arm === k).at(-1);
    if (held) picture.append(svg("text", { x: X(end) - 4, y: Y(held.clipped[k]) - 5, "text-anchor": "end", stroke: "#fff", "stroke-width": 4, "paint-order": "stroke" }, String(k + 1)));
  });
  const event = culprit && events[culprit.noisy];
  if (event) picture.append(svg("circle", { cx: X(event.t + event.size), cy: Y(event.clipped[event.arm]), r: 9, fill: "none", stroke: INK, "stroke-width": 2 }));
  $("means").replaceChildren(picture);
}

// What a person does.

form.addEventListener("submit", (event) => { event.preventDefault(); run(); });
form.addEventListener("change", (event) => {
  if (event.target.name === "algorithm") {
    const before = START[form.dataset.setting ?? "stochastic"], now = START[declared().setting];
    if (before !== now) arms = [...now.arms];
    form.dataset.setting = declared().setting;
    given = {};
    showAlgorithm();
    showArms();
  } else if (event.target.name === "base") showParameters();
  else if (event.target.name === "preset" && event.target.value) {
    const preset = presets[event.target.value];
    arms = [...preset.arms];
    [fields.epsilon.value, fields.horizon.value] = [String(preset.epsilon), String(preset.horizon)];
    showArms();
  } else if (event.target.name === "epsilon") showSliders();
  if (event.target.id === "logarithmic" || event.target.id === "steep") return draw();
  else if (event.target.id === "which") return undefined;
  return later(0);
});
$("epsilon-slider").addEventListener("input", () => {
  fields.epsilon.value = String(Number((10 ** Number($("epsilon-slider").value)).toPrecision(2)));
  later();
});
$("gap-slider").addEventListener("input", () => {
  const { best, sign, all, least } = gaps(), to = Number($("gap-slider").value), { low } = START[declared().setting];
  // Of equal arms the first stays.
  const moved = (gap, k) => best + sign * (least ? (gap / least) * to : k ? to : 0);
  arms = all.map((gap, k) => Math.round(Math.min(1, Math.max(low, moved(gap, k))) * 1000) / 1000);
  fields.preset.value = "";
  showArms();
  later();
});
$("more").addEventListener("click", () => { arms.push(arms.at(-1)); showArms(); later(); });
$("fewer").addEventListener("click", () => { arms.pop(); showArms(); later(); });
$("cancel").addEventListener("click", async () => {
  asking++;
  await machine.start();
  $("cancel").disabled = true;
  document.body.removeAttribute("aria-busy");
  $("status").textContent = shown.length ? `Cancelled after ${shown[0].done.toLocaleString("en")} runs.` : "Cancelled.";
});
$("worst").addEventListener("click", () => shown.length && watch(shown[0].order.at(-1)));
$("typical").addEventListener("click", () => shown.length && watch(shown[0].order[Math.floor(shown[0].order.length / 2)]));
$("look").addEventListener("click", () => watch(number($("which").value)));
$("compare").addEventListener("click", compareAll);
$("copy").addEventListener("click", async () => {
  const text = `${$("command").textContent}\n${$("terminal").textContent}\n`;
  try {
    await navigator.clipboard.writeText(text);
    $("copied").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren($("command"));
    $("copied").textContent = "The browser does not allow it: the command is selected.";
  }
});
addEventListener("resize", () => { draw(); if (watched && !$("watch").hidden) drawMeans(watched); });

showAlgorithm();
fields.beside.value = kernels.algorithms["dp-klucb"] && declared().setting === "stochastic" ? "dp-klucb" : "";
usual = address();
follow(location.hash.slice(1));
showArms();
(async () => {
  try {
    await machine.start();
    await run();
  } catch (error) {
    fault(`This browser cannot run the kernels: they are 64-bit WebAssembly, which Chromium and Chrome have from 133 and Firefox from 134 on. (${error?.message ?? error})`);
    $("status").textContent = "";
    for (const each of form.elements) each.disabled = true;
  }
  document.body.dataset.ready = "true";
})();
