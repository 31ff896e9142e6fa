"""One search as a whole: resumed or begun, kept after every step, and told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.investigate.events import Observer
from whyfast.model.errors import UserError
from whyfast.search.ahead import likely_next
from whyfast.search.answer import SearchAnswer, Where
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.drive import drive
from whyfast.search.engine import BuildCandidate, Confirm, Done, Measure, Step, begin
from whyfast.search.keep import load, save
from whyfast.search.quantity import Quantity
from whyfast.search.standing import standing
from whyfast.search.state import State, Task
from whyfast.search.step_evidence import StepEvidence
from whyfast.search.subject import BuildsAhead, CandidateFailed, Subject
from whyfast.store.home import Home
from whyfast.store.lock import exclusive


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
        observer.standing(standing(now, found.candidates, backwards=found.backwards))
        foresee(now)

    def foresee(now: State) -> None:
        if isinstance(subject, BuildsAhead):
            subject.foresee(likely_next(now))

    said = "waiting: another whyfast is measuring on this machine"
    lock = exclusive(home.data / "measuring.lock", lambda: observer.note(said))
    with lock if alone else nullcontext():
        try:
            foresee(state)
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
