"use strict";
const RATIO_ROW = 24;
const NAMED_ROW = 44; // with the name above the interval, where there is no room beside it
// Rows of intervals with their names beside them, cut where they are `dense` (the height of a row);
// `wide` rows have the verdicts at the right, where there is room for them too.
function ratioRows(points, range, margin, width, { dense, wide, shapes }) {
  const wanted = Math.max(...points.map((p) => p.name.length)) * LETTER + 16;
  const longest = dense ? Math.min(wanted, 0.4 * width) : wanted;
  const beside = dense || (width > 400 && longest < 0.45 * width);
  const texts = wide && beside ? points.map((p) => p.verdict) : [];
  const right = Math.max(0, ...texts.map((text) => text.length)) * 6.6 + 16;
  const hasRoom = texts.length && longest + right < 0.62 * width;
  const names = points.map((p, row) => nameAt(
    beside ? row : row - 0.42, cut(p.name, Math.floor((dense ? longest - 8 : width) / LETTER)), beside ? -longest : 0));
  if (hasRoom) texts.forEach((text, row) => names.push({ x: 1, xref: "paper", xanchor: "left", xshift: 12, y: row, text }));
  return [verdictTraces(points, range), ratioLayout({
    range, margin, width, shapes, names, rows: [points.length - 0.5, beside ? -0.5 : -0.75],
    height: points.length * (dense || (beside ? RATIO_ROW : NAMED_ROW)), left: beside ? longest : 4, right: hasRoom ? right : 14,
  })];
}

// Every variant against the chosen baseline, over the chosen benchmarks: what that says in words, the
// picture of the means, and on demand a figure for each variant with a dot for each benchmark, or a figure for each
// benchmark. Tables below follow the choice; the fragment of the address has it.
KINDS.intervals = (() => {
  const DENSE_ROW = 19; // for one dot per benchmark, of which there may be a hundred
  const SKELETON = `
    <form class="switches">
    <fieldset id="baselines" class="choice"><legend>Compared with</legend></fieldset>
    <fieldset id="chosen" class="choice"><legend>Benchmarks</legend></fieldset>
    <p class="choice"><label><input type="checkbox" id="sorted"> sorted</label>
    <button type="button" id="whole" hidden>Back to all benchmarks</button></p></form>
    <p id="choice-text" aria-live="polite"></p>
    <div id="plots" class="plots"></div>
    ${VERDICT_LEGEND}
    <details id="more-plots" hidden><summary>Each variant: one dot for each benchmark</summary>
    <p class="note">The fastest on top; the dashed line is the geometric mean, the shade about it its interval.</p>
    <div class="plots"></div></details>
    <details id="benchmark-plots" hidden><summary>A plot for each benchmark</summary><div class="plots"></div></details>`;

  function compose(plot, range, margin, width) {
    if (plot.mean === undefined) return ratioRows(plot.points, range, margin, width, { wide: plot.wide });
    const shapes = [];
    if (plot.mean) {
      const { ratio, low, high, word } = plot.mean;
      const { color } = VERDICTS[word];
      const whole = { yref: "paper", y0: 0, y1: 1 };
      if (low && high) shapes.push({ ...whole, type: "rect", x0: Math.log(low), x1: Math.log(high), fillcolor: color, opacity: 0.18 });
      shapes.push({ ...whole, type: "line", x0: Math.log(ratio), x1: Math.log(ratio), line: { color, width: 1.5, dash: "dash" } });
    }
    return ratioRows(plot.points, range, margin, width, { dense: DENSE_ROW, shapes });
  }

  // Figures that are drawn when their fold is opened, and at once if it is open already.
  function fold(id, plots, paint) {
    const element = byId(id);
    const parent = element.querySelector(".plots");
    element.hidden = !plots.length;
    parent.replaceChildren();
    element.ontoggle = () => { if (element.open && !element.querySelector("figure")) drawFigures(parent, plots, paint); };
    if (element.open && plots.length) drawFigures(parent, plots, paint);
  }

  // A ratio and its interval in words, with the digits that the interval carries (as report/formatting.py).
  function words({ ratio, low, high, word }, margin) {
    const plain = word === "same";
    const inside = Math.min(Math.max(ratio, low === null ? 0 : low), high === null ? Infinity : high);
    const turned = !plain && inside < 1;
    const [r, l, h] = turned ? [1 / inside, high && 1 / high, low && 1 / low] : [inside, low, high];
    const ends = [l, h].filter((end) => end !== null);
    const near = ends.length < 2 ? Infinity : Math.max(1e-5 * r, 0.05 * (h - l));
    const distinct = [1, ...ends].filter((x) => Math.abs(r - x) > near).map((x) => [r, x]);
    distinct.push(...ends.filter((end) => Math.abs(end - 1) > 1e-5).map((end) => [end, 1]));
    let digits = r < 10 ? 2 : r < 100 ? 1 : 0;
    while (digits < 5 && distinct.some(([a, b]) => a.toFixed(digits) === b.toFixed(digits))) digits += 1;
    const printed = (end) => (end === null ? "–" : end.toFixed(digits));
    const interval = `[${printed(l)}, ${printed(h)}]${ends.length < 2 ? " (too few blocks)" : ""}`;
    const equal = Number(r.toFixed(digits)) === 1 && !(l > 1) && (h === null || h >= 1);
    const factor = `${r.toFixed(digits)}x${plain || equal ? "" : turned ? " faster" : " slower"}`;
    if (plain) return `same within ${Number((margin * 100).toPrecision(4))} % (${factor} ${interval})`;
    return `${word === "undecided" ? "undecided, " : ""}${factor} ${interval}`;
  }

  // The verdict on a mean of some benchmarks where none was embedded: its ends are the means of theirs,
  // which hold together at least as often as all of them do.
  function meanOf(points, margin) {
    const average = (pick) => Math.exp(points.reduce((sum, p) => sum + Math.log(pick(p)), 0) / points.length);
    const bounded = points.every((p) => p.low !== null && p.high !== null);
    const [low, high] = bounded ? [average((p) => p.low), average((p) => p.high)] : [null, null];
    let word = "undecided";
    if (bounded && low >= 1 / (1 + margin) && high <= 1 + margin) word = "same";
    else if (bounded && low > 1) word = "slower";
    else if (bounded && high < 1) word = "faster";
    return { ratio: average((p) => p.ratio), low, high, word };
  }

  return (parent, read, later) => {
    const { margin, baselines, confidence } = read();
    parent.innerHTML = SKELETON;
    const benchmarks = [...new Set(baselines.flatMap((b) => b.plots.filter((p) => !p.suite).map((p) => p.title)))];
    const state = { baseline: 0, off: new Set(), sorted: true };

    function load(given) {
      state.baseline = Math.max(0, baselines.findIndex((b) => b.name === given.get("against")));
      readSwitches(state.off, benchmarks, given.getAll("without"));
      state.sorted = given.get("order") !== "study";
    }
    function save(choice) {
      if (state.baseline) choice.set("against", baselines[state.baseline].name);
      state.off.forEach((name) => choice.append("without", name));
      if (!state.sorted) choice.set("order", "study");
    }

    // The points of a baseline over the chosen benchmarks, one per variant.
    function points(baseline) {
      const whole = baseline.plots.find((p) => p.suite);
      const single = baseline.plots.filter((p) => !p.suite && !state.off.has(p.title));
      if (whole && !state.off.size) return whole.points;
      if (single.length === 1) return single[0].points;
      const names = [...new Set(single.flatMap((p) => p.points.map((q) => q.name)))];
      const judged = later && later.means[outOf(later, state.off)];
      return names.map((name) => {
        const exact = judged && (judged[baseline.name] || {})[name];
        if (exact) {
          const [word, ratio, low, high] = exact;
          return { name, word, ratio, low, high, text: words({ word, ratio, low, high }, margin) };
        }
        const mean = meanOf(single.flatMap((p) => p.points.filter((q) => q.name === name)), margin);
        return { name, ...mean, text: words(mean, margin), some: true };
      });
    }

    function sentence(baseline, means) {
      const chosen = benchmarks.length - state.off.size;
      const over = benchmarks.length < 2 ? "" : chosen === 1 ? `, on ${benchmarks.find((b) => !state.off.has(b))}`
        : state.off.size ? `, geometric mean of ${chosen} of ${benchmarks.length} benchmarks` : `, geometric mean of ${chosen} benchmarks`;
      const count = (word) => means.filter((p) => p.word === word).length;
      const parts = ["faster", "same", "undecided", "slower"].filter(count).map((word) => `${count(word)} ${word}`);
      const order = [...means].sort((a, b) => a.ratio - b.ratio);
      const ends = order.length > 1 ? [order[0], order[order.length - 1]].map((p) => ` ${p.name}: ${words(p, margin)}.`) : [];
      const bound = Math.max(0, 1 - (1 - confidence) * chosen);
      const some = means.some((p) => p.some)
        ? ` An interval is the mean of those of the benchmarks, and holds with at least ${Number((bound * 100).toPrecision(3))} %.` : "";
      return `Against ${baseline.name}${over}: ${parts.join(", ")}.${ends.join("")}${some}`;
    }

    function show() {
      const baseline = baselines[state.baseline];
      const means = points(baseline).map((p) => ({ ...p, verdict: words(p, margin).replace(/ within [^(]*\((.*)\)$/, " $1") }));
      const ordered = state.sorted ? [...means].sort((a, b) => a.ratio - b.ratio) : means;
      byId("choice-text").textContent = sentence(baseline, means);
      byId("whole").hidden = !state.off.size;
      const title = benchmarks.length < 2 ? benchmarks[0] || "" : state.off.size ? "Mean of the chosen benchmarks" : baseline.plots[0].title;
      const label = `${title}: time relative to ${baseline.name}. ${means.map((p) => `${p.name} ${words(p, margin)}`).join("; ")}.`;
      const picture = { title, label, points: ordered, wide: true };
      const spread = baseline.distributions.map((d) => {
        const kept = d.points.filter((p) => !state.off.has(p.name));
        const number = (word) => kept.filter((p) => p.word === word).length;
        const title = `${d.name}: faster on ${number("faster")}, slower on ${number("slower")} of ${kept.length}`;
        return { ...d, title, points: kept, mean: means.find((p) => p.name === d.name) || d.mean };
      });
      const single = baseline.plots.filter((p) => !p.suite && !state.off.has(p.title));
      const painter = (plots) => {
        const range = ratioRange(plots.flatMap((plot) => plot.points), margin);
        return (plot, holder) => plot.points.length && Chart(holder, (width) => compose(plot, range, margin, width));
      };
      const paint = painter([picture, ...spread, ...single]);
      drawFigures(byId("plots"), [picture], painter([picture]));
      fold("more-plots", spread, paint);
      fold("benchmark-plots", baseline.plots.some((p) => p.suite) ? single : [], paint);
      follow(baselines, state, points, (p) => words(p, margin));
      tell(later, state);
      byId("sorted").checked = state.sorted;
      radios.forEach((input, i) => { input.checked = i === state.baseline; });
      showSwitches(byId("chosen"), state.off);
    }

    const radios = addBaselines(byId("baselines"), baselines, (i) => { state.baseline = i; change(); });
    addSwitches(byId("chosen"), benchmarks, state.off, () => change());
    byId("sorted").addEventListener("change", () => { state.sorted = byId("sorted").checked; change(); });
    byId("whole").addEventListener("click", () => { state.off.clear(); change(); });
    const change = followFragment(load, save, show);
  };
})();

// Each comparison with an interval for each machine, and the range expected of others; machines to choose,
// which the tables below follow. The fragment of the address has those left out.
KINDS.machines = (parent, read) => {
  const { margin, machines, figures } = read();
  parent.innerHTML = `
    <form class="switches">
    <fieldset id="chosen-machines" class="choice"><legend>Machines</legend></fieldset>
    <p class="choice"><button type="button" id="all-machines" hidden>Back to all machines</button></p></form>
    <div id="machine-plots" class="plots"></div>
    ${VERDICT_LEGEND}`;
  const names = machines.map((m) => m.name);

  // The points of a figure, the pooled one last: it is of all machines, whichever are shown.
  const rows = (figure) => [...figure.points.filter((p) => !leftOut.has(p.name)), ...(figure.pooled ? [figure.pooled] : [])];

  function compose(points, range, width) {
    const inside = (end) => Math.min(Math.max(Math.log(end), range[0]), range[1]);
    const shapes = points.flatMap((p, row) => (!p.expect || p.expect.includes(null) ? [] : [{
      type: "rect", x0: inside(p.expect[0]), x1: inside(p.expect[1]), y0: row - 0.28, y1: row + 0.28,
      fillcolor: VERDICTS[p.word].color, opacity: 0.18,
    }]));
    return ratioRows(points, range, margin, width, { dense: RATIO_ROW, shapes });
  }

  function show() {
    const shown = figures.map((figure) => ({ ...figure, points: rows(figure) })).filter((figure) => figure.points.length);
    const range = ratioRange(shown.flatMap((figure) => figure.points), margin);
    drawFigures(byId("machine-plots"), shown, (figure, holder) => Chart(holder, (width) => compose(figure.points, range, width)));
    hideMachines(document);
    byId("all-machines").hidden = !leftOut.size;
    showSwitches(byId("chosen-machines"), leftOut);
  }

  const abouts = Object.fromEntries(machines.map(({ name, about }) => [name, about]));
  addSwitches(byId("chosen-machines"), names, leftOut, () => change(), abouts);
  byId("all-machines").addEventListener("click", () => { leftOut.clear(); change(); });
  const change = followFragment(
    (given) => readSwitches(leftOut, names, given.getAll("without-machine")),
    (choice) => leftOut.forEach((name) => choice.append("without-machine", name)), show);
};

// One figure per pair of variants: every drawn pair of layouts a dot, above them the interval as
// linked, below them the one over layouts.
KINDS.placement = (() => {
  const LINKED = { color: "#d07c2a", symbol: "diamond" };
  const VARIED = { color: "#448bc9", symbol: "circle" };
  const ROW = 104;
  // Within a row of height 1, from the top: a name, as linked, the dots, over layouts.
  const LANE = { name: 0.02, linked: 0.26, dots: 0.52, varied: 0.8 };
  const SPREAD = 0.2;
  const SKELETON = `
    <fieldset id="placement-baselines" class="choice"><legend>Compared with</legend></fieldset>
    <p class="legend"><span class="lane linked">◆ as linked, with its interval</span>
    <span class="lane varied">● over the drawn layouts</span>
    <span class="lane">○ one pair of drawn layouts</span> <span class="band">the margin</span></p>
    <div id="placement-plots" class="plots"></div>
    <details id="placement-more"><summary></summary><div class="plots"></div></details>`;
  const FIRST = 4; // figures that are there at once

  const reach = (rows, margin) => ratioRange(
    rows.flatMap((row) => [...row.points.map((ratio) => ({ ratio })), row.linked, row.varied]).filter(Boolean), margin);

  function intervals(rows, which, look, range) {
    const points = rows.map((row, at) => ({ ...row[which], at })).filter((p) => p.ratio);
    return {
      ...ratioTrace(points, points.map((p) => p.at + LANE[which]), range, look),
      text: points.map((p) => p.text), marker: { color: look.color, symbol: look.symbol, size: 11 },
    };
  }

  function dots(rows) {
    const pairs = rows.flatMap((row, at) => row.points.map((ratio, i) => ({ ratio, i, at })));
    // Multiples of the golden section spread any number of dots evenly, and always alike.
    const lane = (i) => LANE.dots + SPREAD * (((i * 0.618) % 1) - 0.5);
    return {
      x: pairs.map((p) => Math.log(p.ratio)), y: pairs.map((p) => p.at + lane(p.i)),
      text: pairs.map((p) => `one pair of layouts: ${p.ratio.toPrecision(4)}x`),
      mode: "markers",
      marker: { color: GREY, symbol: "circle-open", size: 7 },
    };
  }

  // An interval as a band through the dots, so that one sees which of them it covers.
  const bands = (rows, which, look, range) => rows.flatMap((row, at) => (!row[which] ? [] : [{
    type: "rect", yref: "data", fillcolor: look.color, opacity: 0.22,
    x0: row[which].low === null ? range[0] : Math.log(row[which].low),
    x1: row[which].high === null ? range[1] : Math.log(row[which].high),
    y0: at + LANE.linked - 0.08, y1: at + LANE.varied + 0.08,
  }]));

  function compose({ rows }, margin, width) {
    const range = reach(rows, margin);
    const names = rows.filter((row) => row.name).map((row) => (
      { ...nameAt(rows.indexOf(row) + LANE.name, cut(row.name, Math.floor(width / LETTER))), yanchor: "top" }));
    return [[dots(rows), intervals(rows, "linked", LINKED, range), intervals(rows, "varied", VARIED, range)], ratioLayout({
      range, margin, width, names, height: rows.length * ROW, left: 8, top: 2, rows: [rows.length, 0],
      shapes: [...bands(rows, "linked", LINKED, range), ...bands(rows, "varied", VARIED, range)],
    })];
  }

  return (parent, read) => {
    const { baselines, margin } = read();
    parent.innerHTML = SKELETON;
    const show = (chosen) => {
      const plots = baselines[chosen].figures.map((figure, i) => ({ ...figure, wide: i === 0 }));
      const paint = (figure, holder) => Chart(holder, (width) => compose(figure, margin, width));
      const first = plots.length > FIRST ? 1 : FIRST;
      drawFigures(byId("placement-plots"), plots.slice(0, first), paint);
      const more = byId("placement-more"), others = more.querySelector("div");
      more.hidden = plots.length <= first;
      more.querySelector("summary").textContent = `The ${plots.length - first} other variants`;
      others.replaceChildren();
      more.ontoggle = () => { if (more.open && !others.firstChild) drawFigures(others, plots.slice(first), paint); };
      more.ontoggle();
    };
    addBaselines(byId("placement-baselines"), baselines, show)[0].checked = true;
    show(0);
  };
})();
