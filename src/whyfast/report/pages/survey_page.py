"""The page of ``whyfast survey run``: what each compiler makes of each program's dispatch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whyfast.model.survey import SurveyedProgram, SurveyedVariant, other_dispatch
from whyfast.report.document import Cell, Document, Row, Table, document, section, sentences, table
from whyfast.report.formatting import format_verdict, join_words, pluralize


def survey_page(programs: Sequence[SurveyedProgram]) -> Document:
    """The answer for each compiler, its table, what the options change, and what failed."""
    return document(
        "survey",
        "",
        " ".join(_answers(programs)),
        section("table", "Dispatch", _forms(programs), importance="answer"),
        section("changes", "What another option changes", _changes(programs), importance="answer"),
        section("failed", "What could not be seen", sentences(_failures(programs))),
        section("next", "Next", sentences(_next(programs))),
        heading="One question, several programs",
    )


def _column(program: SurveyedProgram, variant: SurveyedVariant) -> str:
    """What a variant has in common with its baseline: its values on the other axes."""
    return " ".join(value for axis, value in variant.axes.items() if axis not in program.along)


def _option(program: SurveyedProgram, variant: SurveyedVariant) -> str:
    return " ".join(value for axis, value in variant.axes.items() if axis in program.along)


def _baselines(program: SurveyedProgram) -> dict[str, SurveyedVariant]:
    """By column."""
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
    number = pluralize(len(threaded), "threaded interpreter")
    sentences = []
    for form, verb in (("merged", "merged"), ("partly merged", "merged in part")):
        by: dict[str, list[str]] = {}
        for program in threaded:
            own = [c for c, b in _baselines(program).items() if b.facts and b.facts.form == form]
            if own:
                by.setdefault(join_words(own), []).append(program.study)
        for columns, names in by.items():
            plural = "is" if len(names) == 1 else "are"
            sentences.append(f"{join_words(names)} {plural} {verb} by {columns}")
    if not sentences:
        yield f"Of {number} none is merged by any of the compilers."
    else:
        yield f"Of {number}: {'; '.join(sentences)}."


def _forms(programs: Sequence[SurveyedProgram]) -> Table | None:
    columns = list(dict.fromkeys(c for p in programs for c in _baselines(p)))
    rows: list[Row] = []
    for program in programs:
        baselines = _baselines(program)
        cells = [_form(baselines[c]) if c in baselines else None for c in columns]
        rows.append((Cell(program.study, program.source), *cells))
    title = "Dispatch as built, with its number of indirect jumps"
    return table(title, ("program", *columns), rows, fixed=1)


def _form(variant: SurveyedVariant) -> Cell | None:
    if variant.facts is None:
        return Cell("not built", variant.why.partition("\n")[0][:80]) if variant.why else None
    design = " (switch)" if variant.facts.computed_goto is False else ""
    jumps = variant.facts.indirect_jumps
    return Cell(f"{variant.facts.form}{design}", f"{jumps:,}", number=jumps)


def _changes(programs: Sequence[SurveyedProgram]) -> Table | None:
    """The variants that dispatch otherwise than their baselines, with what it costs or gains."""
    rows: list[Row] = []
    for program in programs:
        known = {v.name: v for v in program.variants}
        for variant in program.variants:
            baseline = known.get(variant.baseline)
            if baseline is None or not other_dispatch(variant.facts, baseline.facts):
                continue
            assert variant.facts is not None
            assert baseline.facts is not None
            jumps = f"{baseline.facts.indirect_jumps:,} → {variant.facts.indirect_jumps:,}"
            time = Cell("not measured")
            if variant.verdict is not None:
                text = format_verdict(variant.verdict, program.margin)
                time = Cell(text, outcome=variant.verdict.outcome, number=variant.verdict.ratio)
            names = program.study, _column(program, variant), _option(program, variant)
            rows.append((*names, jumps, time))
    columns = ("program", "compiler", "with", "jumps", "time")
    return table("Options that change the dispatch", columns, rows, fixed=2)


def _failures(programs: Sequence[SurveyedProgram]) -> Iterator[str]:
    for program in programs:
        for failure in program.failures:
            yield f"{program.study}: {failure.partition(chr(10))[0]}"


def _next(programs: Sequence[SurveyedProgram]) -> Iterator[str]:
    measured = [p.study for p in programs if any(v.verdict for v in p.variants)]
    for name in measured[:1]:
        others = f"; {join_words(measured[1:])} likewise" if measured[1:] else ""
        yield f"`whyfast report {name} --html {name}.html` shows a program in full{others}."
