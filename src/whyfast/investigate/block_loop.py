"""Blocks are taken, kept, judged as they come in, and told of, until nothing is left to decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from whyfast.investigate.recording import OpenRun
from whyfast.investigate.work import Q, Work
from whyfast.judge.estimate import over_layouts
from whyfast.judge.last_look import level_of_looks
from whyfast.judge.live import Compared, LiveJudge, Looks, TogetherJudge
from whyfast.measure.campaign import BenchmarkRun, Limits, MeasuringSession, measure
from whyfast.model.question import Question
from whyfast.model.sample import Block, Calibration, RunFailure
from whyfast.model.study import MeasureSpec

#: Whether a benchmark needs no further blocks.
Settled = Callable[[BenchmarkRun], bool]


def measure_blocks(
    work: Work[Q],
    run: OpenRun,
    entries: Sequence[BenchmarkRun],
    spec: MeasureSpec,
    settled: Settled | None = None,
    first: Callable[[str], Block] | None = None,
) -> bool:
    """Take blocks until every entry is settled or the budget used; whether nothing that they said
    ended it.

    Blocks that an entry brings along from earlier sessions count towards the budget. Each block is
    durable before the observer hears of it. ``settled``: by default as ``spec.stop`` says, and
    where there are layouts, once all of them have been taken. ``first`` gives, for the id of the
    session, a block of the first entry that was taken already.
    """
    if first is None:
        work.outside.left()  # what ran before is not told of here
    live = LiveSink(work, run, entries, spec)
    clock = work.outside.clock
    with run.timed("measure", clock), run.session(work.outside) as session:
        if first is not None:
            live.begin_with(entries[0], first(session.id))
        measure(
            entries,
            measuring_session(work, run, session.id, live, work.outside.cpus),
            Limits(spec.budget, live.earlier),
            settled or live.settled,
        )
    return settled is not None or not any(live.settled(e) for e in entries)


def measuring_session(
    work: Work[Q], run: OpenRun, session: str, live: LiveSink, cpus: Sequence[int]
) -> MeasuringSession:
    """Where blocks are taken and kept, under the id of a session, on a machine with those CPUs."""
    return MeasuringSession(
        run.run.id,
        session,
        live,
        work.outside.clock,
        cpus,
        lambda name: work.observer.step(f"calibrating {name}"),
        lambda name, threads: work.observer.note(released(name, threads)),
    )


def released(name: str, threads: Mapping[str, int]) -> str:
    """What is said of a benchmark whose processes are bound to one CPU no longer."""
    most = max(threads, key=threads.__getitem__)
    return (
        f"{name}: {most} has {threads[most]} threads at work; measuring begins anew with all CPUs "
        "free to use"
    )


def _compared(question: Question, same: Mapping[str, str]) -> Compared:
    """What is told while it is measured: against the main baseline, or each against its own."""

    def pairs(variants: Sequence[str], baseline: str) -> Sequence[tuple[str, str]]:
        own = [b for b in question.baselines if b in variants] if question.along else [baseline]
        return question.compared(variants, own, same)

    return pairs


class LiveSink:
    """A sink that keeps what it is given, judges it, and tells the observer."""

    def __init__(
        self,
        work: Work[Q],
        run: OpenRun,
        entries: Sequence[BenchmarkRun],
        spec: MeasureSpec,
        looks: Looks | None = None,
        together: TogetherJudge | None = None,
    ) -> None:
        self._observer, self._clock = work.observer, work.outside.clock
        self._run, self._spec = run, spec
        self._left = work.outside.left
        self._left_behind: set[str] = set()
        compared, level = _compared(work.question, work.same), level_of_looks(work.question)
        self._judge = LiveJudge(work.question.margin, compared, looks, level, together)
        self._entries = {e.name: e for e in entries}
        for entry in entries:
            self._look(entry)
        self.earlier = sum(b.seconds for e in entries for b in e.blocks)
        self._began = self._clock.monotonic()
        self._said: set[str] = set()

    def begin_with(self, entry: BenchmarkRun, block: Block) -> None:
        """What was taken before measuring began counts, and so does the time that it took."""
        entry.blocks.append(block)
        entry.next_index += 1
        self.earlier += block.seconds
        self.add_block(block)

    def add_block(self, block: Block) -> None:
        self._run.add_block(block)
        name = block.benchmark
        self._look(self._entries[name])
        spent = self.earlier + self._clock.monotonic() - self._began
        self._observer.block(name, self._judge.said(name), spent, self._spec.budget)
        self._tell_left(name)

    def add_failure(self, failure: RunFailure) -> None:
        self._run.add_failure(failure)
        self._observer.failure(failure)
        self._tell_left(failure.benchmark)

    def add_calibration(self, calibration: Calibration) -> None:
        self._run.add_calibration(calibration)

    def _tell_left(self, name: str) -> None:
        """Once a benchmark, of what its programs leave running where a killed group does not
        end it."""
        left = self._left()
        if left and name not in self._left_behind:
            self._left_behind.add(name)
            were = "1 process was" if left == 1 else f"{left} processes were"
            self._observer.note(
                f"{name}: {were} still running in other sessions or process groups (setsid) when "
                "the programs of a block had ended, and ended with them"
            )

    def settled(self, entry: BenchmarkRun) -> bool:
        layouts = min(entry.layouts.values(), default=0)
        if layouts and len(over_layouts(entry.blocks)) >= layouts:
            self._used_up(entry, layouts)
            return True  # further blocks could only repeat layouts
        return self._spec.stop == "decided" and self._judge.settled(self._judge.said(entry.name))

    def _used_up(self, entry: BenchmarkRun, layouts: int) -> None:
        if entry.name in self._said or self._judge.settled(self._judge.said(entry.name)):
            return
        self._said.add(entry.name)
        self._observer.note(
            f"{entry.name}: layouts used up, all {layouts} were taken before it was decided; "
            f"layouts = {4 * layouts} in [measure] would halve the interval"
        )

    def _look(self, entry: BenchmarkRun) -> None:
        self._judge.update(
            entry.name,
            entry.blocks,
            entry.variants,
            entry.baseline,
            takes_turns=entry.runner.loops_vary,
        )
        entry.least_turns = max(entry.least_turns, self._judge.least_turns(entry.name))
