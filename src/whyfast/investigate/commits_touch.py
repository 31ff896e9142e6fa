"""Which hot functions the commits between builds touch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from whyfast.build.source_git import commit_of
from whyfast.explain.changed_functions import TouchedFunctions, touched_functions
from whyfast.investigate.work import Work
from whyfast.model.counted import ChangedFunctions, Counted
from whyfast.model.differences import differ_in
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant


def touched_code(work: Work[Study]) -> tuple[ChangedFunctions, ...]:
    """One entry a range of commits: the study's ``change``, else that between the main baseline and
    each variant that differs from it in nothing but the revision.

    Empty where nothing was counted, as then nobody knows what is hot. Ranges that cannot be looked
    at are noted.
    """
    study, counted = work.question, work.counted
    repository = study.source.repository
    if repository is None or not any(c.hot for c in counted):
        return ()
    programs = {b.variant: b.program for b in work.usable}
    found = []
    for base, head, variant in _ranges(study, repository):
        if variant not in programs:
            continue
        try:
            touched = touched_functions(repository, base, head, programs[variant])
        except UserError as error:
            work.observer.note(f"which functions {base}..{head} touches is not known: {error}")
            continue
        found.append(_stated(touched, variant, _hot(counted)))
    return tuple(found)


def _ranges(study: Study, repository: Path) -> Iterator[tuple[str, str, str]]:
    """(base, head, the variant that is built from head). UserError for what git does not know."""
    variants = [v for v in study.measured if not v.twin_of]
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


def _hot(counted: Sequence[Counted]) -> list[str]:
    """The program's own functions that are hot in any build."""
    names = (f.name for c in counted for f in c.hot if not f.object)
    return list(dict.fromkeys(names))


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
    """Raise UserError now for a ``change`` that could not be looked at once all is measured."""
    if study.evidence.change and study.source.repository is not None:
        list(_ranges(study, study.source.repository))
