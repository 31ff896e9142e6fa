"use strict";
// One figure a pair of variants: every drawn pair of layouts a dot, above them the interval as
// linked, below them the one over layouts. `tools` are the helpers of report.js.
const placementFigures = (tools) => {
  const { make, literal, cut, ticks, FONT, CONFIG, LETTER } = tools;
  const LINKED = { color: "#d07c2a", symbol: "diamond" };
  const VARIED = { color: "#448bc9", symbol: "circle" };
  const HOVER = { bgcolor: "#33383d", font: { color: "#fff" } };
  const ROW = 104;
  // Within a row of height 1, from the top: a name, as linked, the dots, over layouts.
  const LANE = { name: 0.02, linked: 0.26, dots: 0.52, varied: 0.8 };
  const SPREAD = 0.2;

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
    const end = (p, value, edge) => Math.abs((value === null ? edge : Math.log(value)) - Math.log(p.ratio));
    return {
      x: own.map((p) => Math.log(p.ratio)), y: own.map((p) => p.at + LANE[which]), text: own.map((p) => literal(p.text)),
      hoverinfo: "text", hoverlabel: HOVER, mode: "markers", type: "scatter", cliponaxis: false,
      marker: { color: look.color, symbol: look.symbol, size: 11 },
      error_x: {
        type: "data", symmetric: false, color: look.color, thickness: 2.5, width: 6,
        array: own.map((p) => end(p, p.high, range[1])), arrayminus: own.map((p) => end(p, p.low, range[0])),
      },
    };
  }

  function dots(rows) {
    const own = rows.flatMap((row, at) => row.points.map((ratio, i) => ({ ratio, i, at })));
    // Multiples of the golden section spread any number of dots evenly, and always alike.
    const lane = (i) => LANE.dots + SPREAD * (((i * 0.618) % 1) - 0.5);
    return {
      x: own.map((p) => Math.log(p.ratio)), y: own.map((p) => p.at + lane(p.i)),
      text: own.map((p) => `one pair of layouts: ${p.ratio.toPrecision(4)}x`),
      hoverinfo: "text", hoverlabel: HOVER, mode: "markers", type: "scatter", cliponaxis: false,
      marker: { color: "#8a939c", symbol: "circle-open", size: 7, line: { width: 1.5 } },
    };
  }

  // An interval as a band through the dots, so that one sees which of them it covers.
  const bands = (rows, which, look, range) => rows.flatMap((row, at) => (!row[which] ? [] : [{
    type: "rect", layer: "below", line: { width: 0 }, fillcolor: look.color, opacity: 0.22,
    x0: row[which].low === null ? range[0] : Math.log(row[which].low),
    x1: row[which].high === null ? range[1] : Math.log(row[which].high),
    y0: at + LANE.linked - 0.08, y1: at + LANE.varied + 0.08,
  }]));

  function draw(figure, margin, holder) {
    const { rows } = figure;
    const width = holder.clientWidth;
    const range = reach(rows, margin);
    const band = Math.log1p(margin);
    const side = (text, x, xanchor) => ({
      text, x, xanchor, xref: "paper", y: 0, yref: "paper", yshift: -22, yanchor: "top", showarrow: false, font: FONT,
    });
    const names = rows.filter((row) => row.name).map((row) => ({
      x: 0, xref: "paper", xanchor: "left", y: rows.indexOf(row) + LANE.name, yanchor: "top", showarrow: false,
      text: literal(cut(row.name, Math.floor(width / LETTER))), font: FONT,
    }));
    return Plotly.newPlot(holder, [dots(rows), intervals(rows, "linked", LINKED, range), intervals(rows, "varied", VARIED, range)], {
      height: rows.length * ROW + 56, margin: { l: 8, r: 14, t: 2, b: 52 }, showlegend: false, dragmode: false,
      paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: FONT,
      shapes: [
        { type: "rect", x0: -band, x1: band, y0: 0, y1: 1, yref: "paper", fillcolor: "#8a939c", opacity: 0.2, line: { width: 0 }, layer: "below" },
        { type: "line", x0: 0, x1: 0, y0: 0, y1: 1, yref: "paper", line: { color: "#8a939c", width: 1.5 }, layer: "below" },
        ...bands(rows, "linked", LINKED, range), ...bands(rows, "varied", VARIED, range),
      ],
      annotations: [...names, side("← faster", 0, "left"), side("slower →", 1, "right")],
      xaxis: { range, zeroline: false, fixedrange: true, ...ticks(range, width) },
      yaxis: { range: [rows.length, 0], visible: false, fixedrange: true },
    }, CONFIG);
  }

  return (figures, margin, parent) => {
    parent.querySelectorAll(".plot").forEach((old) => Plotly.purge(old));
    parent.replaceChildren();
    figures.forEach((figure, i) => {
      const element = make("figure");
      if (i === 0) element.className = "wide";
      const holder = make("div", undefined, { class: "plot", role: "img", "aria-label": figure.label });
      element.append(make("figcaption", figure.title), holder);
      parent.append(element);
      draw(figure, margin, holder);
    });
  };
};
