"use strict";
// What follows the choice of baseline and benchmarks below the picture: tables, and the headline and the
// sentences under it where what they say then is embedded; where it is not, they stay and are marked.

// A cell as it was made, and with what is said of the choice.
function asMade(cell) {
  if (cell.first === undefined) cell.first = [...cell.childNodes];
  cell.replaceChildren(...cell.first);
}
function instead(cell, text, word, detail) {
  asMade(cell);
  cell.replaceChildren(word ? make("span", text, { class: `verdict ${word}` }) : text);
  if (detail) cell.append(" ", make("span", detail, { class: "detail" }));
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
      asMade(row.cells[column]);
      if (!point || !state.off.size) continue;
      instead(row.cells[column], words(point), point.word);
      row.cells[column].dataset.n = point.ratio;
    }
  });
}

// How the benchmarks lie: the extremes and the shares of those that are chosen.
const LIES = "variant,best,worst,faster,slower,by estimate";
const rounded = (x) => (x % 1 === 0.5 ? 2 * Math.round(x / 2) : Math.round(x)); // as Python does
function followLies(table, baseline, state, words) {
  const single = baseline.plots.filter((p) => !p.suite && !state.off.has(p.title));
  for (const row of table.tBodies[0].rows) {
    const name = row.cells[0].textContent.trim();
    const own = single.flatMap((plot) => plot.points.filter((p) => p.name === name).map((p) => ({ ...p, on: plot.title })));
    own.sort((a, b) => a.ratio - b.ratio);
    [...row.cells].slice(1).forEach(asMade);
    if (!state.off.size || !own.length) continue;
    const extreme = (cell, p) => {
      const factor = words({ ...p, word: "" }).replace(/ [[(].*$/, "");
      const sure = p.word === "faster" || p.word === "slower";
      instead(cell, sure ? factor : `${factor} (${p.word})`, sure && p.word, `on ${p.on}`);
    };
    const share = (cell, word) => {
      const number = own.filter((p) => p.word === word).length;
      instead(cell, `${rounded((100 * number) / own.length)} %,`, number && word, `${number} of ${own.length}`);
    };
    extreme(row.cells[1], own[0]);
    extreme(row.cells[2], own[own.length - 1]);
    share(row.cells[3], "faster");
    share(row.cells[4], "slower");
    instead(row.cells[5], `${own.filter((p) => p.ratio < 1).length} / ${own.filter((p) => p.ratio > 1).length}`);
  }
}

// Of a table of benchmarks: the row of the mean, and what is said of the mean of all.
function followEach(table, state, own, words) {
  const heads = headsOf(table);
  const verdict = heads.indexOf("verdict"), without = heads.indexOf("mean without it");
  for (const row of table.tBodies[0].rows) {
    const mean = row.dataset.benchmark === "geometric mean";
    const cells = [...row.cells].filter((_, i) => i === without || (mean && i >= verdict));
    cells.forEach(asMade);
    if (!state.off.size) continue;
    cells.forEach((cell) => instead(cell, "–"));
    if (mean && own) instead(row.cells[verdict], words(own), own.word);
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
    if (headsOf(table).join() === LIES) followLies(table, chosen, state, words);
    else if (headsOf(table)[0] === "benchmark") followEach(table, state, own.get(table.parentElement.dataset.of), words);
  });
}

// What is left out, as the embedded data name it.
const outOf = (later, off) => later.benchmarks.flatMap((name, i) => (off.has(name) ? [i] : [])).join(",");

// A sentence, with code where it stands between backticks.
function prose(text) {
  const parts = text.split(/`([^`]+)`/);
  return parts.map((part, i) => (i % 2 ? make("code", part) : document.createTextNode(part)));
}

function tell(later, state) {
  const head = document.querySelector(".headline"), told = byId("told");
  [head, told].filter((part) => part).forEach((part) => {
    if (part.first === undefined) part.first = [...part.childNodes];
    part.replaceChildren(...part.first);
  });
  const key = later && `${state.baseline}|${outOf(later, state.off)}`;
  const found = later && later.answers[key];
  if (!found) return;
  const [[headline], ...others] = found;
  [head, told].filter((part) => part).forEach((part) => part.classList.remove("whole"));
  if (head) head.replaceChildren(...prose(later.texts[headline]));
  if (!told) return;
  const list = make("ul");
  others.forEach(([text, link]) => {
    const item = make("li");
    item.append(...prose(later.texts[text]));
    if (link && byId(link)) item.append(" ", make("a", "The code", { href: `#${link}` }));
    list.append(item);
  });
  told.replaceChildren(...(others.length ? [list] : []));
}
