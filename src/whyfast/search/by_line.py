"""Searches of a study along lines that are neither commits nor compilers: passes and kernels."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

from whyfast.investigate.choose import narrow
from whyfast.investigate.events import Observer
from whyfast.investigate.outside import Outside
from whyfast.investigate.work import Work
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.axes.line import LineSearch
from whyfast.search.axes.registry import LINES
from whyfast.search.keep import search_key
from whyfast.search.quantity import Quantity, check_quantity
from whyfast.search.run import SearchResult, begun, run_search
from whyfast.search.state import Task
from whyfast.search.study_subject import StudySubject, as_linked, without_layouts
from whyfast.store.home import Home


@dataclass(frozen=True)
class LineResult:
    """A search along a line, and what was compared: everything that ``search`` calls a time is a
    cost of that kind. ``back`` is that beyond the bad end: from its culprit's parent on it is good
    again. ``notes``: what is to be said beside, a sentence each."""

    quantity: Quantity
    search: SearchResult
    back: SearchResult | None = None
    notes: tuple[str, ...] = ()


def search_by_line(
    study: Study, search: LineSearch, home: Home, observer: Observer, outside: Outside
) -> LineResult:
    """Since which candidate the variant costs more. UserError for ends that cannot be."""
    study = narrow(study, (), search.benchmarks)
    work = Work(replace(study, twin=False), home, observer, outside)
    line = LINES[search.axis](work, _variant(study, search.variant), search)
    quantity = line.quantity or search.quantity
    if line.quantity is None:
        check_quantity(quantity, study)
    timed = quantity == "time"
    if not timed:  # a count is the same in every layout
        work = replace(work, question=without_layouts(work.question))
    relinkable = timed and study.build.link is not None and study.measure.layouts > 0
    margin = study.margin if search.margin is None else search.margin
    observer.phase("search")

    def one(candidates: tuple[AxisCandidate, ...]) -> SearchResult:
        names = [repr(c) for c in candidates]
        key = search_key(study.name, search.axis, quantity, names, repr(study.benchmarks), margin)
        file = home.data / "searches" / f"{key}.json"
        if search.fresh:
            file.unlink(missing_ok=True)
        seed = zlib.crc32(key.encode())
        subject = StudySubject(
            work,
            candidates,
            seed,
            relinkable=relinkable,
            quantity=quantity,
            make=line.make,
            count=line.count,
            unsettled=as_linked if relinkable else None,
        )
        task = Task(len(candidates) - 1, margin, subject.can_vary(), budget=search.blocks)
        blank = begun(search.axis, candidates, task, quantity)
        return run_search(subject, blank, file, home, observer, alone=timed)

    found = one(line.candidates)
    if not line.back or found.answer.word not in ("culprit", "one of"):
        return LineResult(quantity, found)
    try:
        return LineResult(quantity, found, one(line.back))
    except UserError as error:
        return LineResult(quantity, found, notes=(f"Beyond the bad end: {error}",))


def _variant(study: Study, name: str | None) -> Variant:
    wanted = name or study.baselines[0]
    names = [v.name for v in study.measured]
    if wanted not in names:
        raise UserError(f"no variant {wanted!r}; there are {', '.join(names)}", where="--variant")
    return study.variant(wanted)
