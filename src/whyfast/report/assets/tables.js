"use strict";
// Tables that sort and filter, long ones that are drawn on demand, and all of them follow the choice
// of baseline and benchmarks.
const PAGE_ROWS = 200;
const WORDS = ["faster", "slower", "same", "undecided"];

const keyOf = (cell) => {
  if (!cell) return "";
  const number = Number(cell.dataset.n);
  return cell.dataset.n !== undefined && Number.isFinite(number) ? number : cell.textContent.trim();
};
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

// A field, and buttons for the verdicts that the table has.
function filters(table, words, changed) {
  const line = make("p", undefined, { class: "choice filters" });
  const field = make("input", undefined, { type: "search", placeholder: "filter rows", "aria-label": `Filter the rows: ${table.caption ? table.caption.textContent : ""}` });
  field.addEventListener("input", () => changed(field.value.toLowerCase(), select ? select.value : ""));
  line.append(field);
  let select = null;
  if (words.length > 1) {
    select = make("select", undefined, { "aria-label": "Only rows with this verdict" });
    select.append(make("option", "every verdict", { value: "" }), ...words.map((word) => make("option", word, { value: word })));
    select.addEventListener("change", () => changed(field.value.toLowerCase(), select.value));
    line.append(select);
  }
  table.closest(".scroll").before(line);
}

function enhance(table) {
  const body = table.tBodies[0];
  if (!table.tHead || !body || body.rows.length < 3 || table.dataset.made) return;
  table.dataset.made = "yes";
  const rows = [...body.rows];
  sortable(table, (column, way) => {
    const order = way ? [...rows].sort((a, b) => way * compared(keyOf(a.cells[column]), keyOf(b.cells[column]))) : rows;
    body.append(...order);
  });
  if (rows.length < 8) return;
  const words = WORDS.filter((word) => table.querySelector(`.verdict.${word}`));
  filters(table, words, (text, word) => rows.forEach((row) => {
    const fits = row.textContent.toLowerCase().includes(text) && (!word || row.querySelector(`.verdict.${word}`));
    row.classList.toggle("filtered", !fits);
  }));
}

// A long table from its data: the rows that are asked for, a page at a time.
async function drawPacked(holder) {
  const { caption, columns, rows } = JSON.parse(await unpacked(holder.dataset.table));
  const table = make("table"), head = make("tr"), body = make("tbody"), top = make("thead");
  const scroll = make("div", undefined, { class: "scroll", tabindex: "0", role: "region", "aria-label": caption });
  const machine = ([title, , own]) => (own ? { "data-machine": title } : {});
  columns.forEach((c) => head.append(make("th", c[0], { scope: "col", ...(c[1] === "right" ? { class: "number" } : {}), ...machine(c) })));
  top.append(head);
  table.append(make("caption", caption, { class: "unseen" }), top, body);
  scroll.append(table);
  const more = make("button", undefined, { type: "button" });
  holder.replaceChildren(scroll, more);
  let chosen = rows, shown = 0, column = 0, way = 0, text = "", word = "";
  const key = (cell) => (cell[3] === null || cell[3] === undefined ? cell[0] : cell[3]);
  const page = () => {
    chosen.slice(shown, shown + PAGE_ROWS).forEach((cells) => {
      const row = make("tr");
      cells.forEach(([said, detail, verdict], i) => {
        const cell = make(i ? "td" : "th", undefined, { ...(i ? {} : { scope: "row" }), ...(columns[i][1] === "right" ? { class: "number" } : {}), ...machine(columns[i]) });
        cell.append(verdict ? make("span", said, { class: `verdict ${verdict}` }) : said);
        if (detail) cell.append(" ", make("span", detail, { class: "detail" }));
        row.append(cell);
      });
      body.append(row);
    });
    hideMachines(table);
    shown = Math.min(shown + PAGE_ROWS, chosen.length);
    more.hidden = shown >= chosen.length;
    more.textContent = `Show more rows (${shown} of ${chosen.length} shown)`;
  };
  const draw = () => {
    chosen = rows.filter((cells) => cells.some((c) => `${c[0]} ${c[1] || ""}`.toLowerCase().includes(text)) && (!word || cells.some((c) => c[2] === word)));
    if (way) chosen = [...chosen].sort((a, b) => way * compared(key(a[column]), key(b[column])));
    body.replaceChildren();
    shown = 0;
    page();
  };
  sortable(table, (c, w) => { column = c; way = w; draw(); });
  filters(table, WORDS.filter((w) => rows.some((cells) => cells.some((c) => c[2] === w))), (t, w) => { text = t; word = w; draw(); });
  more.addEventListener("click", page);
  draw();
}

// Columns and rows of machines that the reader left out.
const leftOut = new Set();
function hideMachines(part) {
  part.querySelectorAll("[data-machine]").forEach((cell) => { cell.hidden = leftOut.has(cell.dataset.machine); });
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".scroll > table").forEach(enhance);
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
      inner.querySelectorAll(".scroll > table").forEach(enhance);
    });
  });
});
