"use strict";
// Each comparison with an interval a machine, and what is expected of others; machines to choose,
// which the tables below follow. The fragment of the address has those left out.
KINDS.machines = (parent, read) => {
  const { margin, machines, figures } = read();
  const LOOKS = {
    faster: { color: "#2b9a63", symbol: "triangle-left" },
    same: { color: "#448bc9", symbol: "circle" },
    undecided: { color: "#ab871a", symbol: "circle-open" },
    slower: { color: "#d0564a", symbol: "triangle-right" },
  };
  const ROW = 24;
  parent.innerHTML = `
    <form class="switches">
    <fieldset id="chosen-machines" class="choice"><legend>Machines</legend></fieldset>
    <p class="choice"><button type="button" id="all-machines" hidden>Back to all machines</button></p></form>
    <div id="machine-plots" class="plots"></div>
    <p class="legend"><span class="verdict faster">◀ faster</span> <span class="verdict same">● same</span>
    <span class="verdict undecided">○ undecided</span> <span class="verdict slower">▶ slower</span>
    <span class="band">the margin, within which a difference does not matter</span></p>`;
  const names = machines.map((m) => m.name);

  function load() {
    const given = new URLSearchParams(location.hash.slice(1)).getAll("without-machine");
    leftOut.clear();
    given.filter((name) => names.includes(name)).forEach((name) => leftOut.add(name));
    if (leftOut.size >= names.length) leftOut.clear();
  }
  function save() {
    const given = new URLSearchParams();
    leftOut.forEach((name) => given.append("without-machine", name));
    const text = given.toString();
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  // The points of a figure, the pooled one last: it is of all machines, whichever are shown.
  const rows = (figure) => [...figure.points.filter((p) => !leftOut.has(p.name)), ...(figure.pooled ? [figure.pooled] : [])];

  function range(points) {
    const logs = points.flatMap((p) => [p.ratio, p.low, p.high, ...(p.expect || [])]).filter(Boolean).map(Math.log);
    const least = 2 * Math.log1p(margin);
    const far = Math.max(least, ...points.map((p) => 3 * Math.abs(Math.log(p.ratio))));
    return [-Math.min(far, Math.max(least, -1.12 * Math.min(0, ...logs))), Math.min(far, Math.max(least, 1.12 * Math.max(0, ...logs)))];
  }

  function compose(points, reach, width) {
    const longest = Math.min(Math.max(...points.map((p) => p.name.length)) * LETTER + 16, 0.4 * width);
    const traces = Object.entries(LOOKS).map(([word, look]) => {
      const own = points.map((p, row) => ({ ...p, row })).filter((p) => p.word === word);
      return {
        ...ratioTrace(own, own.map((p) => p.row), reach, look, true),
        text: own.map((p) => `${p.name}\n${p.text}`),
        marker: { color: look.color, symbol: look.symbol, size: 10, line: { width: word === "undecided" ? 2 : 0 } },
      };
    });
    const shapes = ratioShapes(margin);
    points.forEach((p, row) => {
      if (!p.expect || p.expect.includes(null)) return;
      const [x0, x1] = p.expect.map((end) => Math.min(Math.max(Math.log(end), reach[0]), reach[1]));
      shapes.push({ type: "rect", x0, x1, y0: row - 0.28, y1: row + 0.28, fillcolor: LOOKS[p.word].color, opacity: 0.18 });
    });
    return [traces, {
      shapes, height: points.length * ROW + 58, margin: { l: longest, r: 14, t: 6, b: 52 },
      annotations: [...points.map((p, row) => ({
        x: 0, xref: "paper", xanchor: "left", xshift: -longest, y: row, text: cut(p.name, Math.floor((longest - 8) / LETTER)),
      })), ...SIDES],
      xaxis: { range: reach, ...ticks(reach, width - longest - 14) },
      yaxis: { range: [points.length - 0.5, -0.5], visible: false },
    }];
  }

  function show() {
    const shown = figures.map((figure) => ({ ...figure, points: rows(figure) })).filter((figure) => figure.points.length);
    const reach = range(shown.flatMap((figure) => figure.points));
    drawFigures(byId("machine-plots"), shown, (figure, holder) => Chart(holder, (width) => compose(figure.points, reach, width)));
    hideMachines(document);
    byId("all-machines").hidden = !leftOut.size;
    document.querySelectorAll("#chosen-machines input").forEach((input) => { input.checked = !leftOut.has(input.value); });
  }

  byId("chosen-machines").hidden = machines.length < 2;
  machines.forEach(({ name, about }) => {
    const input = make("input", undefined, { type: "checkbox", name: "chosen-machines", value: name });
    input.addEventListener("change", () => {
      if (input.checked) leftOut.delete(name);
      else if (leftOut.size < names.length - 1) leftOut.add(name);
      save();
      show();
    });
    const label = make("label", undefined, about ? { title: about } : {});
    label.append(input, ` ${name}`);
    byId("chosen-machines").append(label);
  });
  byId("all-machines").addEventListener("click", () => { leftOut.clear(); save(); show(); });
  window.addEventListener("hashchange", () => { load(); show(); });
  load();
  show();
};
