"use strict";
// Each series over the points, with its levels; steps and odd points that many share as lines.
KINDS.history = (parent, read) => {
  const { by, points, series, marks } = read();
  parent.innerHTML = `
    <div id="filters" class="choice"></div>
    <p class="legend" id="groups"></p>
    <p class="legend"><span>● value</span> <span>○ odd point</span> <span>— level</span>
    <span class="lane">┆ a step, or odd point, that many series share</span></p>
    <div id="history-plot" role="img" aria-label="Each series over the points; the tables say the same"></div>`;
  const EVERY = "all";
  const chosen = {};

  // One colour for each value of the column with the fewest values, so that groups stand out.
  const columns = Object.keys(series[0] ? series[0].keys : {})
    .map((name) => [name, [...new Set(series.map((s) => s.keys[name]))]])
    .filter(([, values]) => values.length > 1);
  const grouping = [...columns].sort((a, b) => a[1].length - b[1].length)[0];
  const place = (one, i) => (grouping ? grouping[1].indexOf(one.keys[grouping[0]]) : i);

  function shown() {
    return series.map((one, i) => ({ ...one, color: color(place(one, i)) }))
      .filter((one) => columns.every(([name]) => chosen[name] === EVERY || one.keys[name] === chosen[name]));
  }

  function traces(own, size) {
    const scaled = (values) => values.map((v) => (v === null ? null : v / size));
    const fade = own.length > 12 ? 0.35 : 0.9;
    return own.flatMap((one) => [
      {
        x: points, y: scaled(one.levels), mode: "lines", hoverinfo: "skip", opacity: fade,
        line: { color: one.color, width: 2, shape: "hvh" }, connectgaps: true,
      },
      {
        x: points, y: scaled(one.values), mode: "markers", opacity: fade,
        text: one.values.map((v, i) => `${one.name}\n${points[i]}: ${v === null ? "" : (v / size).toPrecision(4)}`),
        marker: {
          color: one.color, size: one.values.map((_, i) => (one.odd.includes(i) ? 10 : 6)),
          symbol: one.values.map((_, i) => (one.odd.includes(i) ? "circle-open" : "circle")),
        },
      },
    ]);
  }

  function draw() {
    const own = shown();
    const [unit, size] = unitOf(Math.max(...own.flatMap((one) => one.values.filter((v) => v !== null))));
    const lines = marks.map((mark) => (mark.kind === "step" ? upright(mark.at - 0.5, "dash") : upright(mark.at, "dot")));
    Chart(byId("history-plot"), () => [traces(own, size), {
      height: 460, margin: { l: 64, r: 14, t: 8, b: 72 }, shapes: lines,
      xaxis: { type: "category", categoryarray: points, title: { text: by } },
      yaxis: { type: "log", title: { text: `time (${unit}), logarithmic` } },
    }]);
  }

  function choice(name, values) {
    chosen[name] = EVERY;
    const label = make("label");
    const select = make("select");
    label.append(`${name} `, select);
    for (const value of [EVERY, ...values]) select.append(make("option", value, { value }));
    select.addEventListener("change", () => { chosen[name] = select.value; draw(); });
    byId("filters").append(label);
  }

  if (grouping) {
    grouping[1].slice(0, SERIES.length).forEach((value, i) => {
      const group = make("span", `● ${grouping[0]}=${value}`);
      group.style.color = color(i);
      byId("groups").append(group);
    });
  }
  columns.forEach(([name, values]) => choice(name, values));
  draw();
};
