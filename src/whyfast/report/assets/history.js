"use strict";
// All series over the points, with their levels, and a picture a series: filtered, sorted, linked
// to. The choice stands in the URL's fragment, so that a link shows the same.
KINDS.history = (parent, read) => {
  const { by, points, suite, series, marks } = read();
  const EVERY = "all";
  const AT_ONCE = 60; // pictures, until more are asked for
  const SORTS = { size: "largest change first", name: "name", noise: "noisiest first" };
  const FOUND = { [EVERY]: "all", any: "with a finding", step: "with a step", drift: "with a drift", outlier: "with an outlier" };
  parent.innerHTML = `
    <div id="filters" class="choice"></div>
    <p class="legend" id="groups"></p>
    <p class="legend"><span>● value</span> <span>○ outlier</span> <span>— level</span>
    <span class="lane">┆ a step, or outlier, that many series share</span></p>
    <div id="history-plot" role="img" aria-label="Each series over the points; the tables say the same"></div>
    <p class="note" id="series-count" aria-live="polite"></p>
    <div id="series-plots" class="plots"></div>
    <button id="more-series" type="button" hidden>More series</button>`;

  // One colour for each value of the column with the fewest values, so that groups stand out.
  const singles = series.slice(suite);
  const columns = Object.keys(singles[0] ? singles[0].keys : {})
    .map((name) => [name, [...new Set(singles.map((s) => s.keys[name]))]])
    .filter(([, values]) => values.length > 1);
  const grouping = [...columns].sort((a, b) => a[1].length - b[1].length)[0];
  const colors = new Map(singles.map((item, i) => [item.name, color(grouping ? grouping[1].indexOf(item.keys[grouping[0]]) : i)]));
  const colorOf = (item) => colors.get(item.name) || GREY;

  // The choice; keys that are absent have their default.
  const DEFAULTS = { q: "", found: EVERY, sort: "size", series: "", ...Object.fromEntries(columns.map(([name]) => [`by.${name}`, EVERY])) };
  let chosen = { ...DEFAULTS };
  let most = AT_ONCE;

  function fromFragment() {
    const text = location.hash.slice(1);
    if (text && !text.includes("=")) return; // a link to a section
    const wanted = new URLSearchParams(text);
    chosen = Object.fromEntries(Object.entries(DEFAULTS).map(([key, value]) => [key, wanted.get(key) ?? value]));
    if (!(chosen.sort in SORTS)) chosen.sort = DEFAULTS.sort;
    if (!(chosen.found in FOUND)) chosen.found = DEFAULTS.found;
  }

  const choiceWith = (changes) => new URLSearchParams(
    Object.entries({ ...chosen, ...changes }).filter(([key, value]) => value !== DEFAULTS[key]));

  function choose(changes) {
    writeFragment(choiceWith(changes));
    chosen = { ...chosen, ...changes };
    most = AT_ONCE;
    draw();
  }

  const hasFound = (item) => chosen.found === EVERY || (chosen.found === "any" ? item.kinds.length > 0 : item.kinds.includes(chosen.found));
  function shown() {
    const words = chosen.q.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = singles.filter((item) =>
      columns.every(([name]) => [EVERY, item.keys[name]].includes(chosen[`by.${name}`])) && hasFound(item) &&
      words.every((word) => item.name.toLowerCase().includes(word)));
    const order = { size: (a, b) => b.size - a.size, noise: (a, b) => b.noise - a.noise, name: () => 0 }[chosen.sort];
    return kept.sort((a, b) => order(a, b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  // The spread inside each point.
  function errors(item, size) {
    const array = item.values.map((v, i) => (v === null ? 0 : (2 * (item.spreads[i] || 0) * v) / size));
    return { array, arrayminus: array.map((e, i) => Math.min(e, (0.99 * (item.values[i] || 0)) / size)), color: colorOf(item), thickness: 1, width: 0 };
  }

  function traces(some, size) {
    const scaled = (values) => values.map((v) => (v === null ? null : v / size));
    const fade = some.length > 12 ? 0.35 : 0.9;
    return some.flatMap((item) => [
      {
        x: points, y: scaled(item.levels), mode: "lines", hoverinfo: "skip", opacity: fade,
        line: { color: colorOf(item), width: 2, shape: item.kinds.includes("drift") ? "linear" : "hvh" }, connectgaps: true,
      },
      {
        x: points, y: scaled(item.values), mode: "markers", opacity: fade,
        text: item.values.map((v, i) => `${item.name}\n${points[i]}: ${v === null ? "" : (v / size).toPrecision(4)}`),
        // The spread inside a point, of a series that is looked at by itself.
        ...(some.length === 1 && item.spreads.length ? { error_y: errors(item, size) } : {}),
        marker: {
          color: colorOf(item), size: item.values.map((_, i) => (item.outliers.includes(i) ? 10 : 6)),
          symbol: item.values.map((_, i) => (item.outliers.includes(i) ? "circle-open" : "circle")),
        },
      },
    ]);
  }

  // A small picture: values as dots, levels as a line, in one range each.
  const WIDE = 320, HIGH = 90, EDGE = 6;
  function picture(item) {
    const known = [...item.values, ...item.levels].filter((v) => v !== null).map(Math.log);
    const low = Math.min(...known), high = Math.max(...known);
    const x = (i) => EDGE + (i / Math.max(points.length - 1, 1)) * (WIDE - 2 * EDGE);
    const y = (v) => (high > low ? HIGH - EDGE - ((Math.log(v) - low) / (high - low)) * (HIGH - 2 * EDGE) : HIGH / 2);
    const drawing = Chart.element("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, width: "100%", role: "img", "aria-label": item.findings.join("; ") || "no change" });
    const line = item.levels.map((v, i) => (v === null ? null : `${x(i).toFixed(1)},${y(v).toFixed(1)}`)).filter(Boolean);
    drawing.append(Chart.element("polyline", { points: line.join(" "), fill: "none", stroke: colorOf(item), "stroke-width": 1.5 }));
    item.values.forEach((v, i) => {
      if (v === null) return;
      const outlier = item.outliers.includes(i);
      drawing.append(Chart.element("circle", { cx: x(i).toFixed(1), cy: y(v).toFixed(1), r: outlier ? 3.5 : 2, stroke: colorOf(item), fill: outlier ? "none" : colorOf(item) }));
    });
    return drawing;
  }

  function figureOf(item) {
    const figure = make("figure");
    const caption = make("figcaption");
    caption.append(make("a", item.name, { href: `#${choiceWith({ series: item.name })}` }));
    figure.append(caption, picture(item), make("p", item.findings.join("; ") || "no change", { class: "note" }));
    return figure;
  }

  function pictures(some) {
    const whole = chosen.series ? [] : series.slice(0, suite);
    byId("series-plots").replaceChildren(...[...whole, ...some.slice(0, most)].map(figureOf));
    byId("more-series").hidden = some.length <= most;
    const all = `${singles.length} series`;
    byId("series-count").replaceChildren(some.length === singles.length ? `${all}.` : `${some.length} of ${all}.`);
    if (chosen.series) {
      const back = make("a", "All series", { href: `#${choiceWith({ series: "" })}` });
      byId("series-count").append(" ", back);
    }
  }

  function draw() {
    for (const [key, element] of Object.entries(controls)) if (element.value !== chosen[key]) element.value = chosen[key];
    const item = series.find((s) => s.name === chosen.series);
    const some = item ? [item] : shown();
    const values = some.flatMap((s) => s.values.filter((v) => v !== null));
    const plain = some.some((s) => s.plain) || (item && series.indexOf(item) < suite);
    const [unit, size] = plain ? ["", 1] : unitOf(Math.max(0, ...values));
    const lines = marks.map((mark) => (mark.kind === "step" ? upright(mark.at - 0.5, "dash") : upright(mark.at, "dot")));
    pictures(some);
    byId("history-plot").hidden = values.length === 0;
    if (!values.length) return;
    Chart(byId("history-plot"), () => [traces(some, size), {
      height: 460, margin: { l: 64, r: 14, t: 8, b: 72 }, shapes: lines,
      xaxis: { type: "category", categoryarray: points, title: by },
      yaxis: { type: "log", title: unit ? `time (${unit}), logarithmic` : "logarithmic" },
    }]);
  }

  const controls = {};
  function control(key, name, element, event) {
    const label = make("label", `${name} `);
    element.addEventListener(event, () => choose({ [key]: element.value, series: "" }));
    label.append(element);
    byId("filters").append(label);
    controls[key] = element;
  }
  function select(key, name, options) {
    const element = make("select");
    for (const [value, text] of options) element.append(make("option", text, { value }));
    control(key, name, element, "change");
  }

  if (grouping) coloredNames(byId("groups"), grouping[1].slice(0, SERIES.length).map((value) => `● ${grouping[0]}=${value}`));
  columns.filter(([, values]) => values.length <= 200)
    .forEach(([name, values]) => select(`by.${name}`, name, [EVERY, ...values].map((v) => [v, v])));
  control("q", "name has", make("input", undefined, { type: "search", size: "14" }), "input");
  select("found", "show", Object.entries(FOUND));
  select("sort", "order", Object.entries(SORTS));
  byId("more-series").addEventListener("click", () => { most += AT_ONCE; pictures(shown()); });
  window.addEventListener("hashchange", () => { fromFragment(); most = AT_ONCE; draw(); });
  fromFragment();
  draw();
};
