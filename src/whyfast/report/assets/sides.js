"use strict";
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
    const table = make("table"), head = make("thead"), titles = make("tr"), body = make("tbody");
    titles.append(make("th", a, { scope: "col" }), make("th", b, { scope: "col" }));
    head.append(titles);
    table.append(head, body);
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
    const scroll = make("div", undefined, { class: "scroll", tabindex: "0", role: "region", "aria-label": `${a} beside ${b}` });
    scroll.append(table);
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
