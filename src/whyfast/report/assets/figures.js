"use strict";
// What all plots share. Each kind is a file of its own that adds a function to KINDS: it is given
// an empty element, which it fills, and a function that gives the data.
const KINDS = {};

const byId = (id) => document.getElementById(id);
const make = (tag, text, attributes) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  return element;
};
const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

// Readable on paper white and on dark alike.
const SERIES = ["#448bc9", "#d07c2a", "#2b9a63", "#b0559b", "#8a8f94", "#ab871a", "#d0564a", "#5c6fc4"];
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down"];
const MARKS = ["●", "■", "◆", "▲", "✚", "✖", "★", "▼"];
const GREY = "#8a939c";
const color = (i) => SERIES[i % SERIES.length];
const symbol = (i) => SYMBOLS[i % SYMBOLS.length];
const LETTER = 7.2; // px, about the width of a letter
const UNITS = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]];
const unitOf = (least) => UNITS.find(([, size]) => least >= size) || UNITS[3];

const TICKS = [1.001, 1.002, 1.005, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 1000];
// The x axis of ratios is their logarithm.
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

// The margin and the line at 1, and the words at the ends of an axis of ratios.
function ratioShapes(margin) {
  const band = Math.log1p(margin);
  const whole = { y0: 0, y1: 1, yref: "paper" };
  return [
    { ...whole, type: "rect", x0: -band, x1: band, fillcolor: GREY, opacity: 0.2 },
    { ...whole, type: "line", x0: 0, x1: 0, line: { color: GREY, width: 1.5 } },
  ];
}
const SIDES = [["← faster", 0, "left"], ["slower →", 1, "right"]].map(([text, x, xanchor]) => (
  { text, x, xanchor, xref: "paper", y: 0, yref: "paper", yshift: -22 }));

// Bars from `value(point)` to the ends of its interval; an end that nothing bounds is at the edge, or 0 long.
function errorBars(points, value, look, [left, right] = []) {
  const length = (p, end, edge = value(p)) => Math.abs((end === null ? edge : end) - value(p));
  return { ...look, array: points.map((p) => length(p, p.high, right)), arrayminus: points.map((p) => length(p, p.low, left)) };
}
// Points with their intervals on the logarithmic axis, at the heights `at`.
function ratioTrace(points, at, range, look) {
  const log = (value) => (value === null ? null : Math.log(value));
  const ends = points.map((p) => ({ ratio: log(p.ratio), low: log(p.low), high: log(p.high) }));
  return {
    x: ends.map((p) => p.ratio), y: at, mode: "markers",
    error_x: errorBars(ends, (p) => p.ratio, { color: look.color, thickness: 2, width: 5 }, range),
  };
}
// The common range of plots of ratios. One wide interval must not squeeze all others: it may leave the plot.
function ratioRange(points, margin) {
  const logs = (values) => values.filter(Boolean).map(Math.log);
  const ends = logs(points.flatMap((p) => [p.ratio, p.low, p.high, ...(p.expect || [])]));
  const far = Math.max(0, ...logs(points.map((p) => p.ratio)).map(Math.abs));
  const least = 2 * Math.log1p(margin);
  const most = 1.12 * Math.max(Math.min(Math.max(0, ...ends.map(Math.abs)), 2 * far + 4 * least), least);
  const reach = (end) => Math.min(most, Math.max(1.15 * end, least));
  return [-reach(-Math.min(0, ...ends)), reach(Math.max(0, ...ends))];
}
// The layout of a plot of ratios over `rows` of the y axis, with the margin, the line at 1 and `names`.
function ratioLayout({ range, margin, rows, width, height, left, right = 14, top = 6, shapes = [], names }) {
  return {
    shapes: [...ratioShapes(margin), ...shapes], annotations: [...names, ...SIDES],
    height: height + top + 52, margin: { l: left, r: right, t: top, b: 52 },
    xaxis: { range, ...ticks(range, width - left - right) }, yaxis: { range: rows, visible: false },
  };
}

// How the points of each verdict look, and what the legend says of them.
const VERDICTS = {
  faster: { color: "#2b9a63", symbol: "triangle-left" },
  same: { color: "#448bc9", symbol: "circle" },
  undecided: { color: "#ab871a", symbol: "circle-open" },
  slower: { color: "#d0564a", symbol: "triangle-right" },
};
const VERDICT_LEGEND = `
  <p class="legend"><span class="verdict faster">◀ faster</span> <span class="verdict same">● same</span>
  <span class="verdict undecided">○ undecided</span> <span class="verdict slower">▶ slower</span>
  <span class="band">the margin, within which a difference does not matter</span></p>`;
function verdictTraces(points, range) {
  return Object.entries(VERDICTS).map(([word, look]) => {
    const some = points.map((p, row) => ({ ...p, row })).filter((p) => p.word === word)
      .map((p) => (p.low === null && p.high === null ? { ...p, low: p.ratio, high: p.ratio } : p));
    return {
      ...ratioTrace(some, some.map((p) => p.row), range, look),
      text: some.map((p) => `${p.name}\n${p.text}`),
      marker: { color: look.color, symbol: look.symbol, size: 10, line: { width: word === "undecided" ? 2 : 0 } },
    };
  });
}
// A text at the left edge of a plot, or left of it.
const nameAt = (y, text, xshift) => ({ x: 0, xref: "paper", xanchor: "left", xshift, y, text });

// The layout of a plot with room below it for its axis and a legend of `count` names.
function legendLayout(width, count, height, [left, right]) {
  const room = 50 + 19 * Math.ceil((count * 150) / width);
  return { height: height + room, showlegend: true, margin: { l: left, r: right, t: 10, b: room } };
}

// A vertical line below the points.
const upright = (x, dash) => (
  { type: "line", yref: "paper", y0: 0, y1: 1, x0: x, x1: x, line: { color: GREY, width: 1.5, dash } });

// A figure under its title; the holder of its plot.
function addFigure(parent, title, wide, attributes) {
  const figure = make("figure", undefined, wide ? { class: "wide" } : {});
  const holder = make("div", undefined, { class: "plot", role: "img", ...attributes });
  figure.append(make("figcaption", title), holder);
  parent.append(figure);
  return holder;
}
// One figure a plot, each drawn by `draw(plot, holder)`.
function drawFigures(parent, plots, draw) {
  parent.replaceChildren();
  plots.forEach((plot) => draw(plot, addFigure(parent, plot.title, plot.wide, { "aria-label": plot.label })));
}

// A labelled switch in `holder`, which calls `act` when it is changed.
function addSwitch(holder, type, value, act, title) {
  const input = make("input", undefined, { type, name: holder.id, value });
  input.addEventListener("change", () => act(input));
  const label = make("label", undefined, title ? { title } : {});
  label.append(input, ` ${value}`);
  holder.append(label);
  return input;
}
// The choice of a reader stands in the fragment of the address, so that a link shows the same:
// `load` takes it from there, `save` puts it there, and `show` draws it.
function followFragment(load, save, show) {
  const read = () => { load(new URLSearchParams(location.hash.slice(1))); show(); };
  window.addEventListener("hashchange", read);
  read();
  return () => { const choice = new URLSearchParams(); save(choice); writeFragment(choice); show(); };
}
function writeFragment(choice) {
  const text = choice.toString();
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}
// Switches for `names` in `holder`; those switched off are in the set `off`, never all of them.
function addSwitches(holder, names, off, change, abouts = {}) {
  holder.hidden = names.length < 2;
  names.forEach((name) => addSwitch(holder, "checkbox", name, (input) => {
    if (input.checked) off.delete(name);
    else if (off.size < names.length - 1) off.add(name);
    change();
  }, abouts[name]));
}
// A choice of one of the baselines, none where there is only one.
function addBaselines(holder, baselines, choose) {
  holder.hidden = baselines.length < 2;
  return baselines.map((baseline, i) => addSwitch(holder, "radio", baseline.name, () => choose(i)));
}
function readSwitches(off, names, given) {
  off.clear();
  given.filter((name) => names.includes(name)).forEach((name) => off.add(name));
  if (off.size >= names.length) off.clear();
}
const showSwitches = (holder, off) => holder.querySelectorAll("input").forEach((input) => { input.checked = !off.has(input.value); });

// Names in the colours of their series.
const coloredNames = (holder, names) => names.forEach((name, i) => holder.append(make("span", name, { style: `color: ${color(i)}` }), " "));

// Draws `page` rows at a time: `draw(part)`, and a button for the next ones.
const PAGE_ROWS = 200;
function drawPages(rows, more, draw, page = PAGE_ROWS) {
  let shown = 0;
  more.onclick = () => {
    draw(rows.slice(shown, shown + page));
    shown = Math.min(shown + page, rows.length);
    more.hidden = shown >= rows.length;
    more.textContent = `Show more rows (${shown} of ${rows.length} shown)`;
  };
  more.onclick();
}

// Packs are gzip in base64; the browser itself inflates them.
async function unpacked(id) {
  const element = byId(id);
  if (element.type === "application/json") return element.textContent;
  const bytes = Uint8Array.from(atob(element.textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".without-script").forEach((element) => element.remove());
  document.querySelectorAll("[data-kind]").forEach(async (holder) => {
    holder.hidden = false;
    const kind = KINDS[holder.dataset.kind];
    const read = async () => JSON.parse(await unpacked(holder.dataset.from));
    if (kind.late) { kind(holder, read); return; }
    const data = await read();
    const later = holder.dataset.later ? JSON.parse(await unpacked(holder.dataset.later)) : null;
    kind(holder, () => data, later);
  });
});
