"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const { kernels, unit, at, series } = JSON.parse(byId("guest-data").textContent);
  const COLORS = ["#448bc9", "#d07c2a", "#2b9a63", "#b0559b", "#8a8f94", "#ab871a", "#d0564a", "#5c6fc4"];
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down"];
  const FONT = { family: "system-ui, sans-serif", size: 12 };
  const MARKS = { circle: "●", square: "■", diamond: "◆", "triangle-up": "▲", cross: "✚", x: "✖", star: "★", "triangle-down": "▼" };
  // Plotly reads a little HTML and %{templates} in its texts; names are to be shown as they are.
  const literal = (text) =>
    text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/%\{/g, "%&#8203;{");
  if (!series.length) return;
  const range = byId("what");
  const short = (value) => String(Math.round(value * 100) / 100);

  // Position 0 of the slider is the cost of one more; the others are the values of the parameter.
  const shown = (one, place) => (place === 0 ? one.slopes : one.counts[place - 1]);
  const said = (place) => (place === 0 ? `what one more ${unit} takes` : `${at[place - 1]} × ${unit}`);

  function draw() {
    const place = Number(range.value);
    byId("what-said").textContent = said(place);
    range.setAttribute("aria-valuetext", said(place));
    const traces = series.map((one, i) => {
      const values = shown(one, place);
      return {
        x: kernels, y: values, mode: "lines+markers", connectgaps: true, name: literal(one.name),
        line: { color: COLORS[i % COLORS.length], width: 2 },
        marker: { color: COLORS[i % COLORS.length], symbol: SYMBOLS[i % SYMBOLS.length], size: 9 },
        text: values.map((v, k) => (v === null ? "" : `${literal(one.name)}<br>Linux ${literal(kernels[k])}: ${short(v)} instructions`)),
        hoverinfo: "text", hoverlabel: { bgcolor: "#33383d", font: { color: "#fff" } },
      };
    });
    const steps = [...new Set(series.flatMap((one) => one.steps))];
    const shapes = steps.map((k) => ({
      type: "line", yref: "paper", y0: 0, y1: 1, x0: k - 0.5, x1: k - 0.5, layer: "below",
      line: { color: "#8a939c", width: 1.5, dash: "dash" },
    }));
    return Plotly.react(byId("guest-plot"), traces, {
      height: 420, margin: { l: 64, r: 14, t: 8, b: 56 }, showlegend: false, font: FONT, shapes,
      paper_bgcolor: "transparent", plot_bgcolor: "transparent", dragmode: false,
      xaxis: { type: "category", categoryarray: kernels, title: { text: "Linux" }, fixedrange: true, automargin: true },
      yaxis: { title: { text: "instructions (simulated)" }, rangemode: "tozero", fixedrange: true, automargin: true },
    }, { displayModeBar: false, responsive: true });
  }

  document.querySelectorAll(".needs-script").forEach((part) => { part.hidden = false; });
  document.querySelectorAll(".without-script").forEach((part) => { part.hidden = true; });
  series.forEach((one, i) => {
    const entry = document.createElement("span");
    entry.textContent = `${MARKS[SYMBOLS[i % SYMBOLS.length]]} ${one.name}`;
    entry.style.color = COLORS[i % COLORS.length];
    byId("series-legend").append(entry, " ");
  });
  if (series.some((one) => one.steps.length)) {
    const entry = document.createElement("span");
    entry.textContent = "┆ a step";
    byId("series-legend").append(entry);
  }
  range.max = String(at.length);
  range.value = "0";
  range.addEventListener("input", draw);
  draw();
})();
