"""How each program dispatches: indirect jumps, what handlers save, traces of compiler options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whyfast.model.evidence import DispatchFacts, EntryFacts, OptionTrace
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict
from whyfast.report.document import Cell, ReportSection, Table, right, section, table
from whyfast.report.names import count
from whyfast.report.numbers import ratio_text
from whyfast.report.topics.programs import without_lost
from whyfast.report.topics.summary import Comparisons

if TYPE_CHECKING:
    from whyfast.model.trouble import Trouble


def dispatch_section(result: Result) -> ReportSection | None:
    """The indirect jumps of every program beside its time."""
    return section("dispatch", "How they dispatch", jump_table(result))


def jump_table(result: Result) -> Table | None:
    """The indirect jumps of every program that was looked at, measured or not, beside its time;
    None when none was looked at for its dispatch."""
    found = {e.variant: e.dispatch for e in result.found.evidence if e.dispatch is not None}
    order = [v.name for v in result.question.variants]
    names = [n for n in order if n in found] + [n for n in found if n not in order]
    compilers = _compilers(result)
    baselines = without_lost(result.question, result.found.unmet).baselines
    comparisons = Comparisons(result.judged.verdicts, result.judged.suites)
    main = baselines[0] if baselines and comparisons else None
    troubled = {t.variant: t for t in result.found.troubles}
    rows = [
        (
            *(name, jumps_cell(found[name]), kind_cell(found[name])),
            *((compilers.get(name),) if compilers else ()),
            *((_trouble(troubled.get(name)),) if troubled else ()),
            *((_time(name, main, comparisons),) if main is not None else ()),
        )
        for name in names
    ]
    columns = (
        *("variant", *right("indirect jumps"), "dispatch"),
        *(("compiler",) if compilers else ()),
        *(("trouble",) if troubled else ()),
        *((f"time against {main}",) if main is not None else ()),
    )
    return table("Indirect jumps of the dispatch", columns, rows)


def jumps_cell(facts: DispatchFacts) -> Cell | None:
    """The number of indirect jumps, where the dispatch could be read."""
    if facts.form in ("none", "unknown"):
        return None
    return Cell(str(facts.indirect_jumps), number=facts.indirect_jumps)


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


def _trouble(trouble: Trouble | None) -> Cell:
    """The symptom, and whether it is known of this version of the compiler."""
    if trouble is None:
        return Cell("none seen")
    return Cell(trouble.symptom, "known" if trouble.listed else "not known of it")


def _time(name: str, main: str, comparisons: Comparisons) -> Cell:
    """The verdict without its interval, which stands in the first table."""
    verdict: Verdict | None = comparisons.of(name, main)
    if name == main:
        return Cell("baseline")
    if verdict is None:
        return Cell("not measured")
    word, text = verdict.word, ratio_text(verdict.ratio, verdict.low, verdict.high)
    said = word if word in ("same", "undecided") else text.factor
    return Cell(said, "", word, verdict.ratio)


def _compilers(result: Result) -> dict[str, str]:
    """What each variant was compiled with, as the toolchain calls itself."""
    versions = {t.name: t.version for t in result.recorded.toolchains if t.version}
    return {
        v.name: versions[v.toolchain] for v in result.question.variants if v.toolchain in versions
    }


def dispatch_table(result: Result) -> Table | None:
    """What stands behind the table of indirect jumps; None when there is none."""
    rows = [
        (
            *(found.variant, "unknown" if facts.targets is None else facts.targets),
            *(facts.functions, _spaced(facts.instructions), _spaced(facts.size, " B")),
            facts.reason,
        )
        for found in result.found.evidence
        if (facts := found.dispatch) is not None
    ]
    numbers = right("targets", "functions", "instructions", "size")
    return table("The functions that dispatch", ("variant", *numbers, "how one sees it"), rows)


def _spaced(number: int, unit: str = "") -> Cell:
    return Cell(f"{number:,}{unit}".replace(",", " "), number=number)


def entry_table(result: Result) -> Table | None:
    """A row a build of which the handlers are known; None when there is none."""
    rows = [
        (found.variant, _style(found.dispatch), *_saved(facts))
        for found in result.found.evidence
        if (facts := found.entry) is not None
    ]
    numbers = right("handlers", "that save any", "pushes", "spills", "of the median handler")
    caption = "What handlers save on the stack before their first branch or call"
    return table(caption, ("variant", "handlers are", *numbers), rows)


def _saved(facts: EntryFacts) -> tuple[int | str, ...]:
    """Handlers, those that save any, pushes and spills over all, and those of the median one."""
    medians = f"{facts.pushes_median:g} + {facts.spills_median:g}"
    return facts.handlers, facts.saving, facts.pushes, facts.spills, medians


def _style(dispatch: DispatchFacts | None) -> str:
    tail = dispatch is not None and dispatch.style == "tail-call"
    return "functions" if tail else "parts of a loop"


def option_table(result: Result) -> Table | None:
    """Options as rows, builds as columns; None when no build shows a trace of any."""
    looked = {e.variant: e.options for e in result.found.evidence if e.options is not None}
    names = list(dict.fromkeys(t.option for traces in looked.values() for t in traces))
    rows = [
        (
            option,
            *(_trace(next((t for t in ts if t.option == option), None)) for ts in looked.values()),
        )
        for option in names
    ]
    caption = (
        "Compiler options with a trace in the dispatching functions, or in the compiler's record"
    )
    return table(caption, ("option", *looked), rows)


def _trace(trace: OptionTrace | None) -> Cell | None:
    if trace is None:
        return None
    seen = f"{trace.handlers} of {trace.of}" if trace.handlers else "not in the code"
    return Cell(seen, trace.recorded)
