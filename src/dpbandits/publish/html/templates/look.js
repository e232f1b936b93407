"use strict";
// Figures that answer. Pages are opened from disk, where nothing may be fetched: data are scripts that call Look.
const Look = (() => {
  const known = new Map(), waiting = new Map();
  const arrive = (kind) => (name, data) => {
    known.set(`${kind}:${name}`, data);
    waiting.get(`${kind}:${name}`)?.(data);
  };

  // A promise of data that a script brings; it is asked for once.
  const promises = new Map();
  function load(kind, name, file) {
    const key = `${kind}:${name}`;
    if (!promises.has(key)) {
      promises.set(key, new Promise((resolve, reject) => {
        if (known.has(key)) { resolve(known.get(key)); return; }
        waiting.set(key, resolve);
        const script = document.createElement("script");
        script.src = file;
        script.onerror = () => reject(new Error(`${file} is not there`));
        document.head.append(script);
      }));
    }
    return promises.get(key);
  }

  const { number: written, bracket } = Numbers;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (typeof value === "boolean") made.toggleAttribute(key, value);
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  function choice(label, options, value, change) {
    const select = element("select", { onchange: () => change(select.value) });
    for (const [key, text] of options) select.append(element("option", { value: key }, text));
    select.value = value;
    return element("label", {}, `${label} `, select);
  }

  function tick(label, checked, change, ...marks) {
    const box = element("input", { type: "checkbox", onchange: () => change(box.checked) });
    box.checked = checked;
    return element("label", { class: "tick" }, box, ...marks, ` ${label}`);
  }

  function copier(text) {
    const button = element("button", { type: "button", class: "copy", onclick: async () => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // From disk some browsers have no clipboard for scripts: the old way.
        const field = element("textarea", {}, text);
        document.body.append(field);
        field.select();
        document.execCommand("copy");
        field.remove();
      }
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    } }, "copy");
    return button;
  }

  // ---- a sample of runs: upper halves of numbers in single precision, deflated, in base 64
  async function unpack(entry) {
    if (entry.values) return entry;
    const bytes = Uint8Array.from(atob(entry.data), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer());
    const half = planes.length / 2, bits = new Uint32Array(half);
    for (let i = 0; i < half; i += 1) bits[i] = ((planes[i] << 24) | (planes[half + i] << 16)) >>> 0;
    const numbers = new Float32Array(bits.buffer);
    entry.values = entry.rounds.map((_, i) => numbers.subarray(i * entry.runs, (i + 1) * entry.runs));
    entry.place = new Map(entry.rounds.map((round, i) => [round, i]));
    return entry;
  }

  function quantile(sorted, q) {
    const at = q * (sorted.length - 1), low = Math.floor(at), high = Math.ceil(at);
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
  }
  // What 20 runs say of a height, by what it is called.
  const STATISTICS = {
    mean: (runs) => runs.reduce((sum, run) => sum + run, 0) / runs.length,
    median: (runs) => quantile([...runs].sort((a, b) => a - b), 0.5),
    "95 % quantile": (runs) => quantile([...runs].sort((a, b) => a - b), 0.95),
    "99 % quantile": (runs) => quantile([...runs].sort((a, b) => a - b), 0.99),
    "worst run": (runs) => Math.max(...runs),
  };
  function pick(from, number) {
    const places = Array.from({ length: from }, (_, i) => i);
    for (let i = 0; i < Math.min(number, from); i += 1) {
      const j = i + Math.floor(Math.random() * (from - i));
      [places[i], places[j]] = [places[j], places[i]];
    }
    return places.slice(0, number);
  }

  // ---- what is drawn of a panel, given what a reader has chosen
  const finite = (value) => value !== null && value !== undefined && Number.isFinite(value);
  const over = (one, other) => (finite(one) && finite(other) && other !== 0 ? one / other : null);

  function heightOf(panel, curve, state) {
    const everywhere = panel.curves.some((one) => one.heights.some((height) => height.word === state.height));
    const word = everywhere ? state.height : panel.curves[0]?.heights[0]?.word;
    const own = curve.heights.find((height) => height.word === word);
    // What is exact has no quantiles, and its height no mean: both are drawn beside what was asked for.
    return own ?? (curve.heights.length === 1 || !(word in STATISTICS) ? curve.heights[0] : undefined);
  }

  // By what a panel is divided: a kind and a name. As printed each panel has its own.
  function divisor(panel, state) {
    const by = state.divide === "printed" ? panel.divided && `bound:${panel.divided}` : state.divide;
    return [by.slice(0, 6), by.slice(6)];
  }

  // The values of a curve, of its interval and of its bounds, divided as chosen; null if it cannot be.
  function curveValues(panel, curve, state) {
    const height = heightOf(panel, curve, state);
    if (!height) return null;
    const low = height.low ?? [], high = height.high ?? [];
    const [kind, name] = divisor(panel, state);
    let by = null, byLow = null, byHigh = null;
    if (kind === "bound:") {
      by = curve.bounds[name];
      // A panel without that bound is drawn as it is.
      if (!by && panel.curves.some((one) => one.bounds[name])) return null;
      byLow = by; byHigh = by;
    } else if (kind === "curve:") {
      const other = panel.curves.find((one) => one.name === name);
      if (other) {
        const its = heightOf(panel, other, state);
        if (!its) return null;
        const at = (values) => (other.x === null || curve.x === null
          ? (curve.x ?? [null]).map(() => values?.[0] ?? null)
          : curve.x.map((x) => values?.[other.x.indexOf(x)] ?? null));
        by = at(its.value); byLow = at(its.low ?? its.value); byHigh = at(its.high ?? its.value);
      }
    }
    const self = kind === "curve:" && name === curve.name;
    const divided = (values, those) => values.map((value, i) => (by ? over(value, those[i]) : value));
    return {
      word: height.word,
      value: divided(height.value, by),
      // Divided by another curve the interval goes from the lower end by the other's upper one to the converse.
      low: self ? [] : divided(low, byHigh),
      high: self ? [] : divided(high, byLow),
      bounds: Object.fromEntries(Object.entries(curve.bounds).map(([word, values]) => [word, divided(values, by)])),
      by,
    };
  }

  // What an axis of heights says, of what is drawn on it.
  function heightLabel(panel, view, state) {
    const [kind, name] = divisor(panel, state), divided = view.lines.some((line) => line.found?.by);
    // The label of a panel that is printed divided says so itself.
    return divided && !(kind === "bound:" && name === panel.divided) ? `${panel.y.label} ÷ ${name}` : panel.y.label;
  }

  const isLog = (panel, axis, state) => state[`${axis}log`] ?? panel[axis].log;

  const BOUND_DASHES = [[7, 4], [2, 3], [10, 3, 2, 3], [14, 4]];
  const boundsOf = (panels) => [...new Set(panels.flatMap((panel) => panel.curves.flatMap((curve) => Object.keys(curve.bounds))))];

  // The outline of a mark at a place, as paper has it; a circle if it has none of these.
  const CORNERS = { s: [[-1, -1], [1, -1], [1, 1], [-1, 1]], "^": [[0, -1], [1, 1], [-1, 1]], v: [[0, 1], [1, -1], [-1, -1]], D: [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]] };
  function outline(mark, x, y, size) {
    const corners = CORNERS[mark];
    if (corners) return `M${corners.map(([a, b]) => `${x + a * size} ${y + b * size}`).join("L")}Z`;
    return `M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
  }

  // Marks of a series.
  const marksOf = (mark, size) => (u, series, from, to) => {
    const path = new Path2D();
    for (let i = from; i <= to; i += 1) {
      const value = u.data[series][i];
      if (finite(value)) path.addPath(new Path2D(outline(mark, u.valToPos(u.data[0][i], "x", true), u.valToPos(value, "y", true), size * devicePixelRatio)));
    }
    return { fill: path, stroke: path };
  };

  // Whether a region is a line.
  const straight = ({ x, y }) => Boolean((x && x[0] === x[1]) || (y && y[0] === y[1]));

  // Bars of intervals, regions and notes: shaded parts, straight lines, and texts at points.
  function besides(u, panel, view) {
    const { ctx, bbox } = u, at = (value, axis) => u.valToPos(value, axis, true);
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    if (panel.cells) {
      const { x, y, levels, colours } = panel.cells, xs = x.map((value) => at(value, "x")), ys = y.map((value) => at(value, "y"));
      levels.forEach((row, j) => row.forEach((level, i) => {
        ctx.fillStyle = level < 0 ? "transparent" : colours[level];
        ctx.fillRect(xs[i], ys[j + 1], xs[i + 1] - xs[i] + 0.5, ys[j] - ys[j + 1] + 0.5);
      }));
    }
    for (const { x, y, colour } of panel.regions) {
      const [left, right] = x ? x.map((value) => at(value, "x")) : [bbox.left, bbox.left + bbox.width];
      const [low, high] = y ? y.map((value) => at(value, "y")) : [bbox.top + bbox.height, bbox.top];
      ctx.fillStyle = alpha(colour, 0.18);
      ctx.strokeStyle = colour;
      ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      if (straight({ x, y })) { ctx.beginPath(); ctx.moveTo(left, low); ctx.lineTo(right, high); ctx.stroke(); } else ctx.fillRect(left, high, right - left, low - high);
    }
    ctx.setLineDash([]);
    for (const { low, high, colour } of view.lines.filter((line) => line.bars && line.low)) {
      ctx.strokeStyle = colour;
      view.xs.forEach((x, i) => {
        if (!finite(low[i]) || !finite(high[i])) return;
        ctx.beginPath();
        ctx.moveTo(at(x, "x"), at(low[i], "y"));
        ctx.lineTo(at(x, "x"), at(high[i], "y"));
        ctx.stroke();
      });
    }
    ctx.fillStyle = "#1c1d21";
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    // The text lies right or left of its point, above it, or with its middle on it.
    const aligned = { right: "left", left: "right", middle: "center" };
    for (const { x, y, text, side } of panel.notes) {
      ctx.textAlign = aligned[side];
      const lines = text.split("\n").reverse(), line = 15 * devicePixelRatio, down = side === "middle" ? (lines.length / 2 - 0.2) * line : 0;
      lines.forEach((words, i) => ctx.fillText(words, at(x, "x"), at(y, "y") + down - i * line));
    }
    ctx.restore();
  }

  // A line as a legend shows it.
  function swatch({ colour, dash, points, mark, hollow, shade }) {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    line.setAttribute("viewBox", "0 0 34 10");
    line.setAttribute("aria-hidden", "true");
    line.innerHTML = shade ? `<path d="M4 0H30V10H4Z" fill="${colour}" fill-opacity="${shade}"/>` : points ? `<path d="${outline(mark, 17, 5, 4)}" fill="${hollow ? "#fff" : colour}" stroke="${colour}" stroke-width="1.5"/>` : `<path d="M1 5H33" stroke="${colour}" stroke-width="2.5" stroke-dasharray="${dash.join(" ")}"/>`;
    return line;
  }

  // Columns of one panel: x, then lines with what draws them.
  function columns(panel, state, draws, all = [panel]) {
    const logX = isLog(panel, "x", state), logY = isLog(panel, "y", state);
    const xs = [...new Set(panel.curves.flatMap((curve) => curve.x ?? []))]
      .filter((x) => finite(x) && (!logX || x > 0)).sort((a, b) => a - b);
    if (!xs.length) xs.push(...(logX ? [1, 10] : [0, 1]));
    const place = new Map(xs.map((x, i) => [x, i]));
    const legal = (value) => (finite(value) && (!logY || value > 0) ? value : null);
    const spread = (x, values) => {
      const column = new Array(xs.length).fill(null);
      if (x === null) return column.fill(legal(values[0]));
      x.forEach((at, i) => { if (place.has(at)) column[place.get(at)] = legal(values[i]); });
      return column;
    };
    const lines = [], seen = new Set(), known = boundsOf(all);
    for (const curve of panel.curves) {
      if (state.hidden.has(curve.name)) continue;
      const found = curveValues(panel, curve, state);
      if (!found) continue;
      const has = found.low.length > 0 && found.high.length > 0;
      const lowest = logY ? (values) => values.map((value) => (finite(value) && value <= 0 ? 1e-300 : value)) : (values) => values;
      lines.push({
        curve, found, values: spread(curve.x, found.value), colour: curve.colour, dash: curve.dash, points: curve.points, mark: curve.mark, hollow: curve.hollow, bars: curve.bars,
        width: curve.width > 2 ? 5 : 2, low: has ? spread(curve.x, lowest(found.low)) : null, high: has ? spread(curve.x, found.high) : null,
      });
      for (const word of state.bounds) {
        if (!found.bounds[word]) continue;
        const values = spread(curve.x, found.bounds[word]), key = `${word} ${JSON.stringify(values)}`;
        if (!seen.has(key)) {
          seen.add(key);
          lines.push({ bound: word, of: curve.name, values, colour: "#000000", dash: BOUND_DASHES[known.indexOf(word) % BOUND_DASHES.length], width: 1.4 });
        }
      }
      draws.forEach((draw, age) => {
        const statistic = STATISTICS[found.word];
        if (!curve.cells || !statistic) return;
        const values = curve.cells.map((cell, i) => {
          const entry = draw.of(cell), at = entry?.place.get(curve.rounds[i]);
          if (at === undefined) return null;
          const runs = draw.places(cell).map((run) => entry.values[at][run]);
          const value = statistic(runs) * curve.scale[i];
          return found.by ? over(value, found.by[i]) : value;
        });
        if (values.some(finite)) {
          const newest = age === draws.length - 1;
          lines.push({ draw: age, of: curve.name, values: spread(curve.x, values), colour: curve.colour, dash: [2, 3], width: newest ? 2.2 : 1, faint: !newest });
        }
      });
    }
    return { xs, lines, logX, logY };
  }

  // ---- one panel as a chart
  const alpha = (colour, share) => `${colour}${Math.round(255 * share).toString(16).padStart(2, "0")}`;

  // Ticks of a logarithmic axis: multiples of powers of ten; of a short one, even steps.
  function ticks(_, __, least, most) {
    const decades = Math.log10(most / least), found = [];
    if (decades < 0.7) {
      const step = 10 ** Math.floor(Math.log10((most - least) / 3)), factor = [1, 2, 5, 10].find((one) => (most - least) / (one * step) <= 6);
      for (let i = Math.ceil(least / (factor * step)); i * factor * step <= most; i += 1) found.push(Number((i * factor * step).toPrecision(12)));
      return found;
    }
    const stride = Math.max(1, Math.ceil(decades / 12));
    for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power += 1) {
      for (const factor of decades > 8 ? [1] : [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        const value = Number(`${factor}e${power}`);
        if (value >= least * (1 - 1e-9) && value <= most * (1 + 1e-9) && power % stride === 0) found.push(value);
      }
    }
    return found;
  }

  // Words at as many ticks as there is room for: of a logarithmic axis at powers of ten alone if three have room, else
  // at round multiples too, and at others if that leaves fewer than two. A 7 after 1, 10 and 100 would be read as a limit.
  function named(u, splits, at) {
    const scale = at === 0 ? "x" : "y";
    const rank = (value) => { const lead = value / 10 ** Math.floor(Math.log10(Math.abs(value)) + 1e-9); return [1, 5, 2].findIndex((one) => Math.abs(lead - one) < 1e-6) + 1 || 9; };
    const log = u.scales[scale].distr === 3;
    const order = splits.map((value, i) => [value, i]).filter(([value]) => value !== null).sort((a, b) => (log ? rank(a[0]) - rank(b[0]) : 0) || a[1] - b[1]);
    for (const [worst, enough] of log ? [[1, 3], [3, 2], [9, 0]] : [[9, 0]]) {
      const taken = [], words = splits.map(() => "");
      for (const [value, i] of order.filter(([one]) => !log || rank(one) <= worst)) {
        const place = u.valToPos(value, scale);
        const text = written(value), room = at === 0 ? Math.max(38, 7 * text.length + 10) : 17;
        if (taken.every(([other, its]) => Math.abs(other - place) >= (room + its) / 2)) { taken.push([place, room]); words[i] = text; }
      }
      if (taken.length >= enough) return words;
    }
  }

  // A panel's title in one line: what stands in lines on paper is apart by commas, but for brackets.
  const oneLine = (title) => title.replaceAll("\n(", " (").replaceAll("\n", ", ");

  function axis({ label, ticks: described = [] }, log) {
    const words = new Map(described), shown = (u, at, least, most) => [...words.keys()].filter((value) => value >= least && value <= most);
    return {
      ...(words.size ? { splits: shown, filter: (_, splits) => splits } : log ? { splits: ticks, filter: (_, splits) => splits } : {}),
      label, labelSize: 22, labelFont: "12px system-ui, sans-serif", font: "12px system-ui, sans-serif", stroke: "#1c1d21",
      grid: { stroke: "#e8e9ec", width: 1 }, ticks: { stroke: "#b9bcc2", width: 1, size: 4 },
      space: log ? 34 : 50,
      values: words.size ? (_, splits) => splits.map((value) => words.get(value)) : named,
    };
  }

  // The ends of what panels draw, together.
  function extents(views) {
    const lines = views.flatMap((view) => view.lines), xs = views.flatMap((view) => [view.xs[0], view.xs.at(-1)]);
    // The band's ends below any positive number count for no scale.
    const ys = lines.flatMap((line) => [line.values, line.high ?? [], (line.low ?? []).filter((v) => v > 1e-200)]).flat().filter(finite);
    const ends = (values) => [Math.min(...values), Math.max(...values)];
    return { x: ends(xs), y: ends(ys) };
  }

  function chart(panel, view, width, state, ends, printedEnds) {
    const { xs, lines, logX, logY } = view;
    const data = [xs], series = [{}], bands = [];
    const room = (log, [least, most]) => {
      if (!finite(least)) return log ? [0.1, 1] : [0, 1];
      if (log) { const pad = Math.max(1.15, (most / least) ** 0.06); return [least / pad, most * pad]; }
      const pad = 0.06 * (most - least || Math.abs(most) || 1);
      return [least >= 0 && least < 0.3 * most ? 0 : least - pad, most + pad];
    };
    const [xLeast, xMost] = ends.x;
    const whole = { x: xLeast === xMost ? room(logX, [xLeast, xMost]) : [xLeast, xMost], y: room(logY, ends.y) };
    // Ends of the printed axes hold for what is printed: undivided, at first heights.
    const printed = !lines.some((line) => line.found?.by && !panel.divided), heights = { ...panel.y, label: heightLabel(panel, view, state), ticks: printed ? panel.y.ticks ?? [] : [] };
    if (printed) printedEnds.forEach((limits, i) => { if (limits && (limits[0] > 0 || !(i ? logY : logX))) whole["xy"[i]] = limits; });
    for (const line of lines) {
      line.place = data.length;
      data.push(line.values);
      series.push({
        label: line.curve?.name ?? line.bound ?? line.of, stroke: line.faint ? alpha(line.colour, 0.35) : line.colour, width: line.width, dash: line.dash,
        spanGaps: true, paths: line.points ? () => null : undefined,
        points: { show: Boolean(line.points) || (line.curve && xs.length <= 16) || false, size: line.points ? 4 : 6, fill: line.hollow ? "#ffffff" : line.colour, ...(line.mark ? { paths: marksOf(line.mark, 4) } : {}) },
      });
      if (line.low) {
        // Below the bottom of a logarithmic axis an edge would fall upright, as if neighbours reached it as well.
        const low = logY && !line.bars ? line.low.map((value) => (finite(value) ? Math.max(value, whole.y[0]) : value)) : line.low;
        for (const edge of [line.high, low]) {
          data.push(edge);
          series.push({ stroke: "transparent", width: 0, points: { show: false }, spanGaps: true });
        }
        if (!line.bars) bands.push({ series: [data.length - 2, data.length - 1], fill: alpha(line.colour, 0.16) });
      }
    }
    const scale = (name, log) => ({ time: false, distr: log ? 3 : 1, auto: false, min: whole[name][0], max: whole[name][1], range: (_, least, most) => [least ?? whole[name][0], most ?? whole[name][1]] });
    return {
      whole,
      options: {
        width, height: Math.round(Math.max(230, Math.min(width > 700 ? 460 : 330, width * 0.62))), data, series, bands,
        legend: { show: false }, padding: [8, 34, 0, 0],
        cursor: { drag: { x: true, y: true, uni: 24, setScale: true }, points: { show: false } },
        scales: { x: scale("x", logX), y: scale("y", logY) },
        // Heights have room for the longest number, which the axis' label would else cross.
        axes: [{ ...axis(panel.x, logX), size: 36 }, { ...axis(heights, logY), size: (_, texts) => Math.max(62, ...(texts ?? []).map((text) => 16 + 7.2 * String(text ?? "").length)) }],
      },
      data,
    };
  }

  // What the nearest point says: name, value, interval, runs, and the command that simulates its cell.
  function tell(output, data, panel, view, line, at) {
    const x = view.xs[at], { curve, found } = line;
    const i = curve.x === null ? 0 : curve.x.indexOf(x);
    const runs = Array.isArray(curve.runs) ? curve.runs[i] : curve.runs;
    const low = found.low[i], high = found.high[i];
    const words = [`${found.word} ${finite(low) && finite(high) ? bracket(found.value[i], low, high) : written(found.value[i])}`];
    if (finite(runs)) words.push(`· ${written(runs)} runs`);
    words.push(`· ${panel.x.label} ${curve.x === null ? "any" : written(x)}`);
    const cell = data.cells[curve.cells?.[i]];
    const where = data.panels.length > 1 ? `${oneLine(panel.title)}: ` : "", head = element("p", {}, where, element("b", {}, curve.name), ` ${words.join(" ")}`);
    const extra = Object.entries(found.bounds).filter(([, values]) => finite(values[i]));
    if (extra.length) head.append(element("span", { class: "soft" }, ` · ${extra.map(([word, values]) => `${word}: ${written(values[i])}`).join("; ")}`));
    output.replaceChildren(head);
    if (cell) output.append(element("p", { class: "command" }, element("code", {}, cell.command), copier(cell.command)));
    output.dataset.curve = curve.name;
    output.dataset.x = String(x);
    output.dataset.value = String(found.value[i]);
  }

  // The place of a line's value nearest to a place on the axis, or -1.
  function nearest(view, line, at) {
    for (let step = 0; step < view.xs.length; step += 1) {
      for (const place of [at - step, at + step]) if (finite(line.values[place])) return place;
    }
    return -1;
  }

  // ---- what is chosen, as an address has it: what differs from how a figure is shown at first
  const SETS = ["bounds", "hidden"], YES_OR_NO = ["xlog", "ylog", "same"], CHOSEN = ["height", "divide", ...YES_OR_NO, ...SETS];
  const asText = (value) => (value instanceof Set ? JSON.stringify([...value].sort()) : String(value));

  function write(address, state, first) {
    for (const key of CHOSEN) if (asText(state[key]) === asText(first[key])) address.delete(key); else address.set(key, asText(state[key]));
    return address;
  }

  // Anybody can have written it: a list that is none is empty.
  function read(address) {
    const state = {};
    for (const key of CHOSEN) {
      if (!address.has(key)) continue;
      const text = address.get(key);
      if (YES_OR_NO.includes(key)) state[key] = text === "true";
      else if (!SETS.includes(key)) state[key] = text;
      else try { state[key] = new Set([...JSON.parse(text)]); } catch { state[key] = new Set(); }
    }
    return state;
  }

  // ---- a figure: controls, panels, readouts and a table, below `root`
  function show(root, data, { usual = {}, state: given = {}, change = () => {}, runsFrom, heading = "h3" } = {}) {
    const names = [...new Set(data.panels.flatMap((panel) => panel.curves.map((curve) => curve.name)))];
    const words = [...new Set(data.panels.flatMap((panel) => panel.curves.flatMap((curve) => curve.heights.map((height) => height.word))))];
    const bounds = boundsOf(data.panels);
    const printed = data.panels.some((panel) => panel.divided);
    const first = { height: words[0], divide: printed ? "printed" : "", bounds: new Set(), hidden: new Set(), xlog: null, ylog: null, same: true, ...usual };
    const state = { ...first, ...given };
    // Panels that a reader chose in Explore have no printed axes, regions and notes.
    data.panels.forEach((panel) => { panel.limits ??= []; panel.regions ??= []; panel.notes ??= []; });
    const styles = new Map(data.panels.flatMap((panel) => panel.curves.map((curve) => [curve.name, curve])));
    // Many panels are compared: on the same axes, with one place that says what is pointed at.
    const many = data.panels.length > 2;
    const common = element("output", { class: "readout common", "aria-live": "polite" });
    const draws = [], charts = [];
    let redraw = () => {};
    const set = (values) => { Object.assign(state, values); change(state, first); redraw(); };

    // Controls
    const tools = element("div", { class: "tools", role: "group", "aria-label": "What is drawn" });
    if (words.length > 1) tools.append(choice("Shown", words.map((word) => [word, word]), state.height, (height) => set({ height })));
    const divisors = [...(printed ? [["printed", "as printed"]] : []), ["", "nothing"], ...bounds.map((word) => [`bound:${word}`, word]), ...(names.length > 1 ? names.map((name) => [`curve:${name}`, name]) : [])];
    if (divisors.length > 1) tools.append(choice("Divided by", divisors, state.divide, (divide) => set({ divide })));
    for (const [key, label] of [["xlog", "logarithmic x"], ["ylog", "logarithmic y"]]) {
      tools.append(tick(label, isLog(data.panels[0], key[0], state), (on) => set({ [key]: on })));
    }
    if (data.panels.length > 1) tools.append(tick("same axes", state.same, (same) => set({ same })));
    for (const word of bounds) {
      tools.append(tick(word, state.bounds.has(word), (on) => {
        const chosen = new Set(state.bounds);
        if (on) chosen.add(word); else chosen.delete(word);
        set({ bounds: chosen });
      }, swatch({ colour: "currentColor", dash: BOUND_DASHES[bounds.indexOf(word) % BOUND_DASHES.length] })));
    }
    const zooms = element("span", { class: "zooms", role: "group", "aria-label": "Zoom" });
    for (const [text, label, factor] of [["+", "zoom in", 0.5], ["−", "zoom out", 2], ["all", "show all", 0]]) {
      zooms.append(element("button", { type: "button", "aria-label": label, "data-zoom": label, onclick: () => charts.forEach((one) => zoom(one, factor)) }, text));
    }
    tools.append(zooms);

    // Runs drawn again
    const said = element("span", { class: "soft", role: "status" });
    const runnable = data.panels.some((panel) => panel.curves.some((curve) => curve.cells && curve.heights.some((height) => height.word in STATISTICS)));
    if (runnable && runsFrom && typeof DecompressionStream === "function") {
      const number = data.published;
      const clear = element("button", { type: "button", hidden: true, onclick: () => { draws.length = 0; clear.hidden = true; said.textContent = ""; redraw(); } }, "without them");
      const button = element("button", { type: "button", class: "resample", onclick: async () => {
        button.disabled = true;
        said.textContent = "loading runs …";
        try {
          const used = [...new Set(data.panels.flatMap((panel) => panel.curves.flatMap((curve) => (curve.cells ?? []).filter((cell) => cell >= 0))))];
          const experiments = [...new Set(used.map((cell) => data.cells[cell].experiment))];
          const runs = new Map(await Promise.all(experiments.map(async (name) => [name, await runsFrom(name)])));
          const entries = new Map();
          for (const cell of used) entries.set(cell, await unpack(runs.get(data.cells[cell].experiment)[data.cells[cell].name]));
          const chosen = new Map();
          draws.push({
            of: (cell) => entries.get(cell),
            places: (cell) => { if (!chosen.has(cell)) chosen.set(cell, pick(entries.get(cell).runs, number)); return chosen.get(cell); },
          });
          if (draws.length > 12) draws.shift();
          const least = Math.min(...[...entries.values()].map((entry) => entry.runs)), most = Math.max(...[...entries.values()].map((entry) => entry.runs));
          said.textContent = `${draws.length} ${draws.length === 1 ? "draw" : "draws"} of ${number} runs each, dotted: of our first ${least === most ? most : `${least} to ${most}`} runs, kept at some rounds and to 0.4 %.`;
          clear.hidden = false;
          redraw();
        } catch (error) {
          said.textContent = `The runs could not be read: ${error.message}`;
        }
        button.disabled = false;
      } }, `Draw ${number} runs`);
      tools.append(element("span", { class: "draws" }, button, clear));
    } else if (runnable && runsFrom) said.textContent = "This browser cannot unpack runs, so none can be drawn again.";

    // A legend of buttons
    const legend = element("ul", { class: "keys", "aria-label": "Curves: press to hide or show" });
    const keys = new Map();
    for (const name of names) {
      const style = styles.get(name);
      const toggle = element("button", { type: "button", class: "key", onclick: () => {
        const hidden = new Set(state.hidden);
        if (!hidden.delete(name)) hidden.add(name);
        set({ hidden });
      } }, swatch(style), name);
      const only = element("button", { type: "button", class: "only", "aria-label": `only ${name}`, onclick: () => {
        const others = names.filter((other) => other !== name);
        const alone = others.every((other) => state.hidden.has(other)) && !state.hidden.has(name);
        set({ hidden: new Set(alone ? [] : others) });
      } }, "only");
      keys.set(name, toggle);
      legend.append(element("li", {}, toggle, ...(names.length > 1 ? [only] : [])));
    }

    function zoom(one, factor) {
      const { u, whole } = one;
      if (!factor) { u.batch(() => ["x", "y"].forEach((name) => u.setScale(name, { min: whole[name][0], max: whole[name][1] }))); return; }
      u.batch(() => ["x", "y"].forEach((name) => {
        const scale = u.scales[name], log = scale.distr === 3;
        const [to, from] = log ? [Math.log, Math.exp] : [(v) => v, (v) => v];
        const middle = (to(scale.min) + to(scale.max)) / 2, half = (factor * (to(scale.max) - to(scale.min))) / 2;
        u.setScale(name, { min: from(middle - half), max: from(middle + half) });
      }));
    }

    // Rows of panels whose heights are alike, as in the picture.
    const across = data.panels.filter((panel) => panel.y.label === data.panels[0].y.label).length;
    const printedAcross = data.across > 1 ? data.across : 0, rows = printedAcross || across > 1 && across <= 4 && data.panels.length % across === 0;
    const panels = element("div", { class: many ? "panels many" : "panels", style: rows ? `--across: ${printedAcross || across}` : "" });
    const details = element("details", { class: "numbers" }, element("summary", {}, "What is drawn, as a table"));
    details.addEventListener("toggle", () => { if (details.open) tabulate(); });

    function tabulate() {
      details.querySelectorAll("div").forEach((old) => old.remove());
      for (const { panel, view } of charts) {
        const own = view.lines.filter((line) => line.curve);
        const table = element("table", {}, element("caption", {}, `${oneLine(panel.title)}: ${own[0]?.found.word ?? ""}${own.some((line) => line.found.by) ? ` divided by ${divisor(panel, state)[1]}` : ""}`));
        const head = element("tr", {}, element("th", { scope: "col" }, panel.x.label), ...own.map((line) => element("th", { scope: "col" }, line.curve.name)));
        table.append(element("thead", {}, head));
        const body = element("tbody");
        view.xs.forEach((x, i) => {
          const cells = own.map((line) => (finite(line.values[i])
            ? (line.low && finite(line.low[i]) ? bracket(line.values[i], line.low[i], line.high[i]) : written(line.values[i])) : ""));
          body.append(element("tr", {}, element("th", { scope: "row" }, written(x)), ...cells.map((text) => element("td", {}, text))));
        });
        table.append(body);
        // A wide table is scrolled by keyboard too.
        details.append(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Numbers: ${oneLine(panel.title)}` }, table));
      }
    }

    function place(panel) {
      const holder = element("div", { class: "graph", tabindex: "0", role: "application", "aria-label": `${oneLine(panel.title)}. Left and right move along a curve, up and down between curves, Enter keeps the point, plus and minus zoom, 0 shows all.` });
      const output = many ? common : element("output", { class: "readout", "aria-live": "polite" });
      const box = element("section", { class: "panel", "aria-label": oneLine(panel.title) }, element(heading, {}, oneLine(panel.title)), holder, ...(many ? [] : [output]));
      panels.append(box);
      const one = { panel, holder, output, kept: false, line: 0, at: 0 };
      charts.push(one);
      const curvesOf = () => one.view.lines.filter((line) => line.curve);
      const move = (line, at) => {
        one.line = line; one.at = at;
        const own = curvesOf()[line];
        one.u.setCursor({ left: one.u.valToPos(one.view.xs[at], "x"), top: one.u.valToPos(own.values[at], "y") }, false);
        mark(one, own, at);
        tell(output, data, panel, one.view, own, at);
      };
      one.hover = () => {
        const { u, view } = one;
        if (one.kept || !finite(u.cursor.idx) || u.cursor.left < 0) return;
        let best = null;
        curvesOf().forEach((line, number) => {
          const at = nearest(view, line, u.cursor.idx);
          if (at < 0) return;
          const far = Math.hypot(u.valToPos(view.xs[at], "x") - u.cursor.left, u.valToPos(line.values[at], "y") - u.cursor.top);
          if (!best || far < best.far) best = { far, line, number, at };
        });
        if (best) { one.line = best.number; one.at = best.at; mark(one, best.line, best.at); tell(output, data, panel, view, best.line, best.at); }
      };
      holder.addEventListener("keydown", (event) => {
        const own = curvesOf();
        if (!own.length) return;
        const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
        if (event.key in steps) {
          const [line, along] = steps[event.key];
          const to = Math.min(own.length - 1, Math.max(0, one.line + line));
          let at = one.at + along;
          while (along && at > 0 && at < one.view.xs.length - 1 && !finite(own[to].values[at])) at += along;
          at = nearest(one.view, own[to], Math.min(one.view.xs.length - 1, Math.max(0, at)));
          if (at >= 0) move(to, at);
        } else if (event.key === "+" || event.key === "=") zoom(one, 0.5);
        else if (event.key === "-") zoom(one, 2);
        else if (event.key === "0" || event.key === "Escape") { one.kept = false; zoom(one, 0); } else if (event.key === "Enter") { one.kept = !one.kept; output.classList.toggle("kept", one.kept); } else return;
        event.preventDefault();
      });
      return one;
    }

    function mark(one, line, at) {
      const { u } = one;
      one.dot ??= element("div", { class: "dot" });
      if (one.dot.parentNode !== u.over) u.over.append(one.dot);
      one.dot.style.cssText = `left:${u.valToPos(one.view.xs[at], "x")}px;top:${u.valToPos(line.values[at], "y")}px;border-color:${line.colour}`;
    }

    function draw(one) {
      const width = Math.floor(one.holder.clientWidth);
      if (width < 40) return;
      const { view } = one, alike = state.same ? charts.filter((other) => other.axes === one.axes) : [one];
      // Panels that are compared have the printed ends of all of them.
      const printedEnds = [0, 1].map((i) => alike.every((other) => other.panel.limits[i]) ? [Math.min(...alike.map((other) => other.panel.limits[i][0])), Math.max(...alike.map((other) => other.panel.limits[i][1]))] : null);
      const { options, data: drawn, whole } = chart(one.panel, view, width, state, extents(alike.map((other) => other.view)), printedEnds);
      one.u?.destroy();
      one.whole = whole;
      one.width = width;
      options.hooks = { draw: [(u) => besides(u, one.panel, one.view)], setCursor: [() => one.u && one.hover()] };
      one.u = new uPlot(options, drawn, one.holder);
      // After a double click all is shown; a click without a drag keeps what is said.
      one.u.over.addEventListener("dblclick", () => zoom(one, 0));
      let down = null;
      one.u.over.addEventListener("mousedown", (event) => { down = [event.clientX, event.clientY]; });
      one.u.over.addEventListener("mouseup", (event) => {
        if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) { one.kept = !one.kept; one.output.classList.toggle("kept", one.kept); if (!one.kept) one.hover(); }
      });
      const lowest = one.panel.curves.filter((curve) => !state.hidden.has(curve.name) && !view.lines.some((line) => line.curve === curve)).map((curve) => curve.name);
      const below = view.logY && view.lines.some((line) => line.curve && line.found.value.some((value) => finite(value) && value <= 0));
      const hints = [lowest.length ? `Not drawn so: ${lowest.join(", ")}.` : matchMedia("(pointer: coarse)").matches ? "Touch a curve to read its values." : "Point at a curve, or move along it with the arrow keys.", below ? "Heights of 0 and less have no place on a logarithmic axis." : ""];
      one.output.replaceChildren(element("p", { class: "soft" }, hints.join(" ")));
      one.kept = false;
      one.output.classList.remove("kept");
    }

    redraw = () => {
      for (const [name, toggle] of keys) toggle.setAttribute("aria-pressed", String(!state.hidden.has(name)));
      for (const one of charts) {
        one.view = columns(one.panel, state, draws, data.panels);
        one.axes = [one.panel.x.label, heightLabel(one.panel, one.view, state), one.view.logX, one.view.logY].join();
      }
      charts.forEach(draw);
      if (details.open) tabulate();
    };
    data.panels.forEach(place);
    // On a phone one of many panels is shown at a time.
    const show1 = (place) => {
      charts.forEach(({ holder }, i) => holder.parentNode.classList.toggle("chosen", i === Number(place)));
      // A phone's legend is that of the panel.
      const has = new Set(data.panels[place].curves.map((curve) => curve.name));
      for (const [name, toggle] of keys) toggle.parentNode.classList.toggle("elsewhere", !has.has(name));
      charts.forEach((one) => one.view && draw(one));
    };
    const selector = choice("Panel", data.panels.map((panel, i) => [String(i), oneLine(panel.title)]), "0", show1);
    selector.classList.add("selector");
    show1(0);
    const finding = data.title ? [element("p", { class: "found" }, element("b", {}, data.title), data.conditions ? `. ${data.conditions.replaceAll("\n", ". ")}.` : ".")] : [];
    // Straight lines and shades belong to the legend, but are never hidden.
    const shaded = data.panels.flatMap(({ regions, cells }) => [...regions.filter((one) => one.name).map((one) => ({ ...one, shade: straight(one) ? 0 : 0.3 })), ...(cells ? cells.names.map((name, i) => ({ name, colour: cells.colours[i], shade: 1 })) : [])]);
    for (const { name, colour, shade } of new Map(shaded.map((one) => [one.name, one])).values()) {
      legend.append(element("li", { class: "fixed" }, swatch({ colour, dash: [2, 3], shade }), name));
    }
    root.replaceChildren(...finding, ...(data.panels.length > 1 ? [selector] : []), tools, said, legend, ...(many ? [common] : []), panels, details);
    redraw();
    let pending = 0;
    new ResizeObserver(() => {
      cancelAnimationFrame(pending);
      pending = requestAnimationFrame(() => charts.forEach((one) => { if (Math.floor(one.holder.clientWidth) !== one.width) draw(one); }));
    }).observe(panels);
    return { state, charts, data, draws };
  }

  // ---- figures of a page: each is there as printed; a button brings its curves
  function twin(figure) {
    const name = figure.dataset.figure, paper = name.split("/")[0];
    const root = element("div", { class: "twin" }), [explore, back] = ["Explore this figure", "As in the PDF"];
    const change = (state, first) => history.replaceState(null, "", `#${write(new URLSearchParams({ figure: name }), state, first)}`);
    async function open(state) {
      const data = await load("figure", name, `data/${name}.js`);
      figure.append(root);
      figure.classList.add("answers");
      const runsFrom = (experiment) => load("runs", `${paper}/${experiment}`, `data/${paper}/runs-${experiment}.js`);
      const bounds = new Set(data.panels.flatMap((panel) => panel.shown));
      // On a small scale there may be no number that a figure of shares can draw.
      if (data.panels.length) figure.look = show(root, data, { runsFrom, usual: { bounds }, state, change });
      else {
        root.replaceChildren(element("p", { class: "nothing" }, "On this scale no number lies in the range of this figure."));
        figure.look = { state: {}, charts: [], data, draws: {} };
      }
    }
    let pressed = false;
    const press = async (state) => {
      pressed = true;
      try {
        if (state || !figure.look) await open(state ?? {}); else figure.classList.toggle("answers");
        const answers = figure.classList.contains("answers");
        button.setAttribute("aria-expanded", String(answers));
        button.textContent = answers ? back : explore;
      } catch (error) {
        // The picture is still there.
        console.warn(error.message);
      }
    };
    const button = element("button", { type: "button", class: "switch", "aria-expanded": "false", onclick: () => press() }, explore);
    figure.append(button);
    // On a phone the letters of a printed figure are too small: there its curves, a panel at a time, come by themselves.
    if (matchMedia("(max-width: 46rem)").matches) {
      const near = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        near.disconnect();
        if (!pressed) press();
      }, { rootMargin: "0px 0px 50% 0px" });
      near.observe(figure);
    }
    // What it is folded into is opened, and of several it is the one that is shown.
    figure.reveal = () => {
      figure.closest("details")?.setAttribute("open", "");
      figure.closest(".one-of")?.choose(figure);
    };
    // An address that names this figure opens it, with what was chosen.
    async function follow() {
      const address = new URLSearchParams(location.hash.slice(1));
      if (address.get("figure") !== name) return;
      figure.reveal();
      await press(read(address));
      figure.scrollIntoView();
    }
    addEventListener("hashchange", follow);
    follow();
  }

  // ---- of several figures with one caption, one is shown; an address that names another brings that
  function oneOf(group) {
    const choices = [...group.querySelectorAll(".choices input")], parts = [...group.querySelectorAll(":scope > article")];
    const show = (place) => { choices[place].checked = true; parts.forEach((part, i) => part.toggleAttribute("hidden", i !== place)); };
    group.choose = (inside) => show(parts.findIndex((part) => part.contains(inside)));
    choices.forEach((choice_, i) => choice_.addEventListener("change", () => show(i)));
    const follow = () => {
      const place = parts.findIndex((part) => `#${part.id}` === location.hash);
      if (place >= 0) { show(place); parts[place].scrollIntoView(); }
    };
    addEventListener("hashchange", follow);
    show(0);
    follow();
  }

  addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".one-of").forEach(oneOf);
    document.querySelectorAll("figure[data-figure]").forEach(twin);
  });

  return { figure: arrive("figure"), experiment: arrive("experiment"), runs: arrive("runs"), paper: arrive("paper"), known, load, show, read, write, element, choice };
})();
