"""Recording a run: measured blocks are stored, judged and reported as they come in.

:func:`recording` opens the run, :func:`measure_blocks` measures until all is decided.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whyfast.investigate.context import Q, RunContext
from whyfast.investigate.services import Observer, Services
from whyfast.measure.campaign import BenchmarkRun, MeasuringSession, measure
from whyfast.measure.doctor.environment import environment, environment_after
from whyfast.measure.invocation import Clock
from whyfast.model.sample import Block, Calibration, RunFailure, Session
from whyfast.model.study import MeasureSpec, Question, Study
from whyfast.model.variant import RUN, words_of
from whyfast.store.files import exclusive
from whyfast.store.home import Home
from whyfast.store.samples import Run, SampleStore

if TYPE_CHECKING:
    from whyfast.judge.looks import LiveJudge, Looks, TogetherJudge
    from whyfast.model.build import Boot
    from whyfast.model.result import Recorded
    from whyfast.model.verdict import Verdict

#: The key in a session's environment with the name of its host in a fleet.
FLEET_HOST = "fleet_host"


def counted(blocks: Sequence[Block], sessions: Iterable[Session] = ()) -> list[Block]:
    """Without blocks on one CPU from before the benchmark was released from it, and without blocks
    of a host of a fleet from before the benchmark moved to another."""
    host = {s.id: s.environment.get(FLEET_HOST) for s in sessions}
    last = {b.benchmark: host.get(b.session) for b in blocks} if host else {}
    taken = [b for b in blocks if host.get(b.session) == last.get(b.benchmark)]
    free = {b.benchmark for b in taken if b.cpu is None}
    return [b for b in taken if b.cpu is None or b.benchmark not in free]


@dataclass
class OpenRun:
    """A run while it is recorded; additions are durable once the call returns.

    ``goes_on``: it ended without an error, but out of time; the next recording of its key resumes
    it. ``recorded``: all that the store holds of it, from the end of recording on.
    """

    store: SampleStore
    run: Run
    complete: bool = True
    goes_on: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    boots: list[Boot] = field(default_factory=list)
    recorded: Recorded = field(init=False)

    def add_block(self, block: Block) -> None:
        self.store.add_block(self.run.id, block)

    def add_failure(self, failure: RunFailure) -> None:
        self.store.add_failure(self.run.id, failure)

    def add_calibration(self, calibration: Calibration) -> None:
        self.store.add_calibration(self.run.id, calibration)

    def blocks(self) -> list[Block]:
        """The blocks so far, also of earlier sessions."""
        run = self.run.id
        return counted(self.store.blocks(run), self.store.sessions(run))

    def failures(self) -> list[RunFailure]:
        """The failures so far, also of earlier sessions."""
        return self.store.failures(self.run.id)

    def calibrations(self) -> Mapping[str, Calibration]:
        """The latest of each benchmark."""
        return {c.benchmark: c for c in self.store.calibrations(self.run.id)}

    @contextmanager
    def timed(self, phase: str, clock: Clock) -> Iterator[None]:
        """Add the time that the context takes to the phase."""
        began = clock.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = self.seconds.get(phase, 0.0) + clock.monotonic() - began

    @contextmanager
    def session(self, services: Services) -> Iterator[Session]:
        """A session, with the state of the machine before and after it."""
        session = Session(services.new_id(), services.clock.now(), environment(services.system))
        self.store.add_session(self.run.id, session)
        try:
            yield session
        finally:
            at_end = environment_after(services.system)
            facts = {**session.environment, "at_end": at_end}
            self.store.end_session(replace(session, environment=facts))


def measuring_alone(home: Home, observer: Observer) -> AbstractContextManager[None]:
    """Waits until no other whyfast measures on this machine, and keeps others waiting."""
    message = "waiting: another whyfast is measuring on this machine"
    return exclusive(home.data / "measuring.lock", lambda: observer.note(message))


@contextmanager
def recording(
    context: RunContext[Q],
    key: str | None,
    *,
    fresh: bool = False,
    alone: bool = True,
    kept: SampleStore | None = None,
) -> Iterator[OpenRun]:
    """The unfinished run of that key, unless ``fresh``, or a new one; without a key it is new, and
    never resumed.

    ``alone``: it waits until nobody else measures on this machine, and first restores settings that
    an earlier run left behind. KeyboardInterrupt ends it; then it is not ``complete``, and the next
    recording of that key resumes it. ``kept``: a store that several runs share, which stays open.
    UserError when the store cannot be written.
    """
    services = context.services
    with nullcontext(kept) if kept else closing(services.store(context.home.database)) as store:
        run = store.unfinished(key) if key and not fresh else None
        if run is None:
            name, now = context.question.name, services.clock.now()
            run = Run(services.new_id(), key or services.new_id(), name, now, None)
            store.begin(run)
        opened = OpenRun(store, run)
        with ExitStack() as held:
            if alone:
                held.enter_context(measuring_alone(context.home, context.observer))
                if not context.question.in_vms:  # else settings are those of other kernels
                    names = list(
                        dict.fromkeys(n for v in context.question.variants for n in v.sysctl)
                    )
                    for message in context.sysctls.recover(names) if names else ():
                        context.observer.note(message)
            try:
                yield opened
            except KeyboardInterrupt:
                opened.complete = False
        if key is None or (opened.complete and not opened.goes_on):
            store.finish(run.id, services.clock.now())
        from whyfast.model.result import Recorded  # of a hundred classes

        opened.recorded = Recorded(
            run=run.id,
            started=run.started,
            complete=opened.complete,
            seconds={**context.seconds, **opened.seconds},
            sessions=tuple(store.sessions(run.id)),
            toolchains=context.toolchains,
            builds=context.builds,
            blocks=tuple(opened.blocks()),
            failures=tuple(store.failures(run.id)),
            calibrations=tuple(store.calibrations(run.id)),
            boots=tuple(opened.boots),
            same=context.same,
        )


def run_key(context: RunContext[Study]) -> str:
    """A key, equal for runs that are one: of builds, how they run, and how they are measured."""
    study = context.question
    parts = {
        "study": study.name,
        "variants": {
            b.variant: [b.digest, *(words_of(study.variant(b.variant), a) for a in RUN)]
            for b in context.usable
        },
        "kernels": {name: kernel.sha256 for name, kernel in context.kernels.items()},
        "benchmarks": [
            [b.name, b.runner, list(b.command), b.check, b.timeout] for b in study.benchmarks
        ],
        "baselines": list(study.baselines),
        "layouts": study.measure.layouts,
        "turn": [study.measure.turn, study.measure.turns],
        **({"copies": True} if study.measure.copies else {}),
        **({"profiles": study.measure.profiles} if study.measure.profiles else {}),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


#: Whether a benchmark needs no further blocks.
Settled = Callable[[BenchmarkRun], bool]


def measure_blocks(
    context: RunContext[Q],
    run: OpenRun,
    entries: Sequence[BenchmarkRun],
    spec: MeasureSpec,
    settled: Settled | None = None,
    first: Callable[[str], Block] | None = None,
    *,
    rough: bool = False,
) -> bool:
    """Take blocks until every entry is settled or the budget used; returns whether it ended
    independently of the blocks.

    Blocks of earlier sessions count towards the budget. Each block is durable before the observer
    hears of it. ``settled``: by default as ``spec.stop`` says, and with layouts, once all have been
    taken; ``rough``: as soon as a cause can be looked for. ``first`` gives, for the id of the
    session, an earlier block of the first entry.
    """
    if first is None:
        context.services.left()  # resets the count
    live = LiveSink(context, run, entries, spec, rough=rough)
    clock = context.services.clock
    with run.timed("measure", clock), run.session(context.services) as session:
        if first is not None:
            live.begin_with(entries[0], first(session.id))
        measure(
            entries,
            measuring_session(context, run, session.id, live, context.services.cpus),
            settled or live.settled,
        )
    return settled is not None or not any(live.settled(e) for e in entries)


def measuring_session(
    context: RunContext[Q], run: OpenRun, session: str, live: LiveSink, cpus: Sequence[int]
) -> MeasuringSession:
    """The measuring of blocks for that session, on a machine with those CPUs."""
    return MeasuringSession(
        run.run.id,
        session,
        live,
        context.services.clock,
        cpus,
        live.spec.budget,
        live.earlier,
        lambda name: context.observer.step(f"calibrating {name}"),
        lambda name, threads: context.observer.note(released(name, threads)),
    )


def released(name: str, threads: Mapping[str, int]) -> str:
    """The note on a benchmark whose processes are no longer bound to one CPU."""
    most = max(threads, key=threads.__getitem__)
    return (
        f"{name}: {most} has {threads[most]} threads at work; measuring begins anew with all CPUs "
        "free to use"
    )


@dataclass
class LiveSink:
    """A sink that stores blocks, judges them, and reports to the observer.

    The judge, and numpy with it, is loaded when there is a first block to judge.
    """

    context: RunContext[Any]
    run: OpenRun
    entries: Sequence[BenchmarkRun]
    spec: MeasureSpec
    looks: Looks | None = None
    together: TogetherJudge | None = None
    rough: bool = False

    def __post_init__(self) -> None:
        self._clock = self.context.services.clock
        self._left_behind: set[str] = set()
        self._noted: set[str] = set()
        for entry in self.entries:
            if entry.blocks:
                self._look(entry)
        self.earlier = sum(b.seconds for e in self.entries for b in e.blocks)
        self._began = self._clock.monotonic()

    @cached_property
    def _judge(self) -> LiveJudge:
        from whyfast.judge.looks import LiveJudge, Looks, level_of_looks

        question: Question = self.context.question

        def pairs(variants: Sequence[str], baseline: str) -> Sequence[tuple[str, str]]:
            """Against the main baseline, or each against its own."""
            baselines = (
                [b for b in question.baselines if b in variants] if question.along else [baseline]
            )
            return question.compared(variants, baselines, self.context.same)

        level = level_of_looks(question)
        return LiveJudge(question.margin, pairs, self.looks or Looks(), level, self.together)

    def begin_with(self, entry: BenchmarkRun, block: Block) -> None:
        """Count a block from before measuring, and its time."""
        entry.blocks.append(block)
        entry.next_index += 1
        self.earlier += block.seconds
        self.add_block(block)

    def add_block(self, block: Block) -> None:
        self.run.add_block(block)
        name = block.benchmark
        self._look(next(e for e in self.entries if e.name == name))
        spent = self.earlier + self._clock.monotonic() - self._began
        self.context.observer.block(name, self._judge.verdicts(name), spent, self.spec.budget)
        self._tell_left(name)

    def add_failure(self, failure: RunFailure) -> None:
        self.run.add_failure(failure)
        self.context.observer.failure(failure)
        self._tell_left(failure.benchmark)

    def add_calibration(self, calibration: Calibration) -> None:
        self.run.add_calibration(calibration)

    def _tell_left(self, name: str) -> None:
        """Note, once for each benchmark, processes that its programs left running."""
        left = self.context.services.left()
        if left and name not in self._left_behind:
            self._left_behind.add(name)
            were = "1 process was" if left == 1 else f"{left} processes were"
            self.context.observer.note(
                f"{name}: {were} still running in other sessions or process groups (setsid) when "
                "the programs of a block had ended, and ended with them"
            )

    def verdicts(self, benchmark: str) -> tuple[Verdict, ...]:
        """As of the last look."""
        return self._judge.verdicts(benchmark)

    def settled(self, entry: BenchmarkRun) -> bool:
        if not entry.blocks:
            return False
        layouts, profiles = entry.drawn
        taken = sum(bool(b.layouts) for b in entry.blocks)
        if not layouts + profiles and taken:
            return True  # only more layouts say more
        decided = self._judge.settled(self._judge.verdicts(entry.name), rough=self.rough)
        if not layouts + profiles or taken < layouts + profiles:
            return self.spec.stop == "decided" and decided
        if entry.name not in self._noted and not decided:
            from whyfast.judge.looks import fewest_draws

            self._noted.add(entry.name)
            word, count = ("profiles", profiles) if profiles else ("layouts", layouts)
            _, enough = fewest_draws(self.context.question)
            more = f"{word} = {4 * count} in [measure] would halve the interval"
            if count < enough:
                more = f"{word} = {enough} in [measure] is the least that decides each benchmark"
            self.context.observer.note(
                f"{entry.name}: {word} used up, all {count} taken before it was decided; {more}"
            )
        return True  # further blocks could only repeat layouts

    def _look(self, entry: BenchmarkRun) -> None:
        self._judge.update(
            entry.name,
            entry.blocks,
            entry.variants,
            entry.baseline,
            takes_turns=entry.runner.loops_vary,
        )
        entry.least_turns = max(entry.least_turns, self._judge.least_turns(entry.name))
