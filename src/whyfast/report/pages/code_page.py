"""Pages of ``whyfast explain``: machine code of one program, or of several side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from whyfast.explain.functions import (
    Calls,
    FunctionDifference,
    compare_functions,
    unmatched_functions,
)
from whyfast.explain.objects import UNNAMED
from whyfast.explain.program import CodeTotals, Survey
from whyfast.model.counters import Heat
from whyfast.model.evidence import DispatchFacts, Evidence, FunctionFacts, Trouble, unmatched
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.machine_code import trouble_sentences
from whyfast.report.sections.summary import giving_way

_SHOWN = 6
#: How many functions a headline names.
_NAMED = 3
#: Columns that give way on a first screen, the one with the largest number first.
_DROPS = {"calls": 2, "bytes": 1, "targets": 1, "indirect calls": 3, "tail jumps": 4}
#: How many functions that differ are shown; the JSON has all.
_MOST = 300
#: Of a shared dispatch: whether the source asked for that, by whether it has computed gotos.
_ASKED_FOR = {
    True: ", where the source has computed gotos",
    False: ", as the source has it: a `switch`",
    None: "; whether the source has a `switch` or computed gotos is unknown",
}


@dataclass(frozen=True)
class ProgramDispatch:
    """A program's functions, and the dispatch of its interpreter, if it is one."""

    program: Evidence
    dispatch: DispatchFacts | None = None


@dataclass(frozen=True)
class Comparison:
    """Two programs function by function; ``only_in_a`` and ``only_in_b`` are names."""

    a: str
    b: str
    functions: tuple[FunctionDifference, ...]
    only_in_a: tuple[str, ...]
    only_in_b: tuple[str, ...]

    @property
    def only(self) -> list[tuple[str, tuple[str, ...]]]:
        """The programs that have functions alone, with their names."""
        sides = ((self.a, self.only_in_a), (self.b, self.only_in_b))
        return [(program, names) for program, names in sides if names]


def compare_programs(a: Evidence, b: Evidence, heat: Heat | None = None) -> Comparison:
    """What differs, the largest difference first; with ``heat`` the hottest first."""
    only_in_a, only_in_b = unmatched_functions(a, b)
    functions = tuple(compare_functions(a, b))
    if heat is not None:
        functions = tuple(sorted(functions, key=lambda d: (not d.differs, -heat.of(d.name))))
    return Comparison(a.variant, b.variant, functions, tuple(only_in_a), tuple(only_in_b))


def code_page(
    *sections: doc.ReportSection | None, headline: str = "", summary: doc.Summary | None = None
) -> doc.Document:
    """The page of those sections."""
    return doc.document(
        "explain", *sections, headline=headline, heading="Machine code", summary=summary
    )


def programs_summary(
    looked: Sequence[ProgramDispatch],
    candidates: doc.Table | None,
    troubles: Sequence[Trouble],
    warnings: Sequence[str],
    heat: Heat | None = None,
    commands: Sequence[str] = (),
) -> doc.Summary:
    """Programs on one screen: the functions that differ, the hottest first with ``heat``; of one
    program, or where none differs, ``candidates``, a table of the first one's functions. What to
    do next are ``commands``."""
    first, *others = programs = [p.program for p in looked]
    comparisons = [compare_programs(first, other, heat) for other in others]
    shown = difference_table(comparisons, heat)
    if shown is not None:
        shown = replace(shown, caption=f"Functions that differ, {shown.caption}")
    shown = shown or candidates
    if shown is not None:
        callees = {c.title: 9 for c in shown.columns if c.title.startswith("called only in")}
        shown = giving_way(shown, _DROPS | callees)
    nowhere = unmatched(programs)
    care = [*_architectures(programs), *(n for p in programs for n in _notes(p, nowhere))]
    alone = [
        ", ".join(f"{len(names):,} only in {fmt.quote(name)}" for name, names in c.only)
        for c in comparisons
    ]
    further = (f"Further functions: {text}." for text in alone if text)
    return doc.Summary(
        findings=(*warnings, *trouble_sentences(troubles, ()), *further),
        table=shown,
        care=tuple(map(fmt.sentence, care)),
        row="function",
        commands=tuple(commands),
    )


def surveyed(survey: Survey) -> ProgramDispatch:
    """A program and its likeliest dispatch."""
    if survey.handlers:
        return ProgramDispatch(survey.evidence, survey.handlers[1])
    best = survey.loop
    return ProgramDispatch(survey.evidence, best.dispatch if best else None)


def comparison_sections(
    comparisons: Sequence[Comparison], heat: Heat | None = None
) -> Iterator[doc.ReportSection | None]:
    """The functions that differ, of each program against the first."""
    for i, comparison in enumerate(comparisons):
        yield doc.section(
            f"comparison-{i}",
            f"{comparison.a} → {comparison.b}",
            difference_table([comparison], heat),
            doc.sentences(_counts(comparison)),
        )


def survey_sections(
    surveys: Sequence[Survey], troubles: Sequence[Trouble]
) -> Iterator[doc.ReportSection | None]:
    """What each program contains, and its likeliest dispatching functions."""
    for i, survey in enumerate(surveys):
        evidence = survey.evidence
        yield doc.section(
            f"program-{i}",
            _caption(evidence),
            survey_table(survey),
            doc.sentences(_notes(evidence)),
        )
    yield doc.section(
        "traces", "What the code shows", doc.sentences(trouble_sentences(troubles, ()))
    )


def survey_headline(survey: Survey) -> str:
    """Of a single program: how it dispatches most likely, and how large it is."""
    totals, name = survey.totals, fmt.quote(survey.evidence.variant)
    size = f"{totals.functions:,} functions, {totals.jumping:,} of which jump indirectly"
    if survey.handlers:
        pattern, group = survey.handlers
        form = f"{group.form}, by tail calls of {group.functions:,} functions ({pattern})"
    elif (best := survey.loop) is not None:
        where, facts = best.facts.name, best.dispatch
        if UNNAMED.fullmatch(where):
            targets = f", {facts.targets} opcodes by one table" if facts.targets else ""
            where = f"the interpreter's loop ({where}{targets})"
        form = f"{facts.form} in {where}"
        if facts.style == "loop" and facts.form in ("merged", "partly merged"):
            form += _ASKED_FOR[facts.computed_goto]
    else:
        return f"{name} has no function that dispatches as an interpreter does; {size}."
    return f"The dispatch of {name} is {form}; {size}."


def survey_table(survey: Survey, *, brief: bool = False) -> doc.Table | None:
    """The likeliest dispatching functions of one program, and its totals; ``brief``: without these,
    and few that are no loop where one is."""
    totals = survey.totals
    rows: list[doc.Row] = []
    if survey.handlers:
        name, group = survey.handlers
        how = f"{group.form}, tail calls of {group.functions:,} functions"
        rows.append((name, how, doc.number_cell(group.targets), *_numbers(group)))
    for c in survey.candidates[: 3 if brief and survey.loop else None]:
        form = f"{c.dispatch.form}{' (switch)' if c.dispatch.computed_goto is False else ''}"
        if c.shape is not None and not c.interprets:
            form = f"{'not certain' if c.shape.doubt else 'none'}: {c.shape.against}"
        rows.append((c.facts.name, form, doc.number_cell(c.dispatch.targets), *_numbers(c.facts)))
    if not brief:
        every = f"all {totals.functions:,} functions"
        rows.append((every, f"{totals.jumping:,} jump indirectly", "", *_numbers(totals)))
    numbers = doc.right("targets", "indirect jumps", "instructions", "bytes")
    return doc.table(_caption(survey.evidence), ("function", "dispatch", *numbers), rows)


def _caption(program: Evidence) -> str:
    return f"{program.variant} ({program.architecture})"


def _numbers(facts: FunctionFacts | DispatchFacts | CodeTotals) -> Iterator[doc.Cell | None]:
    return map(doc.number_cell, (facts.indirect_jumps, facts.instructions, facts.size))


def function_sections(
    programs: Sequence[Evidence],
    comparisons: Sequence[Comparison],
    troubles: Sequence[Trouble],
    heat: Heat | None = None,
) -> Iterator[doc.ReportSection | None]:
    """How programs dispatch, their functions, what differs, and traces of options and troubles.
    Patterns that match in none of the programs are not named again for each."""
    nowhere = unmatched(programs)
    yield doc.section("dispatch", "Dispatch", _dispatch_table(programs))
    for i, program in enumerate(programs):
        yield doc.section(
            f"program-{i}",
            _caption(program),
            function_table(program),
            doc.sentences(_notes(program, nowhere)),
        )
    yield doc.section("architectures", "Architectures", doc.sentences(_architectures(programs)))
    yield from comparison_sections(comparisons, heat)
    texts = [*_traces(programs), *trouble_sentences(troubles, ())]
    yield doc.section("traces", "What the code shows", doc.sentences(texts))


def _dispatch_table(programs: Sequence[Evidence]) -> doc.Table | None:
    rows = [
        (
            *(evidence.variant, facts.style, facts.form),
            *(doc.number_cell(facts.indirect_jumps), doc.number_cell(facts.targets), facts.reason),
        )
        for evidence in programs
        if (facts := evidence.dispatch) and facts.style != "none"
    ]
    columns = ("program", "style", "form", *doc.right("indirect jumps", "targets"), "because")
    return doc.table("Dispatch", columns, rows)


def function_table(evidence: Evidence) -> doc.Table | None:
    """The functions that were looked at in one program."""
    numbers = ("bytes", "instructions", "indirect jumps", "calls", "indirect calls", "tail jumps")
    rows: list[doc.Row] = [
        (
            f.name,
            *map(doc.number_cell, (f.size, f.instructions, f.indirect_jumps)),
            *map(doc.number_cell, (f.direct_calls, f.indirect_calls, f.tail_jumps)),
        )
        for f in evidence.functions
    ]
    return doc.table(_caption(evidence), ("function", *doc.right(*numbers)), rows)


def difference_table(comparisons: Sequence[Comparison], heat: Heat | None) -> doc.Table | None:
    """The functions that differ, of several comparisons with the program that they differ in, of
    one with what they call in one program only."""
    several = len(comparisons) > 1
    differing = [(c, d) for c in comparisons for d in c.functions if d.differs]
    if heat is not None and several:
        differing.sort(key=lambda pair: -heat.of(pair[1].name))
    if not differing:
        return None
    rows = [
        (
            *(d.name, _share(heat.of(d.name)) if heat else None, c.b),
            *(_change(d.a.size, d.b.size), _change(d.a.instructions, d.b.instructions)),
            _change(d.a.indirect_jumps, d.b.indirect_jumps),
            _change(d.a.direct_calls, d.b.direct_calls),
            *(_callees(d.calls_only_in_a), _callees(d.calls_only_in_b)),
        )
        for c, d in differing[:_MOST]
    ]
    a, others = comparisons[0].a, fmt.join([c.b for c in comparisons])
    only = (None, None) if several else (f"called only in {a}", f"called only in {others}")
    names = ("function", *(doc.right("of the run") if heat else (None,)), "in" if several else None)
    numbers = doc.right("bytes", "instructions", "indirect jumps", "calls")
    more = f": the first {_MOST} of {len(differing):,}" if len(differing) > _MOST else ""
    return doc.table(f"{a} → {others}{more}", (*names, *numbers, *only), rows)


def _share(share: float) -> doc.Cell:
    return doc.Cell(f"{100 * share:.1f} %" if share else "", number=share)


def _counts(comparison: Comparison) -> Iterator[str]:
    differing = sum(d.differs for d in comparison.functions)
    same = len(comparison.functions) - differing
    if comparison.functions:
        yield f"Counts differ in {differing} of the functions in both, in {same} they are the same."
    yield from (f"Only in {name}: {len(only)} ({_some(only)})" for name, only in comparison.only)


def _change(a: int, b: int) -> doc.Cell:
    return doc.Cell(f"{a:,}" if a == b else f"{a:,} → {b:,}", number=b - a)


def _callees(calls: Calls) -> str:
    return _some([f"{n} × {name}" if n > 1 else name for name, n in calls])


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if names[_SHOWN:] else "")


def _notes(evidence: Evidence, nowhere: Sequence[str] = ()) -> Iterator[str]:
    for pattern in evidence.missing:
        if pattern not in nowhere:
            yield f"no function of {evidence.variant} matches {pattern}"
    for note in evidence.notes:
        yield f"{evidence.variant}: {note}"


def _architectures(programs: Iterable[Evidence]) -> Iterator[str]:
    """A warning when the programs are for different processors."""
    architectures = list(dict.fromkeys(p.architecture for p in programs))
    if len(architectures) > 1:
        yield (
            f"The programs are for {' and '.join(architectures)}: their dispatch can be compared, "
            "their bytes and numbers of instructions cannot."
        )


def _traces(programs: Iterable[Evidence]) -> Iterator[str]:
    for program in programs:
        name, entry = program.variant, program.entry
        if entry is not None and entry.saving:
            yield (
                f"{name}: before their first branch or call, {entry.saving} of {entry.handlers} "
                f"handlers save registers: {entry.pushes} pushes and {entry.spills} spills in all"
            )
        for trace in program.options or ():
            seen = f"in the code of {trace.handlers} of {trace.of} dispatching functions"
            sources = [seen] if trace.handlers else []
            sources += [f"recorded as {trace.recorded}"] if trace.recorded else []
            yield f"{name}: {trace.option}, {' and '.join(sources)}"


# The first program against each other one, in a sentence.


def programs_headline(
    looked: Sequence[ProgramDispatch],
    heat: Heat | None = None,
    changed: Sequence[int] | None = None,
) -> str:
    """The first program against each other one; with ``heat``, how many of the functions that
    differ are hot. ``changed``: of each other one in how many functions instructions differ; None
    where they were not compared."""
    first, *others = looked
    numbers: Sequence[int | None] = [None] * len(others) if changed is None else changed
    return " ".join(
        f"{_dispatch(first, other)}{_functions(first, other, heat, number)}."
        for other, number in zip(others, numbers, strict=True)
    )


def _dispatch(a: ProgramDispatch, b: ProgramDispatch) -> str:
    """How the dispatch of the two compares; empty unless both dispatch."""
    facts, other = a.dispatch, b.dispatch
    if facts is None or other is None or {"unknown", "none"} & {facts.form, other.form}:
        return ""
    first, second = fmt.quote(a.program.variant), fmt.quote(b.program.variant)
    numbers = facts.indirect_jumps, other.indirect_jumps
    form, jumps = _form(facts), [f"{n:,} indirect jump{'s' * (n != 1)}" for n in numbers]
    if (facts.style, facts.form) != (other.style, other.form):
        return (
            f"The dispatch is {_form(other)} in {second}: {jumps[1]}, where {first}, {form}, has "
            f"{facts.indirect_jumps:,}; "
        )
    if jumps[0] == jumps[1]:
        return f"{first} and {second} dispatch alike ({form}, {jumps[0]}); "
    return f"Both dispatch alike ({form}), by {jumps[0]} in {first} and {jumps[1]} in {second}; "


def _form(facts: DispatchFacts) -> str:
    return f"{facts.form} tail calls" if facts.style == "tail-call" else facts.form


def _functions(
    a: ProgramDispatch, b: ProgramDispatch, heat: Heat | None, changed: int | None
) -> str:
    compared = compare_functions(a.program, b.program)
    differing = [d.name for d in compared if d.differs]
    if not compared:
        return f"{fmt.quoted([a.program.variant, b.program.variant])} have no function in common"
    both = f"{len(compared):,} functions" if len(compared) > 1 else "1 function"
    if not differing:
        text = f"no count differs between the {both} in both"
        if changed is None:
            return f"{text}; --diff compares their instructions"
        if changed == 0:
            return f"{text}, nor any instruction but for addresses and registers"
        return f"{text}, but the instructions of {changed:,} do"
    hot = _hot(differing, heat)
    if len(differing) <= _NAMED:
        return f"{fmt.has(differing, 'differs', 'differ')}, of {both} in both{hot}"
    return f"{len(differing):,} of {both} in both differ{hot}"


def _hot(differing: Sequence[str], heat: Heat | None) -> str:
    if heat is None:
        return ""
    number = sum(map(heat.is_hot, differing))
    some = f"{number:,} of them hot" if number else "none of them hot"
    if len(differing) == 1:
        some = "and is hot" if number else "and is not hot"
    return f", {some} according to {fmt.quote(heat.source)}"
