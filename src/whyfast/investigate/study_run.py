"""One run of a study: prepare, measure (or resume), judge."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from whyfast.investigate.events import Observer
from whyfast.investigate.judging import LiveJudge, judge_study
from whyfast.investigate.prepare import Prepared, prepare
from whyfast.judge.confounds import find_confounds
from whyfast.measure.campaign import Entry, Limits, measure
from whyfast.measure.clock import Clock, SystemClock
from whyfast.measure.machine import environment
from whyfast.measure.registry import make_runner
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.result import Answer, Result
from whyfast.model.sample import Block, RunFailure, Session
from whyfast.model.study import Benchmark, Study
from whyfast.store.home import Home
from whyfast.store.lock import exclusive
from whyfast.store.samples import Run, SampleStore
from whyfast.study.placeholders import substitute


@dataclass
class _Timer:
    clock: Clock
    seconds: dict[str, float] = field(default_factory=dict)
    _mark: float = 0.0

    def start(self) -> None:
        self._mark = self.clock.monotonic()

    def stop(self, phase: str) -> None:
        self.seconds[phase] = self.clock.monotonic() - self._mark
        self.start()


def run_study(
    study: Study, home: Home, observer: Observer, *, clock: Clock | None = None, fresh: bool = False
) -> Result:
    """Build, measure, judge and explain; resumes the last run of the same study if unfinished.

    The budget is ``study.measure.budget``. ``fresh`` starts a new run in any case. Interrupting
    with KeyboardInterrupt is safe at any time: every stored block stays, and the next call goes
    on. UserError when no baseline could be built.
    """
    clock = clock or SystemClock()
    timer = _Timer(clock)
    timer.start()
    prepared = prepare(study, home, observer)
    timer.stop("prepare")
    commands = benchmark_commands(study, prepared)
    usable = [b.variant for b in prepared.builds if isinstance(b, Build)]
    baselines = [b for b in study.baselines if b in usable]
    if not baselines:
        raise UserError(_no_baseline(study, prepared), where=study.folder / "study.toml")

    store = SampleStore(home.database)
    try:
        run, resumed = open_run(store, run_key(study, prepared), study.name, clock, fresh)
        observer.phase("measure")
        with exclusive(
            home.data / "measuring.lock",
            lambda: observer.note("waiting: another whyfast is measuring on this machine"),
        ):
            blocks = measure_benchmarks(
                study, store, run, commands, usable, baselines, observer, clock
            )
        timer.stop("measure")
        store.finish(run.id, clock.now())
        observer.phase("judge")
        result = judged(study, store, run, prepared, blocks, baselines, timer.seconds)
        timer.stop("judge")
        return replace(result, seconds=dict(timer.seconds))
    finally:
        store.close()


def benchmark_commands(
    study: Study, prepared: Prepared
) -> dict[str, dict[str, tuple[str, ...]]]:
    """For each benchmark, each built variant's argument vector with placeholders replaced."""
    return {
        benchmark.name: {
            build.variant: tuple(
                substitute(
                    word,
                    {
                        "program": str(build.program),
                        "source": str(study.source.folder),
                        "study": str(study.folder),
                    },
                )
                for word in benchmark.command
            )
            for build in prepared.builds
            if isinstance(build, Build)
        }
        for benchmark in study.benchmarks
    }


def run_key(study: Study, prepared: Prepared) -> str:
    """What must be equal for two runs to be one: builds, benchmarks and how they are measured."""
    parts = {
        "study": study.name,
        "builds": {b.variant: b.digest for b in prepared.builds if isinstance(b, Build)},
        "benchmarks": [
            [b.name, b.runner, list(b.command), b.check, b.timeout] for b in study.benchmarks
        ],
        "baselines": list(study.baselines),
        "turn": [study.measure.turn, study.measure.turns],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def open_run(
    store: SampleStore, key: str, study: str, clock: Clock, fresh: bool
) -> tuple[Run, bool]:
    """The unfinished run of that key, or a new one; and whether it is resumed."""
    old = None if fresh else store.unfinished(key)
    if old:
        return old, True
    run = Run(uuid.uuid4().hex, key, study, clock.now(), None)
    store.begin(run)
    return run, False


def measure_benchmarks(
    study: Study,
    store: SampleStore,
    run: Run,
    commands: Mapping[str, Mapping[str, tuple[str, ...]]],
    variants: Sequence[str],
    baselines: Sequence[str],
    observer: Observer,
    clock: Clock,
) -> list[Block]:
    """Take blocks until the study is settled or its budget used; returns all of the run's."""
    earlier = store.blocks(run.id)
    failed = {(f.benchmark, f.variant) for f in store.failures(run.id)}
    if earlier:
        observer.note(f"resuming: {len(earlier)} blocks are there already")
    session = Session(uuid.uuid4().hex, clock.now(), environment())
    store.add_session(run.id, session)
    ordered = [baselines[0], *(v for v in variants if v != baselines[0])]
    entries = [
        _entry(study, b, commands[b.name], ordered, baselines, failed, earlier)
        for b in study.benchmarks
    ]
    judge = LiveJudge(study.margin)
    standing = {
        e.name: judge.update(e.name, e.blocks, e.variants, baselines[0]) for e in entries
    }

    class Keep:
        def add_block(self, block: Block) -> None:
            store.add_block(run.id, block)
            entry = next(e for e in entries if e.name == block.benchmark)
            standing[entry.name] = judge.update(
                entry.name, entry.blocks, entry.variants, baselines[0]
            )
            spent = began_with + clock.monotonic() - began
            observer.block(entry.name, standing[entry.name], spent, study.measure.budget)

        def add_failure(self, failure: RunFailure) -> None:
            store.add_failure(run.id, failure)
            observer.failure(failure)

    def settled(entry: Entry) -> bool:
        return study.measure.stop == "decided" and judge.settled(standing[entry.name])

    began, began_with = clock.monotonic(), sum(b.seconds for b in earlier)
    measure(
        entries,
        run=run.id,
        session=session.id,
        sink=Keep(),
        limits=Limits(study.measure.budget, began_with),
        settled=settled,
        clock=clock,
        calibrating=lambda name: observer.note(f"calibrating {name}"),
    )
    return store.blocks(run.id)


def _entry(
    study: Study,
    benchmark: Benchmark,
    commands: Mapping[str, tuple[str, ...]],
    variants: Sequence[str],
    baselines: Sequence[str],
    failed: set[tuple[str, str]],
    earlier: Sequence[Block],
) -> Entry:
    blocks = [b for b in earlier if b.benchmark == benchmark.name]
    return Entry(
        name=benchmark.name,
        runner=make_runner(benchmark, commands, dict(os.environ)),
        variants=[v for v in variants if (benchmark.name, v) not in failed],
        baselines=baselines,
        pinned=benchmark.runner != "command",
        turn=study.measure.turn,
        turns=study.measure.turns,
        next_index=max((b.index for b in blocks), default=-1) + 1,
        blocks=blocks,
    )


def judged(
    study: Study,
    store: SampleStore,
    run: Run,
    prepared: Prepared,
    blocks: Sequence[Block],
    baselines: Sequence[str],
    seconds: Mapping[str, float],
) -> Result:
    """The result of a measured run; ``answer`` is left empty for the reports to compose."""
    variants = [b.variant for b in prepared.builds if isinstance(b, Build)]
    verdicts, suites = judge_study(
        blocks,
        benchmarks=[b.name for b in study.benchmarks],
        variants=variants,
        baselines=baselines,
        margin=study.margin,
    )
    sessions = tuple(store.sessions(run.id))
    return Result(
        study=study,
        run=run.id,
        started=run.started,
        sessions=sessions,
        toolchains=prepared.toolchains,
        builds=prepared.builds,
        blocks=tuple(blocks),
        failures=tuple(store.failures(run.id)),
        verdicts=verdicts,
        suites=suites,
        evidence=prepared.evidence,
        confounds=find_confounds(study, prepared.builds, sessions, blocks),
        answer=Answer(""),
        about="binaries",
        complete=True,
        seconds=dict(seconds),
    )


def _no_baseline(study: Study, prepared: Prepared) -> str:
    reasons = [
        f"{b.variant}: {b.reason}"
        for b in prepared.builds
        if isinstance(b, BuildFailure) and b.variant in study.baselines
    ]
    return "no baseline could be built, so there is nothing to compare with; " + "; ".join(reasons)
