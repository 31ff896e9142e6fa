"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = (id) => JSON.parse(byId(id).textContent);
  const make = (tag, text, attributes) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    return element;
  };
  // Plotly reads a little HTML and %{templates} in its texts; names are to be shown as they are.
  const literal = (text) =>
    text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/%\{/g, "%&#8203;{");
  const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

  // Readable on paper white and on dark alike.
  const VERDICTS = {
    faster: { color: "#2b9a63", symbol: "triangle-left" },
    same: { color: "#448bc9", symbol: "circle" },
    undecided: { color: "#ab871a", symbol: "circle-open" },
    slower: { color: "#d0564a", symbol: "triangle-right" },
  };
  const SERIES = ["#448bc9", "#d07c2a", "#2b9a63", "#b0559b", "#8a8f94", "#ab871a", "#d0564a", "#5c6fc4"];
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down"];
  const CONFIG = { displayModeBar: false, responsive: true, doubleClick: "reset" };
  const FONT = { family: "system-ui, sans-serif", size: 12 };
  const ROW = 30;
  const DENSE_ROW = 19; // for one dot a benchmark, of which there may be a hundred
  const MOST_FIGURES = 6; // so many variants are shown at once
  const NAMED_ROW = 46; // with the name above the interval, where there is no room beside it
  const LETTER = 7.2; // px, about the width of a letter
  const TICKS = [1.001, 1.002, 1.005, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000];

  // The x axis is the logarithm of the ratio; the common range of all plots of one baseline.
  function reach(plots, margin) {
    const points = plots.flatMap((plot) => plot.points);
    const far = Math.max(0, ...points.map((p) => Math.abs(Math.log(p.ratio))));
    const ends = points.flatMap((p) => [p.low, p.high]).filter((end) => end !== null);
    const furthest = Math.max(far, ...ends.map((end) => Math.abs(Math.log(end))));
    // One wide interval must not squeeze all others: it may leave the plot.
    const most = Math.min(furthest, 2 * far + 8 * Math.log1p(margin));
    const wanted = 1.12 * Math.max(most, 2 * Math.log1p(margin));
    const low = Math.min(0, ...points.map((p) => Math.log(p.low || p.ratio)));
    const high = Math.max(0, ...points.map((p) => Math.log(p.high || p.ratio)));
    const least = 2 * Math.log1p(margin);
    return [-Math.min(wanted, Math.max(1.15 * -low, least)), Math.min(wanted, Math.max(1.15 * high, least))];
  }

  function ticks([low, high], width) {
    const apart = ((high - low) / Math.max(width, 200)) * 52;
    const kept = [0];
    for (const side of [-1, 1]) {
      const limit = side < 0 ? -low : high;
      const fit = TICKS.map(Math.log).filter((at) => at <= limit);
      // From the outermost inwards, so that the axis names how far it reaches.
      let last = Infinity;
      for (const at of fit.reverse()) {
        if (last - at >= apart && at >= apart) { kept.push(side * at); last = at; }
      }
    }
    const name = (at) => (at === 0 ? "1" : `${Number(Math.exp(Math.abs(at)).toPrecision(4))}x`);
    return { tickvals: kept, ticktext: kept.map(name) };
  }

  function intervalPlot(plot, range, margin, holder) {
    const width = holder.clientWidth;
    const count = plot.points.length;
    const traces = Object.entries(VERDICTS).map(([word, look]) => {
      const own = plot.points.map((p, row) => ({ ...p, row })).filter((p) => p.word === word);
      const bounded = (p) => p.low !== null || p.high !== null;
      const end = (p, value, edge) => (!bounded(p) ? 0 : Math.abs((value === null ? edge : Math.log(value)) - Math.log(p.ratio)));
      return {
        x: own.map((p) => Math.log(p.ratio)),
        y: own.map((p) => p.row),
        text: own.map((p) => `${literal(p.name)}<br>${literal(p.text)}`),
        hoverinfo: "text", hoverlabel: { bgcolor: "#33383d", font: { color: "#fff" } },
        mode: "markers", type: "scatter", cliponaxis: false,
        marker: { color: look.color, symbol: look.symbol, size: 10, line: { width: word === "undecided" ? 2 : 0, color: look.color } },
        error_x: {
          type: "data", symmetric: false, color: look.color, thickness: 2, width: 5,
          array: own.map((p) => end(p, p.high, range[1])), arrayminus: own.map((p) => end(p, p.low, range[0])),
        },
      };
    });
    const dense = plot.mean !== undefined;
    const wanted = Math.max(...plot.points.map((p) => p.name.length)) * LETTER + 16;
    const longest = dense ? Math.min(wanted, 0.4 * width) : wanted;
    const beside = dense || (width > 400 && longest < 0.45 * width);
    const names = plot.points.map((p, row) => ({
      x: 0, xref: "paper", xanchor: "left", xshift: beside ? -longest : 0, y: beside ? row : row - 0.42,
      yref: "y", showarrow: false, text: literal(cut(p.name, Math.floor((dense ? longest - 8 : width) / LETTER))), font: FONT,
    }));
    const band = Math.log1p(margin);
    const shapes = [
      { type: "rect", x0: -band, x1: band, y0: 0, y1: 1, yref: "paper", fillcolor: "#8a939c", opacity: 0.2, line: { width: 0 }, layer: "below" },
      { type: "line", x0: 0, x1: 0, y0: 0, y1: 1, yref: "paper", line: { color: "#8a939c", width: 1.5 }, layer: "below" },
    ];
    if (plot.mean) {
      const { ratio, low, high, word } = plot.mean;
      const at = Math.log(ratio);
      const { color } = VERDICTS[word];
      const whole = { yref: "paper", y0: 0, y1: 1, layer: "below" };
      if (low && high) shapes.push({ ...whole, type: "rect", x0: Math.log(low), x1: Math.log(high), fillcolor: color, opacity: 0.18, line: { width: 0 } });
      shapes.push({ ...whole, type: "line", x0: at, x1: at, line: { color, width: 1.5, dash: "dash" } });
    }
    const side = (text, x, xanchor) => ({
      text, x, xanchor, xref: "paper", y: 0, yref: "paper", yshift: -22, yanchor: "top", showarrow: false, font: FONT,
    });
    return Plotly.newPlot(holder, traces, {
      height: count * (dense ? DENSE_ROW : beside ? ROW : NAMED_ROW) + 58, margin: { l: beside ? longest : 4, r: 14, t: 6, b: 52 }, showlegend: false, dragmode: false,
      paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: FONT, shapes,
      annotations: [...names, side("← faster", 0, "left"), side("slower →", 1, "right")],
      xaxis: { range, zeroline: false, fixedrange: true, ...ticks(range, width - (beside ? longest : 0)) },
      yaxis: { range: [count - 0.5, beside ? -0.5 : -0.75], visible: false, fixedrange: true },
    }, CONFIG);
  }

  function drawFigures(parent, plots, range, margin) {
    parent.querySelectorAll(".plot").forEach((old) => Plotly.purge(old));
    parent.replaceChildren();
    plots.forEach((plot) => {
      const figure = make("figure");
      if (plot.wide) figure.className = "wide";
      const holder = make("div", undefined, { class: "plot", role: "img", "aria-label": plot.label });
      figure.append(make("figcaption", plot.title), holder);
      parent.append(figure);
      if (plot.points.length) intervalPlot(plot, range, margin, holder);
    });
  }

  // Figures that are drawn when their fold is opened, and at once if it is open already.
  function fold(id, plots, range, margin) {
    const element = byId(id);
    const draw = () => drawFigures(element.querySelector(".plots"), plots, range, margin);
    element.hidden = !plots.length;
    element.querySelectorAll(".plot").forEach((old) => Plotly.purge(old));
    element.querySelector(".plots").replaceChildren();
    element.ontoggle = () => { if (element.open && !element.querySelector("figure")) draw(); };
    if (element.open && plots.length) draw();
  }

  function showBaseline(data, index) {
    const { plots, distributions } = data.baselines[index];
    const range = reach(plots, data.margin);
    const spread = distributions.length > 0;
    byId("distributions-note").hidden = !spread;
    const shown = spread ? [...plots.filter((plot) => plot.suite), ...distributions.slice(0, MOST_FIGURES)] : plots;
    drawFigures(byId("plots"), shown.map((plot, i) => ({ ...plot, wide: i === 0 && (plot.suite || !spread) })), range, data.margin);
    fold("more-plots", distributions.slice(MOST_FIGURES), range, data.margin);
    fold("benchmark-plots", spread ? plots.filter((plot) => !plot.suite) : [], range, data.margin);
  }

  // Buttons for the baselines, of which the first is shown.
  function chooseBaseline(choice, baselines, show) {
    choice.hidden = baselines.length < 2;
    baselines.forEach((baseline, i) => {
      const input = make("input", undefined, { type: "radio", name: choice.id });
      input.checked = i === 0;
      input.addEventListener("change", () => show(i));
      const label = make("label");
      label.append(input, ` ${baseline.name}`);
      choice.append(label);
    });
    if (baselines.length) show(0);
  }

  function startPlots() {
    const plots = data("plot-data");
    chooseBaseline(byId("baselines"), plots.baselines, (i) => showBaseline(plots, i));
  }

  function startPlacements() {
    if (!byId("placement-plots")) return;
    const { baselines, margin } = data("placement-data");
    const show = placementFigures({ make, literal, cut, ticks, FONT, CONFIG, LETTER });
    chooseBaseline(byId("placement-baselines"), baselines, (i) => show(baselines[i].figures, margin, byId("placement-plots")));
  }

  const UNITS = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
  const MOST_POINTS = 40000;
  const PAGE = 200;
  let raw = null;
  let shown = null;

  function unitOf(benchmark) {
    const first = benchmark.blocks[0];
    const least = Math.min(...Object.values(first.values).map((values) => values[0] / first.loops));
    return UNITS.find(([, size]) => least >= size) || UNITS[3];
  }

  function rawPlot(benchmark) {
    const [unit, size] = unitOf(benchmark);
    const total = benchmark.blocks.reduce((n, b) => n + Object.values(b.values).reduce((m, v) => m + v.length, 0), 0);
    const summarised = total > MOST_POINTS;
    const traces = raw.variants.map((name, i) => {
      const x = [], y = [], text = [], up = [], down = [];
      benchmark.blocks.forEach((block, b) => {
        const values = (block.values[i] || []).map((value) => value / block.loops / size);
        if (summarised && values.length) {
          const sorted = [...values].sort((a, c) => a - c);
          const middle = sorted[Math.floor(sorted.length / 2)];
          x.push(b + (i + 1) / (raw.variants.length + 1)); y.push(middle);
          up.push(sorted[sorted.length - 1] - middle); down.push(middle - sorted[0]);
          text.push(`${literal(name)}<br>block ${block.index}: median ${middle.toPrecision(5)} ${unit}`);
        } else {
          values.forEach((value, turn) => {
            x.push(b + (turn + 0.5) / values.length); y.push(value);
            text.push(`${literal(name)}<br>block ${block.index}, turn ${turn}: ${value.toPrecision(5)} ${unit}`);
          });
        }
      });
      return {
        x, y, text, hoverinfo: "text", name: literal(cut(name, 40)), mode: "markers", type: "scatter",
        marker: { color: SERIES[i % SERIES.length], symbol: SYMBOLS[i % SYMBOLS.length], size: 6, opacity: 0.8 },
        hoverlabel: { bgcolor: "#33383d", font: { color: "#fff" } },
        ...(summarised ? { error_y: { type: "data", symmetric: false, array: up, arrayminus: down, thickness: 1, width: 0 } } : {}),
      };
    }).filter((trace) => trace.x.length);
    const note = byId("raw-plot-note");
    note.hidden = !summarised;
    note.textContent = `${total} values are too many to draw: each block is drawn as its median and range. The table and the CSV hold all.`;
    const holder = byId("raw-plot");
    holder.setAttribute("aria-label", `${benchmark.name}: every value by block; the table below lists them`);
    Plotly.react(holder, traces, {
      height: 400, margin: { l: 64, r: 8, t: 10, b: 90 }, dragmode: false, font: FONT,
      paper_bgcolor: "transparent", plot_bgcolor: "transparent",
      legend: { orientation: "h", y: 0, yref: "container", yanchor: "bottom" },
      xaxis: { title: { text: "block" }, zeroline: false, fixedrange: true, range: [0, benchmark.blocks.length] },
      yaxis: { title: { text: unit }, zeroline: false, fixedrange: true, nticks: 6 },
    }, CONFIG);
  }

  function rows(benchmark) {
    return benchmark.blocks.flatMap((block) => {
      const turns = Math.max(0, ...Object.values(block.values).map((values) => values.length));
      return Array.from({ length: turns }, (_, turn) => ({ block, turn }));
    });
  }

  function rawTable(benchmark) {
    const [unit, size] = unitOf(benchmark);
    const columns = raw.variants.map((name, i) => [name, i]).filter(([, i]) => benchmark.blocks.some((b) => b.values[i]));
    const table = byId("raw-table");
    const head = make("tr");
    for (const title of ["block", "turn", ...columns.map(([name]) => name)]) head.append(make("th", title, { scope: "col" }));
    const body = make("tbody");
    const header = make("thead");
    header.append(head);
    table.replaceChildren(make("caption", `Time of one inner loop in ${unit}`), header, body);
    const all = rows(benchmark);
    let next = 0;
    shown = () => {
      for (const { block, turn } of all.slice(next, next + PAGE)) {
        const row = make("tr");
        row.append(make("th", String(block.index), { scope: "row" }), make("td", String(turn)));
        for (const [, i] of columns) {
          const value = (block.values[i] || [])[turn];
          const said = value === undefined ? "–" : (value / block.loops / size).toPrecision(5);
          row.append(make("td", said, { class: "number" }));
        }
        body.append(row);
      }
      next = Math.min(next + PAGE, all.length);
      byId("raw-more").hidden = next >= all.length;
      byId("raw-more").textContent = `Show more rows (${next} of ${all.length} shown)`;
    };
    shown();
  }

  function csv(benchmarks) {
    const field = (value) => (/[",\r\n]/.test(String(value)) ? `"${String(value).replace(/"/g, '""')}"` : String(value));
    const lines = ["benchmark,block,session,started,seed,cpu,warmups,loops,turn,place_in_turn,variant,seconds_for_all_loops"];
    for (const benchmark of benchmarks) {
      for (const { block, turn } of rows(benchmark)) {
        const order = block.order[turn] || [];
        for (const [i, values] of Object.entries(block.values)) {
          if (values[turn] === undefined) continue;
          const place = order.indexOf(Number(i));
          lines.push([
            benchmark.name, block.index, block.session, block.started, block.seed, block.cpu ?? "", block.warmups,
            block.loops, turn, place < 0 ? "" : place, raw.variants[i], values[turn],
          ].map(field).join(","));
        }
      }
    }
    return lines.join("\r\n") + "\r\n";
  }

  function download(text, name) {
    const link = make("a", undefined, { download: name, href: URL.createObjectURL(new Blob([text], { type: "text/csv" })) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  function startRaw() {
    const panel = byId("raw-values");
    const choice = byId("raw-benchmark");
    const chosen = () => raw.benchmarks[choice.selectedIndex];
    const show = () => { rawPlot(chosen()); rawTable(chosen()); };
    panel.addEventListener("toggle", () => {
      if (!panel.open || raw) return;
      raw = data("raw-data");
      raw.benchmarks.forEach((benchmark) => choice.append(make("option", benchmark.name)));
      if (raw.benchmarks.length) show();
    });
    choice.addEventListener("change", show);
    byId("raw-more").addEventListener("click", () => shown && shown());
    const name = (text) => text.replace(/[^\w.-]+/g, "-").slice(0, 60);
    byId("csv-one").addEventListener("click", () => download(csv([chosen()]), `${name(chosen().name)}.csv`));
    byId("csv-all").addEventListener("click", () => download(csv(raw.benchmarks), "values.csv"));
  }

  const drawn = () => document.querySelectorAll(".js-plotly-plot");
  // A page is narrower than most windows, and plots do not shrink by themselves in time.
  window.addEventListener("beforeprint", () => drawn().forEach((plot) => Plotly.relayout(plot, { width: 620 })));
  window.addEventListener("afterprint", () => drawn().forEach((plot) => Plotly.relayout(plot, { width: null, autosize: true })));

  document.querySelectorAll(".without-script").forEach((element) => element.remove());
  document.querySelectorAll(".needs-script").forEach((element) => { element.hidden = false; });
  startPlots();
  startPlacements();
  lineFigures({ make, literal, cut, FONT, CONFIG, SERIES, SYMBOLS, LETTER })(data("lines-data"));
  startRaw();
})();
