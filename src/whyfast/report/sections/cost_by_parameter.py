"""Cost by parameter: slopes, the time at every value, and single runs at each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from whyfast.model.result import Result
from whyfast.model.sample import RunTimes
from whyfast.model.verdict import Coefficient, Line
from whyfast.report.document import Cell, Plot, ReportSection, Table, right, section, table
from whyfast.report.formatting import (
    UNBOUNDED,
    format_percent,
    format_seconds,
    join_words,
    pluralize,
    quote,
    ratio_text,
)

_WITHOUT = "The plots need JavaScript; the tables say the same."
#: The quantiles of the single runs that are shown.
QUANTILES = (0.01, 0.5, 0.9, 0.99, 0.999)
#: Single runs beyond this quantile are not drawn: interrupts, and the like.
_DRAWN = 0.995


def slope_sections(result: Result) -> tuple[ReportSection | None, ReportSection | None]:
    """Slopes with their plots; and what stands behind them."""
    behind = (*point_tables(result), run_times_table(result), overhead_table(result))
    return (
        section("slopes", "Cost by parameter", *slope_tables(result), *slope_plots(result)),
        section("points", "Cost at each value", *behind, importance="detail"),
    )


def slope_sentences(slopes: Sequence[Line]) -> list[str]:
    """A sentence for each linear family: the slope of every variant, the first against the
    others."""
    return [
        _sentence([one for one in slopes if one.family == family])
        for family in dict.fromkeys(one.family for one in slopes if one.linear)
    ]


def _sentence(slopes: Sequence[Line]) -> str:
    first = slopes[0]
    costs = [
        f"{format_estimate(one.slope)} with {quote(one.variant)}{_factor(one)}" for one in slopes
    ]
    most = first.points[-1].at
    passes = "1 pass" if first.passes == 1 else f"{first.passes} passes"
    return (
        f"One more {first.name} costs {join_words(costs)} (slope from {first.points[0].at} to "
        f"{pluralize(most, first.name)}, median of {passes})."
    )


def _factor(line: Line) -> str:
    r = line.slope_ratio
    if r is None or r.low is None or r.high is None:
        return ""
    if min(r.low, r.value) <= 0 or r.low <= 1 <= r.high:
        return ""
    return f" ({ratio_text(r.value, r.low, r.high).factor})"


def format_estimate(estimate: Coefficient) -> str:
    """A time with its interval in one unit: ``0.763 ns [0.751, 0.778]``; it may be negative."""
    known = [x for x in (estimate.low, estimate.value, estimate.high) if x is not None]
    unit, size = _unit(max(abs(x) for x in known))
    decimals = _decimals(estimate, size)
    ends = [
        UNBOUNDED if end is None else _number(end / size, decimals)
        for end in (estimate.low, estimate.high)
    ]
    return f"{_number(estimate.value / size, decimals)} {unit} [{ends[0]}, {ends[1]}]"


def _unit(seconds: float) -> tuple[str, float]:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return unit, size
    return "ns", 1e-9


def _decimals(estimate: Coefficient, size: float) -> int:
    """Three digits, and more while the ends of the interval would not differ."""
    value = abs(estimate.value) / size
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    if estimate.low is not None and estimate.high is not None:
        while 0 < (estimate.high - estimate.low) / size < 10.0**-decimals and decimals < 4:
            decimals += 1
    return decimals


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")


def slope_tables(result: Result) -> tuple[Table, ...]:
    """Slope and intercept of every variant, a table for each linear family."""
    found = (_slope_table(mine) for mine in _families(result) if mine[0].linear)
    return tuple(t for t in found if t is not None)


def _slope_table(slopes: list[Line]) -> Table | None:
    first, passes = slopes[0], min(line.passes for line in slopes)
    return table(
        f"Cost by number of {first.name}s: medians over {passes} "
        f"{'pass' if passes == 1 else 'passes'}, intervals at {format_percent(first.confidence)}",
        (
            *("variant", f"one more {first.name}", "against the baseline"),
            *("intercept", "largest departure"),
        ),
        [
            (
                line.variant,
                _estimate_cell(line.slope),
                _ratio(line),
                _estimate_cell(line.intercept),
                f"{'−' if line.departure < 0 else '+'}{format_seconds(abs(line.departure))} "
                f"at {line.departure_at}",
            )
            for line in slopes
        ],
    )


def point_tables(result: Result) -> tuple[Table, ...]:
    """The time at every value of the parameter, a table for each family."""
    found = (_point_table(mine) for mine in _families(result))
    return tuple(t for t in found if t is not None)


def _point_table(slopes: list[Line]) -> Table | None:
    first = slopes[0]
    points = [
        (line, p) for at in first.points for line in slopes for p in line.points if p.at == at.at
    ]
    return table(
        f"Time by number of {first.name}s, with the standard deviations of a value within a "
        "process and between processes",
        (
            *(*right(f"{first.name}s"), "variant", "time of a run"),
            *right("value", "process", "blocks"),
        ),
        [
            (
                *(p.at, line.variant, _estimate_cell(p.seconds)),
                *(_deviation(p.value), _deviation(p.process), p.blocks),
            )
            for line, p in points
        ],
        fixed=2,
    )


def _estimate_cell(estimate: Coefficient) -> Cell:
    return Cell(format_estimate(estimate), number=estimate.value)


def _families(result: Result) -> list[list[Line]]:
    names = dict.fromkeys(line.family for line in result.judged.slopes)
    return [[line for line in result.judged.slopes if line.family == name] for name in names]


def _ratio(line: Line) -> Cell | None:
    r = line.slope_ratio
    if r is None:
        return None
    if r.low is None or r.high is None or min(r.low, r.value) <= 0:
        return Cell(f"{r.value:.3g}x", number=r.value)
    text = ratio_text(r.value, r.low, r.high)
    return Cell(text.factor, text.interval, number=r.value)


def _deviation(share: float) -> Cell:
    text = f"{share * 100:.2f} %" if share < 0.0995 else f"{share * 100:.0f} %"
    return Cell(text, number=share)


def run_times_table(result: Result) -> Table | None:
    """Quantiles of single runs; None when no program reported them."""
    return table(
        "Quantiles of single runs, including the cost of reading the clock",
        (
            *("benchmark", "variant", *right(*(f"{share * 100:g} %" for share in QUANTILES))),
            *right("longest", "runs"),
        ),
        [
            (
                *(found.benchmark, found.variant),
                *(_bucket(found, _quantile(found, share)) for share in QUANTILES),
                _bucket(found, len(found.starts) - 1),
                Cell(f"{sum(found.counts):,}".replace(",", " "), number=sum(found.counts)),
            )
            for found in result.found.observed.run_times
            if found.counts
        ],
        fixed=2,
    )


def overhead_table(result: Result) -> Table | None:
    """What the ways of timing cost; None when no program reported it."""
    rows = [
        (one.what, Cell(format_seconds(one.seconds), number=one.seconds))
        for one in result.found.observed.overheads
    ]
    return table("Cost of the timing itself", ("method", *right("time")), rows)


def _quantile(found: RunTimes, share: float) -> int:
    """The place of the bucket that holds that share of the runs, counted from the shortest."""
    wanted, seen = share * sum(found.counts), 0
    for i, number in enumerate(found.counts):
        seen += number
        if seen >= wanted:
            return i
    return len(found.starts) - 1


def _bucket(found: RunTimes, i: int) -> Cell:
    more = "≥ " if found.widths[i] == 0 else ""
    return Cell(more + format_seconds(found.starts[i]), number=found.starts[i])


def slope_plots(result: Result) -> Iterator[Plot]:
    """A family each: its values, and its variants with times in nanoseconds."""
    for slopes in _families(result):
        values = sorted({point.at for line in slopes for point in line.points})
        variants = [_variant(line, result) for line in slopes]
        data = {"name": slopes[0].name, "values": values, "variants": variants}
        yield Plot("slopes", data, _WITHOUT)


def _variant(line: Line, result: Result) -> dict[str, Any]:
    at = {
        b.name: b.parameter.value
        for b in result.question.benchmarks
        if b.parameter and b.parameter.family == line.family
    }
    runs = {
        str(at[found.benchmark]): _runs(found)
        for found in result.found.observed.run_times
        if found.variant == line.variant and found.benchmark in at and found.counts
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
        "runs": runs,
    }


def _runs(found: RunTimes) -> dict[str, list[float]]:
    """Per cent of the runs by nanoseconds, up to :data:`_DRAWN` of them."""
    last = _quantile(found, _DRAWN) + 1
    total = sum(found.counts)
    drawn = zip(found.starts[:last], found.widths[:last], found.counts[:last], strict=True)
    bars = [(s * 1e9, w * 1e9, 100 * c / total) for s, w, c in drawn if w > 0]
    return {
        "ns": [round(s, 3) for s, _, _ in bars],
        "share": [share / max(w, 1e-9) for _, w, share in bars],
    }
