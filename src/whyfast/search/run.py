"""Running a search: begin or resume it, store it after every step, show its progress."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from whyfast.investigate.recording import measuring_alone
from whyfast.investigate.services import Observer
from whyfast.model.errors import UserError
from whyfast.search import engine
from whyfast.search.ddmin import Event, Failed, Try, ddmin, next_try
from whyfast.search.posterior import Posterior
from whyfast.search.results import SearchFile, SearchResult, SetResult
from whyfast.search.state import (
    MEASURED,
    AxisCandidate,
    Observation,
    Pair,
    Quantity,
    Reading,
    SearchAnswer,
    State,
    Task,
    ran,
)
from whyfast.search.subject import CandidateFailed, Layouts, Subject, observation
from whyfast.search.view import Subset, Trial, attempts, label, likely, numbered, view
from whyfast.store.home import Home

#: The most steps to simulate to find the likely next builds: each costs as much as a step of the
#: search.
PLAYED = 40
PLAYED_SETS = 12

#: Where nothing was measured yet, the ends are assumed to differ by this many margins.
CLEAR = 10.0

S = TypeVar("S")
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class _Move(Generic[S, K]):
    """The next step of a search: ``needs`` must be built for it; it measures ``asks``. ``after`` is
    the search after the step, given which of the measured are like the bad end."""

    needs: K | None
    asks: K | None
    after: Callable[[Mapping[K, bool]], S]


def _play(
    start: S, known: Mapping[K, bool], move: Callable[[S], _Move[S, K] | None], steps: int
) -> Iterator[K]:
    """All builds that may be needed, likeliest first, except for the next step itself. A measured
    candidate is like the good end or like the bad one with equal probability; both continuations
    are played, the one with the fewest such questions first."""
    number = itertools.count()
    queue = [(0, next(number), start, known)]
    first = move(start)
    seen = {first.needs} if first else set()
    for _ in range(steps):
        if not queue:
            return
        questions, _, search, answers = heapq.heappop(queue)
        step = move(search)
        if step is None:
            continue
        if step.needs is not None and step.needs not in seen:
            seen.add(step.needs)
            yield step.needs
        if step.asks is None or step.asks in answers:
            heapq.heappush(queue, (questions, next(number), step.after(answers), answers))
            continue
        for like_bad in (False, True):
            assumed = {**answers, step.asks: like_bad}
            heapq.heappush(queue, (questions + 1, next(number), step.after(assumed), assumed))


def likely_next(state: State) -> Iterator[int]:
    """The candidates of a bisection that are likely to be built, but for the next one."""
    effect = _effect([o.ends for o in state.observations], state.task.margin)

    def move(now: State) -> _Move[State, int] | None:
        step = engine.next_step(now)
        match step:
            case engine.BuildCandidate(candidate):
                return _Move(candidate, None, lambda _: engine.built(now, candidate))
            case engine.Measure(candidate, layouts):

                def measured(like_bad: Mapping[int, bool]) -> State:
                    ratios = (effect, 0.0) if like_bad[candidate] else (0.0, -effect)
                    reading = Reading(candidate, *ratios)
                    return engine.observe(now, Observation(effect, (reading,), layouts))

                return _Move(None, candidate, measured)
            case engine.Confirm(parent, culprit, layouts, attempt):
                pair = Pair(parent, culprit, attempt, effect)
                confirmed = Observation(effect, (), layouts, pair)
                return _Move(None, None, lambda _: engine.observe(now, confirmed))
            case engine.MeasureEnds(layouts):
                return _Move(
                    None, None, lambda _: engine.observe(now, Observation(effect, (), layouts))
                )
            case _:
                return None

    return _play(state, {}, move, PLAYED)


def likely_subsets(task: Task, events: Sequence[Event]) -> Iterator[Subset]:
    """The subsets that are likely to be built: each carries the difference or none of it."""
    trials = [e for e in events if not isinstance(e, Failed)]
    effect = _effect([t.ends for t in trials], task.margin)

    def move(now: tuple[Event, ...]) -> _Move[tuple[Event, ...], Subset] | None:
        wanted = next_try(task, now)
        if not isinstance(wanted, Try):
            return None
        subset = wanted.subset

        def after(carries: Mapping[Subset, bool]) -> tuple[Event, ...]:
            offset = 0.0
            if subset is not None:
                offset = effect / 2 if carries[subset] else -effect / 2
            return (*now, Trial(effect, subset, offset, wanted.fresh, wanted.layouts))

        return _Move(subset, subset, after)

    known = {t.subset: t.offset > 0 for t in trials if t.subset is not None}
    return _play(tuple(events), known, move, PLAYED_SETS)


def _effect(ends: Sequence[float], margin: float) -> float:
    """The assumed difference of the ends: the measured one, if it is worth searching for."""
    measured = float(np.median(ends)) if ends else 0.0
    return measured if measured > np.log1p(margin) else CLEAR * float(np.log1p(margin))


@contextmanager
def _measuring(
    home: Home, observer: Observer, ends: tuple[str, str], quantity: Quantity
) -> Iterator[None]:
    """Measure alone on this machine, unless counting. A failed candidate, which must be an end, is
    a UserError about it."""
    with measuring_alone(home, observer) if quantity in MEASURED else nullcontext():
        try:
            yield
        except CandidateFailed as failed:
            end, title = ("bad", ends[1]) if failed.candidate else ("good", ends[0])
            message = f"the {end} end, {title}, cannot be measured: {failed.reason}"
            raise UserError(message, where=f"--{end}") from failed


def run_search(
    subject: Subject, result: SearchResult, file: SearchFile, home: Home, observer: Observer
) -> SearchResult:
    """Resume the search kept in ``file``, or begin ``result``, and go on to the answer. UserError
    when an end cannot be built or measured. KeyboardInterrupt at any time leaves a file that can be
    resumed."""
    state = file.load_state(result.state.task)
    if state is not None and state.observations:
        observer.note(f"resuming: {len(state.observations)} blocks measured earlier")
    state = state or result.state

    def keep(now: State, step: engine.Step) -> None:
        file.save_state(now)
        if line := _progress(now, step, result):
            observer.step(line)
        observer.status(posterior_lines(now, result.candidates, backwards=result.backwards))
        subject.prefetch(likely_next(now))

    ends = result.candidates[0].title, result.candidates[-1].title
    with _measuring(home, observer, ends, result.quantity):
        subject.prefetch(likely_next(state))
        state, answer = drive(subject, state, keep)
    return replace(result, state=state, answer=answer)


def drive(
    subject: Subject, state: State, keep: Callable[[State, engine.Step], None]
) -> tuple[State, SearchAnswer]:
    """Do what the engine asks for until it has an answer. ``keep`` is called after every step and
    has made it durable when it returns. A candidate that cannot be built or measured is skipped.
    CandidateFailed when that is an end."""
    last = state.task.positions
    while True:
        step = engine.next_step(state)
        if isinstance(step, engine.Done):
            return state, step.answer
        try:
            state = _do(subject, state, step)
        except CandidateFailed as failed:
            if failed.candidate in (0, last):
                raise
            state = engine.skip(state, failed.candidate, failed.reason)
        keep(state, step)


def _do(
    subject: Subject,
    state: State,
    step: engine.BuildCandidate | engine.MeasureEnds | engine.Measure | engine.Confirm,
) -> State:
    """The state after the step."""
    last = state.task.positions
    chosen, pair = {0, last}, None
    match step:
        case engine.BuildCandidate(candidate):
            subject.build(candidate)
            return engine.built(state, candidate)
        case engine.Measure(candidate):
            chosen.add(candidate)
        case engine.Confirm(parent, culprit, _, attempt):
            chosen |= {parent, culprit}
            pair = (parent, culprit, attempt)
            subject.rebuild_clean((parent, culprit))
    layouts = None
    if step.layouts:
        # Each candidate runs in the first layout that no block used yet.
        used = Counter(c for o in state.observations if o.layouts for c in ran(state.task, o))
        layouts = {c: used[c] + 1 for c in chosen}
    blocks = subject.block(sorted(chosen), number=len(state.observations) + 1, layouts=layouts)
    return engine.observe(state, observation(blocks, last, layouts=step.layouts, pair=pair))


def _progress(state: State, step: engine.Step, result: SearchResult) -> str:
    """A line on a step, empty where it deserves none."""
    number, candidates = len(state.observations), result.candidates
    match step:
        case engine.BuildCandidate(candidate) if candidate in state.skipped:
            return f"skipped {candidates[candidate].title}: {state.skipped[candidate]}"
        case engine.BuildCandidate(candidate):
            return f"built {candidates[candidate].title}"
        case engine.Measure(candidate, _) if state.observations and state.observations[-1].readings:
            more = math.expm1(state.observations[-1].readings[0].to_good)
            return f"block {number}: {candidates[candidate].title}: {more:+.2%} to the good end"
        case engine.Confirm(_, culprit, _, attempt) if state.observations[-1].pair:
            jump = state.observations[-1].pair.jump
            jump = math.expm1(-jump if result.backwards else jump)
            title = result.at(culprit).title
            return (
                f"block {number}: confirming {title}, attempt {attempt}: {jump:+.2%} to its parent"
            )
        case engine.Done():
            return ""
    return f"block {number}: the ends, {math.expm1(state.observations[-1].ends):+.2%}"


#: Columns of the range, and what each eighth of a column looks like.
WIDTH = 60
BARS = " ▁▂▃▄▅▆▇█"


def posterior_lines(
    state: State, candidates: Sequence[AxisCandidate], *, backwards: bool = False
) -> tuple[str, ...]:
    """The posterior from the good end to the bad one, the likely place, and other hypotheses.
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
    lines.append(", ".join(f"{name} {share:.0%}" for name, share in belief.hypotheses.items()))
    if tries and tries[-1].outcome == "open":
        estimate = math.expm1(tries[-1].estimate)
        lines.append(f"confirming: {tries[-1].blocks} blocks, {estimate:+.2%}")
    return tuple(lines)


def bars(belief: Posterior, width: int) -> str:
    """The posterior of the largest step in at most ``width`` columns, one for each position if
    there are fewer. The height is the square root, so that unlikely places still show."""
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


#: The numbers of the ends among the candidates of a set.
GOOD_END, BAD_END = 0, 1


def run_set(
    task: Task,
    subject: Subject,
    candidates: list[AxisCandidate],
    result: SetResult,
    file: SearchFile,
    home: Home,
    observer: Observer,
) -> SetResult:
    """As :func:`run_search`. ``candidates`` of ``subject`` are the ends; every mixture is added
    when it is first asked for."""
    events: list[Event] = []
    earlier = file.load_events()
    if earlier:
        observer.note(f"resuming: {len(earlier)} blocks measured earlier")
    recorded, names = iter(earlier), result.differences
    if numbered(names, frozenset(range(len(names) // 2))):
        legend = "; ".join(f"{n} {title}" for n, title in enumerate(names, 1))
        observer.note(f"differences by their numbers: {legend}")
    numbers: dict[Subset, int] = {}

    def number(subset: Subset) -> int:
        if subset not in numbers:
            numbers[subset] = len(candidates)
            name = "+".join(map(str, sorted(subset)))
            candidates.append(AxisCandidate(name, label(names, subset), mixed=subset))
        return numbers[subset]

    def ask(wanted: Try) -> Event:
        event = next(recorded, None)
        if event is None:
            subject.prefetch(number(subset) for subset in likely_subsets(task, events))
            chosen = [] if wanted.subset is None else [number(wanted.subset)]
            event = _take(subject, wanted, chosen, events)
            file.save_events([*events, event])
            observer.step(_set_progress(len(events) + 1, event, wanted.subset, names))
        events.append(event)
        return event

    ends = result.good, result.bad
    with _measuring(home, observer, ends, result.quantity):
        answer = ddmin(task, ask)
    return replace(result, events=tuple(events), answer=answer)


def _take(subject: Subject, wanted: Try, chosen: list[int], before: Sequence[Event]) -> Event:
    """A block of the ends and the ``chosen`` mixture, if any, after those ``before``.
    CandidateFailed when an end cannot be built or measured."""
    layouts: Layouts | None = None
    if wanted.layouts:  # the first that no block used yet
        varied = [e for e in before if isinstance(e, Trial) and e.layouts]
        ends, mixture = len(varied) + 1, sum(t.subset == wanted.subset for t in varied) + 1
        layouts = {GOOD_END: ends, BAD_END: ends, **dict.fromkeys(chosen, mixture)}
    try:
        if wanted.fresh:
            subject.rebuild_clean(chosen)
        asked = [GOOD_END, BAD_END, *chosen]
        blocks = subject.block(asked, number=len(before) + 1, layouts=layouts)
    except CandidateFailed as failed:
        if failed.candidate in (GOOD_END, BAD_END) or wanted.subset is None:
            raise
        return Failed(wanted.subset, failed.reason)
    # As the block of a bisection, in which the bad end has the highest number.
    order = [GOOD_END, *chosen, BAD_END]
    renamed = [{n: times[c] for n, c in enumerate(order)} for times in blocks]
    block = observation(renamed, len(order) - 1, layouts=False)
    offset = block.readings[0].offset if block.readings else 0.0
    return Trial(block.ends, wanted.subset, offset, wanted.fresh, wanted.layouts)


def _set_progress(number: int, event: Event, subset: Subset | None, names: Sequence[str]) -> str:
    if isinstance(event, Failed):
        return f"skipped {label(names, event.subset)}: {event.reason}"
    if subset is None:
        return f"block {number}: the ends, {event.ends:+.2%}"
    share = round(0.5 + event.offset / event.ends, 2) + 0.0 if event.ends else 0.0
    return f"block {number}: {label(names, subset)}: {share:.0%} of the difference"
