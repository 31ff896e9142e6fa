"""Every benchmark as tables: one a pair, or one a baseline where there is a single benchmark."""

from __future__ import annotations

from whyfast.model.result import Result
from whyfast.model.verdict import Suite, Verdict
from whyfast.report.compare_table import run_benchmark_table
from whyfast.report.names import printable
from whyfast.report.numbers import format_e_value, ratio_text
from whyfast.report.summary_table import NOTHING, verdict_cell
from whyfast.report.table import Cell, Column, Table
from whyfast.report.times import median_times, value_text

SUITE = "geometric mean"


def benchmark_tables(result: Result) -> tuple[Table, ...]:
    """All of them, in the order of the baselines."""
    return tuple(table for _, tables in tables_by_baseline(result) for table in tables)


def tables_by_baseline(result: Result) -> tuple[tuple[str, tuple[Table, ...]], ...]:
    """For each baseline its tables: the benchmarks in the order of the study, the geometric mean
    last."""
    return tuple((name, _against(result, name)) for name in result.question.baselines)


def _against(result: Result, baseline: str) -> tuple[Table, ...]:
    if result.judged.about == "runs":
        return (run_benchmark_table(result, baseline),)
    mine = [v for v in result.judged.verdicts if v.baseline == baseline]
    if len({v.benchmark for v in mine}) < 2:
        return (_by_variant(result, baseline),) if mine else ()
    order = {v.name: i for i, v in enumerate(result.question.variants)}
    judged = sorted({v.variant for v in mine}, key=lambda n: (order.get(n, len(order)), n))
    return tuple(_by_benchmark(result, variant, baseline) for variant in judged)


def _by_variant(result: Result, baseline: str) -> Table:
    times = _times(result)
    mine = [v for v in result.judged.verdicts if v.baseline == baseline]
    rows = tuple(
        (
            Cell(printable(v.benchmark or "")),
            Cell(printable(v.variant)),
            verdict_cell(v),
            _cell(times.get((v.benchmark or "", v.variant))),
            *_sureness(v),
        )
        for v in mine
    )
    columns = (
        Column("benchmark"),
        Column("variant"),
        Column("verdict"),
        Column("time", "right"),
        Column("blocks", "right"),
        Column("e-value", "right"),
    )
    return Table(f"Each benchmark against {printable(baseline)}", columns, rows, fixed=2)


def _by_benchmark(result: Result, variant: str, baseline: str) -> Table:
    times = _times(result)
    order = {b.name: i for i, b in enumerate(result.question.benchmarks)}
    mine = [v for v in result.judged.verdicts if (v.variant, v.baseline) == (variant, baseline)]
    mine.sort(key=lambda v: order.get(v.benchmark or "", len(order)))
    suites = [
        s
        for s in result.judged.suites
        if (s.verdict.variant, s.verdict.baseline) == (variant, baseline)
    ]
    rows = [
        (
            Cell(printable(v.benchmark or "")),
            _cell(times.get((v.benchmark or "", baseline))),
            _cell(times.get((v.benchmark or "", variant))),
            verdict_cell(v),
            *_sureness(v),
            without_cell(suites[0], v.benchmark) if suites else NOTHING,
        )
        for v in mine
    ]
    for suite in suites:
        said = verdict_cell(suite.verdict)
        rows.append((Cell(SUITE), NOTHING, NOTHING, said, *_sureness(suite.verdict), NOTHING))
    columns = (
        Column("benchmark"),
        Column(printable(baseline), "right"),
        Column(printable(variant), "right"),
        Column("verdict"),
        Column("blocks", "right"),
        Column("e-value", "right"),
        Column("mean without it"),
    )
    title = f"{printable(variant)} against {printable(baseline)}, each benchmark"
    return Table(title, columns, tuple(rows))


def without_cell(suite: Suite, benchmark: str | None) -> Cell:
    """The mean without that benchmark, with as many digits as the mean itself has."""
    ratio, whole = suite.influence.get(benchmark or ""), suite.verdict
    if ratio is None:
        return NOTHING
    scale = ratio / whole.ratio
    return Cell(ratio_text(ratio, whole.low * scale, whole.high * scale).factor)


def _sureness(verdict: Verdict) -> tuple[Cell, Cell]:
    return Cell(str(verdict.blocks)), Cell(format_e_value(verdict.log_e))


def _times(result: Result) -> dict[tuple[str, str], str]:
    return {
        key: value_text(value, result.judged.about)
        for key, value in median_times(result.recorded.blocks).items()
    }


def _cell(time: str | None) -> Cell:
    return NOTHING if time is None else Cell(time)
