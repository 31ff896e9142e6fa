"""A search of a study along an axis that has no order: which differences of two ends matter."""

from __future__ import annotations

import shlex
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.investigate.context import RunContext, narrow
from whyfast.investigate.services import Observer, Services
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.search.ahead import likely_subsets
from whyfast.search.axes.axis import DifferenceSet, MixingEnds
from whyfast.search.axes.flags import with_flags
from whyfast.search.axes.registry import MIXINGS
from whyfast.search.ddmin import Differences, Event, Failed, Minimal, Try, ddmin
from whyfast.search.keep import load_events, save_events, search_key
from whyfast.search.state import AxisCandidate, Quantity, check_quantity
from whyfast.search.study_subject import StudySubject, as_linked, incrementally, without_layouts
from whyfast.search.subject import (
    BuildsAhead,
    CandidateFailed,
    Layouts,
    Subject,
    Times,
    observation,
)
from whyfast.search.subsets import Subset, Trial, label, numbered
from whyfast.store.files import exclusive
from whyfast.store.home import Home

# ---- One search for a set as a whole: resumed or begun, kept after every block, and told.


@dataclass(frozen=True)
class SetResult:
    """What was searched, all that was seen, and the answer.

    ``good`` and ``bad`` are the names of the ends, ``differences`` what differs between them, by
    number. ``vanishing``: what it means when the difference goes away in mixtures. ``reverted``: what
    else differs and is as at the good end in every mixture, the bad end too. ``further`` is the
    search of what is left when what was found is mended too, or ``note`` says why there is none.
    """

    axis: str
    good: str
    bad: str
    differences: tuple[str, ...]
    quantity: Quantity
    events: tuple[Event, ...]
    answer: Minimal
    vanishing: str = ""
    reverted: tuple[str, ...] = ()
    further: SetResult | None = None
    note: str = ""


def run_set(
    task: Differences,
    oracle: SetSubject,
    found: SetResult,
    file: Path,
    home: Home,
    observer: Observer,
) -> SetResult:
    """Go on from what ``file`` keeps of this very search to the answer.

    UserError when an end cannot be built or measured. KeyboardInterrupt at any time leaves the
    file to be gone on with.
    """
    events: list[Event] = []
    earlier = list(load_events(file, found.differences))
    if earlier:
        observer.note(f"resuming: {len(earlier)} blocks are there already")
    recorded = iter(earlier)
    if numbered(found.differences, frozenset(range(len(found.differences) // 2))):
        told = "; ".join(f"{n} {title}" for n, title in enumerate(found.differences, 1))
        observer.note(f"differences by their numbers: {told}")

    def ask(wanted: Try) -> Event:
        for event in recorded:
            events.append(event)
            return event
        oracle.prefetch(likely_subsets(task, events))
        event = oracle(wanted, events)
        events.append(event)
        save_events(file, events, found.differences)
        observer.step(_said(len(events), event, wanted.subset, found.differences))
        return event

    said = "waiting: another whyfast is measuring on this machine"
    timed = found.quantity == "time"
    lock = exclusive(home.data / "measuring.lock", lambda: observer.note(said))
    with lock if timed else nullcontext():
        try:
            answer = ddmin(task, ask)
        except CandidateFailed as failed:
            end, option = ("bad", "--bad") if failed.candidate else ("good", "--good")
            name = found.bad if failed.candidate else found.good
            raise UserError(
                f"the {end} end, {name}, cannot be measured: {failed.reason}", where=option
            ) from failed
    return replace(found, events=tuple(events), answer=answer)


def _said(number: int, event: Event, subset: Subset | None, names: Sequence[str]) -> str:
    if subset is None:
        ends = 0.0 if isinstance(event, Failed) else event.ends
        return f"block {number}: the ends, {ends:+.2%}"
    what = label(names, subset)
    if isinstance(event, Failed):
        return f"skipped {what}: {event.reason}"
    level = round(0.5 + event.offset / event.ends, 2) + 0.0 if event.ends else 0.0
    return f"block {number}: {what}: {level:.0%} of the difference"


# ---- The oracle of a search for a set: mixtures of two ends, built and measured beside both.

GOOD, BAD = 0, 1


@dataclass
class SetSubject:
    """Answers :func:`whyfast.search.minimise.minimise`, given all that was answered before.

    ``candidates`` are those of ``subject``, which may grow: the ends first, then every mixture
    when it is first asked for, of the differences of these ``titles``.
    Raises CandidateFailed when an end cannot be built or measured.
    """

    subject: Subject
    candidates: list[AxisCandidate]
    titles: Sequence[str]
    _numbers: dict[Subset, int] = field(default_factory=dict)

    def __call__(self, wanted: Try, before: Sequence[Event]) -> Event:
        """Take a block."""
        chosen = [] if wanted.subset is None else [self._number(wanted.subset)]
        try:
            if wanted.fresh:
                self.subject.settle(chosen)
            blocks = self.subject.block(
                [GOOD, BAD, *chosen],
                number=len(before) + 1,
                layouts=_layouts(wanted.subset, chosen, before) if wanted.layouts else None,
            )
        except CandidateFailed as failed:
            if failed.candidate in (GOOD, BAD) or wanted.subset is None:
                raise
            return Failed(wanted.subset, failed.reason)
        return _trial(blocks, chosen, wanted)

    def prefetch(self, subsets: Iterable[Subset]) -> None:
        """These mixtures are likely to be asked for, the likeliest first."""
        if isinstance(self.subject, BuildsAhead):
            self.subject.prefetch(self._number(subset) for subset in subsets)

    def _number(self, subset: Subset) -> int:
        if subset not in self._numbers:
            self._numbers[subset] = len(self.candidates)
            name = "+".join(map(str, sorted(subset)))
            self.candidates.append(AxisCandidate(name, label(self.titles, subset), mixed=subset))
        return self._numbers[subset]


def _layouts(subset: Subset | None, chosen: Sequence[int], before: Sequence[Event]) -> Layouts:
    """For the ends and the mixture the first layout that no block ran yet."""
    varied = [e for e in before if isinstance(e, Trial) and e.layouts]
    ends, own = len(varied) + 1, sum(t.subset == subset for t in varied) + 1
    return {GOOD: ends, BAD: ends, **dict.fromkeys(chosen, own)}


def _trial(blocks: Sequence[Times], chosen: Sequence[int], wanted: Try) -> Trial:
    """As the block of a search along a line whose bad end has the highest number."""
    order = [GOOD, *chosen, BAD]
    renamed = [{n: times[c] for n, c in enumerate(order)} for times in blocks]
    seen = observation(renamed, len(order) - 1, layouts=False)
    offset = seen.readings[0].offset if seen.readings else 0.0
    return Trial(seen.ends, wanted.subset, offset, wanted.fresh, wanted.layouts)


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
    study: Study, search: SetSearch, home: Home, observer: Observer, services: Services
) -> SetResult:
    """Which differences carry the difference. UserError for ends that cannot be."""
    study = narrow(study, (), search.benchmarks)
    check_quantity(search.quantity, study)
    if search.quantity != "time":  # a count is the same in every layout
        study = without_layouts(study)
    work = RunContext(replace(study, control=False), home, observer, services)
    good, bad = (_end(study, search, text, f"--{w}") for w, text in _ends(search))
    mixing = MIXINGS[search.axis](work, MixingEnds(good, bad, search.object))
    observer.phase("search")
    if search.everything:
        return search_all(mixing, lambda m: _search(work, search, m))
    return _search(work, search, mixing)


def _search(work: RunContext[Study], search: SetSearch, mixing: DifferenceSet) -> SetResult:
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
            mixing.reverted,
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


# ---- From a set that carries most of a difference on to what carries what is left of it.


def search_all(mixing: DifferenceSet, search: Callable[[DifferenceSet], SetResult]) -> SetResult:
    """The search of a mixing, with those of what is left in ``further``.

    What was found is as at the good end from then on, so every further search has fewer
    differences; the first that finds no set is the last. One that cannot be made, for want of an
    end that builds, is told in ``note``.
    """
    found = search(mixing)
    parts = frozenset(d for part in found.answer.parts for d in part)
    if not parts or len(parts) == len(mixing.differences):
        return found
    try:
        return replace(found, further=search_all(mixing.without(parts), search))
    except UserError as error:
        return replace(found, note=f"what is left could not be searched: {error}")
