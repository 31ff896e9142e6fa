"use strict";
// Small plots in SVG: traces of points, lines and bars over a linear, logarithmic or categorical axis.
// `Chart(holder, compose)` draws again when its holder gets another width.
const Chart = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const DASHES = { dot: "2 3", dash: "6 4" };
  // Outlines about 0, 0 for a size of 1; the open ones are not filled.
  const OUTLINES = {
    square: "M-.45-.45h.9v.9h-.9z", diamond: "M0-.6L.6 0L0 .6L-.6 0z", cross: "M-.2-.5h.4v.3h.3v.4h-.3v.3h-.4v-.3h-.3v-.4h.3z",
    x: "M-.5-.3l.2-.2l.3 .3l.3-.3l.2 .2l-.3 .3l.3 .3l-.2 .2l-.3-.3l-.3 .3l-.2-.2l.3-.3z",
    star: "M0-.6L.15-.2L.58-.18L.24 .08L.36 .5L0 .26L-.36 .5L-.24 .08L-.58-.18L-.15-.2z",
    "triangle-up": "M0-.55L.55 .45H-.55z", "triangle-down": "M0 .55L.55-.45H-.55z",
    "triangle-left": "M-.55 0L.45-.55V.55z", "triangle-right": "M.55 0L-.45-.55V.55z",
    circle: "M-.5 0a.5 .5 0 1 0 1 0a.5 .5 0 1 0-1 0z",
  };
  // An element of SVG.
  const element = (name, attributes, text) => {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes || {})) if (value !== undefined) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const short = (value) => String(Number(value.toPrecision(6)));
  const of = (value, i) => (Array.isArray(value) ? value[i] : value);

  // Round numbers for a linear axis, about `wanted` of them.
  function rounds([low, high], wanted) {
    const rough = Math.max(high - low, 1e-300) / wanted;
    const unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= rough);
    const numbers = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k += 1) numbers.push(k * step);
    return numbers;
  }

  // An axis: `at` turns a value into a share of its length, `ticks` are [value, text].
  function axis(spec, values, wanted) {
    if (spec.type === "category") {
      const names = spec.categoryarray;
      const place = new Map(names.map((name, i) => [name, i]));
      const every = Math.max(1, Math.ceil(names.length / wanted));
      const number = (value) => (typeof value === "number" ? value : place.get(value));
      return {
        at: (value) => (number(value) + 0.5) / names.length,
        ticks: names.map((name, i) => [i, name]).filter(([i]) => i % every === 0),
      };
    }
    const log = spec.type === "log";
    const known = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
    let range = spec.range;
    if (!range) {
      let [low, high] = [Math.min(...known), Math.max(...known)];
      if (!known.length) [low, high] = [log ? 1 : 0, log ? 10 : 1];
      if (log) range = [low / (high / low) ** 0.04 / 1.02, high * (high / low) ** 0.04 * 1.02];
      else {
        if (spec.rangemode === "tozero") low = Math.min(low, 0);
        const beside = 0.05 * (high - low || Math.abs(high) || 1);
        range = [spec.rangemode === "tozero" && low === 0 ? 0 : low - beside, high + beside];
      }
    }
    const scale = log ? Math.log10 : (v) => v;
    const [from, to] = range.map(scale);
    let ticks;
    if (spec.tickvals) ticks = spec.tickvals.map((v, i) => [v, spec.ticktext ? spec.ticktext[i] : short(v)]);
    else if (log) {
      const decades = [];
      for (let e = Math.floor(from); e <= Math.ceil(to); e += 1) decades.push(e);
      const digits = to - from > 3 ? [1] : [1, 2, 5];
      ticks = decades.flatMap((e) => digits.map((d) => d * 10 ** e)).map((v) => [v, short(v)]);
    } else ticks = rounds([Math.min(...range), Math.max(...range)], spec.nticks || wanted).map((v) => [v, short(v)]);
    const at = (value) => (scale(value) - from) / (to - from);
    const inside = (all) => all.filter(([v]) => at(v) >= -1e-6 && at(v) <= 1 + 1e-6);
    const kept = inside(ticks);
    // A logarithmic axis over less than a decade may hold none of the round numbers.
    return { at, ticks: log && kept.length < 2 ? inside(rounds(range, wanted).map((v) => [v, short(v)])) : kept };
  }

  function marker(trace, i, x, y) {
    const look = trace.marker;
    const name = of(look.symbol, i) || "circle";
    const open = name.endsWith("-open");
    const size = of(look.size, i) || 8;
    const fill = of(look.color, i);
    const edge = (look.line && look.line.width) || (open ? 1.5 : 0);
    return element("path", {
      class: "point", d: OUTLINES[name.replace("-open", "")], transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size})`,
      fill: open ? "transparent" : fill, stroke: open ? fill : undefined, "stroke-width": open ? edge / size : undefined,
      opacity: look.opacity,
    });
  }

  // The error bar of a point at x, y: along its axis, `at` gives the place of a value within `from` and `to`.
  function errorBar(trace, i, x, y, upright, at, [from, to]) {
    const error = upright ? trace.error_y : trace.error_x;
    const value = upright ? trace.y[i] : trace.x[i];
    const limit = (place) => Math.max(from, Math.min(to, place));
    const cap = error.width || 0;
    const ends = [at(value - error.arrayminus[i]), at(value + error.array[i])];
    const caps = ends.filter((end) => end === limit(end) && cap)
      .map((end) => (upright ? `M${x - cap} ${end}h${2 * cap}` : `M${end} ${y - cap}v${2 * cap}`));
    const [start, end] = ends.map(limit);
    return element("path", {
      class: upright ? "yerror" : "xerror", d: (upright ? `M${x} ${start}V${end}` : `M${start} ${y}H${end}`) + caps.join(""),
      fill: "none", stroke: error.color || of(trace.marker.color, i), "stroke-width": error.thickness || 1,
    });
  }

  function linePath(trace, px, py) {
    let d = "", pen = false, last = 0;
    trace.x.forEach((x, i) => {
      if (trace.y[i] === null || trace.y[i] === undefined) { pen = pen && trace.connectgaps; return; }
      const [a, b] = [px(x), py(trace.y[i])];
      if (!pen) d += `M${a.toFixed(1)} ${b.toFixed(1)}`;
      else if ((trace.line || {}).shape === "hvh") d += `H${((last + a) / 2).toFixed(1)}V${b.toFixed(1)}H${a.toFixed(1)}`;
      else d += `L${a.toFixed(1)} ${b.toFixed(1)}`;
      pen = true;
      last = a;
    });
    return element("path", {
      class: "line", d, fill: "none", stroke: trace.line.color, "stroke-width": trace.line.width || 2,
      "stroke-dasharray": DASHES[trace.line.dash], opacity: trace.opacity,
    });
  }

  let tip = null;
  function hint(event) {
    const text = event.type === "pointerover" && event.target.hint;
    if (!tip) { tip = document.createElement("div"); tip.className = "tip"; document.body.append(tip); }
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const box = event.target.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.x + scrollX + 12), scrollX + document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = `${left}px`;
    tip.style.top = `${box.y + scrollY - tip.offsetHeight - 8}px`;
  }

  // Names of traces below the plot; how high that was.
  function legend(svg, traces, width, top) {
    let [x, y] = [4, top + 12];
    traces.filter((t) => t.showlegend !== false && t.name).forEach((trace) => {
      const wide = 22 + trace.name.length * 6.8;
      if (x + wide > width && x > 4) { x = 4; y += 19; }
      if (trace.marker && trace.mode !== "lines") {
        const look = { ...trace.marker, color: of(trace.marker.color, 0), symbol: of(trace.marker.symbol, 0), size: 8 };
        const key = marker({ marker: look }, 0, x + 5, y - 4);
        key.setAttribute("class", "key");
        svg.append(key);
      }
      else svg.append(element("path", { d: `M${x} ${y - 4}h12`, stroke: trace.line.color, "stroke-width": 2 }));
      svg.append(element("text", { x: x + 16, y, class: "tick" }, trace.name));
      x += wide;
    });
  }

  function paint(holder, traces, layout, width) {
    const { l, r, t, b } = layout.margin;
    const box = { left: l, top: t, width: Math.max(width - l - r, 10), height: layout.height - t - b };
    const svg = element("svg", { class: "chart", width, height: layout.height, viewBox: `0 0 ${width} ${layout.height}` });
    const axisOf = (name, wanted) => axis(layout[`${name}axis`], traces.flatMap((trace) => trace[name].flatMap((v, i) => {
      const error = trace[`error_${name}`];
      return error ? [v, v + error.array[i], v - error.arrayminus[i]] : [v];
    })), Math.max(2, Math.floor(wanted)));
    const [across, up] = [axisOf("x", box.width / 70), axisOf("y", box.height / 45)];
    const px = (v) => box.left + across.at(v) * box.width;
    const py = (v) => box.top + (1 - up.at(v)) * box.height;
    const grid = element("g", { class: "grid" }), below = element("g"), marks = element("g"), texts = element("g");
    svg.append(grid, below, marks, texts);
    const [right, bottom] = [box.left + box.width, box.top + box.height];
    const drawAxis = (spec, { ticks }, line, place, titled) => {
      if (spec.visible === false) return;
      ticks.forEach(([v, text]) => {
        grid.append(element("path", { d: line(v) }));
        texts.append(element("text", place(v), text));
      });
      if (spec.title) texts.append(element("text", { ...titled, "text-anchor": "middle" }, spec.title));
    };
    drawAxis(layout.xaxis, across, (v) => `M${px(v)} ${box.top}V${bottom}`,
      (v) => ({ class: "tick xtick", x: px(v), y: bottom + 16, "text-anchor": "middle" }), { x: box.left + box.width / 2, y: bottom + 34 });
    drawAxis(layout.yaxis, up, (v) => `M${box.left} ${py(v)}H${right}`,
      (v) => ({ class: "tick ytick", x: box.left - 6, y: py(v) + 4, "text-anchor": "end" }), { transform: `translate(12 ${box.top + box.height / 2}) rotate(-90)` });
    (layout.shapes || []).forEach((s) => {
      const [x0, x1] = [px(s.x0), px(s.x1)];
      const [y0, y1] = s.yref === "paper" ? [box.top, bottom] : [py(s.y0), py(s.y1)];
      const inside = (x) => Math.max(box.left, Math.min(right, x));
      below.append(s.type === "rect"
        ? element("rect", { class: "shape", x: inside(Math.min(x0, x1)), y: Math.min(y0, y1), width: Math.abs(inside(x1) - inside(x0)), height: Math.abs(y1 - y0), fill: s.fillcolor, opacity: s.opacity })
        : element("path", { class: "shape", d: `M${x0} ${y0}L${x1} ${y1}`, stroke: s.line.color, "stroke-width": s.line.width, "stroke-dasharray": DASHES[s.line.dash] }));
    });
    traces.forEach((trace) => {
      const group = element("g", { class: "trace" });
      marks.append(group);
      if ((trace.mode || "").includes("lines")) group.append(linePath(trace, px, py));
      if (trace.type === "bar") {
        const thick = (box.height / trace.y.length) * (1 - layout.bargap);
        trace.x.forEach((v, i) => group.append(element("rect", { class: "bar", x: px(0), y: py(trace.y[i]) - thick / 2, width: Math.max(px(v) - px(0), 0), height: thick, fill: of(trace.marker.color, i) })));
      }
      trace.x.forEach((v, i) => {
        if (trace.y[i] === null || trace.y[i] === undefined || v === undefined) return;
        const [x, y] = [px(v), py(trace.y[i])];
        if (trace.error_x) group.append(errorBar(trace, i, x, y, false, px, [box.left, right]));
        if (trace.error_y) group.append(errorBar(trace, i, x, y, true, py, [box.top, bottom]));
        if (trace.mode === "text") group.append(element("text", { x: x + 4, y: y + 4 }, trace.text[i]));
        else if ((trace.mode || "").includes("markers")) {
          const point = marker(trace, i, x, y);
          point.hint = trace.hoverinfo === "skip" ? "" : of(trace.text, i);
          if (trace.opacity) point.setAttribute("opacity", trace.opacity);
          group.append(point);
        }
      });
    });
    (layout.annotations || []).forEach((a) => {
      const x = (a.xref === "paper" ? box.left + a.x * box.width : px(a.x)) + (a.xshift || 0);
      const y = a.yref === "paper" ? box.top + (1 - a.y) * box.height - (a.yshift || 0) + 12 : py(a.y) + (a.yanchor === "top" ? 12 : 4);
      texts.append(element("text", { class: "name", x, y, "text-anchor": a.xanchor === "right" ? "end" : "start" }, a.text));
    });
    if (layout.showlegend) legend(texts, traces, width, bottom + (layout.xaxis.title ? 44 : 26));
    svg.addEventListener("pointerover", hint);
    svg.addEventListener("pointerout", hint);
    holder.replaceChildren(svg);
  }

  const drawn = new Map();
  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => {
    const known = drawn.get(target);
    if (known && target.clientWidth && target.clientWidth !== known.width) again(target);
  }));
  function again(holder, width) {
    const known = drawn.get(holder);
    if (!holder.isConnected) { observer.unobserve(holder); drawn.delete(holder); return; }
    known.width = width || holder.clientWidth;
    known.draw(known.width);
  }
  // A page is narrower than most windows, and plots do not shrink by themselves in time.
  window.addEventListener("beforeprint", () => [...drawn.keys()].forEach((holder) => again(holder, 620)));
  window.addEventListener("afterprint", () => [...drawn.keys()].forEach((holder) => again(holder)));

  // `compose(width)` gives [traces, layout] for a width in pixels.
  const drawChart = (holder, compose) => {
    const draw = (width) => { const [traces, layout] = compose(width); paint(holder, traces, layout, width); };
    drawn.set(holder, { draw, width: holder.clientWidth });
    draw(holder.clientWidth || 600);
    observer.observe(holder);
  };
  return Object.assign(drawChart, { element });
})();
