"use strict";
// One figure a pair of variants: every drawn pair of layouts a dot, above them the interval as
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
    <div id="placement-plots" class="plots"></div>`;

  const ends = (rows, pick) => rows.flatMap((row) => [row.linked, row.varied])
    .filter((interval) => interval).map((interval) => interval[pick] || interval.ratio);

  function reach(rows, margin) {
    const least = 2 * Math.log1p(margin);
    const dots = rows.flatMap((row) => row.points);
    const low = Math.log(Math.min(1, ...dots, ...ends(rows, "low")));
    const high = Math.log(Math.max(1, ...dots, ...ends(rows, "high")));
    const beside = 0.06 * (high - low);
    return [Math.min(low - beside, -least), Math.max(high + beside, least)];
  }

  function intervals(rows, which, look, range) {
    const own = rows.map((row, at) => ({ ...row[which], at })).filter((p) => p.ratio);
    return {
      ...ratioTrace(own, own.map((p) => p.at + LANE[which]), range, look, false),
      text: own.map((p) => p.text), marker: { color: look.color, symbol: look.symbol, size: 11 },
    };
  }

  function dots(rows) {
    const own = rows.flatMap((row, at) => row.points.map((ratio, i) => ({ ratio, i, at })));
    // Multiples of the golden section spread any number of dots evenly, and always alike.
    const lane = (i) => LANE.dots + SPREAD * (((i * 0.618) % 1) - 0.5);
    return {
      x: own.map((p) => Math.log(p.ratio)), y: own.map((p) => p.at + lane(p.i)),
      text: own.map((p) => `one pair of layouts: ${p.ratio.toPrecision(4)}x`),
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
    const names = rows.filter((row) => row.name).map((row) => ({
      x: 0, xref: "paper", xanchor: "left", y: rows.indexOf(row) + LANE.name, yanchor: "top",
      text: cut(row.name, Math.floor(width / LETTER)),
    }));
    return [[dots(rows), intervals(rows, "linked", LINKED, range), intervals(rows, "varied", VARIED, range)], {
      height: rows.length * ROW + 56, margin: { l: 8, r: 14, t: 2, b: 52 },
      shapes: [...ratioShapes(margin), ...bands(rows, "linked", LINKED, range), ...bands(rows, "varied", VARIED, range)],
      annotations: [...names, ...SIDES],
      xaxis: { range, ...ticks(range, width) },
      yaxis: { range: [rows.length, 0], visible: false },
    }];
  }

  return (parent, read) => {
    const { baselines, margin } = read();
    parent.innerHTML = SKELETON;
    chooseBaseline(byId("placement-baselines"), baselines, ({ figures }) => {
      const plots = figures.map((figure, i) => ({ ...figure, wide: i === 0 }));
      drawFigures(byId("placement-plots"), plots, (figure, holder) => Chart(holder, (width) => compose(figure, margin, width)));
    });
  };
})();
