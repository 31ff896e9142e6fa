"use strict";
// All series over the points, with their levels, and a picture a series: filtered, sorted, linked
// to. What is chosen stands in the URL's fragment, so that a link shows the same.
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
  const own = series.slice(suite);
  const columns = Object.keys(own[0] ? own[0].keys : {})
    .map((name) => [name, [...new Set(own.map((s) => s.keys[name]))]])
    .filter(([, values]) => values.length > 1);
  const grouping = [...columns].sort((a, b) => a[1].length - b[1].length)[0];
  const colors = new Map(own.map((one, i) => [one.name, color(grouping ? grouping[1].indexOf(one.keys[grouping[0]]) : i)]));
  const colorOf = (one) => colors.get(one.name) || GREY;

  // What is chosen; what is not there has its default.
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

  function fragment(changes) {
    const wanted = new URLSearchParams();
    for (const [key, value] of Object.entries({ ...chosen, ...changes })) if (value !== DEFAULTS[key]) wanted.set(key, value);
    return `#${wanted}`;
  }

  function choose(changes) {
    const wanted = fragment(changes);
    history.replaceState(null, "", wanted === "#" ? location.pathname + location.search : wanted);
    chosen = { ...chosen, ...changes };
    most = AT_ONCE;
    draw();
  }

  const hasFound = (one) => chosen.found === EVERY || (chosen.found === "any" ? one.kinds.length > 0 : one.kinds.includes(chosen.found));
  function shown() {
    const words = chosen.q.toLowerCase().split(/\s+/).filter(Boolean);
    const kept = own.filter((one) =>
      columns.every(([name]) => [EVERY, one.keys[name]].includes(chosen[`by.${name}`])) && hasFound(one) &&
      words.every((word) => one.name.toLowerCase().includes(word)));
    const order = { size: (a, b) => b.size - a.size, noise: (a, b) => b.noise - a.noise, name: () => 0 }[chosen.sort];
    return kept.sort((a, b) => order(a, b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  function errors(one, size) {
    const array = one.values.map((v, i) => (v === null ? 0 : (2 * (one.spreads[i] || 0) * v) / size));
    return { array, arrayminus: array.map((e, i) => Math.min(e, (0.99 * (one.values[i] || 0)) / size)), color: colorOf(one), thickness: 1, width: 0 };
  }

  function traces(some, size) {
    const scaled = (values) => values.map((v) => (v === null ? null : v / size));
    const fade = some.length > 12 ? 0.35 : 0.9;
    return some.flatMap((one) => [
      {
        x: points, y: scaled(one.levels), mode: "lines", hoverinfo: "skip", opacity: fade,
        line: { color: colorOf(one), width: 2, shape: one.kinds.includes("drift") ? "linear" : "hvh" }, connectgaps: true,
      },
      {
        x: points, y: scaled(one.values), mode: "markers", opacity: fade,
        text: one.values.map((v, i) => `${one.name}\n${points[i]}: ${v === null ? "" : (v / size).toPrecision(4)}`),
        // The spread inside a point, of a series that is looked at by itself.
        ...(some.length === 1 && one.spreads.length ? { error_y: errors(one, size) } : {}),
        marker: {
          color: colorOf(one), size: one.values.map((_, i) => (one.outliers.includes(i) ? 10 : 6)),
          symbol: one.values.map((_, i) => (one.outliers.includes(i) ? "circle-open" : "circle")),
        },
      },
    ]);
  }

  // A small picture: values as dots, levels as a line, in one range each.
  const WIDE = 320, HIGH = 90, EDGE = 6;
  const svg = (tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  function picture(one) {
    const there = [...one.values, ...one.levels].filter((v) => v !== null).map(Math.log);
    const low = Math.min(...there), high = Math.max(...there);
    const x = (i) => EDGE + (i / Math.max(points.length - 1, 1)) * (WIDE - 2 * EDGE);
    const y = (v) => (high > low ? HIGH - EDGE - ((Math.log(v) - low) / (high - low)) * (HIGH - 2 * EDGE) : HIGH / 2);
    const made = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, width: "100%", role: "img", "aria-label": one.said.join("; ") || "no change" });
    const line = one.levels.map((v, i) => (v === null ? null : `${x(i).toFixed(1)},${y(v).toFixed(1)}`)).filter(Boolean);
    made.append(svg("polyline", { points: line.join(" "), fill: "none", stroke: colorOf(one), "stroke-width": 1.5 }));
    one.values.forEach((v, i) => {
      if (v === null) return;
      const outlier = one.outliers.includes(i);
      made.append(svg("circle", { cx: x(i).toFixed(1), cy: y(v).toFixed(1), r: outlier ? 3.5 : 2, stroke: colorOf(one), fill: outlier ? "none" : colorOf(one) }));
    });
    return made;
  }

  function figureOf(one) {
    const figure = make("figure");
    const caption = make("figcaption");
    caption.append(make("a", one.name, { href: fragment({ series: one.name }) }));
    figure.append(caption, picture(one), make("p", one.said.join("; ") || "no change", { class: "note" }));
    return figure;
  }

  function pictures(some) {
    const whole = chosen.series ? [] : series.slice(0, suite);
    byId("series-plots").replaceChildren(...[...whole, ...some.slice(0, most)].map(figureOf));
    byId("more-series").hidden = some.length <= most;
    const all = `${own.length} series`;
    byId("series-count").replaceChildren(some.length === own.length ? `${all}.` : `${some.length} of ${all}.`);
    if (chosen.series) {
      const back = make("a", "All series", { href: fragment({ series: "" }) });
      byId("series-count").append(" ", back);
    }
  }

  function draw() {
    for (const [key, element] of Object.entries(controls)) if (element.value !== chosen[key]) element.value = chosen[key];
    const one = series.find((s) => s.name === chosen.series);
    const some = one ? [one] : shown();
    const values = some.flatMap((s) => s.values.filter((v) => v !== null));
    const plain = some.some((s) => s.plain) || (one && series.indexOf(one) < suite);
    const [unit, size] = plain ? ["", 1] : unitOf(Math.max(0, ...values));
    const lines = marks.map((mark) => (mark.kind === "step" ? upright(mark.at - 0.5, "dash") : upright(mark.at, "dot")));
    pictures(some);
    byId("history-plot").hidden = values.length === 0;
    if (!values.length) return;
    Chart(byId("history-plot"), () => [traces(some, size), {
      height: 460, margin: { l: 64, r: 14, t: 8, b: 72 }, shapes: lines,
      xaxis: { type: "category", categoryarray: points, title: { text: by } },
      yaxis: { type: "log", title: { text: unit ? `time (${unit}), logarithmic` : "logarithmic" } },
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

  if (grouping) {
    grouping[1].slice(0, SERIES.length).forEach((value, i) => {
      const group = make("span", `● ${grouping[0]}=${value}`);
      group.style.color = color(i);
      byId("groups").append(group);
    });
  }
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
