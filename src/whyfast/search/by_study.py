"""A search over the variants of a study."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

from whyfast.build.source import with_source
from whyfast.investigate.choose import narrow
from whyfast.investigate.events import Observer
from whyfast.investigate.outside import Outside
from whyfast.investigate.work import Work
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.axes.commits import commits
from whyfast.search.axes.toolchains import toolchains
from whyfast.search.keep import search_key
from whyfast.search.run import SearchResult, begun, run_search
from whyfast.search.state import Task
from whyfast.search.study_subject import StudySubject
from whyfast.store.home import Home


@dataclass(frozen=True)
class StudySearch:
    """What a user asks: ``variant`` None is the study's main baseline, ``benchmarks`` all of them
    when empty; ``margin`` None is the study's, ``blocks`` the most to take."""

    axis: str
    good: str
    bad: str
    variant: str | None = None
    among: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    margin: float | None = None
    blocks: int | None = None
    fresh: bool = False


def search_by_study(
    study: Study, search: StudySearch, home: Home, observer: Observer, outside: Outside
) -> SearchResult:
    """Since which candidate the variant is slower. UserError for ends that cannot be."""
    study = narrow(study, (), search.benchmarks)
    found = _candidates(study, _variant(study, search.variant), search, home, observer)
    relinkable = study.build.link is not None and study.measure.layouts > 0
    margin = study.margin if search.margin is None else search.margin
    task = Task(len(found) - 1, margin, relinkable, budget=search.blocks)
    key = search_key(
        study.name, search.axis, [repr(c) for c in found], repr(study.benchmarks), margin
    )
    file = home.data / "searches" / f"{key}.json"
    if search.fresh:
        file.unlink(missing_ok=True)
    work = Work(replace(study, twin=False), home, observer, outside)
    subject = StudySubject(work, found, zlib.crc32(key.encode()), relinkable)
    observer.phase("search")
    return run_search(subject, begun(search.axis, found, task), file, home, observer)


def _variant(study: Study, name: str | None) -> Variant:
    wanted = name or study.baselines[0]
    names = [v.name for v in study.measured]
    if wanted not in names:
        raise UserError(f"no variant {wanted!r}; there are {', '.join(names)}", where="--variant")
    return study.variant(wanted)


def _candidates(
    study: Study, variant: Variant, search: StudySearch, home: Home, observer: Observer
) -> tuple[AxisCandidate, ...]:
    if search.axis == "toolchains":
        among = search.among or (search.good, search.bad)
        return toolchains(among, search.good, search.bad, variant)
    repository = with_source(study, home, observer.note).source.repository
    if repository is None:
        raise UserError(
            f"its source is no git repository but a {study.source.kind}; write git = … in "
            "[source], or search by a command",
            where=study.folder / "study.toml",
        )
    return commits(repository, search.good, search.bad, variant)
