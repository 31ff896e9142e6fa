"""Every benchmark of recorded runs, with the mean times on both sides."""

from __future__ import annotations

from collections.abc import Mapping

from whyfast.model.result import Result
from whyfast.model.series import MEAN_SECONDS
from whyfast.model.verdict import Verdict
from whyfast.report.names import printable
from whyfast.report.numbers import format_e_value, format_seconds, ratio_text
from whyfast.report.summary_table import NOTHING, verdict_cell
from whyfast.report.table import Cell, Column, Table

SUITE = "geometric mean"


def run_benchmark_table(result: Result, baseline: str) -> Table:
    """By benchmark in the order of the files, the geometric means last."""
    times = {s.id: s.environment.get(MEAN_SECONDS) for s in result.recorded.sessions}
    suites = {s.verdict.variant: s for s in result.judged.suites}
    single = len(result.question.variants) == 2
    rows = []
    order = {b.name: i for i, b in enumerate(result.question.benchmarks)}
    ordered = sorted(result.judged.verdicts, key=lambda v: order.get(v.benchmark or "", len(order)))
    for verdict in (*ordered, *(s.verdict for s in result.judged.suites)):
        suite = suites.get(verdict.variant)
        without = None if suite is None else suite.influence.get(verdict.benchmark or "")
        rows.append(
            (
                Cell(printable(verdict.benchmark or SUITE)),
                *(() if single else (Cell(printable(verdict.variant)),)),
                _time(times.get(baseline), verdict),
                _time(times.get(verdict.variant), verdict),
                verdict_cell(verdict),
                Cell(str(verdict.blocks)),
                Cell(format_e_value(verdict.log_e)),
                NOTHING if without is None or suite is None else _without(without, suite.verdict),
            )
        )
    head = "time" if not single else printable(result.question.variants[-1].name)
    columns = (
        Column("benchmark"),
        *(() if single else (Column("variant"),)),
        Column(printable(baseline), "right"),
        Column(head, "right"),
        Column("verdict"),
        Column("processes", "right"),
        Column("e-value", "right"),
        Column("suite without it"),
    )
    fixed = 1 if single else 2
    return Table(f"Each benchmark against {printable(baseline)}", columns, tuple(rows), fixed)


def _time(times: object, verdict: Verdict) -> Cell:
    found = times.get(verdict.benchmark) if isinstance(times, Mapping) else None
    return Cell(format_seconds(found)) if isinstance(found, float) else NOTHING


def _without(ratio: float, whole: Verdict) -> Cell:
    """With as many digits as the mean itself has."""
    scale = ratio / whole.ratio
    return Cell(ratio_text(ratio, whole.low * scale, whole.high * scale).factor)
