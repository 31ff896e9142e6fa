"""The pages of surveys: what each compiler makes of each program's dispatch, and how the
interpreters that Debian ships dispatch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from whyfast.explain.objects import UNNAMED
from whyfast.model.evidence import (
    ShippedProgram,
    ShippedRow,
    SurveyedProgram,
    SurveyedVariant,
    other_dispatch,
)
from whyfast.report import document as doc
from whyfast.report import formatting as fmt


def survey_page(programs: Sequence[SurveyedProgram]) -> doc.Document:
    """The answer for each compiler, its table, what the options change, and what failed."""
    failures = (": ".join((p.study, x.partition("\n")[0])) for p in programs for x in p.failures)
    measured = [p.study for p in programs if any(v.verdict for v in p.variants)]
    others = f"; {fmt.join(measured[1:])} likewise" if measured[1:] else ""
    shows = f"shows a program in full{others}"
    in_full = (f"`whyfast report {name} --html {name}.html` {shows}." for name in measured[:1])
    return doc.document(
        "survey",
        doc.section("table", "Dispatch", _forms(programs), importance="answer"),
        doc.section(
            "changes", "What another option changes", _changes(programs), importance="answer"
        ),
        doc.section("failed", "What could not be seen", doc.sentences(failures)),
        doc.section("next", "Next", doc.sentences(in_full)),
        headline=" ".join(_answers(programs)),
        heading="One question, several programs",
    )


def _column(program: SurveyedProgram, variant: SurveyedVariant) -> str:
    """What a variant has in common with its baseline: its values on the other axes."""
    return " ".join(value for axis, value in variant.axes.items() if axis not in program.along)


def _baselines(program: SurveyedProgram) -> dict[str, SurveyedVariant]:
    return {_column(program, v): v for v in program.variants if v.baseline == v.name}


def _by_design(program: SurveyedProgram) -> bool:
    """Whether its source has no threaded dispatch that a compiler could merge."""
    facts = [v.facts for v in program.variants if v.facts is not None]
    return bool(facts) and all(f.computed_goto is False or f.form == "none" for f in facts)


def _answers(programs: Sequence[SurveyedProgram]) -> Iterator[str]:
    threaded = [p for p in programs if not _by_design(p) and any(v.facts for v in p.variants)]
    if not threaded:
        yield "None of the programs has a threaded dispatch."
        return
    parts = []
    for form, verb in (("merged", "merged"), ("partly merged", "merged in part")):
        merging = (
            ([c for c, b in _baselines(p).items() if b.facts and b.facts.form == form], p.study)
            for p in threaded
        )
        by = fmt.grouped((fmt.join(columns), study) for columns, study in merging if columns)
        parts += [
            f"{fmt.has(names, 'is', 'are')} {verb} by {columns}" for columns, names in by.items()
        ]
    found = f": {'; '.join(parts)}" if parts else " none is merged by any of the compilers"
    yield f"Of {fmt.pluralize(len(threaded), 'threaded interpreter')}{found}."


def _forms(programs: Sequence[SurveyedProgram]) -> doc.Table | None:
    columns = list(dict.fromkeys(c for p in programs for c in _baselines(p)))

    def cell(program: SurveyedProgram, variant: SurveyedVariant | None) -> doc.Cell | None:
        if variant is None or variant.facts is None:
            why = variant.why.partition("\n")[0][:80] if variant else ""
            return doc.Cell("not built", why) if why else None
        facts = variant.facts
        design = " (switch)" if _by_design(program) and facts.form != "none" else ""
        jumps = facts.indirect_jumps
        return doc.Cell(f"{facts.form}{design}", f"{jumps:,}", number=jumps)

    rows = [
        (doc.Cell(p.study, p.source), *(cell(p, baselines.get(c)) for c in columns))
        for p in programs
        for baselines in [_baselines(p)]
    ]
    return doc.table(
        "Dispatch as built, with its number of indirect jumps", ("program", *columns), rows
    )


def _changes(programs: Sequence[SurveyedProgram]) -> doc.Table | None:
    """The variants that dispatch otherwise than their baselines, with what it costs or gains."""
    rows: list[doc.Row] = []
    for program in programs:
        known = {v.name: v for v in program.variants}
        for variant in program.variants:
            baseline = known.get(variant.baseline)
            if baseline is None or not other_dispatch(variant.facts, baseline.facts):
                continue
            assert variant.facts is not None
            assert baseline.facts is not None
            jumps = f"{baseline.facts.indirect_jumps:,} → {variant.facts.indirect_jumps:,}"
            time = doc.Cell("not measured")
            if variant.verdict is not None:
                text = fmt.verdict(variant.verdict, program.margin)
                time = doc.Cell(text, outcome=variant.verdict.outcome, number=variant.verdict.ratio)
            option = " ".join(v for axis, v in variant.axes.items() if axis in program.along)
            names = program.study, _column(program, variant), option
            rows.append((*names, jumps, time))
    columns = ("program", "compiler", "with", "jumps", "time")
    return doc.table("Options that change the dispatch", columns, rows, fixed=3)


def shipped_page(rows: Sequence[ShippedRow]) -> doc.Document:
    """The answer for each suite, findings, the table, and what is missing."""
    suites = list(dict.fromkeys(row.suite for row in rows))
    return doc.document(
        "shipped",
        doc.section("findings", "Merged by the compiler", _findings(rows), importance="answer"),
        doc.section("table", "What is shipped", shipped_table(rows)),
        doc.section("missing", "What could not be seen", doc.sentences(_missing(rows))),
        headline=" ".join(_answer(suite, rows) for suite in suites),
        heading="Shipped interpreters",
    )


def _answer(suite: str, rows: Sequence[ShippedRow]) -> str:
    """How many of the threaded interpreters of a suite are merged."""
    threaded = [r for r in rows if r.suite == suite and r.program.source == "threaded"]
    seen = [r for r in threaded if r.verdict not in ("failed", "not shipped", "not found")]
    verdicts = Counter(r.verdict for r in seen)
    if not seen:
        return f"No interpreter that is written as threaded code was found in {suite}."
    parts = [f"{verdicts['merged']} merged", f"{verdicts['partly merged']} partly merged"]
    return (
        f"Of {fmt.pluralize(len(seen), 'interpreter')} in {suite} that are written as threaded "
        f"code, {fmt.join(parts)}."
    )


def _findings(rows: Sequence[ShippedRow]) -> doc.Table | None:
    """Threaded sources whose machine code shares the dispatch."""
    cells: list[doc.Row] = [
        (r.program.name, r.suite, r.version, _shipped_form(r), *_numbers(r), r.program.by)
        for r in rows
        if r.verdict in ("merged", "partly merged")
    ]
    columns = ("interpreter", "suite", "version", "dispatch", *doc.right("jumps", "opcodes"), "by")
    return doc.table("Threaded in the source, not in the machine code", columns, cells, fixed=2)


def shipped_table(rows: Sequence[ShippedRow]) -> doc.Table | None:
    """All that is shipped, a row for each program and suite."""
    cells: list[doc.Row] = [
        (
            *(r.program.name, r.suite, f"{r.package} {r.version}", r.compiler or None),
            *(_shipped_form(r), *_numbers(r), _where(r)),
            doc.Cell(r.program.source, r.program.by),
            doc.Cell(r.verdict, "; ".join(filter(None, (r.program.note, r.why)))),
        )
        for r in rows
        if r.verdict not in ("failed", "not shipped")
    ]
    columns = (
        *("interpreter", "suite", "package", "compiler", "dispatch"),
        *doc.right("jumps", "opcodes"),
        *("function", "source", "verdict"),
    )
    return doc.table("Interpreters of Debian", columns, cells, fixed=2)


def _shipped_form(row: ShippedRow) -> str | None:
    if row.facts is None:
        return None
    tails = ", by tail calls" if row.facts.style == "tail-call" else ""
    return f"{row.facts.form}{tails}"


def _numbers(row: ShippedRow) -> tuple[doc.Cell | None, doc.Cell | None]:
    facts = row.facts
    return (
        (doc.number_cell(facts.indirect_jumps), doc.number_cell(facts.targets))
        if facts
        else (None, None)
    )


def _where(row: ShippedRow) -> str | None:
    """The loop, by its address where it has no name."""
    loop = f"the loop at {row.function}" if UNNAMED.fullmatch(row.function) else row.function
    return f"{loop} of {row.file}" if row.function else None


def _missing(rows: Sequence[ShippedRow]) -> Iterator[str]:
    """Programs that no suite ships, packages that failed, and what no row can say."""
    shipped = {r.program.name for r in rows if r.verdict != "not shipped"}
    programs: dict[str, ShippedProgram] = {r.program.name: r.program for r in rows}
    for name, program in programs.items():
        if name not in shipped:
            yield f"{name}: no suite has {' or '.join(program.packages)}."
    for row in rows:
        if row.verdict in ("not found", "failed"):
            lost = f"the {row.program.source} loop of its source was not found"
            why = row.why if row.verdict == "failed" else "; ".join(filter(None, (lost, row.why)))
            yield f"{row.program.name} in {row.suite}: {why}."
    if any(r.facts is not None and not r.compiler for r in rows):
        yield (
            "Debian removes the compiler's note (.comment) from what it ships; without debug "
            "symbols the compiler is not known."
        )
