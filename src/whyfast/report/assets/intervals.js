"use strict";
// Every variant against the chosen baseline, over the chosen benchmarks: what that says in words, the
// picture of the means, and on demand a figure a variant with a dot a benchmark, or a figure a
// benchmark. Tables below follow the choice; the fragment of the address has it.
KINDS.intervals = (() => {
  const VERDICTS = {
    faster: { color: "#2b9a63", symbol: "triangle-left" },
    same: { color: "#448bc9", symbol: "circle" },
    undecided: { color: "#ab871a", symbol: "circle-open" },
    slower: { color: "#d0564a", symbol: "triangle-right" },
  };
  const ROW = 24;
  const DENSE_ROW = 19; // for one dot a benchmark, of which there may be a hundred
  const NAMED_ROW = 44; // with the name above the interval, where there is no room beside it
  const SKELETON = `
    <form class="switches">
    <fieldset id="baselines" class="choice"><legend>Compared with</legend></fieldset>
    <fieldset id="chosen" class="choice"><legend>Benchmarks</legend></fieldset>
    <p class="choice"><label><input type="checkbox" id="sorted"> sorted</label>
    <button type="button" id="whole" hidden>Back to all benchmarks</button></p></form>
    <p id="said" aria-live="polite"></p>
    <div id="plots" class="plots"></div>
    <p class="legend"><span class="verdict faster">◀ faster</span> <span class="verdict same">● same</span>
    <span class="verdict undecided">○ undecided</span> <span class="verdict slower">▶ slower</span>
    <span class="band">the margin, within which a difference does not matter</span></p>
    <details id="more-plots" hidden><summary>Each variant: a dot a benchmark</summary>
    <p class="note">The fastest on top; the dashed line is the geometric mean, the shade about it its interval.</p>
    <div class="plots"></div></details>
    <details id="benchmark-plots" hidden><summary>A plot for each benchmark</summary><div class="plots"></div></details>`;

  // The common range of all plots of one baseline.
  function reach(plots, margin) {
    const points = plots.flatMap((plot) => plot.points);
    const far = Math.max(0, ...points.map((p) => Math.abs(Math.log(p.ratio))));
    const ends = points.flatMap((p) => [p.low, p.high]).filter((end) => end !== null);
    const furthest = Math.max(far, ...ends.map((end) => Math.abs(Math.log(end))));
    // One wide interval must not squeeze all others: it may leave the plot.
    const least = 2 * Math.log1p(margin);
    const most = Math.min(furthest, 2 * far + 8 * Math.log1p(margin));
    const wanted = 1.12 * Math.max(most, least);
    const low = Math.min(0, ...points.map((p) => Math.log(p.low || p.ratio)));
    const high = Math.max(0, ...points.map((p) => Math.log(p.high || p.ratio)));
    return [-Math.min(wanted, Math.max(1.15 * -low, least)), Math.min(wanted, Math.max(1.15 * high, least))];
  }

  function compose(plot, range, margin, width) {
    const count = plot.points.length;
    const traces = Object.entries(VERDICTS).map(([word, look]) => {
      const own = plot.points.map((p, row) => ({ ...p, row })).filter((p) => p.word === word);
      return {
        ...ratioTrace(own, own.map((p) => p.row), range, look, true),
        text: own.map((p) => `${p.name}\n${p.text}`),
        marker: { color: look.color, symbol: look.symbol, size: 10, line: { width: word === "undecided" ? 2 : 0 } },
      };
    });
    const dense = plot.mean !== undefined;
    const wanted = Math.max(...plot.points.map((p) => p.name.length)) * LETTER + 16;
    const longest = dense ? Math.min(wanted, 0.4 * width) : wanted;
    const beside = dense || (width > 400 && longest < 0.45 * width);
    // What a point says stands at the right, where there is room for it too.
    const said = plot.wide && beside ? plot.points.map((p) => p.said) : [];
    const right = Math.max(0, ...said.map((text) => text.length)) * 6.6 + 16;
    const told = said.length && longest + right < 0.62 * width;
    const names = plot.points.map((p, row) => ({
      x: 0, xref: "paper", xanchor: "left", xshift: beside ? -longest : 0, y: beside ? row : row - 0.42,
      text: cut(p.name, Math.floor((dense ? longest - 8 : width) / LETTER)),
    }));
    if (told) said.forEach((text, row) => names.push({ x: 1, xref: "paper", xanchor: "left", xshift: 12, y: row, text }));
    const shapes = ratioShapes(margin);
    if (plot.mean) {
      const { ratio, low, high, word } = plot.mean;
      const look = VERDICTS[word];
      const whole = { yref: "paper", y0: 0, y1: 1 };
      if (low && high) shapes.push({ ...whole, type: "rect", x0: Math.log(low), x1: Math.log(high), fillcolor: look.color, opacity: 0.18 });
      shapes.push({ ...whole, type: "line", x0: Math.log(ratio), x1: Math.log(ratio), line: { color: look.color, width: 1.5, dash: "dash" } });
    }
    const sides = { l: beside ? longest : 4, r: told ? right : 14 };
    return [traces, {
      shapes, annotations: [...names, ...SIDES],
      height: count * (dense ? DENSE_ROW : beside ? ROW : NAMED_ROW) + 58, margin: { ...sides, t: 6, b: 52 },
      xaxis: { range, ...ticks(range, width - sides.l - sides.r) },
      yaxis: { range: [count - 0.5, beside ? -0.5 : -0.75], visible: false },
    }];
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

  // A ratio and its interval in words, with the digits that the interval carries (as report/numbers.py).
  function words({ ratio, low, high, word }, margin) {
    const plain = word === "same";
    const inside = Math.min(Math.max(ratio, low === null ? 0 : low), high === null ? Infinity : high);
    const turned = !plain && inside < 1;
    const [r, l, h] = turned ? [1 / inside, high && 1 / high, low && 1 / low] : [inside, low, high];
    const ends = [l, h].filter((end) => end !== null);
    const near = ends.length < 2 ? Infinity : Math.max(1e-5 * r, 0.05 * (h - l));
    const told = [1, ...ends].filter((x) => Math.abs(r - x) > near).map((x) => [r, x]);
    told.push(...ends.filter((end) => Math.abs(end - 1) > 1e-5).map((end) => [end, 1]));
    let digits = r < 10 ? 2 : r < 100 ? 1 : 0;
    while (digits < 5 && told.some(([a, b]) => a.toFixed(digits) === b.toFixed(digits))) digits += 1;
    const printed = (end) => (end === null ? "–" : end.toFixed(digits));
    const interval = `[${printed(l)}, ${printed(h)}]${ends.length < 2 ? " (too few blocks)" : ""}`;
    const one = Number(r.toFixed(digits)) === 1 && !(l > 1) && (h === null || h >= 1);
    const factor = `${r.toFixed(digits)}x${plain || one ? "" : turned ? " faster" : " slower"}`;
    if (plain) return `same within ${Number((margin * 100).toPrecision(4))} % (${factor} ${interval})`;
    return `${word === "undecided" ? "undecided: " : ""}${factor} ${interval}`;
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

    function load() {
      const given = new URLSearchParams(location.hash.slice(1));
      const place = baselines.findIndex((b) => b.name === given.get("against"));
      state.baseline = Math.max(0, place);
      state.off = new Set(given.getAll("without").filter((name) => benchmarks.includes(name)));
      if (state.off.size >= benchmarks.length) state.off.clear();
      state.sorted = given.get("order") !== "study";
    }
    function save() {
      const given = new URLSearchParams();
      if (state.baseline) given.set("against", baselines[state.baseline].name);
      state.off.forEach((name) => given.append("without", name));
      if (!state.sorted) given.set("order", "study");
      const text = given.toString();
      history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
    }

    // Every point of a baseline over the chosen benchmarks, one a variant.
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
        const own = single.flatMap((p) => p.points.filter((q) => q.name === name));
        const mean = meanOf(own, margin);
        return { name, ...mean, text: words(mean, margin), some: true };
      });
    }

    function sentence(baseline, own) {
      const chosen = benchmarks.length - state.off.size;
      const over = benchmarks.length < 2 ? "" : chosen === 1 ? `, on ${benchmarks.find((b) => !state.off.has(b))}`
        : state.off.size ? `, geometric mean of ${chosen} of ${benchmarks.length} benchmarks` : `, geometric mean of ${chosen} benchmarks`;
      const count = (word) => own.filter((p) => p.word === word).length;
      const parts = ["faster", "same", "undecided", "slower"].filter(count).map((word) => `${count(word)} ${word}`);
      const order = [...own].sort((a, b) => a.ratio - b.ratio);
      const ends = own.length > 1 ? ` ${order[0].name}: ${words(order[0], margin)}. ${order[order.length - 1].name}: ${words(order[order.length - 1], margin)}.` : "";
      const bound = Math.max(0, 1 - (1 - confidence) * chosen);
      const some = own.some((p) => p.some)
        ? ` An interval is the mean of those of the benchmarks, and holds with at least ${Number((bound * 100).toPrecision(3))} %.` : "";
      return `Against ${baseline.name}${over}: ${parts.join(", ")}.${ends}${some}`;
    }

    function show() {
      const baseline = baselines[state.baseline];
      const own = points(baseline).map((p) => ({ ...p, said: words(p, margin).replace(/ within [^(]*\((.*)\)$/, " $1") }));
      const ordered = state.sorted ? [...own].sort((a, b) => a.ratio - b.ratio) : own;
      byId("said").textContent = sentence(baseline, own);
      byId("whole").hidden = !state.off.size;
      const title = benchmarks.length < 2 ? benchmarks[0] || "" : state.off.size ? "Mean of the chosen benchmarks" : baseline.plots[0].title;
      const label = `${title}: time relative to ${baseline.name}. ${own.map((p) => `${p.name} ${words(p, margin)}`).join("; ")}.`;
      const picture = { title, label, points: ordered, wide: true };
      const kept = (list) => list.filter((p) => !state.off.has(p.name));
      const spread = baseline.distributions.map((d) => {
        const of = kept(d.points);
        const number = (word) => of.filter((p) => p.word === word).length;
        const title = `${d.name}: faster on ${number("faster")}, slower on ${number("slower")} of ${of.length}`;
        return { ...d, title, points: of, mean: own.find((p) => p.name === d.name) || d.mean };
      });
      const single = baseline.plots.filter((p) => !p.suite && !state.off.has(p.title));
      const range = reach([picture, ...spread, ...single], margin);
      const paint = (plot, holder) => plot.points.length && Chart(holder, (width) => compose(plot, range, margin, width));
      drawFigures(byId("plots"), [picture], (plot, holder) => plot.points.length
        && Chart(holder, (width) => compose(plot, reach([picture], margin), margin, width)));
      fold("more-plots", spread, paint);
      fold("benchmark-plots", baseline.plots.some((p) => p.suite) ? single : [], paint);
      follow(baselines, state, points, (p) => words(p, margin));
      tell(later, state);
      byId("sorted").checked = state.sorted;
      document.querySelectorAll("#baselines input").forEach((input, i) => { input.checked = i === state.baseline; });
      document.querySelectorAll("#chosen input").forEach((input) => { input.checked = !state.off.has(input.value); });
    }

    const change = () => { save(); show(); };
    const choose = (holder, type, value, text, act) => {
      const input = make("input", undefined, { type, name: holder.id, value });
      input.addEventListener("change", () => act(input));
      const label = make("label");
      label.append(input, ` ${text}`);
      holder.append(label);
    };
    byId("baselines").hidden = baselines.length < 2;
    byId("chosen").hidden = benchmarks.length < 2;
    baselines.forEach((b, i) => choose(byId("baselines"), "radio", b.name, b.name, () => { state.baseline = i; change(); }));
    benchmarks.forEach((name) => choose(byId("chosen"), "checkbox", name, name, (input) => {
      if (input.checked) state.off.delete(name);
      else if (state.off.size < benchmarks.length - 1) state.off.add(name);
      change();
    }));
    byId("sorted").addEventListener("change", () => { state.sorted = byId("sorted").checked; change(); });
    byId("whole").addEventListener("click", () => { state.off.clear(); change(); });
    window.addEventListener("hashchange", () => { load(); show(); });
    load();
    show();
  };
})();
