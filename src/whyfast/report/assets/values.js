"use strict";
// Every raw value: read when its panel is opened, as a plot by block, a table in pages, and CSV.
KINDS.raw = (() => {
  const MOST_POINTS = 8000;
  const SKELETON = `
    <details id="raw-values"><summary>Show the values</summary>
    <p class="choice"><label for="raw-benchmark">Benchmark</label> <select id="raw-benchmark"></select>
    <button type="button" id="csv-one">CSV of this benchmark</button>
    <button type="button" id="csv-all">CSV of all</button></p>
    <div id="raw-plot" role="img"></div>
    <p id="raw-plot-note" class="note" hidden></p>
    <div id="raw-table"></div>
    <p><button type="button" id="raw-more" hidden></button></p>
    </details>`;
  let raw = null;

  function unit(benchmark) {
    const first = benchmark.blocks[0];
    return unitOf(Math.min(...Object.values(first.values).map((values) => values[0] / first.loops)));
  }

  function plot(benchmark) {
    const [name, size] = unit(benchmark);
    const total = benchmark.blocks.reduce((n, b) => n + Object.values(b.values).reduce((m, v) => m + v.length, 0), 0);
    const summarised = total > MOST_POINTS;
    const traces = raw.variants.map((variant, i) => {
      const x = [], y = [], text = [], up = [], down = [];
      benchmark.blocks.forEach((block, b) => {
        const values = (block.values[i] || []).map((value) => value / block.loops / size);
        if (summarised && values.length) {
          const sorted = [...values].sort((a, c) => a - c);
          const middle = sorted[Math.floor(sorted.length / 2)];
          x.push(b + (i + 1) / (raw.variants.length + 1)); y.push(middle);
          up.push(sorted[sorted.length - 1] - middle); down.push(middle - sorted[0]);
          text.push(`${variant}\nblock ${block.index}: median ${middle.toPrecision(5)} ${name}`);
        } else {
          values.forEach((value, turn) => {
            x.push(b + (turn + 0.5) / values.length); y.push(value);
            text.push(`${variant}\nblock ${block.index}, turn ${turn}: ${value.toPrecision(5)} ${name}`);
          });
        }
      });
      return {
        x, y, text, name: cut(variant, 40), mode: "markers",
        marker: { color: color(i), symbol: symbol(i), size: 6, opacity: 0.8 },
        ...(summarised ? { error_y: { array: up, arrayminus: down, thickness: 1, width: 0 } } : {}),
      };
    }).filter((trace) => trace.x.length);
    const note = byId("raw-plot-note");
    note.hidden = !summarised;
    note.textContent = `${total} values are too many to draw: each block is drawn as its median and range. The table and the CSV hold all.`;
    const holder = byId("raw-plot");
    holder.setAttribute("aria-label", `${benchmark.name}: every value by block; the table below lists them`);
    Chart(holder, (width) => [traces, {
      ...legendLayout(width, traces.length, 310, [64, 8]),
      xaxis: { title: "block", range: [0, benchmark.blocks.length] }, yaxis: { title: name, nticks: 6 },
    }]);
  }

  function rows(benchmark) {
    return benchmark.blocks.flatMap((block) => {
      const turns = Math.max(0, ...Object.values(block.values).map((values) => values.length));
      return Array.from({ length: turns }, (_, turn) => ({ block, turn }));
    });
  }

  function table(benchmark) {
    const [name, size] = unit(benchmark);
    const columns = raw.variants.map((variant, i) => [variant, i]).filter(([, i]) => benchmark.blocks.some((b) => b.values[i]));
    const holder = byId("raw-table");
    holder.innerHTML = `<div class="scroll" tabindex="0" role="region" aria-label="Raw values">
      <table><caption>Time of one inner loop in ${name}</caption><thead><tr></tr></thead><tbody></tbody></table></div>`;
    const heads = ["block", "turn", ...columns.map(([variant]) => variant)];
    holder.querySelector("tr").append(...heads.map((title) => make("th", title, { scope: "col" })));
    const body = holder.querySelector("tbody");
    drawPages(rows(benchmark), byId("raw-more"), (part) => part.forEach(({ block, turn }) => {
      const row = make("tr");
      row.append(make("th", String(block.index), { scope: "row" }), make("td", String(turn)));
      for (const [, i] of columns) {
        const value = (block.values[i] || [])[turn];
        const text = value === undefined ? "–" : (value / block.loops / size).toPrecision(5);
        row.append(make("td", text, { class: "number" }));
      }
      body.append(row);
    }));
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

  const kind = (parent, read) => {
    parent.innerHTML = SKELETON;
    const panel = byId("raw-values");
    const choice = byId("raw-benchmark");
    const chosen = () => raw.benchmarks[choice.selectedIndex];
    const show = () => { plot(chosen()); table(chosen()); };
    panel.addEventListener("toggle", async () => {
      if (!panel.open || raw) return;
      raw = await read();
      raw.benchmarks.forEach((benchmark) => choice.append(make("option", benchmark.name)));
      if (raw.benchmarks.length) show();
    });
    choice.addEventListener("change", show);
    const name = (text) => text.replace(/[^\w.-]+/g, "-").slice(0, 60);
    byId("csv-one").addEventListener("click", () => download(csv([chosen()]), `${name(chosen().name)}.csv`));
    byId("csv-all").addEventListener("click", () => download(csv(raw.benchmarks), "values.csv"));
  };
  kind.late = true;
  return kind;
})();

// Every block at the time when it was taken, beside the median block of its benchmark.
KINDS.timeline = (parent, read) => {
  const { sessions, series } = read();
  const label = `Every block by time: ${series.map((s) => s.name).join(", ")}`;
  const holder = make("div", undefined, { id: "timeline-plot", role: "img", "aria-label": label });
  parent.append(holder);
  const traces = series.map((s, i) => ({
    x: s.points.map((p) => p.at), y: s.points.map((p) => p.level), mode: "markers", name: cut(s.name, 40),
    text: s.points.map((p) => `${s.name}, ${p.text}`),
    marker: { color: color(i), size: 6, symbol: s.points.map((p) => `${symbol(i)}${p.drawn ? "-open" : ""}`) },
  }));
  const starts = sessions.map((s) => upright(Math.max(s.at, 0), "dash"));
  const names = sessions.map((s) => ({ x: Math.max(s.at, 0), y: 1, yref: "paper", xshift: 4, text: s.text }));
  Chart(holder, (width) => [traces, {
    ...legendLayout(width, traces.length, 270, [64, 8]), shapes: starts, annotations: names,
    xaxis: { title: "minutes" }, yaxis: { title: "time, 1 is usual", nticks: 6 },
  }]);
};
