"""Findings in the machine code beside dispatch: troubles, calls, code generated at run time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from whyfast.model.evidence import DISPATCH, CalleeCounts, Evidence
from whyfast.model.result import Result
from whyfast.model.sample import JitImage, JumpForm
from whyfast.model.study import Question, Study
from whyfast.model.variant import differ_in
from whyfast.model.verdict import Line
from whyfast.report.document import (
    Block,
    Cell,
    CodeBlock,
    ReportSection,
    Table,
    group,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.formatting import has, join_words, pluralize, quote, sentence
from whyfast.report.sections.cost_by_parameter import format_estimate
from whyfast.report.sections.counted_work import counted_notes
from whyfast.report.sections.dispatching import dispatch_table, entry_table, option_table

if TYPE_CHECKING:
    from whyfast.model.evidence import Trouble

#: How programs follow one another, as a plural.
_FORMS: dict[JumpForm, str] = {
    "direct": "direct jumps",
    "indirect": "indirect jumps",
    "thunk": "jumps through a thunk (retpoline)",
    "interpreted": "no code: the programs are interpreted",
    "unknown": "code of unknown form",
}
#: Fewer calls than this are worth a row of the table, and no sentence.
_MANY = 10
_NAMED = 3


def machine_code_sections(result: Result) -> tuple[ReportSection | None, ReportSection | None]:
    """Tables and notes on the evidence; and every function and listing."""
    question = result.question
    asked_for_functions = isinstance(question, Study) and question.evidence.functions
    return (
        section(
            "evidence",
            "The machine code",
            *evidence_tables(result),
            sentences(evidence_notes(result)),
            importance="detail",
        ),
        section(
            "functions",
            "Functions and listings",
            function_table(result),
            *_listings(result),
            importance="detail" if asked_for_functions else "record",
        ),
    )


def evidence_tables(result: Result) -> tuple[Table, ...]:
    """What stands behind the table of indirect jumps."""
    found = (image_table, dispatch_table, entry_table, option_table, calls_table)
    return tuple(made for one in found if (made := one(result)) is not None)


def evidence_headline(
    study: Question, facts: Mapping[str, Evidence], troubles: Sequence[Trouble]
) -> str | None:
    """What a run that measured nothing has found; None when it was to measure, or read nothing."""
    read = _read(study, facts)
    if study.measured or not read:
        return None
    programs = pluralize(len(read), "program")
    names = list(dict.fromkeys(quote(t.variant) for t in troubles))
    found = f"none of {programs} shows the symptom of a compiler's trouble"
    if names:
        verb = "shows" if len(names) == 1 else "show"
        found = f"{join_words(names)}, of {programs}, {verb} the symptom of a compiler's trouble"
    return f"Nothing was measured; in the machine code, {found}."


def evidence_sentences(
    study: Question,
    facts: Mapping[str, Evidence],
    troubles: Sequence[Trouble],
    calls: Sequence[CalleeCounts],
) -> list[str]:
    """Troubles of compilers, and calls that some builds have inlined."""
    return [*trouble_sentences(troubles, _read(study, facts)), *calls_sentences(calls)]


def _read(study: Question, facts: Mapping[str, Evidence]) -> list[str]:
    """The variants whose machine code was read, twins aside."""
    return [v.name for v in study.variants if v.name in facts and not v.twin_of]


def trouble_sentences(troubles: Sequence[Trouble], looked_at: Iterable[str]) -> tuple[str, ...]:
    """What each build with a symptom shows, what is known of it and how it can be worked around;
    ``looked_at`` are all variants whose machine code was read."""
    if not troubles:
        return ()
    texts = [sentence(" ".join((_finding(one), _way_out(one))).strip()) for one in troubles]
    without = [name for name in looked_at if name not in {t.variant for t in troubles}]
    if len(without) > 1 and len(troubles) + len(without) > 3:
        number = pluralize(len(without), "other variant")
        texts.append(f"The machine code of the {number} shows no such symptom.")
    return tuple(texts)


def trouble_code(troubles: Iterable[Trouble]) -> CodeBlock | None:
    """What can be added to the study to try the workarounds; a blank line between variants."""
    lines: list[str] = []
    for one in troubles:
        if one.toml:
            lines += ["", *one.toml] if lines else one.toml
    return CodeBlock(tuple(lines), "toml") if lines else None


def _finding(one: Trouble) -> str:
    name = quote(one.variant)
    if not one.name:
        return (
            f"{name} ({one.compiler}) shows {one.symptom}: {one.shows}. No known trouble of this "
            "compiler has that symptom."
        )
    where = f" ({one.sources[0]})" if one.sources else ""
    of = (
        f"a known trouble of {one.compiler}"
        if one.listed
        else f"a trouble known in other versions than its {one.compiler}"
    )
    return f"{name} has the symptom of {of}: {one.title}{where}. Its code shows {one.shows}."


def _with_degree(one: Trouble, name: str) -> str:
    """A variant with the workaround, and how far that reaches in it."""
    text = one.degrees.get(name)
    return f"{quote(name)} ({text})" if text else quote(name)


def _way_out(one: Trouble) -> str:
    flags = f"`{' '.join(one.flags)}`"
    if one.cured:
        names = [_with_degree(one, name) for name in one.cured]
        verb = "does" if len(names) == 1 else "do"
        return f"{join_words(names)}, the same with {flags}, {verb} not show it."
    if one.untried:
        names = list(one.untried)
        return f"The study has the same with {flags}: run it with `--only {' '.join(names)}`."
    if one.toml:
        return f"{flags} may work around it: add the variant below to the study and run it again."
    if one.remedy:
        return f"Remedy: {one.remedy}."
    if one.uncured:
        return (
            f"{flags} should work around it, but "
            f"{has([_with_degree(one, name) for name in one.uncured], 'has', 'have')} it."
        )
    return f"{flags} works around it." if one.flags else ""


def calls_sentences(calls: Sequence[CalleeCounts]) -> tuple[str, ...]:
    """The small functions of the same source file that only some builds call often from where they
    dispatch; nothing when there are none."""
    texts = []
    telling = [
        c for c in calls if c.where == DISPATCH and c.local and max(c.counts.values()) >= _MANY
    ]
    for one in telling[:_NAMED]:
        making = [f"{quote(v)} ({n})" for v, n in one.counts.items() if n]
        without = [quote(v) for v, n in one.counts.items() if not n]
        do = "does" if len(without) == 1 else "do"
        texts.append(
            f"{has(making, 'calls', 'call')} {quote(one.callee)} from the dispatching code, where "
            f"{has(without, 'has', 'have')} inlined it or {do} not call it."
        )
    return tuple(texts)


def calls_table(result: Result) -> Table | None:
    """Who calls what how often; None when all builds call the same functions."""
    names = list(dict.fromkeys(v for c in result.found.calls for v in c.counts))
    rows = [
        (
            "dispatching code" if one.where == DISPATCH else one.where,
            Cell(one.callee, "static" if one.local else ""),
            *(one.counts.get(name) for name in names),
        )
        for one in result.found.calls
    ]
    caption = "Calls that some builds make and others have inlined or removed"
    return table(caption, ("called from", "function", *right(*names)), rows, fixed=2)


def image_sentences(
    study: Question, images: Sequence[JitImage], slopes: Sequence[Line]
) -> list[str]:
    """What each variant's programs were compiled to at run time, and what a setting alone does to
    that."""
    forms = {image.variant: image.form for image in images}
    if not forms:
        return []
    parts = [
        f"{_FORMS[form]} for {join_words([quote(v) for v, own in forms.items() if own == form])}"
        for form in dict.fromkeys(forms.values())
    ]
    return [
        f"In the machine code generated at run time, each program continues to the next by "
        f"{join_words(parts)}.",
        *_switches(study, forms, slopes),
    ]


def _switches(
    study: Question, forms: Mapping[str, JumpForm], slopes: Sequence[Line]
) -> Iterator[str]:
    """Variants that a setting of the kernel alone sets apart from the main baseline."""
    costs = {line.variant: line for line in slopes}
    base = next((v for v in study.variants if v.name == study.baselines[0]), None)
    for v in study.variants:
        if base is None or differ_in(v, base) != {"sysctl"}:
            continue
        if v.name not in forms or base.name not in forms:
            continue
        setting = join_words([f"{k} = {x}" for k, x in v.sysctl.items() if base.sysctl.get(k) != x])
        text = f"{quote(v.name)} is {quote(base.name)} with only {setting} changed"
        if forms[v.name] == forms[base.name]:
            yield f"{text}, which leaves the jumps as they are."
            continue
        text += f": that alone turns {_FORMS[forms[base.name]]} into {_FORMS[forms[v.name]]}"
        if v.name in costs and base.name in costs:
            one, other = costs[base.name], costs[v.name]
            text += (
                f", and one more {one.name} from {format_estimate(one.slope)} "
                f"to {format_estimate(other.slope)}"
            )
        yield f"{text}."


def image_table(result: Result) -> Table | None:
    """How the programs of each variant follow one another; None when none was read."""
    rows = []
    for image in result.found.observed.images:
        first = image.programs[0] if image.programs else None
        rows.append(
            (
                *(image.variant, _FORMS[image.form]),
                Cell(f"{first.size} B", number=first.size) if first else None,
                first.instructions if first else None,
                ("; ".join(first.exits) or None) if first else None,
                image.reason,
            )
        )
    found = dict.fromkeys(s.environment.get("spectre_v2") for s in result.recorded.sessions)
    mitigations = "; ".join(str(text) for text in found if text)
    title = "Machine code generated at run time"
    title += f" (spectre_v2 in this kernel: {mitigations})" if mitigations else ""
    columns = (
        *("variant", "to the next by", *right("first program", "instructions")),
        *("exits", "reason"),
    )
    return table(title, columns, rows)


def _listings(result: Result) -> Iterator[Block | None]:
    """The first program that each variant generated at run time, equal ones once."""
    texts: dict[tuple[str, ...], list[str]] = {}
    for image in result.found.observed.images:
        for program in image.programs[:1]:
            if program.listing:
                # Addresses differ from load to load; what is equal but for them is one listing.
                texts.setdefault(program.listing, []).append(image.variant)
    for lines, names in texts.items():
        yield group(f"The first program of {join_words(names)}", CodeBlock(lines, "asm"))


def evidence_notes(result: Result) -> tuple[str, ...]:
    """What could not be seen in the programs, one line for all builds of which it is true."""
    missing: dict[tuple[str, ...], list[str]] = {}
    notes: dict[str, list[str]] = {}
    for found in result.found.evidence:
        if found.missing:
            missing.setdefault(found.missing, []).append(quote(found.variant))
        for note in found.notes:
            notes.setdefault(note, []).append(quote(found.variant))
    return (
        *(
            f"{has(names, 'has', 'have')} no function that matches {' or '.join(patterns)}."
            for patterns, names in missing.items()
        ),
        *(f"{', '.join(names)}: {note}" for note, names in notes.items()),
        *counted_notes(result),
        *(sentence(note) for note in result.found.observed.notes),
    )


def function_table(result: Result) -> Table | None:
    """Every function that was looked at, build by build; None without any."""
    rows = [
        (
            *(found.variant, f.name, f.section, Cell(f"0x{f.address:x}", number=f.address)),
            *(f.size, f.instructions, f.indirect_jumps),
            *(f.direct_calls, f.indirect_calls, f.tail_jumps),
        )
        for found in result.found.evidence
        for f in found.functions
    ]
    numbers = ("address", "bytes", "instructions", "indirect jumps")
    calls = ("direct calls", "indirect calls", "tail jumps")
    columns = ("variant", "function", "section", *right(*numbers, *calls))
    return table("All functions examined", columns, rows, fixed=2)
