"use strict";
// Time against a cost that can be chosen, both relative to the baseline; filled: nothing beats it.
KINDS.costs = (parent, read) => {
  const { baseline, choices } = read();
  const legend = make("p", "Filled: no other variant is as fast and costs as little. Hollow: another one beats it.", { class: "note" });
  const holder = make("div", undefined, { role: "img" });
  const picker = make("select", undefined, { id: `cost-${parent.dataset.from}` });
  choices.forEach((c, i) => picker.append(make("option", c.name, { value: i })));
  if (choices.length > 1) {
    const line = make("p", undefined, { class: "choice" });
    line.append(make("label", "Cost", { for: picker.id }), picker);
    parent.append(line);
  }
  parent.append(legend, holder);
  const draw = () => {
    const { name, points } = choices[Number(picker.value) || 0];
    const texts = points.map((p) => `${p.name}: ${p.text}`);
    holder.setAttribute("aria-label", `Time against ${name}, relative to ${baseline}; ${texts.join("; ")}`);
    Chart(holder, (width) => {
      const right = Math.max(...points.map((p) => p.cost));
      const log = right > 5 * Math.min(...points.map((p) => p.cost));
      // Names of the points in the right third stand on their left.
      const far = (p) => (log ? p.cost > right ** 0.66 : p.cost > 0.7 * right + 0.3);
      const shown = points.length <= 24;
      const longest = Math.floor(width / (2.5 * LETTER));
      return [[{
        x: points.map((p) => p.cost), y: points.map((p) => p.time), text: texts, mode: "markers",
        marker: {
          color: points.map((p) => (p.name === baseline ? GREY : color(0))), size: 11,
          symbol: points.map((p) => (p.best ? "circle" : "circle-open")),
        },
      }], {
        height: 320, margin: { l: 64, r: 24, t: 14, b: 48 },
        annotations: shown ? points.map((p) => ({
          x: p.cost, y: p.time, text: cut(p.name, longest), xshift: far(p) ? -9 : 9,
          xanchor: far(p) ? "right" : "left", yanchor: "middle",
        })) : [],
        xaxis: { title: `${name}, relative to ${baseline}`, ...(log ? { type: "log" } : {}) },
        yaxis: { title: "time, relative" },
      }];
    });
  };
  picker.addEventListener("input", draw);
  draw();
};
