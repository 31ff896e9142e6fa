"use strict";
// Instructions by kernel release, a line a series; a slider for the value of the parameter.
KINDS.releases = (parent, read) => {
  const { kernels, unit, at, series } = read();
  parent.innerHTML = `
    <p class="choice"><label for="what">Show</label> <input type="range" id="what" min="0" step="1">
    <output id="what-said" for="what"></output></p>
    <p id="series-legend" class="legend"></p>
    <div id="release-plot" role="img" aria-label="Instructions by kernel release; the tables say the same"></div>`;
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
        x: kernels, y: values, mode: "lines+markers", connectgaps: true, name: one.name,
        line: { color: color(i), width: 2 }, marker: { color: color(i), symbol: symbol(i), size: 9 },
        text: values.map((v, k) => (v === null ? "" : `${one.name}\nLinux ${kernels[k]}: ${short(v)} instructions`)),
      };
    });
    const steps = [...new Set(series.flatMap((one) => one.steps))];
    Chart(byId("release-plot"), () => [traces, {
      height: 420, margin: { l: 64, r: 14, t: 8, b: 56 }, shapes: steps.map((k) => upright(k - 0.5, "dash")),
      xaxis: { type: "category", categoryarray: kernels, title: { text: "Linux" } },
      yaxis: { title: { text: "instructions (simulated)" }, rangemode: "tozero" },
    }]);
  }

  series.forEach((one, i) => {
    const entry = make("span", `${MARKS[i % MARKS.length]} ${one.name}`);
    entry.style.color = color(i);
    byId("series-legend").append(entry, " ");
  });
  if (series.some((one) => one.steps.length)) byId("series-legend").append(make("span", "┆ a step"));
  range.max = String(at.length);
  range.value = "0";
  range.addEventListener("input", draw);
  draw();
};
