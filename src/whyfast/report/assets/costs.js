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
      const place = (axis, size) => {
        const ends = points.map(axis), low = Math.min(...ends), high = Math.max(...ends);
        return (p) => (size * (axis(p) - low)) / (high - low || 1);
      };
      const x = place((p) => (log ? Math.log(p.cost) : p.cost), width - 110), y = place((p) => p.time, 230);
      // One name for points so near each other that their names would overlap.
      const named = [];
      for (const p of [...points].sort((a, b) => a.time - b.time || a.cost - b.cost)) {
        const near = named.find((n) => Math.abs(x(n.at[0]) - x(p)) < 80 && n.at.some((q) => Math.abs(y(q) - y(p)) < 14));
        if (near) near.at.push(p); else named.push({ at: [p] });
      }
      return [[{
        x: points.map((p) => p.cost), y: points.map((p) => p.time), text: texts, mode: "markers",
        marker: {
          color: points.map((p) => (p.name === baseline ? GREY : color(0))), size: 11,
          symbol: points.map((p) => (p.best ? "circle" : "circle-open")),
        },
      }], {
        height: 320, margin: { l: 64, r: 24, t: 14, b: 48 },
        annotations: shown ? named.map(({ at: [p, ...others] }) => ({
          x: p.cost, y: p.time, xshift: far(p) ? -9 : 9,
          text: cut([p, ...others].map((q) => q.name).join(", "), others.length ? 2 * longest : longest),
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
