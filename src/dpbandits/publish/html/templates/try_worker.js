// The worker of the page Try. It has the kernels as WebAssembly, the project's Python as JavaScript, and what both need:
// Python's texts of numbers, streams, and what a person asks. When the page is made, the loader of numba2wasm is put
// before this text, and the translated Python behind it.

let data;

/** What a person gave and cannot be used; said as on the command line. */
class BadInput extends Error {
  constructor(where, value, allowed) {
    super(`${where}: ${typeof value === "string" ? `'${value}'` : value} is not allowed; allowed: ${allowed}`);
    this.where = where;
  }
}

/** What translated Python calls. */
const own = {
  kernel,
  log: (x) => wasm.own_log(x), exp: (x) => wasm.own_exp(x), cbrt: (x) => wasm.own_cbrt(x),
  log1p: (x) => wasm.own_log1p(x), expm1: (x) => wasm.own_expm1(x), log2: (x) => wasm.own_log2(x),
  pow(x, y) {
    if (!(x instanceof Numbers)) return wasm.own_pow(x, y);
    const powers = x.view.slice();
    for (let i = 0; i < powers.length; i++) powers[i] = y === 2 ? powers[i] * powers[i] : wasm.own_pow(powers[i], y);
    return powers;
  },
  square: (x) => own.pow(x, 2),
  // Halves go to the even number.
  round: (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)),
  range: (first, end = null) => ({ first: end === null ? 0 : first, end: end ?? first }),
  get: (record, key, otherwise) => record[key] ?? otherwise,
  whole: (x) => Math.trunc(x),
  mean(x) {
    let total = 0;
    for (let i = 0; i < x.length; i++) total += x[i];
    return total / x.length;
  },
  full: (size, value) => floats(new Array(size).fill(value)),
  bases: () => Object.fromEntries(
    Object.entries(data.algorithms)
      .filter(([, each]) => each.any_loss)
      .map(([name, each]) => [name, { simulate: translated[each.simulate] }])),
  cumulativePulls(n0, alpha, horizon) {
    // The ratio is the decimal that it is written as.
    const [, digits, power] = /^([\d.]+)(?:e([+-]?\d+))?$/.exec(python(alpha));
    const places = (digits.split(".")[1] ?? "").length - Number(power ?? 0);
    let p = BigInt(digits.replace(".", "")), q = 1n;
    if (places > 0) q = 10n ** BigInt(places);
    else p *= 10n ** BigInt(-places);
    for (let [a, b] = [p, q]; ; ) {
      [a, b] = [b, a % b];
      if (!b) { p /= a; q /= a; break; }
    }
    const table = [], [start, end] = [BigInt(n0), BigInt(horizon)];
    for (let [x, y] = [p, q]; !table.length || table.at(-1) <= end; x *= p, y *= q) {
      const above = start * (x - y) * q, below = y * (p - q), pulls = (above + below - 1n) / below;
      table.push(pulls < end + 1n ? pulls : end + 1n);
    }
    return new Numbers("int64", [table.length]).fill(table);
  },
  polynomialPulls(n0, degree, horizon) {
    const table = [BigInt(n0)];
    while (table.at(-1) <= BigInt(horizon)) {
      table.push(table.at(-1) + BigInt(n0) * BigInt(table.length + 1) ** BigInt(degree));
    }
    table[table.length - 1] = BigInt(horizon) + 1n;
    return new Numbers("int64", [table.length]).fill(table);
  },
  eliminate,
};

/**
 * Arm elimination on the actions of a basis, where every design is known: as `settings/linear/elimination.py` says,
 * batch by batch, runs with the same active actions together.
 */
function eliminate(runs, bandit, rules) {
  const [number, arms] = runs.pulls.shape, together = rules.model?.aggregated ?? false;
  if (!together && runs.horizon > 1e9) throw new BadInput("--horizon", runs.horizon, "at most 1000000000: rewards are reported one by one");
  const clocks = { t: zeros("int64", number), at: zeros("int64", number), excess: zeros("float64", number) };
  const every = [...Array(arms).keys()];
  let groups = [{ active: every, some: [...Array(number).keys()].map((run) => [run, every.map(() => 0)]) }];
  for (let i = rules.batches.first; i < rules.batches.end && groups.some(({ active }) => active.length > 1); i++) {
    groups = groups.flatMap((group) => (group.active.length > 1 ? batch(runs, bandit, rules, clocks, group, i) : [group]));
  }
  for (const { active, some } of groups) {
    const estimates = floats(some.flatMap(([, found]) => found), some.length, active.length);
    kernel("play_best", [runs, bandit, whole(some.map(([run]) => run)), whole(active), estimates, clocks]);
  }
}

/** Play a batch in runs with the same active actions; return those before the horizon, by the actions that they keep. */
function batch(runs, bandit, rules, clocks, { active, some }, number) {
  const rank = active.length, design = { weights: 1 / rank, rank, coordinates: { shape: [rank, rank] } };
  const each = rules.pulls(number, design), pulls = whole(active.map(() => each)), chosen = whole(active);
  const t = clocks.t.view, ends = ([run]) => runs.horizon - Number(t[run]) <= each * rank;
  const over = some.filter(ends), left = some.filter((one) => !ends(one));
  if (over.length) kernel("play_out", [runs, bandit, whole(over.map(([run]) => run)), chosen, pulls, clocks]);
  const together = rules.model?.aggregated ?? false, scale = rules.scale ?? 0, clip = rules.clip ?? Infinity;
  const pooled = together ? each : 1, repeat = together ? 1 : each, reports = rank * repeat;
  const known = {
    number, dimension: runs.pulls.shape[1], support: rank, reports, pooled, reach: 1 / repeat, scale: scale / pooled,
    second_moment: Math.min(clip ** 2, 1 + 1 / pooled) + 2 * (scale / pooled) ** 2,
  };
  const unit = Math.sqrt((3 * known.second_moment) / Math.max(bandit.corruption.probability, 1 / repeat));
  const length = 1 / Math.sqrt(repeat), width = rules.width(known);
  const support = floats(active.flatMap((_, j) => active.map((__, k) => (j === k ? length : 0))), rank, rank);
  const repeats = whole(active.map(() => repeat)), groups = new Map();
  // As many at a time as their reports leave room for.
  for (let size = Math.max(1, Math.floor(2e6 / reports)), first = 0; first < left.length; first += size) {
    const before = taken.length, now = whole(left.slice(first, first + size).map(([run]) => run));
    const received = kernel("play_and_report", [runs, bandit, now, chosen, pulls, clocks, together, clip, scale, unit], [now.size, reports]);
    const thresholds = floats(Array.from({ length: now.size }, (_, row) => rules.threshold(known, new Numbers("float64", [reports], received.address + 8 * row * reports))));
    const centres = kernel("filtered_means", [runs.streams, now, support, repeats, received, thresholds], [now.size, rank]).view;
    Array.from(now.view, Number).forEach((run, row) => {
      const found = active.map((_, j) => reports * (length * centres[row * rank + j])), least = Math.max(...found) - 2 * width;
      const kept = active.filter((_, j) => found[j] >= least), key = kept.join();
      if (!groups.has(key)) groups.set(key, { active: kept, some: [] });
      groups.get(key).some.push([run, found.filter((estimate) => estimate >= least)]);
    });
    for (const [address, bytes] of taken.splice(before)) wasm.give(BigInt(address), BigInt(bytes));
  }
  return [...groups.values()];
}

/** Python's text of a number that is a float there. */
function python(x) {
  if (x === null) return "null";
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "Infinity" : "-Infinity";
  if (x === 0) return Object.is(x, -0) ? "-0.0" : "0.0";
  const [digits, power] = Math.abs(x).toExponential().split("e"), exponent = Number(power), sign = x < 0 ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    return `${sign}${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  const all = digits.replace(".", "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${all}`;
  return `${sign}${all.slice(0, exponent + 1).padEnd(exponent + 1, "0")}.${all.slice(exponent + 1) || "0"}`;
}

/** Python's `json.dumps(value, sort_keys=True)`, of records all of whose numbers are floats there. */
function dumps(value) {
  if (Array.isArray(value)) return `[${value.map(dumps).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}: ${dumps(value[key])}`).join(", ")}}`;
  }
  return typeof value === "number" ? python(value) : JSON.stringify(value);
}

// Problems: what the kernels of each setting read, made of one number for each arm.

const sum = (values) => values.reduce((total, value) => total + value, 0);
const best = { most: (values) => values.map((value) => Math.max(...values) - value), least: (values) => values.map((value) => value - Math.min(...values)) };
const losses = (means, bernoulli, advice, costs) => ({
  starts: whole([0, 1]), means: floats(means, 1, means.length),
  before: floats([...means.map(() => 0), ...means], 2, means.length), bernoulli,
  advice: advice ?? new Numbers("float64", [0, 0, 0]), costs: costs ?? new Numbers("float64", [0, 0]),
});
const SETTINGS = {
  stochastic: {
    environment: (arms) => ({ kind: "bernoulli", means: arms }),
    problem: (arms) => ({ means: floats(arms), gaps: floats(best.most(arms)), table: new Numbers("float64", [0, arms.length]) }),
  },
  adversarial: {
    environment: (arms) => ({ kind: "periodic", losses: [arms] }),
    problem: (arms) => ({ losses: losses(arms, false), batch: 1, noise: 0, local: false }),
    sequence: (problem) => problem.losses,
  },
  experts: {
    environment: (arms) => ({ kind: "advice-table", losses: [arms], advice: [experts(arms.length)] }),
    problem: (arms) => {
      const advice = experts(arms.length), number = advice.length;
      const table = floats(arms.flatMap((_, action) => advice.map((each) => each[action])), 1, arms.length, number);
      const means = floats(arms, 1, arms.length);
      const cost = advice.map((each) => Math.min(1, Math.max(0, arms[0] + sum(each.map((p, action) => p * (arms[action] - arms[0]))))));
      return { advice: table, means, followed: { losses: losses(cost, true, table, means), batch: 1, noise: 0, local: false } };
    },
    sequence: (problem) => problem.followed.losses,
    experts: (arms) => arms + 1,
  },
  full_information: {
    environment: (arms) => ({ kind: "bernoulli-losses", means: arms }),
    problem: (arms) => ({
      values: floats(arms.flatMap(() => [1, 0]), arms.length, 2),
      conditional: floats(arms.flatMap((mean) => [Math.min(1, mean / (1 - mean + mean)), 1]), arms.length, 2),
      means: floats(arms), gaps: floats(best.least(arms)), table: new Numbers("float64", [0, arms.length]),
    }),
  },
  linear: {
    environment: (arms) => ({
      kind: "actions", actions: arms.map((_, i) => arms.map((_, j) => (i === j ? 1 : 0))), theta: arms,
      noise: { kind: "bernoulli" }, corruption: { probability: 0, attack: "constant", size: 0, of: "reports" },
    }),
    problem: (arms) => ({
      actions: floats(arms.flatMap((_, i) => arms.map((_, j) => (i === j ? 1 : 0))), arms.length, arms.length),
      means: floats(arms), gaps: floats(best.most(arms)), noise: { kind: 0, scale: 0 },
      corruption: { probability: 0, fixed: zeros("float64", arms.length), factor: 0, single: false, adaptive: false, of_reports: true },
      table: new Numbers("float64", [0, arms.length]),
    }),
    facts: (arms) => ({ dimension: arms, corruption: 0, bound: 1 }),
    low: -1,
    check: (arms) => {
      const norm = Math.hypot(...arms);
      if (norm > 1 + 1e-12) throw new BadInput("--environment.theta", `[${arms}]`, `a list of numbers of norm at most 1; its norm is ${norm.toPrecision(6)}`);
    },
  },
};

/** Every action is an expert's advice; one more expert cannot decide between the first two. */
function experts(arms) {
  const each = [...Array(arms).keys()];
  return [...each.map((expert) => each.map((action) => (action === expert ? 1 : 0))), each.map((action) => (action < 2 ? 0.5 : 0))];
}

// What a person asks for, checked as the command line checks it.

function wholeNumber(where, value, least, most, allowed) {
  if (!Number.isInteger(value) || value < least || value > most) throw new BadInput(where, value, allowed);
  return value;
}

/** A job: `asked` has algorithm, base, parameters (only those that are given), arms, epsilon, horizon and so on; `first` is the number of the first run. */
function makeJob(asked) {
  const declared = data.algorithms[asked.algorithm], setting = SETTINGS[declared.setting];
  const horizon = wholeNumber("--horizon", asked.horizon, 1, 2 ** 52, "an integer from 1 to 2**52 = 4503599627370496");
  const checkpoints = wholeNumber("--checkpoints", asked.checkpoints, 1, 10000, "an integer >= 1");
  const first = asked.first ?? 0;
  const rootSeed = wholeNumber("--root-seed", asked.rootSeed, 0, Number.MAX_SAFE_INTEGER, "an integer >= 0");
  wholeNumber("--seeds", asked.runs, 1, 100000, "from 1 to 100000 runs");
  asked.arms.forEach((mean, i) => {
    const low = setting.low ?? 0;
    if (!(mean >= low && mean <= 1)) throw new BadInput(`--environment.${i}`, mean, `a number in [${low}, 1]`);
  });
  setting.check?.(asked.arms);
  const epsilon = declared.private === null ? null : asked.epsilon;
  if (epsilon !== null && !(epsilon >= 1e-100 && epsilon <= declared.most_epsilon)) {
    throw new BadInput("--epsilon", epsilon, `a number > 0, from 1e-100 to ${python(declared.most_epsilon).replace(/\.0$/, "")} for ${declared.title}`);
  }
  const arms = asked.arms.length;
  const tuning = { horizon, arms, epsilon, experts: setting.experts?.(arms) ?? 0, noise: 0, facts: setting.facts?.(arms) ?? {} };
  const { values, notes, wholes } = resolve(declared, asked.base, asked.parameters, tuning);
  const text = Object.keys(values).sort().map((name) => `"${name}": ${written(values[name], wholes[name])}`).join(", ");
  const environment = dumps(setting.environment(asked.arms));
  const identity = `{"algorithm": "${asked.algorithm}", "environment": ${environment}, "epsilon": ${python(epsilon)}, "horizon": ${horizon}, "parameters": {${text}}}`;
  const options = Object.keys(values).map((name) => `--param ${name}=${name === "base" ? values[name] : written(values[name], wholes[name])}`);
  const command = [
    `dpbandits simulate ${asked.algorithm}`,
    declared.setting === "stochastic" ? `--means ${asked.arms.map(python).join(",")}` : `--environment '${environment}'`,
    ...(epsilon === null ? [] : [`--epsilon ${python(epsilon)}`]),
    `--horizon ${horizon} --seeds ${first}-${first + asked.runs - 1} --checkpoints ${checkpoints} --root-seed ${rootSeed}`,
    ...options, "--output out.npz",
  ].join(" ");
  return { declared, setting, arms: asked.arms, epsilon, horizon, checkpoints, rootSeed, first, runs: asked.runs, values, notes, identity, command };
}

const written = (value, isWhole) => (typeof value === "string" ? `"${value}"` : isWhole ? String(value) : python(value));

/** All parameters: those given, checked, and defaults; as `Algorithm.resolve` does it. */
function resolve(declared, base, given, tuning) {
  const values = {}, wholes = {}, notes = [];
  const add = (parameter, of) => {
    const largest = parameter.largest ? translated[parameter.largest](null, of)
      : Math.min(parameter.at_most ?? Infinity, parameter.at_most_horizon ? of.horizon : Infinity);
    const formula = translated[parameter.default];
    let value = formula(of, values);
    if (value > largest) {
      notes.push(`${parameter.name}: its formula gives ${value.toPrecision(6)}, beyond ${parameter.range}; ${largest} is used`);
      value = largest;
    }
    if (parameter.whole) value = Math.trunc(value);
    if (parameter.name in given) {
      value = given[parameter.name];
      const allowed = `${parameter.whole ? "an integer" : "a number"} ${parameter.range}${parameter.at_most_horizon ? ` = ${of.horizon}` : ""}`;
      const inside = value > (parameter.above ?? -Infinity) && value < (parameter.below ?? Infinity) && value >= (parameter.at_least ?? -Infinity) && value <= largest;
      if (!Number.isFinite(value) || !inside || (parameter.whole && !Number.isInteger(value))) throw new BadInput(`--param.${parameter.name}`, value, allowed);
    }
    values[parameter.name] = value;
    wholes[parameter.name] = parameter.whole;
  };
  if (declared.bases) values.base = base ?? declared.base;
  declared.parameters.forEach((parameter) => add(parameter, tuning));
  if (declared.bases) {
    const inner = translated[declared.tuning](tuning, values);
    data.algorithms[values.base].parameters.forEach((parameter) => add(parameter, inner));
  }
  return { values, notes, wholes };
}

/** The rounds at which regret is recorded. */
function checkpoints(horizon, number) {
  const found = [];
  for (let i = 0; i < number - 1; i++) {
    const round = own.round(wasm.own_pow(horizon, i / (number - 1)));
    if (round < horizon && round > (found.at(-1) ?? 0)) found.push(round);
  }
  return [...found, horizon];
}

/** Unfilled runs of a job, and their problem. */
function prepare(job) {
  const problem = job.setting.problem(job.arms), marks = checkpoints(job.horizon, job.checkpoints), rounds = whole(marks);
  const sequence = job.setting.sequence?.(problem);
  const text = new TextEncoder().encode(`${job.rootSeed}\0${job.identity}`), place = take(text.length);
  new Uint8Array(wasm.memory.buffer, place, text.length).set(text);
  const streams = new Numbers("uint64", [job.runs, 4]);
  wasm.start_streams(BigInt(place), BigInt(text.length), BigInt(job.first), BigInt(job.runs), BigInt(streams.address));
  const pulled = job.setting.experts?.(job.arms.length) ?? job.arms.length;
  const runs = {
    streams, horizon: job.horizon, rounds, recorder: null,
    best: sequence ? kernel("best", [sequence, rounds], [marks.length]) : zeros("float64", marks.length),
    regret: zeros("float64", job.runs, marks.length), pulls: zeros("int64", job.runs, pulled), played: zeros("int16", job.runs, 0),
  };
  return { runs, problem, marks };
}

const part = (runs, first, last) => ({
  ...runs, streams: runs.streams.rows(first, last), regret: runs.regret.rows(first, last),
  pulls: runs.pulls.rows(first, last), played: new Numbers("int16", [last - first, 0], runs.played.address),
});

const fill = (job, runs, problem) => translated[job.declared.simulate](
  runs, problem, { ...job.values, ...(job.epsilon === null ? {} : { epsilon: job.epsilon }) });

const digest = (numbers) => sha256(numbers.address, numbers.bytes);

/** Mean and quantiles of the first runs' regret at each checkpoint, and each run's at the end. */
function summary(regret, done, marks) {
  const all = regret.view, columns = marks.length, mean = [], quantiles = [[], [], [], [], []];
  const column = new Float64Array(done);
  for (let at = 0; at < columns; at++) {
    let total = 0;
    for (let run = 0; run < done; run++) total += column[run] = all[run * columns + at];
    mean.push(total / done);
    column.sort();
    [0.05, 0.25, 0.5, 0.75, 0.95].forEach((share, i) => {
      const place = share * (done - 1), low = Math.floor(place);
      quantiles[i].push(column[low] + (place - low) * ((column[low + 1] ?? column[low]) - column[low]));
    });
  }
  const last = Float64Array.from({ length: done }, (_, run) => all[run * columns + columns - 1]);
  return { rounds: marks, mean, quantiles, last };
}

/** The slope of the asymptotic lower bound, where the setting has one. */
function slope(job) {
  if (job.declared.setting !== "stochastic") return null;
  const top = Math.max(...job.arms), epsilon = job.epsilon;
  const budget = epsilon === null ? null : budgetOf(epsilon);
  return sum(job.arms.filter((mean) => mean < top).map((mean) =>
    (top - mean) / (budget ? kernel("d_eps", [mean, top, budget]) : kernel("kl", [mean, top]))));
}

const TASKS = {
  /** Check what is asked for, and say all parameters. */
  describe(asked) {
    const { values, notes, command, declared } = makeJob(asked);
    return { values, notes, command, watchable: watchable(declared) };
  },

  /** Simulate; say now and then how far it is. */
  simulate(asked, tell) {
    const job = makeJob(asked), { runs, problem, marks } = prepare(job);
    let piece = Math.min(job.runs, job.declared.decides === "batches" ? 50 : 1), spent = 0, spoken = performance.now();
    for (let first = 0; first < job.runs; ) {
      const last = Math.min(job.runs, first + piece), began = performance.now();
      fill(job, part(runs, first, last), problem);
      const took = performance.now() - began;
      spent += took;
      first = last;
      // Pieces take some fiftieth of a second: a run does not notice them.
      piece = Math.max(1, Math.min(4 * piece, Math.round((piece * 20) / Math.max(took, 0.01))));
      if (performance.now() - spoken > 250 && first < job.runs) {
        spoken = performance.now();
        tell({ done: first, of: job.runs, ...summary(runs.regret, first, marks) });
      }
    }
    const { values, notes, command } = job;
    return { done: job.runs, of: job.runs, ...summary(runs.regret, job.runs, marks), milliseconds: spent, slope: slope(job), digest: digest(runs.regret), values, notes, command };
  },

  /** Repeat the native first runs of an algorithm, and compare their bytes and the defaults of its parameters. */
  compare({ algorithm }) {
    const { reference, algorithms } = data, declared = algorithms[algorithm];
    const results = declared.references.map((native) => {
      const { base, ...parameters } = native.parameters, { environment } = native;
      const arms = environment.means ?? environment.theta ?? environment.losses[0];
      const asked = { algorithm, base, parameters, arms, epsilon: native.epsilon, horizon: native.horizon, checkpoints: reference.checkpoints, rootSeed: reference.root_seed, runs: reference.runs };
      const job = makeJob(asked), { runs, problem } = prepare(job);
      fill(job, runs, problem);
      const defaults = makeJob({ ...asked, parameters: {} }).values;
      const found = digest(runs.regret);
      return { base, same: found === native.digest, digest: found, native: native.digest, defaults: Object.entries(native.defaults).every(([name, value]) => defaults[name] === value) };
    });
    return { algorithm, same: results.every((each) => each.same), results };
  },

  /** One run, batch by batch. */
  watch(asked) {
    return watch(makeJob({ ...asked, runs: asked.run + 1 }), asked.run);
  },
};

/**
 * What a run of DP-IMED or DP-KLUCB released, and what decided.
 *
 * Nothing of the algorithm is written here a second time: its kernel is run to shorter horizons. One round more tells
 * which arm is pulled next; the random streams before and after its batch tell what was drawn in between: after some
 * numbers that broke ties, the batch's sum and the noise on it.
 */
function watch(job, number) {
  const { runs, problem } = prepare(job), K = job.arms.length;
  const start = runs.streams.rows(number, number + 1).view.slice();
  const one = { streams: zeros("uint64", 1, 4), rounds: whole([1]), best: zeros("float64", 1), regret: zeros("float64", 1, 1), pulls: zeros("int64", 1, K), played: zeros("int16", 1, 0), recorder: null };
  let schedule = null;
  own.kernel = (name, [filled, bandit, epsilon, batches]) => {
    // The schedule stays that of the whole run: only the clock stops earlier.
    schedule ??= batches;
    return kernel(name, [filled, bandit, epsilon, schedule]);
  };
  const to = (horizon) => {
    one.streams.view.set(start);
    one.rounds.view[0] = BigInt(horizon);
    one.pulls.view.fill(0n);
    fill(job, { ...one, horizon }, problem);
    return { state: one.streams.view.slice(), pulls: Array.from(one.pulls.view, Number) };
  };
  try {
    fill(job, part(runs, number, number + 1), problem);
    const steps = Array.from(schedule.counts.view, Number), scale = schedule.noise.view[0];
    const arms = job.arms.map(() => ({ batch: -1, sum: 0, n: 0, pulled: 0, clipped: null })), events = [];
    const budget = budgetOf(job.epsilon), index = INDICES[watchable(job.declared)];
    for (let t = 0; t < job.horizon; ) {
      const pulled = to(t + 1).pulls, arm = pulled.findIndex((pulls, k) => pulls > arms[k].pulled), held = arms[arm];
      const indices = arms.every((each) => each.batch >= 0) ? index.of(arms, t, budget) : null;
      const size = steps[held.batch + 1] - held.pulled, cut = t + size > job.horizon;
      const event = { t, arm, size: Math.min(size, job.horizon - t), batch: held.batch + 1, indices, cut };
      if (!cut) {
        Object.assign(event, drawn(to(t).state, to(t + size).state, size, job.arms[arm], scale));
        if (schedule.forgets) Object.assign(held, { sum: 0, n: 0 });
        held.sum += event.rewards + event.noise;
        held.n += size;
        held.pulled += size;
        held.batch += 1;
        held.clipped = Math.min(1, Math.max(0, held.sum / held.n));
        Object.assign(event, { mean: held.sum / held.n, n: held.n });
      }
      event.clipped = arms.map((each) => each.clipped);
      events.push(event);
      t += event.size;
    }
    const columns = runs.regret.shape[1], regret = runs.regret.view[(number + 1) * columns - 1];
    const exact = events.every((event) => event.cut || event.exact);
    return { run: number, events, regret, exact, scale, least: index.least, index: index.name, culprit: culprit(job, events) };
  } finally {
    own.kernel = kernel;
  }
}

/** What was drawn between two states of a stream: numbers that broke ties, a batch's sum, and its noise. */
function drawn(before, after, size, mean, scale) {
  const state = new Numbers("uint64", [4]), from = before.slice();
  for (let ties = 0; ties < 1000; ties++) {
    state.view.set(from);
    const rewards = kernel("binomial", [state, size, mean]), noise = kernel("laplace", [state, scale]);
    if (state.view.every((word, i) => word === after[i])) return { rewards, noise, exact: true };
    // One number further.
    state.view.set(from);
    kernel("binomial", [state, 1, 0.5]);
    from.set(state.view);
  }
  return { rewards: NaN, noise: NaN, exact: false };
}

const budgetOf = (epsilon) => ({ epsilon, shrink: wasm.own_exp(-epsilon), spread: -wasm.own_expm1(-epsilon) });
const watchable = (declared) => /dp_(imed|klucb)__follow/.exec(translated[declared.simulate])?.[1] ?? null;

/**
 * Which release made the run. A best arm is left for the most rounds after one of its batches; of its noises up to
 * then the lowest is what its mean could not outweigh.
 */
function culprit(job, events) {
  const top = Math.max(...job.arms);
  let worst = null;
  events.forEach((event, place) => {
    if (event.cut || job.arms[event.arm] !== top) return;
    const next = events.slice(place + 1).find((later) => job.arms[later.arm] === top);
    const left = (next?.t ?? job.horizon) - (event.t + event.size);
    if (!worst || left > worst.left) worst = { place, left, forever: !next };
  });
  if (!worst) return null;
  const before = events.slice(0, worst.place + 1).map((event, place) => ({ ...event, place }));
  const own = before.filter((event) => event.arm === events[worst.place].arm);
  return { ...worst, noisy: own.reduce((lowest, event) => (event.noise < lowest.noise ? event : lowest)).place };
}

const INDICES = {
  imed: {
    name: "index of eq. 13, n d(mean, largest mean) + log n: the smallest is pulled", least: true,
    of: (arms, _, budget) => {
      const highest = Math.max(...arms.map((each) => each.clipped));
      return arms.map((each) => each.n * kernel("d_eps", [each.clipped, highest, budget]) + wasm.own_log(each.n));
    },
  },
  klucb: {
    name: "index of eq. 12, the largest mean within log t/n: the largest is pulled", least: false,
    of: (arms, t, budget) => arms.map((each) => kernel("d_eps_upper", [each.clipped, wasm.own_log(t + 1) / each.n, budget])),
  },
};

// Translated functions and formulas by what they are called in the data; of a formula without variables, its value.
const translated = {};

onmessage = async ({ data: message }) => {
  if (message.task === "start") {
    try {
      data = message.data;
      await load(message.module, data.entries);
      for (const [name, get] of Object.entries(NAMED)) {
        const found = get();
        translated[name] = typeof found === "function" ? found : () => found;
      }
      postMessage({ id: message.id, result: true });
    } catch (error) {
      postMessage({ id: message.id, error: String(error) });
    }
    return;
  }
  try {
    const tell = (progress) => postMessage({ id: message.id, progress });
    postMessage({ id: message.id, result: TASKS[message.task](message.asked, tell) });
  } catch (error) {
    const failed = error instanceof WebAssembly.RuntimeError ? `the kernel stopped, as natively an exception does: ${error.message}` : error.message;
    postMessage({ id: message.id, error: failed, where: error.where });
  } finally {
    clear();
  }
};
