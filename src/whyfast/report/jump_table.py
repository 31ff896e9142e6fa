"""How each program dispatches: the table of indirect jumps, and the facts behind it."""

from __future__ import annotations

from whyfast.model.evidence import DispatchFacts
from whyfast.model.result import Result
from whyfast.model.trouble import Trouble
from whyfast.model.verdict import Verdict
from whyfast.report.comparisons import Comparisons
from whyfast.report.expectations import without_lost
from whyfast.report.names import count, printable
from whyfast.report.numbers import ratio_text
from whyfast.report.summary_table import NOTHING
from whyfast.report.table import Cell, Column, Table


def jump_table(result: Result) -> Table | None:
    """The indirect jumps of every program that was looked at, measured or not, beside its time;
    None when none was looked at for its dispatch."""
    found = {e.variant: e.dispatch for e in result.found.evidence if e.dispatch is not None}
    if not found:
        return None
    order = [v.name for v in result.question.variants]
    names = [n for n in order if n in found] + [n for n in found if n not in order]
    compilers = _compilers(result)
    baselines = without_lost(result.question, result.found.unmet).baselines
    main = baselines[0] if baselines else None
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    timed = main is not None and bool(comparisons)
    columns = [Column("variant"), Column("indirect jumps", "right"), Column("dispatch")]
    if compilers:
        columns.append(Column("compiler"))
    troubled = {t.variant: t for t in result.found.troubles}
    if troubled:
        columns.append(Column("trouble"))
    if timed and main is not None:
        columns.append(Column(f"time against {printable(main)}"))
    rows = []
    for name in names:
        row = [Cell(printable(name)), jumps_cell(found[name]), kind_cell(found[name])]
        if compilers:
            row.append(Cell(printable(compilers[name])) if name in compilers else NOTHING)
        if troubled:
            row.append(_trouble(troubled.get(name)))
        if timed and main is not None:
            verdict = comparisons.of(name, main)
            row.append(Cell("baseline") if name == main else _time(verdict))
        rows.append(tuple(row))
    return Table("Indirect jumps of the dispatch", tuple(columns), tuple(rows))


def jumps_cell(facts: DispatchFacts) -> Cell:
    """The number of indirect jumps, where the dispatch could be read."""
    return NOTHING if facts.form in ("none", "unknown") else Cell(str(facts.indirect_jumps))


def kind_cell(facts: DispatchFacts) -> Cell:
    """Replicated, merged, or tail calls over so many functions."""
    if facts.form == "none":
        return Cell("no dispatch")
    if facts.form == "unknown":
        return Cell("unknown")
    if facts.style != "tail-call":
        return Cell(facts.form)
    merged = "" if facts.form == "replicated" else f", {facts.form}"
    return Cell("tail calls", f"over {count(facts.functions, 'function')}{merged}")


def dispatch_table(result: Result) -> Table | None:
    """What stands behind the table of indirect jumps; None when there is none."""
    rows = tuple(
        (
            Cell(printable(found.variant)),
            Cell("unknown" if facts.targets is None else str(facts.targets)),
            Cell(str(facts.functions)),
            Cell(f"{facts.instructions:,}".replace(",", " ")),
            Cell(f"{facts.size:,} B".replace(",", " ")),
            Cell(printable(facts.reason)),
        )
        for found in result.found.evidence
        if (facts := found.dispatch) is not None
    )
    numbers = ("targets", "functions", "instructions", "size")
    columns = (
        Column("variant"),
        *(Column(t, "right") for t in numbers),
        Column("how one sees it"),
    )
    return Table("The functions that dispatch", columns, rows) if rows else None


def _trouble(trouble: Trouble | None) -> Cell:
    """The symptom, and whether it is known of this version of the compiler."""
    if trouble is None:
        return Cell("none seen")
    return Cell(printable(trouble.symptom), "known" if trouble.listed else "not known of it")


def _time(verdict: Verdict | None) -> Cell:
    """The verdict without its interval, which stands in the first table."""
    if verdict is None:
        return Cell("not measured")
    if verdict.word in ("same", "undecided"):
        return Cell(verdict.word, "", verdict.word)
    text = ratio_text(verdict.ratio, verdict.low, verdict.high)
    return Cell(text.factor, "", verdict.word)


def _compilers(result: Result) -> dict[str, str]:
    """What each variant was compiled with, as the toolchain calls itself."""
    versions = {t.name: t.version for t in result.recorded.toolchains if t.version}
    return {
        v.name: versions[v.toolchain] for v in result.question.variants if v.toolchain in versions
    }
