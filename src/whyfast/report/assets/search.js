"use strict";
// The posterior by place of the step, and below it each candidate's ratio to the good end.
KINDS.search = (parent, read) => {
  const { gaps, measured, skipped, names, steps, last } = read();
  const box = make("div", undefined, {
    role: "img", "aria-label": "The posterior by step, and each candidate's ratio; the tables say the same",
  });
  const legend = make("p", undefined, { class: "legend" });
  legend.append(make("span", "█ probability of a step "), make("span", "● ratio to the good end "));
  if (skipped.length) legend.append(make("span", "✖ skipped "));
  if (steps.length) legend.append(make("span", "┆ the answer"));
  parent.append(legend, box);
  const said = (m) => `${literal(names[m.at] || String(m.at))}<br>${m.text}, ${m.n} blocks`;
  const traces = [
    {
      type: "bar", x: gaps.map((g) => (g.low + 1 + g.high) / 2), width: gaps.map((g) => g.high - g.low),
      y: gaps.map((g) => Math.min(g.share, 1)), yaxis: "y2", marker: { color: color(0), line: { color: color(0), width: 1 } }, ...HOVER,
      text: gaps.map((g) => `${g.high - g.low > 1 ? `one of ${g.high - g.low}` : `at ${g.high}`}: ${Math.min(g.share, 1).toPrecision(3)}`),
      textposition: "none",
    },
    {
      x: measured.map((m) => m.at), y: measured.map((m) => m.ratio), mode: "markers", ...HOVER, text: measured.map(said),
      marker: { color: color(1), size: 8 },
      error_y: {
        type: "data", symmetric: false, color: color(1), thickness: 1.2, width: 3,
        array: measured.map((m) => m.high - m.ratio), arrayminus: measured.map((m) => m.ratio - m.low),
      },
    },
    {
      x: skipped, y: skipped.map(() => 0), yaxis: "y2", mode: "markers", ...HOVER, cliponaxis: false,
      text: skipped.map((at) => `${at}: skipped`), marker: { color: GREY, symbol: "x", size: 8 },
    },
  ];
  const shapes = steps.map(([first, end]) => upright((first + end) / 2, "dot"));
  Plotly.newPlot(box, traces, {
    ...LAYOUT, height: 440, margin: { l: 64, r: 14, t: 8, b: 48 }, shapes, bargap: 0,
    xaxis: { title: { text: "candidate, from the good end to the bad one" }, range: [-0.5, last + 0.5] },
    yaxis: { title: { text: "ratio to the good end" }, domain: [0, 0.52], fixedrange: true, automargin: true },
    yaxis2: { title: { text: "probability" }, domain: [0.6, 1], range: [0, 1.02], fixedrange: true, automargin: true, anchor: "x" },
  }, CONFIG);
};
