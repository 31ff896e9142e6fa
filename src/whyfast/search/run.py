"""One search as a whole: resumed or begun, kept after every step, and told."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.explain.objects.elf import open_elf
from whyfast.explain.same_builds import same_builds
from whyfast.investigate.services import Observer
from whyfast.model.code import ChangeCoverage, CodeComparison
from whyfast.model.errors import UserError
from whyfast.model.evidence import DispatchFacts
from whyfast.search.ahead import likely_next
from whyfast.search.confirm import attempts
from whyfast.search.engine import (
    BuildCandidate,
    Confirm,
    Done,
    Measure,
    MeasureEnds,
    Step,
    begin,
    built,
    next_step,
    observe,
    skip,
)
from whyfast.search.keep import load, save
from whyfast.search.posterior import Posterior
from whyfast.search.state import AxisCandidate, Quantity, SearchAnswer, State, Task, Where, ran
from whyfast.search.subject import BuildsAhead, CandidateFailed, Layouts, Subject, observation
from whyfast.search.view import likely, view
from whyfast.store.files import exclusive
from whyfast.store.home import Home

# ---- One search from its state to its answer, whatever it builds and measures.

#: Told of each state, with the step that led to it, once it is worth keeping.
Keep = Callable[[State, Step], None]


def drive(subject: Subject, state: State, keep: Keep) -> tuple[State, SearchAnswer]:
    """Do what the engine wants until it has an answer.

    ``keep`` is called after every step and has made it durable when it returns: a search that was
    ended there goes on from that state. A candidate that cannot be built or measured is skipped.
    CandidateFailed when that is an end, which nothing can do without.
    """
    last = state.task.positions
    while True:
        step = next_step(state)
        try:
            if isinstance(step, Done):
                return state, step.answer
            state = _done(subject, state, step, last)
        except CandidateFailed as failed:
            if failed.candidate in (0, last):
                raise
            state = skip(state, failed.candidate, failed.reason)
        keep(state, step)


def _done(subject: Subject, state: State, step: Step, last: int) -> State:
    """The state after the step."""
    match step:
        case BuildCandidate(candidate):
            subject.build(candidate)
            return built(state, candidate)
        case MeasureEnds(layouts):
            chosen: set[int] = set()
            pair = None
        case Measure(candidate, layouts):
            chosen, pair = {candidate}, None
        case Confirm(parent, culprit, layouts, attempt):
            chosen, pair = {parent, culprit}, (parent, culprit, attempt)
        case _:
            raise AssertionError(step)
    if pair:
        subject.settle(pair[:2])
    wanted = sorted({0, last, *chosen})
    taken = subject.block(
        wanted,
        number=len(state.observations) + 1,
        layouts=_layouts(state, wanted) if layouts else None,
    )
    return observe(state, observation(taken, last, layouts=layouts, pair=pair))


def _layouts(state: State, candidates: Sequence[int]) -> Layouts:
    """For each the first layout that no block ran yet."""
    used = Counter(c for o in state.observations if o.layouts for c in ran(state.task, o))
    return {c: used[c] + 1 for c in candidates}


# ---- How a search stands: the posterior over the range, as text.

#: Columns of the range, and what each eighth of a column looks like.
WIDTH = 60
BARS = " ▁▂▃▄▅▆▇█"


def standing(
    state: State, candidates: Sequence[AxisCandidate], *, backwards: bool = False
) -> tuple[str, ...]:
    """Lines: the posterior from the good end to the bad one, where it is, and what else may be.
    ``backwards``: the good end is the newer one."""
    tries = attempts(state.observations, state.task.known)
    belief = view(state, tries).belief
    taken = f"{len(state.observations)} blocks, {len(state.built)} built"
    if state.skipped:
        taken += f", {len(state.skipped)} skipped"
    if belief is None:
        return (taken,)
    where = likely(belief)
    lines = [f"good │{bars(belief, WIDTH)}│ bad", taken]
    if belief.step > 0.5:
        first = candidates[where.first - backwards].title
        place = first if where.size == 1 else f"{where.size} of {len(candidates) - 1}, from {first}"
        lines.append(f"likely ({where.probability:.0%}): {place}")
    lines.append(", ".join(f"{name} {share:.0%}" for name, share in belief.of.items()))
    if tries and tries[-1].outcome == "open":
        lines.append(
            f"confirming: {tries[-1].blocks} blocks, {math.expm1(tries[-1].estimate):+.2%}"
        )
    return tuple(lines)


def bars(belief: Posterior, width: int) -> str:
    """The posterior of the largest step in ``width`` columns, or one for each position if those
    are fewer. The height is of the square root, so that what is unlikely still shows."""
    positions = belief.bounds[-1]
    columns = min(width, positions)
    share = [0.0] * columns
    for low, high, mass in zip(belief.bounds, belief.bounds[1:], belief.largest, strict=False):
        # The positions low + 1 … high lie on the axis from low to high.
        first, last = low * columns / positions, high * columns / positions
        for column in range(math.floor(first), math.ceil(last)):
            part = min(last, column + 1) - max(first, column)
            share[column] += float(mass) * part / (last - first)
    top = max(share) or 1.0
    return "".join(BARS[round(math.sqrt(s / top) * (len(BARS) - 1))] for s in share)


# ---- What differs between a culprit and its parent, beside their time.


@dataclass(frozen=True)
class SectionSize:
    """A section of the program that differs, bytes in the parent and in the culprit."""

    name: str
    before: int
    after: int


@dataclass(frozen=True)
class StepEvidence:
    """Parent and culprit side by side.

    ``code``: which functions differ. ``reaches``: whether each benchmark executes them, empty where
    nothing could be run for it. ``dispatch``: of parent and culprit, where the study names the
    functions that dispatch. ``sections``: those whose size differs. ``files``: what the step
    changed in the source, a path each.
    """

    code: CodeComparison
    reaches: tuple[ChangeCoverage, ...] = ()
    dispatch: tuple[DispatchFacts, DispatchFacts] | None = None
    sections: tuple[SectionSize, ...] = ()
    files: tuple[str, ...] = ()


def compared(
    parent: tuple[Path, Path], culprit: tuple[Path, Path], files: Sequence[str] = ()
) -> StepEvidence:
    """The programs compared; each is the folder that it was built in, and its path in there."""
    sizes = _sizes(parent[0] / parent[1]), _sizes(culprit[0] / culprit[1])
    return StepEvidence(
        same_builds(parent, culprit),
        sections=tuple(
            SectionSize(name, sizes[0].get(name, 0), sizes[1].get(name, 0))
            for name in dict.fromkeys((*sizes[0], *sizes[1]))
            if sizes[0].get(name, 0) != sizes[1].get(name, 0)
        ),
        files=tuple(files),
    )


def _sizes(program: Path) -> dict[str, int]:
    """Bytes of the sections that are loaded; nothing of what is no ELF file."""
    try:
        found = open_elf(program)
    except UserError:
        return {}
    sizes: dict[str, int] = {}
    for one in found.sections:
        if one.loaded:
            sizes[one.name] = sizes.get(one.name, 0) + one.size
    return sizes


@dataclass(frozen=True)
class SearchResult:
    """What was searched, all that was seen, and the answer.

    ``evidence`` is what differs between culprit and parent, None where nothing was compared.
    ``further`` are searches that followed from the answer; each says in ``why`` what of:
    ``merged branch``, ``remainder``, ``repair`` or ``way back``. ``notes``: what is to be said
    beside, a sentence each. ``quantity``: what was compared; what is called a time is a cost of
    that kind. ``backwards``: the good end is the newer one, so a step is what made it faster.
    """

    axis: str
    candidates: tuple[AxisCandidate, ...]
    state: State
    answer: SearchAnswer
    evidence: StepEvidence | None = None
    why: str = ""
    further: tuple[SearchResult, ...] = ()
    notes: tuple[str, ...] = ()
    quantity: Quantity = "time"
    backwards: bool = False

    def at(self, position: int) -> AxisCandidate:
        """What brought the step at a position: the newer of the two that it lies between."""
        return self.candidates[position - self.backwards]

    def sides(self, where: Where) -> tuple[int, int]:
        """The candidates around a step, the older one first."""
        return (where.last, where.parent) if self.backwards else (where.parent, where.last)


def run_search(
    subject: Subject,
    found: SearchResult,
    file: Path,
    home: Home,
    observer: Observer,
    *,
    alone: bool = True,
) -> SearchResult:
    """Go on from what ``file`` keeps of this very search, or from ``found``, to the answer.

    ``alone``: it waits until nobody else measures on this machine. What is counted need not. A
    ``subject`` that builds ahead is told what it is likely to be asked for.
    UserError when an end cannot be built or measured. KeyboardInterrupt at any time leaves the
    file to be gone on with.
    """
    names = [c.name for c in found.candidates]
    state = load(file, found.state.task, names)
    if state is not None and state.observations:
        observer.note(f"resuming: {len(state.observations)} blocks are there already")
    state = state or found.state

    def keep(now: State, step: Step) -> None:
        save(file, now, names)
        if said := _said(now, step, found):
            observer.step(said)
        observer.status(standing(now, found.candidates, backwards=found.backwards))
        prefetch(now)

    def prefetch(now: State) -> None:
        if isinstance(subject, BuildsAhead):
            subject.prefetch(likely_next(now))

    said = "waiting: another whyfast is measuring on this machine"
    lock = exclusive(home.data / "measuring.lock", lambda: observer.note(said))
    with lock if alone else nullcontext():
        try:
            prefetch(state)
            state, answer = drive(subject, state, keep)
        except CandidateFailed as failed:
            end, option = ("good", "--good") if failed.candidate == 0 else ("bad", "--bad")
            title = found.candidates[failed.candidate].title
            raise UserError(
                f"the {end} end, {title}, cannot be measured: {failed.reason}", where=option
            ) from failed
    return replace(found, state=state, answer=answer)


def begun(
    axis: str,
    candidates: Sequence[AxisCandidate],
    task: Task,
    quantity: Quantity = "time",
    *,
    backwards: bool = False,
) -> SearchResult:
    """A search that has seen nothing yet."""
    state = begin(task)
    none = SearchAnswer("undecided", None, None, {}, "not tested")
    return SearchResult(
        axis, tuple(candidates), state, none, quantity=quantity, backwards=backwards
    )


def _said(state: State, step: Step, found: SearchResult) -> str:
    """A line on a step, empty where it is none worth one."""
    number, candidates = len(state.observations), found.candidates
    match step:
        case BuildCandidate(candidate) if candidate in state.skipped:
            return f"skipped {candidates[candidate].title}: {state.skipped[candidate]}"
        case BuildCandidate(candidate):
            return f"built {candidates[candidate].title}"
        case Measure(candidate, _) if state.observations and state.observations[-1].readings:
            more = math.expm1(state.observations[-1].readings[0].to_good)
            return f"block {number}: {candidates[candidate].title}: {more:+.2%} to the good end"
        case Confirm(_, culprit, _, attempt) if state.observations[-1].pair:
            jump = state.observations[-1].pair.jump
            said = f"confirming {found.at(culprit).title}, attempt {attempt}"
            jump = -jump if found.backwards else jump
            return f"block {number}: {said}: {math.expm1(jump):+.2%} to its parent"
        case Done():
            return ""
    return f"block {number}: the ends, {math.expm1(state.observations[-1].ends):+.2%}"
