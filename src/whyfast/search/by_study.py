"""A search over the variants of a study."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.revisions import top_level
from whyfast.build.source import with_source
from whyfast.investigate.choose import narrow
from whyfast.investigate.events import Observer
from whyfast.investigate.outside import Outside
from whyfast.investigate.work import Work
from whyfast.model.errors import UserError
from whyfast.model.study import Source, Study
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.axes.commits import commits, leads, merged_branch, uncommitted
from whyfast.search.axes.toolchains import is_backwards, toolchains, way_back
from whyfast.search.follow import Ways, follow
from whyfast.search.keep import search_key
from whyfast.search.quantity import Quantity, check_quantity
from whyfast.search.run import SearchResult, begun, run_search
from whyfast.search.state import Task
from whyfast.search.study_evidence import study_evidence
from whyfast.search.study_subject import StudySubject, as_linked, incrementally, without_layouts
from whyfast.store.home import Home


@dataclass(frozen=True)
class StudySearch:
    """What a user asks: ``variant`` None is the study's main baseline, ``benchmarks`` all of them
    when empty; ``margin`` None is the study's, ``blocks`` the most to take.
    ``everything``: further steps too. ``quantity``: what is compared.
    ``incremental``: commits are built from what the last one left, also where the study says so."""

    axis: str
    good: str
    bad: str
    variant: str | None = None
    among: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    margin: float | None = None
    blocks: int | None = None
    fresh: bool = False
    everything: bool = False
    quantity: Quantity = "time"
    incremental: bool = False


def search_by_study(
    study: Study, search: StudySearch, home: Home, observer: Observer, outside: Outside
) -> SearchResult:
    """Since which candidate the variant is slower, or faster. UserError for ends that cannot be."""
    study = narrow(study, (), search.benchmarks)
    variant = _variant(study, search.variant)
    repository = None
    if search.axis == "commits":
        study = _of_commits(study, search)
        repository = _repository(study, home, observer)
    found = _candidates(variant, search, repository)
    if repository is None:
        backwards = is_backwards(_among(search), search.good, search.bad)
    else:
        backwards = leads(repository, found[-1].name, found[0].name)
        if said := uncommitted(repository, found[0 if backwards else -1]):
            observer.note(said)
    check_quantity(search.quantity, study)
    incremental = repository is not None and (search.incremental or study.build.incremental)
    if incremental and outside.build_ahead is not None:
        incremental = False
        observer.note("commits are built clean, as other machines build them ahead")
    timed = search.quantity == "time"
    relinkable = timed and study.build.link is not None and study.measure.layouts > 0
    between = as_linked if relinkable else None
    margin = study.margin if search.margin is None else search.margin
    if not timed:  # a count is the same in every layout
        study = without_layouts(study)
    work = Work(replace(study, twin=False), home, observer, outside)

    def one(candidates: Sequence[AxisCandidate], backwards: bool) -> SearchResult:
        names, benchmarks = [repr(c) for c in candidates], repr(study.benchmarks)
        key = search_key(study.name, search.axis, names, benchmarks, margin, search.quantity)
        file = home.data / "searches" / f"{key}.json"
        if search.fresh:
            file.unlink(missing_ok=True)
        seed = zlib.crc32(key.encode())
        subject = StudySubject(
            work,
            candidates,
            seed,
            relinkable,
            search.quantity,
            unsettled=incrementally if incremental else between,
        )
        observer.phase("search")
        task = Task(len(candidates) - 1, margin, subject.can_vary(), budget=search.blocks)
        blank = begun(search.axis, candidates, task, search.quantity, backwards=backwards)
        result = run_search(subject, blank, file, home, observer)
        return replace(result, evidence=study_evidence(work, result, repository))

    def inside(merge: AxisCandidate) -> Sequence[AxisCandidate] | None:
        return merged_branch(repository, merge, variant) if repository else None

    back = way_back(_among(search), search.good, search.bad, variant) if not repository else ()
    return follow(one(found, backwards), Ways(one, inside, search.everything, back))


def _variant(study: Study, name: str | None) -> Variant:
    wanted = name or study.baselines[0]
    names = [v.name for v in study.measured]
    if wanted not in names:
        raise UserError(f"no variant {wanted!r}; there are {', '.join(names)}", where="--variant")
    return study.variant(wanted)


def _candidates(
    variant: Variant, search: StudySearch, repository: Path | None
) -> tuple[AxisCandidate, ...]:
    if repository is None:
        return toolchains(_among(search), search.good, search.bad, variant)
    return commits(repository, search.good, search.bad, variant)


def _among(search: StudySearch) -> tuple[str, ...]:
    return search.among or (search.good, search.bad)


def _of_commits(study: Study, search: StudySearch) -> Study:
    """The study; where its source is a folder of a repository, with that repository as the source:
    its commits are built, not the files as they are."""
    folder = study.source.folder
    if study.source.kind == "path":
        with contextlib.suppress(UserError):
            root = top_level(folder)
            inner = str(folder.resolve().relative_to(root.resolve())).removeprefix(".")
            source = Source("git", str(root), root, revision=search.bad, inner=inner)
            return replace(study, source=source)
    return study


def _repository(study: Study, home: Home, observer: Observer) -> Path:
    repository = with_source(study, home, observer.step).source.repository
    if repository is None:
        raise UserError(
            f"its source is no git repository but a {study.source.kind}; write git = … in "
            "[source], or search by a command",
            where=study.folder / "study.toml",
        )
    return repository
