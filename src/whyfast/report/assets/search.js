"use strict";
// The posterior by place of the step, and below it each candidate's ratio to the good end.
KINDS.search = (parent, read) => {
  const { gaps, measured, skipped, names, steps, last } = read();
  const legend = make("p", undefined, { class: "legend" });
  legend.append(make("span", "█ probability of a step "), make("span", "● ratio to the good end "));
  if (skipped.length) legend.append(make("span", "✖ skipped "));
  if (steps.length) legend.append(make("span", "┆ the answer"));
  const holder = (name) => make("div", undefined, { role: "img", "aria-label": `${name}; the tables say the same` });
  const [above, below] = [holder("The probability of a step by its place"), holder("Each candidate's ratio to the good end")];
  parent.append(legend, above, below);
  const answer = steps.map(([first, end]) => upright((first + end) / 2, "dot"));
  const every = last < 12 ? { tickvals: [...Array(last + 1).keys()] } : {};
  const across = { range: [-0.5, last + 0.5], ...every };
  const share = (g) => Math.min(g.share, 1);
  const place = (g) => (g.high - g.low > 1 ? `one of ${g.high - g.low}, up to ${g.high}` : `at ${g.high}`);
  const bars = gaps.map((g) => (
    { type: "rect", x0: g.low + 0.5, x1: g.high + 0.5, y0: 0, y1: share(g), fillcolor: color(0), opacity: 0.8 }));
  const tops = {
    x: gaps.map((g) => (g.low + 1 + g.high) / 2), y: gaps.map(share), mode: "markers",
    text: gaps.map((g) => `${place(g)}: ${share(g).toPrecision(3)}`), marker: { color: color(0), size: 5 },
  };
  const out = {
    x: skipped, y: skipped.map(() => 0), mode: "markers", text: skipped.map((at) => `${at}: skipped`),
    marker: { color: GREY, symbol: "x", size: 8 },
  };
  const ratios = {
    x: measured.map((m) => m.at), y: measured.map((m) => m.ratio), mode: "markers", marker: { color: color(1), size: 8 },
    text: measured.map((m) => `${names[m.at] || m.at}\n${m.text}, ${m.n} ${m.n === 1 ? "block" : "blocks"}`),
    error_y: errorBars(measured, (m) => m.ratio, { color: color(1), thickness: 1.5, width: 3 }),
  };
  Chart(above, () => [[tops, out], {
    height: 190, margin: { l: 64, r: 14, t: 8, b: 26 }, shapes: [...bars, ...answer],
    xaxis: across, yaxis: { title: "probability", range: [0, 1.02] },
  }]);
  Chart(below, () => [[ratios], {
    height: 280, margin: { l: 64, r: 14, t: 8, b: 48 }, shapes: answer,
    xaxis: { ...across, title: "candidate, from the good end to the bad one" },
    yaxis: { title: "ratio to the good end" },
  }]);
};
