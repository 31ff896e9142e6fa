"""Benchmarks as rows and variants as columns, for many of the one and few of the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whyfast.model.result import Result
from whyfast.model.verdict import Verdict
from whyfast.report.document import NOTHING, Cell, Row, Table, right, table
from whyfast.report.numbers import UNBOUNDED
from whyfast.report.topics.summary import SUITE, median_times, time_cell, value_text

TOTAL = "total"
#: Marks what the others are compared with, as pyperf does.
REFERENCE = "(*)"
#: An interval of ratios narrower than this is shown with a decimal of a per cent.
NARROW = 0.05


def matrix_tables(result: Result) -> tuple[Table, ...]:
    """A table a baseline: the baseline's time marked ``(*)``, then each variant's time with its
    change in per cent, interval and verdict. The geometric mean and the total are the last rows.

    Baselines that nothing is compared with have none.
    """
    tables = (_against(result, name) for name in result.question.baselines)
    return tuple(t for t in tables if t is not None)


def _against(result: Result, baseline: str) -> Table | None:
    times = median_times(result.recorded.blocks)
    mine = [v for v in result.judged.verdicts if v.baseline == baseline]
    verdicts = {(v.benchmark, v.variant): v for v in mine}
    suites = {
        s.verdict.variant: s.verdict for s in result.judged.suites if s.verdict.baseline == baseline
    }
    judged = {v.variant for v in mine}
    if not judged:
        return None
    variants = [v.name for v in result.question.variants if v.name in judged]
    benchmarks = [b.name for b in result.question.benchmarks]
    rows: list[Row] = []
    for name in benchmarks:
        cells = (_cell(result, times, (name, who), verdicts.get((name, who))) for who in variants)
        first = _marked(_cell(result, times, (name, baseline), None))
        rows.append((name, first, *cells))
    if suites:
        means = (_changed("", suites[v]) if v in suites else None for v in variants)
        rows.append((SUITE, REFERENCE, *means))
    if total := _total(result, times, benchmarks, (baseline, *variants)):
        rows.append(total)
    columns = ("benchmark", *right(baseline, *variants))
    caption = f"Each benchmark against {baseline} {REFERENCE}"
    return table(caption, columns, rows, fixed=2)


def _cell(
    result: Result,
    times: Mapping[tuple[str, str], float],
    place: tuple[str, str],
    verdict: Verdict | None,
) -> Cell:
    """Of a (benchmark, variant); empty, with the reason, where there is no such benchmark."""
    time = time_cell(times.get(place), result.judged.about)
    if time is None:
        lacking = {(f.benchmark, f.variant): f.reason for f in result.recorded.lacking}
        return Cell(NOTHING.text, lacking.get(place, ""))
    return time if verdict is None else _changed(time.text, verdict)


def _marked(cell: Cell) -> Cell:
    """As the reference, where there is a time."""
    if cell.text == NOTHING.text:
        return cell
    return Cell(f"{cell.text} {REFERENCE}", number=cell.number)


def _changed(time: str, verdict: Verdict) -> Cell:
    """The time with the change that was judged, which is not that of the medians shown."""
    bounded = verdict.low > 0 and verdict.high < float("inf")
    narrow = bounded and verdict.high - verdict.low < NARROW
    digits = 1 if narrow else _digits(verdict.ratio)
    ends = ", ".join(_percent(end, digits) for end in (verdict.low, verdict.high))
    interval = f"[{ends}]" if bounded else UNBOUNDED
    change = f"({_percent(verdict.ratio, digits)} %)"
    text = change if not time else f"{time} {change}"
    return Cell(text, f"{interval} {verdict.word}", verdict.word, verdict.ratio)


def _total(
    result: Result,
    times: Mapping[tuple[str, str], float],
    benchmarks: Sequence[str],
    names: Sequence[str],
) -> tuple[Cell, ...] | None:
    """The sum of the times over the benchmarks that all have; None for fewer than two."""
    common = [b for b in benchmarks if all((b, name) in times for name in names)]
    if len(common) < 2:
        return None
    sums = [sum(times[b, name] for b in common) for name in names]
    shown = [value_text(one, result.judged.about) for one in sums]
    label = Cell(TOTAL, "" if len(common) == len(benchmarks) else f"over {len(common)}")
    first = Cell(f"{shown[0]} {REFERENCE}")
    others = (
        Cell(f"{text} ({_percent(ratio, _digits(ratio))} %)")
        for text, ratio in zip(shown[1:], (one / sums[0] for one in sums[1:]), strict=True)
    )
    return label, first, *others


def _digits(ratio: float) -> int:
    """Decimals of a change in per cent: none from 10 % on."""
    return 0 if abs(ratio - 1) >= 0.0995 else 1


def _percent(ratio: float, digits: int) -> str:
    """A ratio of times as its change in per cent, with a sign."""
    change = (ratio - 1) * 100
    text = f"{abs(change):.{digits}f}"
    sign = "" if float(text) == 0 else "−" if change < 0 else "+"
    return sign + text
