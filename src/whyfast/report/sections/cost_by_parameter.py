"""Cost by parameter, single runs, and further figures, as programs under study report them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from whyfast.model.result import Result
from whyfast.model.sample import Figure, RunTimes
from whyfast.model.variant import Parameter
from whyfast.model.verdict import Coefficient, Line, Outcome, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.main_table import tally

#: The quantiles of the single runs that are shown.
QUANTILES = (0.01, 0.5, 0.9, 0.99, 0.999)
#: Single runs beyond this quantile are not drawn: interrupts, and the like.
_DRAWN = 0.995


def slope_sentences(slopes: Sequence[Line]) -> list[str]:
    """A sentence for each linear family, with the slope of every variant."""
    texts = []
    for family in (family for family in _families(slopes) if family[0].linear):
        first, costs = family[0], []
        for line in family:
            text, r = _slope_ratio(line), line.slope_ratio
            apart = text and r and not (r.low or 0) <= 1 <= (r.high or 0)
            factor = f" ({text.factor})" if text and apart else ""
            costs.append(f"{format_estimate(line.slope)} with {fmt.quote(line.variant)}{factor}")
        most = fmt.pluralize(first.points[-1].at, first.name)
        texts.append(
            f"One more {first.name} costs {fmt.join(costs)} (slope from {first.points[0].at} to "
            f"{most}, median of {fmt.pluralize(first.passes, 'pass')})."
        )
    return texts


def threshold_sentences(result: Result) -> Iterator[str]:
    """A sentence for each variant that is slower, or faster, than the main baseline from some value
    of a parameter on and not below it; of families whose slope is of no interest."""
    parameters = {
        b.name: b.parameter
        for b in result.question.benchmarks
        if b.parameter is not None and not b.parameter.linear
    }
    points = fmt.grouped(
        ((parameters[v.benchmark].family, v.variant), (parameters[v.benchmark], v))
        for v in result.judged.verdicts
        if v.benchmark in parameters and v.baseline in result.question.baselines[:1]
    )
    families = list(dict.fromkeys(p.family for p in parameters.values()))
    for _, known in sorted(points.items(), key=lambda item: families.index(item[0][0])):
        yield from _threshold(sorted(known, key=lambda point: point[0].value))


def _threshold(points: Sequence[tuple[Parameter, Verdict]]) -> Iterator[str]:
    sides: tuple[Outcome, ...] = ("slower", "faster")
    for outcome in sides:
        first = next((i for i, (_, v) in enumerate(points) if v.outcome == outcome), 0)
        below, beyond = points[:first], points[first:]
        others = [v for _, v in beyond if v.outcome != outcome]
        if not below or len(beyond) < 2 or any(v.outcome != "undecided" for v in others):
            continue
        if 2 * len(others) > len(beyond):
            continue
        (at, v), (most, last) = beyond[0], beyond[-1]
        yield (
            f"From {fmt.pluralize(at.value, at.name)} on, {fmt.quote(v.variant)} is {outcome} than "
            f"{fmt.quote(v.baseline)}: {fmt.text_of(v)} at {at.value} and {fmt.text_of(last)} at "
            f"{most.value}; up to {below[-1][0].value} it is {tally(x for _, x in below)}."
        )


def _slope_ratio(line: Line) -> fmt.RatioText | None:
    r = line.slope_ratio
    if r is None or r.low is None or r.high is None or min(r.low, r.value) <= 0:
        return None
    return fmt.ratio_text(r.value, r.low, r.high)


def format_estimate(estimate: Coefficient) -> str:
    """A time with its interval in one unit: ``0.763 ns [0.751, 0.778]``; it may be negative."""
    ends = (estimate.value, estimate.low, estimate.high)
    largest = max(abs(x) for x in ends if x is not None)
    units = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))
    unit, size = next((u for u in units if largest >= u[1]), ("ns", 1e-9))
    # Three digits, and more while the ends of the interval would not differ.
    shown = abs(estimate.value) / size
    decimals = 0 if shown >= 100 else 1 if shown >= 10 else 2 if shown >= 1 else 3
    if estimate.low is not None and estimate.high is not None:
        while 0 < (estimate.high - estimate.low) / size < 10.0**-decimals and decimals < 4:
            decimals += 1
    value, low, high = (
        fmt.UNBOUNDED if x is None else f"{x / size:.{decimals}f}".replace("-", "−") for x in ends
    )
    return f"{value} {unit} [{low}, {high}]"


def slope_section(result: Result) -> doc.ReportSection | None:
    """Slopes and intercepts, and the plots of all families."""
    shown = (*slope_tables(result), *slope_plots(result))
    return doc.section("slopes", "Cost by parameter", *shown)


def slope_tables(result: Result) -> Iterator[doc.Table | None]:
    """Slope and intercept of every variant, a table for each linear family."""
    for slopes in _families(result.judged.slopes):
        first, passes = slopes[0], min(line.passes for line in slopes)
        caption = (
            f"Cost by number of {first.name}s: medians over {fmt.pluralize(passes, 'pass')}, "
            f"intervals at {fmt.percent(first.confidence)}"
        )
        costs = ("variant", f"one more {first.name}", "against the baseline")
        rows = []
        for line in slopes if first.linear else ():
            sign = "−" if line.departure < 0 else "+"
            departure = f"{sign}{fmt.seconds(abs(line.departure))} at {line.departure_at}"
            text, r, ratio = _slope_ratio(line), line.slope_ratio, None
            if r is not None:
                factor, interval = (text.factor, text.interval) if text else (f"{r.value:.3g}x", "")
                ratio = doc.Cell(factor, interval, number=r.value)
            slope, intercept = _estimate_cell(line.slope), _estimate_cell(line.intercept)
            rows.append((line.variant, slope, ratio, intercept, departure))
        yield doc.table(caption, (*costs, "intercept", "largest departure"), rows)


def point_section(result: Result) -> doc.ReportSection | None:
    """Times by value, quantiles of single runs, and what the ways of timing cost."""
    overheads = [
        (way.what, doc.seconds_cell(way.seconds)) for way in result.found.observed.overheads
    ]
    timing = doc.table("Cost of the timing itself", ("method", *doc.right("time")), overheads)
    tables = (*point_tables(result), _run_quantiles(result), timing)
    return doc.detail("points", "Cost at each value", *tables)


def point_tables(result: Result) -> Iterator[doc.Table | None]:
    """The time at every value of the parameter, a table for each family."""
    for slopes in _families(result.judged.slopes):
        name = f"{slopes[0].name}s"
        rows = [
            (
                *(p.at, line.variant, _estimate_cell(p.seconds)),
                *(_deviation(p.value), _deviation(p.process), p.blocks),
            )
            for at in slopes[0].points
            for line in slopes
            for p in line.points
            if p.at == at.at
        ]
        caption = (
            f"Time by number of {name}, with the standard deviations of a value within a process "
            "and between processes"
        )
        numbers = doc.right("value", "process", "blocks")
        yield doc.table(
            caption, (*doc.right(name), "variant", "time of a run", *numbers), rows, fixed=2
        )


def _estimate_cell(estimate: Coefficient) -> doc.Cell:
    return doc.Cell(format_estimate(estimate), number=estimate.value)


def _families(slopes: Sequence[Line]) -> list[list[Line]]:
    return list(fmt.grouped((line.family, line) for line in slopes).values())


def _deviation(share: float) -> doc.Cell:
    text = f"{share * 100:.2f} %" if share < 0.0995 else f"{share * 100:.0f} %"
    return doc.Cell(text, number=share)


def _run_quantiles(result: Result) -> doc.Table | None:
    """Quantiles of single runs; None when no program reported them."""
    rows: list[doc.Row] = [
        (
            *(runs.benchmark, runs.variant),
            *(_bucket(runs, _quantile(runs, share)) for share in QUANTILES),
            *(_bucket(runs, len(runs.starts) - 1), doc.number_cell(sum(runs.counts))),
        )
        for runs in result.found.observed.run_times
        if runs.counts
    ]
    shares = (f"{share * 100:g} %" for share in QUANTILES)
    columns = ("benchmark", "variant", *doc.right(*shares, "longest", "runs"))
    caption = "Quantiles of single runs, including the cost of reading the clock"
    return doc.table(caption, columns, rows, fixed=2)


def _quantile(runs: RunTimes, share: float) -> int:
    """The place of the bucket that holds that share of the runs, counted from the shortest."""
    wanted = share * sum(runs.counts)
    reached = (i for i, seen in enumerate(accumulate(runs.counts)) if seen >= wanted)
    return next(reached, len(runs.starts) - 1)


def _bucket(runs: RunTimes, i: int) -> doc.Cell:
    more = "≥ " if runs.widths[i] == 0 else ""
    return doc.Cell(more + fmt.seconds(runs.starts[i]), number=runs.starts[i])


def slope_plots(result: Result) -> Iterator[doc.Plot]:
    """One for each family: its values, and its variants with times in nanoseconds."""
    for slopes in _families(result.judged.slopes):
        values = sorted({point.at for line in slopes for point in line.points})
        variants = [_variant(line, result) for line in slopes]
        data = {"name": slopes[0].name, "values": values, "variants": variants}
        yield doc.Plot("slopes", data)


def _variant(line: Line, result: Result) -> dict[str, Any]:
    at = {
        b.name: b.parameter.value
        for b in result.question.benchmarks
        if b.parameter and b.parameter.family == line.family
    }
    drawn = {
        str(at[runs.benchmark]): _drawn(runs)
        for runs in result.found.observed.run_times
        if runs.variant == line.variant and runs.benchmark in at and runs.counts
    }
    return {
        "name": line.variant,
        "linear": line.linear,
        "slope": line.slope.value * 1e9,
        "intercept": line.intercept.value * 1e9,
        "points": [
            {
                "at": p.at,
                "text": format_estimate(p.seconds),
                **{k: None if x is None else x * 1e9 for k, x in vars(p.seconds).items()},
            }
            for p in line.points
        ],
        "runs": drawn,
    }


def _drawn(runs: RunTimes) -> dict[str, list[float]]:
    """Per cent of the runs by nanoseconds, up to :data:`_DRAWN` of them."""
    last, total = _quantile(runs, _DRAWN) + 1, sum(runs.counts)
    drawn = zip(runs.starts[:last], runs.widths[:last], runs.counts[:last], strict=True)
    bars = [(s * 1e9, 100 * c / total / max(w * 1e9, 1e-9)) for s, w, c in drawn if w > 0]
    return {"ns": [round(s, 3) for s, _ in bars], "share": [share for _, share in bars]}


# Figures that programs report about a loop, and instructions of it.


def _figures(result: Result) -> tuple[Figure, ...]:
    """Figures reported by programs, after the instructions of a loop where these were counted."""
    reported = result.found.observed.figures
    if not reported:
        return ()  # counts have a table of their own
    order = {b.name: at for at, b in enumerate(result.question.benchmarks)}
    counted = (
        Figure(work.benchmark, counts.variant, f"instructions a loop ({source})", round(number, 1))
        for work in result.found.counted
        for counts in work.counts
        for number, source in filter(None, [work.instructions_a_loop(counts.variant)])
    )
    return tuple(sorted((*counted, *reported), key=lambda f: order.get(f.benchmark, len(order))))


def figures_table(result: Result) -> doc.Table | None:
    """A row for each benchmark and figure in which variants differ; None without any."""
    figures: dict[tuple[str, str], dict[str, Figure]] = {}
    for figure in _figures(result):
        figures.setdefault((figure.benchmark, figure.what), {})[figure.variant] = figure
    asked = {name for row in figures.values() for name in row}
    variants = [v.name for v in result.question.variants if v.name in asked]

    def cell(figure: Figure | None) -> doc.Cell | None:
        if figure is None:
            return None
        text = doc.Cell(figure.text) if figure.text else doc.Cell(doc.NOTHING.text, figure.why)
        return doc.value_cell(figure.number, "{:g}".format) or text

    rows = [
        (*names, *(cell(row.get(variant)) for variant in variants))
        for names, row in figures.items()
        if len({(f.number, f.text) for f in row.values()}) > 1
    ]
    columns = ("benchmark", "figure", *doc.right(*variants))
    return doc.table("Other figures of a loop, where variants differ", columns, rows, fixed=2)
