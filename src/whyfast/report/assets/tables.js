"use strict";
// Tables that sort and filter, long ones that are drawn on demand, and all of them follow the choice
// of baseline and benchmarks.
const WORDS = ["faster", "slower", "same", "undecided"];

const compared = (a, b) => {
  if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
  return typeof a === "number" ? -1 : 1;
};

// Headings that sort, by mouse or Enter: first up, then down, then as it was.
function sortable(table, sort) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    head.classList.add("sorts");
    const act = () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" }[head.ariaSort || "none"];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (next !== "none") head.setAttribute("aria-sort", next);
      sort(column, { none: 0, ascending: 1, descending: -1 }[next]);
    };
    head.addEventListener("click", act);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); act(); }
    });
  });
}

// A table that sorts and, if it is long, filters by a text and a verdict; one that is drawn on demand
// shows its rows a page at a time.
function enhance(table) {
  const body = table.tBodies[0];
  if (!table.tHead || !body || body.rows.length < 3 || table.dataset.made || table.closest(".sides, .counted")) return;
  table.dataset.made = "yes";
  const rows = [...body.rows], scroll = table.closest(".scroll");
  const page = table.closest("[data-html]") ? PAGE_ROWS : rows.length;
  const has = (row, word) => row.querySelector(`.verdict.${word}`);
  const key = ({ cells }, column) => {
    const text = cells[column] ? cells[column].textContent.trim() : "";
    const number = text ? Number(cells[column].dataset.n ?? text) : NaN;
    return Number.isFinite(number) ? number : text;
  };
  let column = 0, way = 0;
  const label = `Filter the rows: ${table.caption ? table.caption.textContent : ""}`;
  const field = make("input", undefined, { type: "search", placeholder: "filter rows", "aria-label": label });
  const select = make("select", undefined, { "aria-label": "Only rows with this verdict" });
  const verdicts = WORDS.filter((word) => rows.some((row) => has(row, word)));
  select.append(make("option", "every verdict", { value: "" }), ...verdicts.map((word) => make("option", word, { value: word })));
  const more = make("button", undefined, { type: "button" });
  const draw = () => {
    const [wanted, verdict] = [field.value.toLowerCase(), select.value];
    const chosen = rows.filter((row) => row.textContent.toLowerCase().includes(wanted) && (!verdict || has(row, verdict)));
    if (way) chosen.sort((a, b) => way * compared(key(a, column), key(b, column)));
    rows.forEach((row) => row.classList.add("filtered"));
    body.append(...chosen);
    drawPages(chosen, more, (part) => part.forEach((row) => row.classList.remove("filtered")), page);
  };
  sortable(table, (c, w) => { column = c; way = w; draw(); });
  if (rows.length > page) { scroll.after(more); draw(); }
  if (rows.length < 8) return;
  field.addEventListener("input", draw);
  select.addEventListener("change", draw);
  const line = make("p", undefined, { class: "choice filters" });
  line.append(field, ...(verdicts.length > 1 ? [select] : []));
  scroll.before(line);
}

// Columns and rows of machines that the reader left out.
const leftOut = new Set();
function hideMachines(part) {
  part.querySelectorAll("[data-machine]").forEach((cell) => { cell.hidden = leftOut.has(cell.dataset.machine); });
}

const enhanceIn = (part) => part.querySelectorAll(".scroll > table").forEach(enhance);
document.addEventListener("DOMContentLoaded", () => enhanceIn(document));
// A fold may itself be in one that is drawn later; toggling does not bubble.
document.addEventListener("toggle", async ({ target: fold }) => {
  if (!fold.open || !fold.dataset.html || fold.dataset.done) return;
  fold.dataset.done = "yes";
  const inner = make("div");
  inner.innerHTML = await unpacked(fold.dataset.html);
  fold.append(inner);
  enhanceIn(inner);
  hideMachines(inner);
}, true);

// What follows the choice of baseline and benchmarks below the picture: tables, and the headline and the
// sentences under it where what they say then is embedded; where it is not, they stay and are marked.

// The text of a cell, coloured by its verdict, and a detail.
function fill(cell, text, verdict, detail) {
  cell.replaceChildren(verdict ? make("span", text, { class: `verdict ${verdict}` }) : text);
  if (detail) cell.append(" ", make("span", detail, { class: "detail" }));
}
// An element as it was in the file.
function restore(element) {
  if (element.first === undefined) element.first = [...element.childNodes];
  element.replaceChildren(...element.first);
}
const headsOf = (table) => [...table.tHead.rows[0].cells].map((head) => head.textContent);

// The first table: `points(baseline)` gives what each variant has over the chosen benchmarks.
function followMeans(table, baselines, state, points, words) {
  const heads = headsOf(table);
  baselines.forEach((baseline) => {
    const column = heads.indexOf(`against ${baseline.name}`);
    if (column < 0) return;
    const own = new Map(points(baseline).map((p) => [p.name, p]));
    for (const row of table.tBodies[0].rows) {
      const point = own.get(row.cells[0].textContent.trim());
      restore(row.cells[column]);
      if (!point || !state.off.size) continue;
      fill(row.cells[column], words(point), point.word);
      row.cells[column].dataset.n = point.ratio;
    }
  });
}

// The distribution of the chosen benchmarks: extremes and shares.
const DISTRIBUTION = "variant,best,worst,faster,slower,by estimate";
const rounded = (x) => (x % 1 === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)); // as Python does
function followDistribution(table, baseline, state, words) {
  const single = baseline.plots.filter((p) => !p.suite && !state.off.has(p.title));
  for (const row of table.tBodies[0].rows) {
    const name = row.cells[0].textContent.trim();
    const own = single.flatMap((plot) => plot.points.filter((p) => p.name === name).map((p) => ({ ...p, on: plot.title })));
    own.sort((a, b) => a.ratio - b.ratio);
    [...row.cells].slice(1).forEach(restore);
    if (!state.off.size || !own.length) continue;
    const extreme = (cell, p) => {
      const factor = words({ ...p, word: "" }).replace(/ [[(].*$/, "");
      const sure = p.word === "faster" || p.word === "slower";
      fill(cell, sure ? factor : `${factor} (${p.word})`, sure && p.word, `on ${p.on}`);
    };
    const share = (cell, word) => {
      const number = own.filter((p) => p.word === word).length;
      fill(cell, `${rounded((100 * number) / own.length)} %`, number && word, `(${number} of ${own.length})`);
    };
    extreme(row.cells[1], own[0]);
    extreme(row.cells[2], own[own.length - 1]);
    share(row.cells[3], "faster");
    share(row.cells[4], "slower");
    fill(row.cells[5], `${own.filter((p) => p.ratio < 1).length} / ${own.filter((p) => p.ratio > 1).length}`);
  }
}

// Of a table of benchmarks: the row of the mean, and the cells about the mean of all.
function followEach(table, state, own, words) {
  const heads = headsOf(table);
  const verdict = heads.indexOf("verdict"), without = heads.indexOf("mean without it");
  for (const row of table.tBodies[0].rows) {
    const mean = row.dataset.benchmark === "geometric mean";
    const cells = [...row.cells].filter((_, i) => i === without || (mean && i >= verdict));
    cells.forEach(restore);
    if (!state.off.size) continue;
    cells.forEach((cell) => fill(cell, "–"));
    if (mean && own) fill(row.cells[verdict], words(own), own.word);
  }
}

function follow(baselines, state, points, words) {
  const chosen = baselines[state.baseline];
  document.querySelectorAll("[data-against]").forEach((part) => { part.hidden = part.dataset.against !== chosen.name; });
  document.querySelectorAll("details").forEach((fold) => {
    const parts = fold.querySelectorAll("[data-against]");
    if (parts.length) fold.hidden = [...parts].every((part) => part.hidden);
  });
  document.querySelectorAll("tr[data-benchmark]").forEach((row) => { row.hidden = state.off.has(row.dataset.benchmark); });
  document.querySelectorAll("[data-all-benchmarks]").forEach((part) => part.classList.toggle("whole", state.off.size > 0));
  document.querySelectorAll("table[data-overall]").forEach((table) => followMeans(table, baselines, state, points, words));
  const own = new Map(points(chosen).map((p) => [p.name, p]));
  document.querySelectorAll("[data-against] > table").forEach((table) => {
    if (table.parentElement.dataset.against !== chosen.name) return;
    if (headsOf(table).join() === DISTRIBUTION) followDistribution(table, chosen, state, words);
    else if (headsOf(table)[0] === "benchmark") followEach(table, state, own.get(table.parentElement.dataset.of), words);
  });
}

// The key of the benchmarks left out in the embedded data.
const outOf = (later, off) => later.benchmarks.flatMap((name, i) => (off.has(name) ? [i] : [])).join(",");

// A sentence, with code where it stands between backticks.
function prose(text) {
  const parts = text.split(/`([^`]+)`/);
  return parts.map((part, i) => (i % 2 ? make("code", part) : document.createTextNode(part)));
}

function tell(later, state) {
  const head = document.querySelector(".headline"), sentences = byId("answer-text");
  const parts = [head, sentences].filter(Boolean);
  parts.forEach(restore);
  const key = later && `${state.baseline}|${outOf(later, state.off)}`;
  const answer = later && later.answers[key];
  if (!answer) return;
  const [[headline], ...others] = answer;
  parts.forEach((part) => part.classList.remove("whole"));
  if (head) head.replaceChildren(...prose(later.texts[headline]));
  if (!sentences) return;
  const list = make("ul");
  others.forEach(([text, link]) => {
    const item = make("li");
    item.append(...prose(later.texts[text]));
    if (link && byId(link)) item.append(" ", make("a", "The code", { href: `#${link}` }));
    list.append(item);
  });
  sentences.replaceChildren(...(others.length ? [list] : []));
}

// Equal parts of two functions side by side unfold; a link to a place in a fold opens it.
document.addEventListener("click", ({ target }) => {
  const place = target.closest(".sides .fold");
  if (!place) return;
  for (let row = place.nextElementSibling; row && row.hidden; row = row.nextElementSibling) row.hidden = false;
  place.remove();
});
document.addEventListener("DOMContentLoaded", () => {
  const reveal = () => {
    const target = location.hash.startsWith("#code-") && byId(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target) target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  reveal();
});
