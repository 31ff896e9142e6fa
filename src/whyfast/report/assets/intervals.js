"use strict";
// Every variant against the chosen baseline: the geometric mean, then a figure a variant with a dot
// a benchmark, or a figure a benchmark.
KINDS.intervals = (() => {
  const VERDICTS = {
    faster: { color: "#2b9a63", symbol: "triangle-left" },
    same: { color: "#448bc9", symbol: "circle" },
    undecided: { color: "#ab871a", symbol: "circle-open" },
    slower: { color: "#d0564a", symbol: "triangle-right" },
  };
  const ROW = 30;
  const DENSE_ROW = 19; // for one dot a benchmark, of which there may be a hundred
  const NAMED_ROW = 46; // with the name above the interval, where there is no room beside it
  const MOST_FIGURES = 6; // so many variants are shown at once
  const SKELETON = `
    <fieldset id="baselines" class="choice"><legend>Compared with</legend></fieldset>
    <p class="legend"><span class="verdict faster">◀ faster</span> <span class="verdict same">● same</span>
    <span class="verdict undecided">○ undecided</span> <span class="verdict slower">▶ slower</span>
    <span class="band">the margin, within which a difference does not matter</span></p>
    <p class="note" id="distributions-note" hidden>Each dot is a benchmark with its interval, the fastest on top; the
    dashed line is the geometric mean, the shade about it its interval.</p>
    <div id="plots" class="plots"></div>
    <details id="more-plots" hidden><summary>The other variants</summary><div class="plots"></div></details>
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

  function draw(plot, range, margin, holder) {
    const width = holder.clientWidth;
    const count = plot.points.length;
    const traces = Object.entries(VERDICTS).map(([word, look]) => {
      const own = plot.points.map((p, row) => ({ ...p, row })).filter((p) => p.word === word);
      return {
        ...ratioTrace(own, own.map((p) => p.row), range, look, true),
        text: own.map((p) => `${literal(p.name)}<br>${literal(p.text)}`),
        marker: { color: look.color, symbol: look.symbol, size: 10, line: { width: word === "undecided" ? 2 : 0, color: look.color } },
      };
    });
    const dense = plot.mean !== undefined;
    const wanted = Math.max(...plot.points.map((p) => p.name.length)) * LETTER + 16;
    const longest = dense ? Math.min(wanted, 0.4 * width) : wanted;
    const beside = dense || (width > 400 && longest < 0.45 * width);
    const names = plot.points.map((p, row) => ({
      x: 0, xref: "paper", xanchor: "left", xshift: beside ? -longest : 0, y: beside ? row : row - 0.42,
      yref: "y", showarrow: false, text: literal(cut(p.name, Math.floor((dense ? longest - 8 : width) / LETTER))), font: FONT,
    }));
    const shapes = ratioShapes(margin);
    if (plot.mean) {
      const { ratio, low, high, word } = plot.mean;
      const look = VERDICTS[word];
      const whole = { yref: "paper", y0: 0, y1: 1, layer: "below" };
      if (low && high) shapes.push({ ...whole, type: "rect", x0: Math.log(low), x1: Math.log(high), fillcolor: look.color, opacity: 0.18, line: { width: 0 } });
      shapes.push({ ...whole, type: "line", x0: Math.log(ratio), x1: Math.log(ratio), line: { color: look.color, width: 1.5, dash: "dash" } });
    }
    return Plotly.newPlot(holder, traces, {
      ...LAYOUT, shapes, annotations: [...names, ...SIDES],
      height: count * (dense ? DENSE_ROW : beside ? ROW : NAMED_ROW) + 58, margin: { l: beside ? longest : 4, r: 14, t: 6, b: 52 },
      xaxis: { range, zeroline: false, fixedrange: true, ...ticks(range, width - (beside ? longest : 0)) },
      yaxis: { range: [count - 0.5, beside ? -0.5 : -0.75], visible: false, fixedrange: true },
    }, CONFIG);
  }

  // Figures that are drawn when their fold is opened, and at once if it is open already.
  function fold(id, plots, paint) {
    const element = byId(id);
    const parent = element.querySelector(".plots");
    element.hidden = !plots.length;
    drawFigures(parent, [], paint);
    element.ontoggle = () => { if (element.open && !element.querySelector("figure")) drawFigures(parent, plots, paint); };
    if (element.open && plots.length) drawFigures(parent, plots, paint);
  }

  return (parent, read) => {
    const { margin, baselines } = read();
    parent.innerHTML = SKELETON;
    chooseBaseline(byId("baselines"), baselines, ({ plots, distributions }) => {
      const range = reach(plots, margin);
      const paint = (plot, holder) => plot.points.length && draw(plot, range, margin, holder);
      const spread = distributions.length > 0;
      byId("distributions-note").hidden = !spread;
      const shown = spread ? [...plots.filter((plot) => plot.suite), ...distributions.slice(0, MOST_FIGURES)] : plots;
      drawFigures(byId("plots"), shown.map((plot, i) => ({ ...plot, wide: i === 0 && (plot.suite || !spread) })), paint);
      fold("more-plots", distributions.slice(MOST_FIGURES), paint);
      fold("benchmark-plots", spread ? plots.filter((plot) => !plot.suite) : [], paint);
    });
  };
})();
