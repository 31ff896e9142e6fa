"""The main table: variants as rows, one column a baseline."""

from __future__ import annotations

from whyfast.model.build import BuildFailure
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict
from whyfast.report.comparisons import Comparisons
from whyfast.report.expectations import contradiction
from whyfast.report.names import count, printable
from whyfast.report.numbers import plain_ratio_text, ratio_text
from whyfast.report.table import Cell, Column, Table
from whyfast.report.times import median_times, value_text

NOTHING = Cell("–")


def verdict_cell(verdict: Verdict) -> Cell:
    """A verdict as a cell: the ratio or the word in front, the interval as its detail."""
    if verdict.word == "same":
        plain = plain_ratio_text(verdict.ratio, verdict.low, verdict.high)
        return Cell("same", str(plain), "same")
    text = ratio_text(verdict.ratio, verdict.low, verdict.high)
    if verdict.word == "undecided":
        return Cell("undecided", str(text), "undecided")
    return Cell(text.factor, text.interval, verdict.word)


def summary_table(result: Result) -> Table | None:
    """Every variant against every baseline; with a single benchmark its time as well.

    Variants of which only the machine code is read are left out; None when no other is there.
    """
    names = _names(result)
    if not names:
        return None
    study = result.question
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    contradictions = {
        u.variant: contradiction(u) for u in result.found.unmet if u.found is not None
    }
    only = study.benchmarks[0].name if len(study.benchmarks) == 1 else None
    times = median_times(result.recorded.blocks) if only is not None else {}
    columns = [Column("variant")]
    if times:
        columns.append(Column("time", "right"))
    columns += [Column(f"against {printable(b)}") for b in study.baselines]
    rows = []
    for name in names:
        row = [Cell(printable(name))]
        if times and only is not None:
            time = times.get((only, name))
            row.append(NOTHING if time is None else Cell(value_text(time, result.judged.about)))
        failure = _failure(result, name)
        for baseline in study.baselines:
            verdict = comparisons.of(name, baseline)
            if name == baseline:
                row.append(Cell("baseline", contradictions.get(name, "")))
            elif name in contradictions or baseline in contradictions:
                row.append(Cell("not compared", contradictions.get(name, "")))
            elif verdict is not None:
                row.append(verdict_cell(verdict))
            else:
                row.append(Cell(failure) if failure else NOTHING)
        rows.append(tuple(row))
    return Table(_caption(result), tuple(columns), tuple(rows))


def _names(result: Result) -> list[str]:
    names = [v.name for v in result.question.measured]
    judged = [v.variant for v in result.judged.verdicts] + [
        s.verdict.variant for s in result.judged.suites
    ]
    return list(dict.fromkeys([*names, *judged]))


def _failure(result: Result, name: str) -> str | None:
    for build in result.recorded.builds:
        if isinstance(build, BuildFailure) and build.variant == name:
            return "not buildable" if build.kind == "not-buildable" else "build failed"
    if any(f.variant == name for f in result.recorded.failed):
        return "run failed"
    return None


def _caption(result: Result) -> str:
    benchmarks = result.question.benchmarks
    if len(benchmarks) == 1:
        return f"Time on {printable(benchmarks[0].name)}"
    return f"Time, geometric mean of {count(len(benchmarks), 'benchmark')}"
