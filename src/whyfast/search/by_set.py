"""A search of a study along an axis that has no order: which differences of two ends matter."""

from __future__ import annotations

import shlex
import zlib
from dataclasses import dataclass, replace

from whyfast.investigate.choose import narrow
from whyfast.investigate.events import Observer
from whyfast.investigate.outside import Outside
from whyfast.investigate.work import Work
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.flags import with_flags
from whyfast.search.axes.mixing import Mixing, MixingEnds
from whyfast.search.axes.registry import MIXINGS
from whyfast.search.follow_set import search_all
from whyfast.search.keep import search_key
from whyfast.search.minimal import Minimal
from whyfast.search.minimise import Differences
from whyfast.search.quantity import Quantity, check_quantity
from whyfast.search.run_set import SetResult, run_set
from whyfast.search.set_subject import BAD, GOOD, SetSubject
from whyfast.search.study_subject import StudySubject, as_linked, incrementally, without_layouts
from whyfast.store.home import Home


@dataclass(frozen=True)
class SetSearch:
    """What a user asks. ``good`` and ``bad`` are variants of the study; or flags of the compiler
    (``-O2 -fno-gcse``), which are given to ``variant`` (None: the study's main baseline).
    ``benchmarks`` are all of them when empty, ``margin`` None is the study's, ``blocks`` the most
    to take. ``object`` is for axes that are over one. ``incremental``: mixtures are
    compiled in the folder that the last one left; what is verified is built clean. ``everything``:
    what is left when what was found is mended is searched too, until no more is found."""

    axis: str
    good: str
    bad: str
    variant: str | None = None
    benchmarks: tuple[str, ...] = ()
    margin: float | None = None
    blocks: int | None = None
    fresh: bool = False
    quantity: Quantity = "time"
    object: str = ""
    incremental: bool = False
    everything: bool = False


def search_by_set(
    study: Study, search: SetSearch, home: Home, observer: Observer, outside: Outside
) -> SetResult:
    """Which differences carry the difference. UserError for ends that cannot be."""
    study = narrow(study, (), search.benchmarks)
    check_quantity(search.quantity, study)
    if search.quantity != "time":  # a count is the same in every layout
        study = without_layouts(study)
    work = Work(replace(study, twin=False), home, observer, outside)
    good, bad = (_end(study, search, text, f"--{w}") for w, text in _ends(search))
    mixing = MIXINGS[search.axis](work, MixingEnds(good, bad, search.object))
    observer.phase("search")
    if search.everything:
        return search_all(mixing, lambda m: _search(work, search, m))
    return _search(work, search, mixing)


def _search(work: Work[Study], search: SetSearch, mixing: Mixing) -> SetResult:
    """One search."""
    study, timed = work.question, search.quantity == "time"
    margin = study.margin if search.margin is None else search.margin
    key = search_key(
        *(study.name, search.axis, search.object, search.quantity, mixing.differences, margin),
        *(repr(replace(v, name="")) for v in (mixing.good, mixing.bad)),
        *(repr(study.benchmarks), study.source.folder, study.source.revision),
    )
    file = work.home.data / "searches" / f"{key}.json"
    if search.fresh:
        file.unlink(missing_ok=True)
    candidates = list(mixing.ends())
    subject = StudySubject(
        work,
        candidates,
        zlib.crc32(key.encode()),
        relinkable=timed and study.build.link is not None and study.measure.layouts > 0,
        quantity=search.quantity,
        make=mixing.make,
        unsettled=incrementally if search.incremental else as_linked,
        ends=(GOOD, BAD),
    )
    return run_set(
        Differences(
            len(mixing.differences), margin, budget=search.blocks, relinkable=subject.can_vary()
        ),
        SetSubject(subject, candidates, mixing.differences),
        SetResult(
            search.axis,
            mixing.good.name,
            mixing.bad.name,
            mixing.differences,
            search.quantity,
            (),
            Minimal("undecided"),
            mixing.vanishing,
            mixing.mended,
        ),
        file,
        work.home,
        work.observer,
    )


def _ends(search: SetSearch) -> tuple[tuple[str, str], ...]:
    return (("good", search.good), ("bad", search.bad))


def _end(study: Study, search: SetSearch, text: str, where: str) -> Variant:
    names = [v.name for v in study.variants if not v.twin_of]
    if text.startswith("-"):
        base = _named(study, search.variant or study.baselines[0], names, "--variant")
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UserError(f"{text!r} cannot be split into flags: {error}", where=where) from error
        return with_flags(base, words, text)
    return _named(study, text, names, where)


def _named(study: Study, name: str, names: list[str], where: str) -> Variant:
    if name not in names:
        known = ", ".join(names)
        raise UserError(f"no variant {name!r}; there are {known}; or write flags", where=where)
    return study.variant(name)
