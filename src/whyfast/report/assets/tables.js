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

// A table that sorts and, if it is long, filters by a text and a verdict: `redraw(rows)` shows what is chosen, in that
// order. `key` is what a row is sorted by in a column, `text` what it is searched for, `has` whether it has a verdict.
function interactive(table, rows, { key, text, has }, redraw) {
  let column = 0, way = 0;
  const label = `Filter the rows: ${table.caption ? table.caption.textContent : ""}`;
  const field = make("input", undefined, { type: "search", placeholder: "filter rows", "aria-label": label });
  const select = make("select", undefined, { "aria-label": "Only rows with this verdict" });
  const verdicts = WORDS.filter((word) => rows.some((row) => has(row, word)));
  select.append(make("option", "every verdict", { value: "" }), ...verdicts.map((word) => make("option", word, { value: word })));
  const draw = () => {
    const [wanted, verdict] = [field.value.toLowerCase(), select.value];
    const chosen = rows.filter((row) => text(row).toLowerCase().includes(wanted) && (!verdict || has(row, verdict)));
    redraw(way ? chosen.sort((a, b) => way * compared(key(a, column), key(b, column))) : chosen);
  };
  sortable(table, (c, w) => { column = c; way = w; draw(); });
  if (rows.length < 8) return;
  field.addEventListener("input", draw);
  select.addEventListener("change", draw);
  const line = make("p", undefined, { class: "choice filters" });
  line.append(field, ...(verdicts.length > 1 ? [select] : []));
  table.closest(".scroll").before(line);
}

function enhance(table) {
  const body = table.tBodies[0];
  if (!table.tHead || !body || body.rows.length < 3 || table.dataset.made) return;
  table.dataset.made = "yes";
  const rows = [...body.rows];
  interactive(table, rows, {
    key: ({ cells }, column) => {
      if (!cells[column]) return "";
      const number = Number(cells[column].dataset.n);
      return Number.isFinite(number) ? number : cells[column].textContent.trim();
    },
    text: (row) => row.textContent,
    has: (row, word) => row.querySelector(`.verdict.${word}`),
  }, (chosen) => {
    rows.forEach((row) => row.classList.add("filtered"));
    chosen.forEach((row) => row.classList.remove("filtered"));
    body.append(...chosen);
  });
}

// A long table from its data: the rows that are asked for, a page at a time.
async function drawPacked(holder) {
  const { caption, columns, rows } = JSON.parse(await unpacked(holder.dataset.table));
  const machine = ([title, , own]) => (own ? { "data-machine": title } : {});
  const right = (column) => (column[1] === "right" ? { class: "number" } : {});
  const heads = columns.map((column) => [column[0], { ...right(column), ...machine(column) }]);
  const { table, body, scroll } = makeTable(heads, caption, make("caption", caption, { class: "unseen" }), "scroll stack");
  const more = make("button", undefined, { type: "button" });
  holder.replaceChildren(scroll, more);
  const rowOf = (cells) => {
    const row = make("tr");
    cells.forEach(([text, detail, verdict], i) => {
      const cell = make(i ? "td" : "th", undefined, { ...(i ? { "data-title": columns[i][0] } : { scope: "row" }), ...right(columns[i]), ...machine(columns[i]) });
      fill(cell, text, verdict, detail);
      row.append(cell);
    });
    return row;
  };
  const redraw = (chosen) => {
    body.replaceChildren();
    drawPages(chosen, more, (part) => { body.append(...part.map(rowOf)); hideMachines(table); });
  };
  interactive(table, rows, {
    key: (cells, column) => cells[column][3] ?? cells[column][0],
    text: (cells) => cells.map((cell) => `${cell[0]} ${cell[1] || ""}`).join("\n"),
    has: (cells, word) => cells.some((cell) => cell[2] === word),
  }, redraw);
  redraw(rows);
}

// Columns and rows of machines that the reader left out.
const leftOut = new Set();
function hideMachines(part) {
  part.querySelectorAll("[data-machine]").forEach((cell) => { cell.hidden = leftOut.has(cell.dataset.machine); });
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".scroll:not(.counted) > table").forEach(enhance);
  document.querySelectorAll("[data-table]").forEach((holder) => {
    const fold = holder.closest("details");
    let drawn = false;
    const draw = () => { if (!drawn) { drawn = true; drawPacked(holder); } };
    if (fold && !fold.open) fold.addEventListener("toggle", () => fold.open && draw());
    else draw();
  });
  document.querySelectorAll("details[data-html]").forEach((fold) => {
    fold.addEventListener("toggle", async () => {
      if (!fold.open || fold.dataset.done) return;
      fold.dataset.done = "yes";
      const inner = make("div");
      inner.innerHTML = await unpacked(fold.dataset.html);
      fold.append(inner);
      inner.querySelectorAll(".scroll:not(.counted) > table").forEach(enhance);
    });
  });
});

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

// Two functions side by side, drawn when their fold is opened; equal parts unfold by a button.
document.addEventListener("DOMContentLoaded", () => {
  const cell = (line) => {
    const made = make("td");
    if (!line) return made;
    const [text, flow, source] = line;
    if (source) made.append(make("span", source, { class: "source" }));
    const kind = flow.startsWith("indirect") ? "indirect" : flow === "call" ? "call" : "";
    made.append(kind ? make("span", text, { class: kind, title: flow }) : text);
    return made;
  };
  const line = ([beside, a, b]) => {
    const row = make("tr", undefined, { class: beside.replace(" ", "-") });
    row.append(cell(a), cell(b));
    return row;
  };

  async function draw(fold) {
    const { a, b, rows, folds } = JSON.parse(await unpacked(fold.dataset.sides));
    const { body, scroll } = makeTable([[a], [b]], `${a} beside ${b}`);
    let at = 0;
    for (const [start, end] of [...folds, [rows.length, rows.length]]) {
      body.append(...rows.slice(at, start).map(line));
      if (end > start) {
        const place = make("tr", undefined, { class: "fold" }), whole = make("td", undefined, { colspan: "2" });
        const button = make("button", `⋮ ${end - start} equal instructions`, { type: "button" });
        button.addEventListener("click", () => place.replaceWith(...rows.slice(start, end).map(line)));
        whole.append(button);
        place.append(whole);
        body.append(place);
      }
      at = end;
    }
    fold.append(scroll);
  }

  // A fold may itself be in one that is drawn later; toggling does not bubble.
  document.addEventListener("toggle", ({ target: fold }) => {
    if (!fold.open || !fold.dataset.sides || fold.dataset.done) return;
    fold.dataset.done = "yes";
    draw(fold);
  }, true);
  // A link to a place in a fold opens it.
  const reveal = () => {
    const target = location.hash.startsWith("#code-") && byId(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target) target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  reveal();
});
