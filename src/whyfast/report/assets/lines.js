"use strict";
// Cost by parameter: all of it in one plot, and a slider for one value at a time. `tools` are the
// helpers of report.js.
const lineFigures = (tools) => {
  const { make, literal, cut, FONT, CONFIG, SERIES, SYMBOLS, LETTER } = tools;
  const HOVER = { bgcolor: "#33383d", font: { color: "#fff" } };
  const LAYOUT = { paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: FONT, dragmode: false };
  const LEGEND = { orientation: "h", y: 0, yref: "container", yanchor: "bottom" };
  // Room below a plot for its axis and its legend, which is one name a line where it is narrow.
  const below = (holder, count) => (holder.clientWidth > 600 ? 100 : 62 + 19 * count);
  const color = (i) => SERIES[i % SERIES.length];

  // Plotly would write 50 as a small 5 on a logarithmic axis.
  function round(holder) {
    const digits = holder.clientWidth > 600 ? [1, 1.5, 2, 3, 4, 5, 7] : [1, 2, 5];
    const tickvals = [1, 10, 100, 1000, 1e4, 1e5].flatMap((unit) => digits.map((digit) => digit * unit));
    return { tickvals, ticktext: tickvals.map(String) };
  }

  function errors(points) {
    const end = (p, value) => (value === null ? 0 : Math.abs(value - p.value));
    return {
      type: "data", symmetric: false, thickness: 2, width: 4,
      array: points.map((p) => end(p, p.high)), arrayminus: points.map((p) => end(p, p.low)),
    };
  }

  function all(family, holder) {
    const ends = [family.values[0], family.values[family.values.length - 1]];
    const traces = family.variants.flatMap((variant, i) => [
      {
        x: variant.points.map((p) => p.at), y: variant.points.map((p) => p.value),
        text: variant.points.map((p) => `${literal(variant.name)}<br>${p.at}: ${literal(p.text)}`),
        hoverinfo: "text", hoverlabel: HOVER, type: "scatter", mode: "markers", name: literal(cut(variant.name, 40)),
        legendgroup: String(i), marker: { color: color(i), symbol: SYMBOLS[i % SYMBOLS.length], size: 8 },
        error_y: { ...errors(variant.points), color: color(i) },
      },
      {
        // Where no line is meant, the points are joined.
        x: variant.linear ? ends : variant.points.map((p) => p.at), hoverinfo: "skip", type: "scatter",
        y: variant.linear ? ends.map((at) => variant.intercept + variant.slope * at) : variant.points.map((p) => p.value),
        mode: "lines", legendgroup: String(i), showlegend: false, line: { color: color(i), width: 1.5, dash: "dot" },
      },
    ]);
    return Plotly.newPlot(holder, traces, {
      ...LAYOUT, height: 320 + below(holder, family.variants.length), legend: LEGEND,
      margin: { l: 60, r: 10, t: 10, b: below(holder, family.variants.length) },
      xaxis: {
        title: { text: `${literal(family.name)}s`, standoff: 8 }, zeroline: false, fixedrange: true,
        ...(holder.clientWidth > 600 ? { tickvals: family.values } : { nticks: 6 }),
      },
      yaxis: { title: { text: "ns" }, rangemode: "tozero", zeroline: false, fixedrange: true },
    }, CONFIG);
  }

  function bars(family, at, holder, most) {
    const own = family.variants.map((variant) => variant.points.find((p) => p.at === at));
    const width = holder.clientWidth;
    const longest = Math.max(...family.variants.map((v) => v.name.length)) * LETTER + 16;
    const beside = width > 400 && longest < 0.45 * width;
    const points = own.map((p) => p || { value: 0, low: null, high: null, text: "failed" });
    return Plotly.react(holder, [{
      type: "bar", orientation: "h", x: points.map((p) => p.value), y: points.map((_, i) => i),
      marker: { color: points.map((_, i) => color(i)) }, hoverinfo: "skip",
      error_x: { ...errors(points), color: "#8a939c" },
    }, {
      // The text stands beyond the interval.
      type: "scatter", mode: "text", x: points.map((p) => (p.high === null ? p.value : p.high)), y: points.map((_, i) => i),
      text: points.map((p) => ` ${literal(p.text)}`), textposition: "middle right", hoverinfo: "skip", cliponaxis: false,
    }], {
      ...LAYOUT, height: points.length * (beside ? 36 : 56) + 60, showlegend: false, bargap: beside ? 0.35 : 0.55,
      margin: { l: beside ? longest : 4, r: 14, t: 6, b: 44 },
      annotations: family.variants.map((variant, i) => ({
        x: 0, xref: "paper", xanchor: "left", xshift: beside ? -longest : 0, y: beside ? i : i - 0.45, showarrow: false,
        text: literal(cut(variant.name, Math.floor(width / LETTER))), font: FONT,
      })),
      // One scale for all values, with room for the text beside the longest bar.
      xaxis: { title: { text: "ns" }, range: [0, most * (beside ? 1.35 : 1.9)], zeroline: false, fixedrange: true, nticks: 6 },
      yaxis: { range: [points.length - 0.5, beside ? -0.5 : -0.8], visible: false, fixedrange: true },
    }, CONFIG);
  }

  function runs(family, at, holder) {
    const traces = family.variants.map((variant, i) => ({ run: variant.runs[String(at)], i, name: variant.name }))
      .filter(({ run }) => run)
      .map(({ run, i, name }) => ({
        x: run.ns, y: run.share, type: "scatter", mode: "lines", line: { color: color(i), width: 1.5, shape: "hvh" },
        name: literal(cut(name, 40)), hoverlabel: HOVER, hovertemplate: "%{x} ns: %{y:.2f} % per ns<extra></extra>",
      }));
    return Plotly.react(holder, traces, {
      ...LAYOUT, height: 220 + below(holder, traces.length), legend: LEGEND, showlegend: true,
      margin: { l: 60, r: 10, t: 10, b: below(holder, traces.length) },
      xaxis: { title: { text: "ns", standoff: 8 }, zeroline: false, fixedrange: true, type: "log", ...round(holder) },
      yaxis: { title: { text: "% per ns" }, rangemode: "tozero", zeroline: false, fixedrange: true },
    }, CONFIG);
  }

  return (families) => {
    document.querySelectorAll(".lines[data-family]").forEach((parent) => {
      const family = families[Number(parent.dataset.family)];
      const slider = parent.querySelector("input");
      const said = parent.querySelector("output");
      const most = Math.max(...family.variants.flatMap((v) => v.points.map((p) => p.high === null ? p.value : p.high)));
      const some = family.variants.some((variant) => Object.keys(variant.runs).length);
      parent.querySelector(".lines-runs-figure").hidden = !some;
      const holders = {};
      for (const name of ["all", "at", "runs"]) {
        holders[name] = make("div", undefined, { class: "plot", role: "img" });
        parent.querySelector(`.lines-${name}`).append(holders[name]);
      }
      const show = () => {
        const at = family.values[Number(slider.value)];
        said.textContent = String(at);
        slider.setAttribute("aria-valuetext", `${at} ${family.name}s`);
        const texts = family.variants.map((v) => [v.name, v.points.find((p) => p.at === at)]);
        holders.at.setAttribute("aria-label", texts.map(([name, p]) => `${name}: ${p ? p.text : "failed"}`).join("; "));
        bars(family, at, holders.at, most);
        holders.runs.setAttribute("aria-label", `How long single runs take with ${at} ${family.name}s; a table below has the quantiles`);
        if (some) runs(family, at, holders.runs);
      };
      holders.all.setAttribute("aria-label", `Time of a run by number of ${family.name}s; the table above has slopes and intercepts`);
      all(family, holders.all);
      slider.addEventListener("input", show);
      show();
    });
  };
};
