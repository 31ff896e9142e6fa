"""The last stage: from what was recorded to the result.

Beside the verdicts it keeps machine code, so that any two builds can be compared later, and names
the hot functions that the commits between builds change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from whyfast.build.revisions import commit_of
from whyfast.explain.code_diff import Listings
from whyfast.explain.functions import calls_left
from whyfast.explain.program import load
from whyfast.explain.source_lines import TouchedFunctions, touched_functions
from whyfast.explain.troubles import find_troubles
from whyfast.investigate.context import RunContext
from whyfast.investigate.costs import built_sizes
from whyfast.judge.comparisons import refuted
from whyfast.judge.judge_run import judge_metrics, judge_run
from whyfast.model.build import Build
from whyfast.model.code import CodeListing, ProgramCode
from whyfast.model.counters import ChangedFunctions
from whyfast.model.errors import UserError
from whyfast.model.result import Found, Recorded, Result
from whyfast.model.study import Study
from whyfast.model.variant import Variant, differ_in
from whyfast.model.verdict import BUILD_METRICS


def judge(context: RunContext[Study], recorded: Recorded) -> Result:
    """Judge the recorded blocks and gather the evidence."""
    context.observer.phase("judge")
    judged = judge_run(context.question, recorded, context.evidence)
    if context.built_again:
        built = judge_metrics({"": context.built_again}, BUILD_METRICS, context.question)
        judged = replace(judged, metrics=(*judged.metrics, *built))
    return Result(context.question, recorded, judged, _found(context))


def _found(context: RunContext[Study]) -> Found:
    study, evidence, failed_expectations = (
        context.question,
        context.evidence,
        context.failed_expectations,
    )
    compared = {v.name for v in study.measured} - refuted(study, failed_expectations)
    costs, growth = built_sizes(context)
    return Found(
        evidence=evidence,
        failed_expectations=failed_expectations,
        troubles=find_troubles(study, context.toolchains, evidence),
        calls=calls_left(
            study.evidence, [e for e in evidence if e.variant in compared] or evidence
        ),
        counted=context.counted,
        changed=touched_code(context),
        observed=context.observed,
        code=kept_code(context),
        costs=(*costs, *context.costs),
        growth=growth,
    )


#: The most instructions that are kept of one build: those of a large interpreter's loop. Handlers
#: for every choice of registers are ten times as many, and alike.
MOST_LINES = 6_000


def kept_code(context: RunContext[Study]) -> tuple[ProgramCode, ...]:
    """The code of each readable build; a control has that of its baseline."""
    wanted = (*context.question.evidence.dispatch, *context.question.evidence.functions)
    controls = {v.name for v in context.question.variants if v.control_of}
    if not wanted:
        return ()
    programs = []
    for build in context.builds:
        if isinstance(build, Build) and build.variant not in controls:
            try:
                listings = Listings(load(build.program))
                names = [n for n in listings.pieces if any(fnmatchcase(n, g) for g in wanted)]
                kept = tuple(_within(listings, names))
                programs.append(ProgramCode(build.variant, kept, len(names) - len(kept)))
            except UserError:  # noted when the evidence was gathered
                continue
    return tuple(programs)


def _within(listings: Listings, names: list[str]) -> Iterator[CodeListing]:
    """As many functions as there is room for."""
    left = MOST_LINES
    for name in names:
        if left <= 0:
            return
        listing = listings.of(name)
        if len(listing.lines) <= left:
            left -= len(listing.lines)
            yield listing


def touched_code(context: RunContext[Study]) -> tuple[ChangedFunctions, ...]:
    """One entry for each range of commits: the study's ``change``, else those between the main
    baseline and each variant that differs only in its revision. Empty where nothing was counted,
    as hot functions are unknown then. Unreadable ranges are noted.
    """
    study, counted = context.question, context.counted
    repository = study.source.repository
    if repository is None or not any(c.hot for c in counted):
        return ()
    programs = {b.variant: b.program for b in context.usable}
    # The program's own functions that are hot in any build.
    hot = list(dict.fromkeys(f.name for c in counted for f in c.hot if not f.object))
    changes = []
    for base, head, variant in _ranges(study, repository):
        if variant not in programs:
            continue
        try:
            touched = touched_functions(repository, base, head, programs[variant])
        except UserError as error:
            context.observer.note(f"the functions that {base}..{head} changes are unknown: {error}")
            continue
        changes.append(_stated(touched, variant, hot))
    return tuple(changes)


def _ranges(study: Study, repository: Path) -> Iterator[tuple[str, str, str]]:
    """(base, head, the variant that is built from head). UserError for what git does not know."""
    variants = [v for v in study.measured if not v.control_of]
    if study.evidence.change:
        base, _, head = study.evidence.change.partition("..")
        where = f"{study.folder / 'study.toml'}: evidence.change"
        for revision in (base, head):
            try:
                commit_of(repository, revision)
            except UserError as error:
                raise UserError(error.message, where=where) from None
        wanted = commit_of(repository, head)
        for v in variants:
            if commit_of(repository, _revision(study, v)) == wanted:
                yield base, head, v.name
                return
        raise UserError(
            f"no variant is built from {head}, and only its debug information tells which "
            "functions the lines of the change are in",
            where=where,
        )
    main = study.variant(study.baselines[0])
    for v in variants:
        if differ_in(v, main) == {"revision"} and _revision(study, v) != _revision(study, main):
            yield _revision(study, main), _revision(study, v), v.name


def _revision(study: Study, variant: Variant) -> str:
    return variant.revision or study.source.revision


def _stated(touched: TouchedFunctions, variant: str, hot: Sequence[str]) -> ChangedFunctions:
    return ChangedFunctions(
        base=touched.base,
        head=touched.head,
        variant=variant,
        statement=touched.statement(hot),
        hot=touched.of(hot),
        functions=tuple(f"{f.name} ({f.file})" for f in touched.functions),
        outside=touched.outside,
        not_compiled=touched.not_compiled,
        other=touched.other,
    )


def check_change(study: Study) -> None:
    """UserError, before measuring, for a ``change`` that could not be examined afterwards."""
    if study.evidence.change and study.source.repository is not None:
        list(_ranges(study, study.source.repository))
