"""The measuring loop: block after block, each benchmark in its turn, until settled or out of time.

Nothing here knows how verdicts are made: the caller says when a benchmark is settled."""

from __future__ import annotations

import hashlib
import math
import random
import statistics
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from whyfast.measure.block import WantedBlock, draw, draw_layouts, run_block
from whyfast.measure.calibrate import (
    BLOCKS_WANTED,
    FEWEST_TURNS,
    MOST_TURNS,
    WantedCalibration,
    WantedLengths,
    best_turns,
    calibrate,
    cost_of_round,
    most_turns,
)
from whyfast.measure.invocation import Clock, InvocationFailed, Runner
from whyfast.model.sample import Block, Calibration, RunFailure

Wanted = WantedCalibration | WantedBlock

#: What came of it; a failure where a variant failed.
Outcome = Calibration | Block | RunFailure


def take(wanted: Wanted, runner: Runner, clock: Clock) -> Outcome:
    """Take it here, by the benchmark's runner."""
    try:
        if isinstance(wanted, WantedCalibration):
            return calibrate(runner, wanted, clock)
        return run_block(runner, wanted, clock)
    except InvocationFailed as failed:
        return failed.as_failure(wanted.benchmark, failed.variant or "")


#: Blocks after which the number of turns is first chosen anew from measured variances; then each
#: time that they have doubled.
REVIEW_AFTER = 8

#: A settled benchmark takes one block in ``RESTING`` passes while others go on, later one in a
#: ``RESTING_PART``-th of the passes so far: the geometric mean needs a block of each.
RESTING, RESTING_PART = 2, 4


@dataclass
class BenchmarkRun:
    """One benchmark under measurement.

    ``variants`` begins with the main baseline and loses variants that fail; ``pinned`` says whether
    its processes are bound to one CPU, and is given up when they have several threads. ``layouts``
    says how many layouts each variant has, ``profiles`` how many builds with other profiles, which
    are numbered after them. While they last, every second block takes a fresh one of each, of
    layouts and profiles in turn; the other blocks run the builds as linked, and so did the first
    ``linked`` blocks, before there were layouts. ``least_turns`` may be raised while measuring,
    where processes turn out to warm up; ``reviewed`` is the number of blocks when the turns were
    last chosen."""

    name: str
    runner: Runner
    variants: list[str]
    baselines: Sequence[str]
    pinned: bool = True
    turn: float | None = None
    loops: int | None = None
    turns: int | None = None
    layouts: Mapping[str, int] = field(default_factory=dict)
    profiles: Mapping[str, int] = field(default_factory=dict)
    linked: int = 0
    next_index: int = 0
    blocks: list[Block] = field(default_factory=list)
    calibration: Calibration | None = None
    least_turns: int = FEWEST_TURNS
    reviewed: int = 0

    @property
    def baseline(self) -> str:
        """The first of the study's baselines that still runs; empty when none does."""
        return next((b for b in self.baselines if b in self.variants), "")

    @property
    def drawn(self) -> tuple[int, int]:
        """How many layouts and how many profiles all variants have: a block compares like with
        like."""
        layouts, profiles = (
            min((each.get(v, 0) for v in self.variants), default=0)
            for each in (self.layouts, self.profiles)
        )
        return layouts, profiles

    @property
    def comparable(self) -> bool:
        """Whether a comparison is left to make."""
        return len(self.variants) > 1 and any(b in self.variants for b in self.baselines)


class Sink(Protocol):
    """Where results go; each call returns once they are safe."""

    def add_block(self, block: Block) -> None:
        """Keep a block."""

    def add_failure(self, failure: RunFailure) -> None:
        """Keep a failure."""

    def add_calibration(self, calibration: Calibration) -> None:
        """Keep what the next blocks of a benchmark are taken with."""


@dataclass(frozen=True)
class MeasuringSession:
    """Where blocks are taken and kept. ``run`` and ``session`` are their ids, from which all seeds
    follow; ``budget`` seconds of measuring in all, ``spent`` of them in earlier sessions; ``cpus``
    those to choose from; ``calibrating`` hears which benchmark is calibrated, ``released`` of one
    that turned out to have several threads at work, and how many by variant. A block should last at
    most ``longest_block`` seconds, see :class:`~whyfast.measure.calibrate.WantedLengths`."""

    run: str
    session: str
    sink: Sink
    clock: Clock
    cpus: Sequence[int]
    budget: float
    spent: float = 0.0
    calibrating: Callable[[str], None] = lambda name: None
    released: Callable[[str, Mapping[str, int]], None] = lambda name, threads: None
    longest_block: float = math.inf


def measure(
    entries: Sequence[BenchmarkRun],
    session: MeasuringSession,
    settled: Callable[[BenchmarkRun], bool],
) -> float:
    """Measure until every entry is settled or the budget is used; returns seconds spent in all.
    What is left of the budget when no further block fits into it stays unused. Passes go over the
    unsettled benchmarks in random order, one block each, so that an interruption at any time leaves
    all of them about equally well measured. Settled ones take a block now and then, see
    :func:`next_round`. A variant that fails is reported to the sink and left out of that benchmark
    from then on."""
    runners = {e.name: e.runner for e in entries}
    steps = campaign(entries, session, settled)
    try:
        wanted = next(steps)
        while True:
            wanted = steps.send(take(wanted, runners[wanted.benchmark], session.clock))
    except StopIteration as ended:
        return float(ended.value)


def campaign(
    entries: Sequence[BenchmarkRun],
    session: MeasuringSession,
    settled: Callable[[BenchmarkRun], bool],
) -> Generator[Wanted, Outcome, float]:
    """:func:`measure` without taking anything: it yields what is wanted next, and is sent what came
    of it, wherever that was taken."""
    share = session.budget / len(entries) if entries else math.inf
    session = replace(session, longest_block=min(session.longest_block, share / BLOCKS_WANTED))
    began = session.clock.monotonic()
    rng = random.Random(_seed(session.run, session.session, 0))

    def spent() -> float:
        return session.spent + session.clock.monotonic() - began

    def fits(entry: BenchmarkRun) -> bool:
        # Beyond one block, none is begun that cannot be expected to end within the budget.
        left = session.budget - spent()
        recent = [block.seconds for block in entry.blocks[-5:]]
        return left > 0 and (not recent or statistics.median(recent) <= left)

    def going() -> bool:
        return any(e.comparable and not settled(e) and fits(e) for e in entries)

    while going():
        for passed in next_round(entries, settled, rng):
            for entry in passed:
                if not entry.comparable or not fits(entry):
                    continue
                block = yield from _one_block(entry, session, rng)
                if block is not None:
                    entry.blocks.append(block)
                    session.sink.add_block(block)
            if not going():
                break
    return spent()


def next_round(
    entries: Sequence[BenchmarkRun], settled: Callable[[BenchmarkRun], bool], rng: random.Random
) -> list[list[BenchmarkRun]]:
    """The passes until every benchmark has had a block again, each in random order. One pass, as
    long as none is settled. Then every open benchmark takes a block in each pass and every settled
    one in one of them, drawn at random. What is taken is fixed before the round begins, by what was
    known then: so no block has a say in whether another one joins it in the mean of its round, and
    that mean stays symmetric. One whose layouts are used up takes no more."""
    there = [e for e in entries if e.comparable]
    open_ = [e for e in there if not settled(e)]
    resting = [e for e in there if e not in open_ and not any(e.drawn)]
    length = 1
    if resting:
        taken = max((len(e.blocks) for e in open_), default=0)
        length = max(RESTING, taken // RESTING_PART)
    passes = [list(open_) for _ in range(length)]
    for entry in resting:
        rng.choice(passes).append(entry)
    return [rng.sample(passed, len(passed)) for passed in passes]


def _one_block(
    entry: BenchmarkRun, session: MeasuringSession, rng: random.Random
) -> Generator[Wanted, Outcome, Block | None]:
    """Calibrate if need be and take one block; None when a variant failed, which is recorded."""
    places = session.cpus if entry.pinned else ()
    if entry.calibration is None:
        session.calibrating(entry.name)
        cpu = rng.choice(list(places)) if places else None
        lengths = WantedLengths(entry.turn, entry.turns, session.longest_block, entry.loops)
        calibration = yield WantedCalibration(entry.name, tuple(entry.variants), cpu, lengths)
        if isinstance(calibration, RunFailure):
            return (yield from _without(entry, calibration, session, rng))
        assert isinstance(calibration, Calibration)
        session.sink.add_calibration(calibration)
        entry.calibration = calibration
    _review_turns(entry, session)
    c = entry.calibration
    seed = _seed(session.run, entry.name, entry.next_index)
    layouts, profiles = _layouts(entry, session.run)
    plan = replace(
        draw(seed, entry.variants, c.turns, places, layouts),
        profiles=profiles,
        loops=c.loops,
        warmups=1 if entry.runner.loops_vary else 0,
    )
    block = yield WantedBlock(plan, entry.name, entry.baseline, entry.next_index, session.session)
    if isinstance(block, RunFailure):
        return (yield from _without(entry, block, session, rng))
    assert isinstance(block, Block)
    if block.cpu is not None and max(block.threads.values(), default=1) > 1:
        session.released(entry.name, block.threads)
        # Several threads on one CPU are another program: from now on all CPUs may be used, and what
        # was measured on one is not counted. What decides it are the threads and never the times.
        entry.pinned, entry.calibration, entry.reviewed = False, None, 0
        entry.blocks.clear()
        return None
    entry.next_index += 1
    return block


def _layouts(entry: BenchmarkRun, run: str) -> tuple[dict[str, int], bool]:
    """The layouts of the next block, empty for one of the builds as linked; and whether they are
    profiles instead."""
    index = entry.next_index - entry.linked
    turn = index // 2
    layouts, profiles = entry.drawn
    both = min(layouts, profiles)
    if turn < 2 * both:
        number, of_profiles = turn // 2, turn % 2 == 1
    else:
        number, of_profiles = turn - both, profiles > layouts
    if index % 2 == 0 or number >= (profiles if of_profiles else layouts):
        return {}, False
    counts, kind = (entry.profiles, "profiles") if of_profiles else (entry.layouts, "layouts")
    seed = _seed(run, entry.name, kind)
    drawn = {v: draw_layouts(seed, v, counts[v], number) for v in entry.variants}
    first = {v: entry.layouts.get(v, 0) if of_profiles else 0 for v in entry.variants}
    return {v: first[v] + n for v, n in drawn.items() if n is not None}, of_profiles


def _without(
    entry: BenchmarkRun, failure: RunFailure, session: MeasuringSession, rng: random.Random
) -> Generator[Wanted, Outcome, Block | None]:
    """Leave the variant out. Where it only has no such benchmark, which it says at once, the others
    take their block in its place, or the benchmark would fall behind by one for each."""
    session.sink.add_failure(failure)
    entry.variants.remove(failure.variant)
    entry.calibration = None
    entry.reviewed = 0  # or the new calibration would keep its first guess
    if failure.lacks and entry.comparable:
        return (yield from _one_block(entry, session, rng))
    return None


def _review_turns(entry: BenchmarkRun, session: MeasuringSession) -> None:
    """After enough blocks, and whenever they have doubled: turns from measured variances too, and
    not from costs alone."""
    c = entry.calibration
    if c is None or entry.turns is not None or not entry.runner.loops_vary:
        return
    turns = c.turns
    if len(entry.blocks) >= max(REVIEW_AFTER, 2 * entry.reviewed):
        entry.reviewed = len(entry.blocks)
        base = entry.baseline
        others = [v for v in entry.variants if v != base]
        choices = [best_turns(entry.blocks, v, base, c.start) for v in others]
        wanted = sorted(t for t in choices if t is not None)
        turns = wanted[len(wanted) // 2] if wanted else turns
        round_cost = cost_of_round(entry.blocks, c.start)
        turns = min(turns, most_turns(c.start, round_cost, session.longest_block))
    turns = max(turns, min(entry.least_turns, MOST_TURNS))
    if turns != c.turns:
        entry.calibration = replace(c, turns=turns)
        session.sink.add_calibration(entry.calibration)


def _seed(*parts: object) -> int:
    """A seed that follows from the run and the place in it, so that a block can be redrawn."""
    text = "/".join(str(p) for p in parts)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")
