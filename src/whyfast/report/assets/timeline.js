"use strict";
// Every block at the time when it was taken, beside the median block of its benchmark.
KINDS.timeline = (parent, read) => {
  const { sessions, series } = read();
  const label = `Every block by time: ${series.map((s) => s.name).join(", ")}`;
  const holder = make("div", undefined, { id: "timeline-plot", role: "img", "aria-label": label });
  parent.append(holder);
  const traces = series.map((one, i) => ({
    x: one.points.map((p) => p.at), y: one.points.map((p) => p.level), mode: "markers", name: cut(one.name, 40),
    text: one.points.map((p) => `${one.name}, ${p.text}`),
    marker: { color: color(i), size: 6, symbol: one.points.map((p) => `${symbol(i)}${p.drawn ? "-open" : ""}`) },
  }));
  const starts = sessions.map((s) => upright(Math.max(s.at, 0), "dash"));
  const said = sessions.map((s) => ({ x: Math.max(s.at, 0), y: 1, yref: "paper", xshift: 4, text: s.text }));
  Chart(holder, (width) => {
    const below = 19 * Math.ceil((traces.length * 150) / width);
    return [traces, {
      height: 320 + below, margin: { l: 64, r: 8, t: 10, b: 50 + below }, showlegend: true, shapes: starts, annotations: said,
      xaxis: { title: { text: "minutes" } }, yaxis: { title: { text: "time, 1 is usual" }, nticks: 6 },
    }];
  });
};
