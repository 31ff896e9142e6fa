"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const { by, points, series, marks } = JSON.parse(byId("history-data").textContent);
  const COLORS = ["#448bc9", "#d07c2a", "#2b9a63", "#b0559b", "#8a8f94", "#ab871a", "#d0564a", "#5c6fc4"];
  const FONT = { family: "system-ui, sans-serif", size: 12 };
  // Plotly reads a little HTML and %{templates} in its texts; names are to be shown as they are.
  const literal = (text) =>
    text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/%\{/g, "%&#8203;{");
  const UNITS = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
  const EVERY = "all";
  const chosen = {};

  // One colour for each value of the column with the fewest values, so that groups stand out.
  const columns = Object.keys(series[0] ? series[0].keys : {})
    .map((name) => [name, [...new Set(series.map((s) => s.keys[name]))]])
    .filter(([, values]) => values.length > 1);
  const grouping = [...columns].sort((a, b) => a[1].length - b[1].length)[0];
  const color = (one, i) => COLORS[(grouping ? grouping[1].indexOf(one.keys[grouping[0]]) : i) % COLORS.length];

  function shown() {
    return series.map((one, i) => ({ ...one, color: color(one, i) }))
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
        text: one.values.map((v, i) => `${literal(one.name)}<br>${literal(points[i])}: ${v === null ? "" : (v / size).toPrecision(4)}`),
        hoverinfo: "text", hoverlabel: { bgcolor: "#33383d", font: { color: "#fff" } },
        marker: {
          color: one.color, size: one.values.map((_, i) => (one.odd.includes(i) ? 10 : 6)),
          symbol: one.values.map((_, i) => (one.odd.includes(i) ? "circle-open" : "circle")), line: { width: 1.5 },
        },
      },
    ]);
  }

  function draw() {
    const own = shown();
    const holder = byId("history-plot");
    const largest = Math.max(...own.flatMap((one) => one.values.filter((v) => v !== null)));
    const [unit, size] = UNITS.find(([, s]) => largest >= s) || UNITS[UNITS.length - 1];
    const lines = marks.map((mark) => ({
      type: "line", yref: "paper", y0: 0, y1: 1, x0: mark.kind === "step" ? mark.at - 0.5 : mark.at,
      x1: mark.kind === "step" ? mark.at - 0.5 : mark.at, line: { color: "#8a939c", width: 1.5, dash: mark.kind === "step" ? "dash" : "dot" }, layer: "below",
    }));
    return Plotly.react(holder, traces(own, size), {
      height: 460, margin: { l: 64, r: 14, t: 8, b: 72 }, showlegend: false, font: FONT, shapes: lines,
      paper_bgcolor: "transparent", plot_bgcolor: "transparent", dragmode: false,
      xaxis: { type: "category", categoryarray: points, title: { text: literal(by) }, fixedrange: true, automargin: true },
      yaxis: { type: "log", title: { text: `time (${unit}), logarithmic` }, fixedrange: true, automargin: true, dtick: "D2" },
    }, { displayModeBar: false, responsive: true });
  }

  function choice(name, values) {
    chosen[name] = EVERY;
    const label = document.createElement("label");
    const select = document.createElement("select");
    label.append(`${name} `, select);
    for (const value of [EVERY, ...values]) {
      const option = document.createElement("option");
      option.textContent = value;
      option.value = value;
      select.append(option);
    }
    select.addEventListener("change", () => { chosen[name] = select.value; draw(); });
    byId("filters").append(label);
  }

  document.querySelectorAll(".needs-script").forEach((part) => { part.hidden = false; });
  document.querySelectorAll(".without-script").forEach((part) => { part.hidden = true; });
  if (grouping) {
    grouping[1].slice(0, COLORS.length).forEach((value, i) => {
      const group = document.createElement("span");
      group.textContent = `● ${grouping[0]}=${value}`;
      group.style.color = COLORS[i];
      byId("groups").append(group);
    });
  }
  columns.forEach(([name, values]) => choice(name, values));
  draw();
})();
