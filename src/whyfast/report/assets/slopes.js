"use strict";
// Cost by parameter: all of it in one plot, and a slider for one value at a time.
KINDS.slopes = (() => {
  function round(width) {
    const digits = width > 600 ? [1, 1.5, 2, 3, 4, 5, 7] : [1, 2, 5];
    const tickvals = [1, 10, 100, 1000, 1e4, 1e5].flatMap((unit) => digits.map((digit) => digit * unit));
    return { tickvals, ticktext: tickvals.map(String) };
  }

  const errors = (points, color) => errorBars(points, (p) => p.value, { color, thickness: 2, width: 4 });

  function all(family, width) {
    const ends = [family.values[0], family.values[family.values.length - 1]];
    const traces = family.variants.flatMap((variant, i) => [
      {
        x: variant.points.map((p) => p.at), y: variant.points.map((p) => p.value),
        text: variant.points.map((p) => `${variant.name}\n${p.at}: ${p.text}`),
        mode: "markers", name: cut(variant.name, 40),
        marker: { color: color(i), symbol: symbol(i), size: 8 },
        error_y: errors(variant.points, color(i)),
      },
      {
        // Where no line is meant, the points are joined.
        x: variant.linear ? ends : variant.points.map((p) => p.at), hoverinfo: "skip",
        y: variant.linear ? ends.map((at) => variant.intercept + variant.slope * at) : variant.points.map((p) => p.value),
        mode: "lines", showlegend: false, line: { color: color(i), width: 1.5, dash: "dot" },
      },
    ]);
    return [traces, {
      ...legendLayout(width, family.variants.length, 320, [60, 10]),
      xaxis: {
        title: `${family.name}s`,
        ...(width > 600 ? { tickvals: family.values } : { nticks: 6 }),
      },
      yaxis: { title: "ns", rangemode: "tozero" },
    }];
  }

  function bars(family, at, width, most) {
    const longest = Math.max(...family.variants.map((v) => v.name.length)) * LETTER + 16;
    const beside = width > 400 && longest < 0.45 * width;
    const failed = { value: 0, low: null, high: null, text: "failed" };
    const points = family.variants.map((variant) => variant.points.find((p) => p.at === at) || failed);
    return [[{
      type: "bar", x: points.map((p) => p.value), y: points.map((_, i) => i),
      marker: { color: points.map((_, i) => color(i)) }, hoverinfo: "skip", mode: "",
      error_x: errors(points, GREY),
    }, {
      // The text stands beyond the interval.
      mode: "text", x: points.map((p) => (p.high === null ? p.value : p.high)), y: points.map((_, i) => i),
      text: points.map((p) => ` ${p.text}`), hoverinfo: "skip",
    }], {
      height: points.length * (beside ? 36 : 56) + 60, bargap: beside ? 0.35 : 0.55, margin: { l: beside ? longest : 4, r: 14, t: 6, b: 44 },
      annotations: family.variants.map((variant, i) => nameAt(
        beside ? i : i - 0.45, cut(variant.name, Math.floor(width / LETTER)), beside ? -longest : 0)),
      // One scale for all values, with room for the text beside the longest bar.
      xaxis: { title: "ns", range: [0, most * (beside ? 1.35 : 1.9)], nticks: 6 },
      yaxis: { range: [points.length - 0.5, beside ? -0.5 : -0.8], visible: false },
    }];
  }

  function runs(family, at, width) {
    const traces = family.variants.map((variant, i) => ({ run: variant.runs[String(at)], i, name: variant.name }))
      .filter(({ run }) => run)
      .map(({ run, i, name }) => ({
        x: run.ns, y: run.share, mode: "lines", line: { color: color(i), width: 1.5, shape: "hvh" },
        name: cut(name, 40),
      }));
    return [traces, {
      ...legendLayout(width, traces.length, 220, [60, 10]),
      xaxis: { title: "ns", type: "log", ...round(width) },
      yaxis: { title: "% per ns", rangemode: "tozero" },
    }];
  }

  return (parent, read) => {
    const family = read();
    const figure = (title, name) => addFigure(parent, title, true, { class: `plot slopes-${name}` });
    parent.classList.add("slopes");
    const line = family.variants[0].linear ? ", and the line of each variant" : "";
    const whole = figure(`Time of a run by number of ${family.name}s: points with their intervals${line}`, "all");
    whole.setAttribute("aria-label", `Time of a run by number of ${family.name}s; the table above has slopes and intercepts`);
    const id = `at-${parent.dataset.from}`;
    const last = family.values.length - 1;
    const slider = make("input", undefined, { type: "range", id, min: 0, max: last, value: last, step: 1 });
    const shown = make("output", undefined, { for: id });
    const choice = make("p", undefined, { class: "choice" });
    choice.append(make("label", `${family.name}s`, { for: id }), slider, shown);
    parent.append(choice);
    const bar = figure("Time of a run at that number, median with its interval", "at");
    const most = Math.max(...family.variants.flatMap((v) => v.points.map((p) => p.high === null ? p.value : p.high)));
    const some = family.variants.some((variant) => Object.keys(variant.runs).length);
    const single = some && figure("Single runs at that number, as the programs timed themselves: share of the runs by time, "
      + "the longest half per cent left out", "runs");
    const show = () => {
      const at = family.values[Number(slider.value)];
      shown.textContent = String(at);
      slider.setAttribute("aria-valuetext", `${at} ${family.name}s`);
      const texts = family.variants.map((v) => [v.name, v.points.find((p) => p.at === at)]);
      bar.setAttribute("aria-label", texts.map(([name, p]) => `${name}: ${p ? p.text : "failed"}`).join("; "));
      Chart(bar, (width) => bars(family, at, width, most));
      if (!some) return;
      single.setAttribute("aria-label", `How long single runs take with ${at} ${family.name}s; a table below has the quantiles`);
      Chart(single, (width) => runs(family, at, width));
    };
    Chart(whole, (width) => all(family, width));
    slider.addEventListener("input", show);
    show();
  };
})();

// Instructions by kernel release, one line per series; a slider for the value of the parameter.
KINDS.releases = (parent, read) => {
  const { kernels, unit, at, series } = read();
  parent.innerHTML = `
    <p class="choice"><label for="what">Show</label> <input type="range" id="what" min="0" step="1">
    <output id="what-text" for="what"></output></p>
    <p id="series-legend" class="legend"></p>
    <div id="release-plot" role="img" aria-label="Instructions by kernel release; the tables say the same"></div>`;
  const range = byId("what");
  const short = (value) => String(Math.round(value * 100) / 100);

  // Position 0 of the slider is the cost of one more; the others are the values of the parameter.
  const shown = (line, place) => (place === 0 ? line.slopes : line.counts[place - 1]);
  const title = (place) => (place === 0 ? `what one more ${unit} takes` : `${at[place - 1]} × ${unit}`);

  function draw() {
    const place = Number(range.value);
    byId("what-text").textContent = title(place);
    range.setAttribute("aria-valuetext", title(place));
    const traces = series.map((line, i) => {
      const values = shown(line, place);
      return {
        x: kernels, y: values, mode: "lines+markers", connectgaps: true, name: line.name,
        line: { color: color(i), width: 2 }, marker: { color: color(i), symbol: symbol(i), size: 9 },
        text: values.map((v, k) => (v === null ? "" : `${line.name}\nLinux ${kernels[k]}: ${short(v)} instructions`)),
      };
    });
    const steps = [...new Set(series.flatMap((line) => line.steps))];
    Chart(byId("release-plot"), () => [traces, {
      height: 420, margin: { l: 64, r: 14, t: 8, b: 56 }, shapes: steps.map((k) => upright(k - 0.5, "dash")),
      xaxis: { type: "category", categoryarray: kernels, title: "Linux" },
      yaxis: { title: "instructions (simulated)", rangemode: "tozero" },
    }]);
  }

  coloredNames(byId("series-legend"), series.map((s, i) => `${MARKS[i % MARKS.length]} ${s.name}`));
  if (series.some((line) => line.steps.length)) byId("series-legend").append(make("span", "┆ a step"));
  range.max = String(at.length);
  range.value = "0";
  range.addEventListener("input", draw);
  draw();
};
