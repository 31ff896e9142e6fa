"""Findings in the machine code beside dispatch: troubles, calls, code generated at run time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from whyfast.model.evidence import DISPATCH, CalleeCounts, Trouble
from whyfast.model.result import Result
from whyfast.model.sample import JitImage, JumpForm
from whyfast.model.study import Question, Study
from whyfast.model.variant import differ_in
from whyfast.model.verdict import Line
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.cost_by_parameter import format_estimate
from whyfast.report.sections.counted_work import counted_notes
from whyfast.report.sections.dispatching import dispatch_table, entry_table, option_table

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


def machine_code_sections(
    result: Result,
) -> tuple[doc.ReportSection | None, doc.ReportSection | None]:
    """Tables and notes on the evidence; and every function and listing."""
    asked = isinstance(result.question, Study) and result.question.evidence.functions
    makers = (image_table, dispatch_table, entry_table, option_table, calls_table)
    tables, notes = (make(result) for make in makers), doc.sentences(evidence_notes(result))
    # The first program that each variant generated at run time, equal ones once: addresses differ
    # from load to load, and what is equal but for them is one listing.
    listings = fmt.grouped(
        (program.listing, image.variant)
        for image in result.found.observed.images
        for program in image.programs[:1]
        if program.listing
    )
    first = (
        doc.group(f"The first program of {fmt.join(names)}", doc.CodeBlock(lines, "asm"))
        for lines, names in listings.items()
    )
    functions = function_table(result), *first
    importance: doc.Importance = "detail" if asked else "record"
    return (
        doc.detail("evidence", "The machine code", *tables, notes),
        doc.section("functions", "Functions and listings", *functions, importance=importance),
    )


def evidence_headline(result: Result) -> str | None:
    """What a run that measured nothing has found; None when it was to measure, or read nothing."""
    read = _read(result)
    if result.question.measured or not read:
        return None
    of = fmt.pluralize(len(read), "program")
    names = dict.fromkeys(fmt.quote(t.variant) for t in result.found.troubles)
    shown = f"none of {of} shows"
    if names:
        shown = f"{fmt.join([*names])}, of {of}, {'shows' if len(names) == 1 else 'show'}"
    return (
        f"Nothing was measured; in the machine code, {shown} the symptom of a compiler's trouble."
    )


def read_sentences(result: Result) -> list[str]:
    """Troubles of compilers, and calls that some builds have inlined."""
    troubles = trouble_sentences(result.found.troubles, _read(result))
    return [*troubles, *calls_sentences(result.found.calls)]


def _read(result: Result) -> list[str]:
    """The variants whose machine code was read, A/A controls aside."""
    facts = {e.variant for e in result.found.evidence}
    return [v.name for v in result.question.variants if v.name in facts and not v.control_of]


def trouble_sentences(troubles: Sequence[Trouble], looked_at: Iterable[str]) -> tuple[str, ...]:
    """What each build with a symptom shows, what is known of it and how it can be worked around;
    ``looked_at`` are all variants whose machine code was read."""
    if not troubles:
        return ()
    texts = [fmt.sentence(f"{_symptom(trouble)} {_way_out(trouble)}") for trouble in troubles]
    without = [name for name in looked_at if name not in {t.variant for t in troubles}]
    if len(without) > 1 and len(troubles) + len(without) > 3:
        number = fmt.pluralize(len(without), "other variant")
        texts.append(f"The machine code of the {number} shows no such symptom.")
    return tuple(texts)


def trouble_code(troubles: Iterable[Trouble]) -> doc.CodeBlock | None:
    """What can be added to the study to try the workarounds; a blank line between variants."""
    lines: list[str] = []
    for trouble in troubles:
        lines += ["", *trouble.toml] if lines and trouble.toml else trouble.toml
    return doc.code_block(lines, "toml")


def _symptom(trouble: Trouble) -> str:
    name, compiler = fmt.quote(trouble.variant), trouble.compiler
    if not trouble.name:
        return (
            f"{name} ({compiler}) shows {trouble.symptom}: {trouble.shows}. No known trouble of "
            "this compiler has that symptom."
        )
    where = f" ({trouble.sources[0]})" if trouble.sources else ""
    known = f"a trouble known in other versions than its {compiler}"
    if trouble.listed:
        known = f"a known trouble of {compiler}"
    return (
        f"{name} has the symptom of {known}: {trouble.title}{where}. Its code shows "
        f"{trouble.shows}."
    )


def _way_out(trouble: Trouble) -> str:
    flags = f"`{' '.join(trouble.flags)}`"
    degrees = {name: f" ({degree})" for name, degree in trouble.degrees.items() if degree}
    cured, uncured = (
        [f"{fmt.quote(name)}{degrees.get(name, '')}" for name in names]
        for names in (trouble.cured, trouble.uncured)
    )
    if cured:
        do = "does" if len(cured) == 1 else "do"
        return f"{fmt.join(cured)}, the same with {flags}, {do} not show it."
    if trouble.untried:
        only = " ".join(trouble.untried)
        return f"The study has the same with {flags}: run it with `--only {only}`."
    if trouble.toml:
        return f"{flags} may work around it: add the variant below to the study and run it again."
    if trouble.remedy:
        return f"Remedy: {trouble.remedy}."
    if uncured:
        return f"{flags} should work around it, but {fmt.has(uncured, 'has', 'have')} it."
    return f"{flags} works around it." if trouble.flags else ""


def calls_sentences(calls: Sequence[CalleeCounts]) -> tuple[str, ...]:
    """The small functions of the same source file that only some builds call often from where they
    dispatch; nothing when there are none."""
    texts = []
    telling = [
        c for c in calls if c.where == DISPATCH and c.local and max(c.counts.values()) >= _MANY
    ]
    for call in telling[:_NAMED]:
        making = [f"{fmt.quote(v)} ({n})" for v, n in call.counts.items() if n]
        without = [fmt.quote(v) for v, n in call.counts.items() if not n]
        do = "does" if len(without) == 1 else "do"
        texts.append(
            f"{fmt.has(making, 'calls', 'call')} {fmt.quote(call.callee)} from the dispatching "
            f"code, where {fmt.has(without, 'has', 'have')} inlined it or {do} not call it."
        )
    return tuple(texts)


def calls_table(result: Result) -> doc.Table | None:
    """Who calls what how often; None when all builds call the same functions."""
    names = list(dict.fromkeys(v for c in result.found.calls for v in c.counts))
    rows = [
        (
            "dispatching code" if call.where == DISPATCH else call.where,
            doc.Cell(call.callee, "static" if call.local else ""),
            *(call.counts.get(name) for name in names),
        )
        for call in result.found.calls
    ]
    caption = "Calls that some builds make and others have inlined or removed"
    return doc.table(caption, ("called from", "function", *doc.right(*names)), rows, fixed=2)


def image_sentences(
    study: Question, images: Sequence[JitImage], slopes: Sequence[Line]
) -> list[str]:
    """What programs were compiled to at run time, and what a setting alone does to that."""
    forms = {image.variant: image.form for image in images}
    by_form = fmt.grouped((form, variant) for variant, form in forms.items())
    if not forms:
        return []
    parts = [f"{_FORMS[form]} for {fmt.quoted(names)}" for form, names in by_form.items()]
    return [
        f"In the machine code generated at run time, each program continues to the next by "
        f"{fmt.join(parts)}.",
        *_switches(study, forms, slopes),
    ]


def _switches(
    study: Question, forms: Mapping[str, JumpForm], slopes: Sequence[Line]
) -> Iterator[str]:
    """Variants that a setting of the kernel alone sets apart from the main baseline."""
    costs = {line.variant: line for line in slopes}
    base = next((v for v in study.variants if v.name == study.baselines[0]), None)
    for v in study.variants:
        if base is None or not {v.name, base.name} <= forms.keys():
            continue
        if differ_in(v, base) != {"sysctl"}:
            continue
        setting = fmt.join([f"{k} = {x}" for k, x in v.sysctl.items() if base.sysctl.get(k) != x])
        text = f"{fmt.quote(v.name)} is {fmt.quote(base.name)} with only {setting} changed"
        if forms[v.name] == forms[base.name]:
            yield f"{text}, which leaves the jumps as they are."
            continue
        text += f": that alone turns {_FORMS[forms[base.name]]} into {_FORMS[forms[v.name]]}"
        if v.name in costs and base.name in costs:
            before, after = (format_estimate(costs[n].slope) for n in (base.name, v.name))
            text += f", and one more {costs[v.name].name} from {before} to {after}"
        yield f"{text}."


def image_table(result: Result) -> doc.Table | None:
    """How the programs of each variant follow one another; None when none was read."""
    rows: list[doc.Row] = []
    for image in result.found.observed.images:
        program: doc.Row = (None, None, None)
        for p in image.programs[:1]:
            program = (
                doc.Cell(f"{p.size} B", number=p.size),
                p.instructions,
                "; ".join(p.exits) or None,
            )
        rows.append((image.variant, _FORMS[image.form], *program, image.reason))
    settings = dict.fromkeys(s.environment.get("spectre_v2") for s in result.recorded.sessions)
    mitigations = "; ".join(str(text) for text in settings if text)
    title = "Machine code generated at run time"
    title += f" (spectre_v2 in this kernel: {mitigations})" if mitigations else ""
    numbers = doc.right("first program", "instructions")
    return doc.table(title, ("variant", "to the next by", *numbers, "exits", "reason"), rows)


def evidence_notes(result: Result) -> tuple[str, ...]:
    """What could not be seen in the programs, one line for all builds of which it is true."""
    every = result.found.evidence
    missing = fmt.grouped(
        (" or ".join(e.missing), fmt.quote(e.variant)) for e in every if e.missing
    )
    notes = fmt.grouped((note, fmt.quote(e.variant)) for e in every for note in e.notes)
    lacks = (
        f"{fmt.has(who, 'has', 'have')} no function that matches {p}." for p, who in missing.items()
    )
    others = (f"{', '.join(names)}: {note}" for note, names in notes.items())
    seen = map(fmt.sentence, result.found.observed.notes)
    return (*lacks, *others, *counted_notes(result), *seen)


def function_table(result: Result) -> doc.Table | None:
    """Every function that was looked at, build by build; None without any."""
    rows = [
        (
            *(e.variant, f.name, f.section, doc.Cell(f"0x{f.address:x}", number=f.address)),
            *(f.size, f.instructions, f.indirect_jumps),
            *(f.direct_calls, f.indirect_calls, f.tail_jumps),
        )
        for e in result.found.evidence
        for f in e.functions
    ]
    numbers = ("address", "bytes", "instructions", "indirect jumps")
    calls = ("direct calls", "indirect calls", "tail jumps")
    columns = ("variant", "function", "section", *doc.right(*numbers, *calls))
    return doc.table("All functions examined", columns, rows, fixed=2)
