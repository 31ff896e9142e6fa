"""The main table: variants as rows, one column a baseline."""

from __future__ import annotations

from whyfast.model.build import BuildFailure
from whyfast.model.evidence import Evidence
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict
from whyfast.report.comparisons import Comparisons
from whyfast.report.names import count, printable
from whyfast.report.numbers import format_seconds, plain_ratio_text, ratio_text
from whyfast.report.table import Cell, Column, Table
from whyfast.report.times import median_times

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


def dispatch_cell(evidence: Evidence | None) -> Cell:
    """ "168 replicated": the indirect jumps of a build's dispatch and its form."""
    if evidence is None or evidence.dispatch is None:
        return NOTHING
    facts = evidence.dispatch
    if facts.form in ("none", "unknown"):
        return Cell("no dispatch" if facts.form == "none" else "unknown")
    return Cell(str(facts.indirect_jumps), facts.form)


def summary_table(result: Result) -> Table:
    """Every variant against every baseline; with evidence its dispatch, with a single benchmark
    its time as well."""
    study = result.study
    comparisons = Comparisons(result.verdicts, result.suites)
    evidence = {e.variant: e for e in result.evidence}
    has_dispatch = any(e.dispatch is not None for e in result.evidence)
    only = study.benchmarks[0].name if len(study.benchmarks) == 1 else None
    times = median_times(result.blocks) if only is not None else {}
    columns = [Column("variant")]
    if times:
        columns.append(Column("time", "right"))
    if has_dispatch:
        columns.append(Column("indirect jumps"))
    columns += [Column(f"against {printable(b)}") for b in study.baselines]
    rows = []
    for name in _names(result):
        row = [Cell(printable(name))]
        if times and only is not None:
            time = times.get((only, name))
            row.append(NOTHING if time is None else Cell(format_seconds(time)))
        if has_dispatch:
            row.append(dispatch_cell(evidence.get(name)))
        failure = _failure(result, name)
        for baseline in study.baselines:
            verdict = comparisons.of(name, baseline)
            if name == baseline:
                row.append(Cell("baseline"))
            elif verdict is not None:
                row.append(verdict_cell(verdict))
            else:
                row.append(Cell(failure) if failure else NOTHING)
        rows.append(tuple(row))
    return Table(_caption(result), tuple(columns), tuple(rows))


def _names(result: Result) -> list[str]:
    names = [v.name for v in result.study.variants]
    judged = [v.variant for v in result.verdicts] + [s.verdict.variant for s in result.suites]
    return list(dict.fromkeys([*names, *judged]))


def _failure(result: Result, name: str) -> str | None:
    for build in result.builds:
        if isinstance(build, BuildFailure) and build.variant == name:
            return "not buildable" if build.kind == "not-buildable" else "build failed"
    if any(f.variant == name for f in result.failures):
        return "run failed"
    return None


def _caption(result: Result) -> str:
    benchmarks = result.study.benchmarks
    if len(benchmarks) == 1:
        return f"Time on {printable(benchmarks[0].name)}"
    return f"Time, geometric mean of {count(len(benchmarks), 'benchmark')}"
