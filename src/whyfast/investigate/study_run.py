"""One run of a study: prepare, measure (or resume), judge."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from whyfast.build.source import with_source
from whyfast.investigate.enter import entrances
from whyfast.investigate.events import Observer
from whyfast.investigate.measuring import judged, measure_entries
from whyfast.investigate.prepare import Prepared, prepare, with_twin
from whyfast.measure.campaign import Entry
from whyfast.measure.clock import Clock, SystemClock
from whyfast.measure.registry import make_runner
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.model.sample import Block
from whyfast.model.study import Benchmark, Study
from whyfast.store.home import Home
from whyfast.store.lock import exclusive
from whyfast.store.samples import Run, SampleStore
from whyfast.study.placeholders import substitute


def run_study(
    study: Study, home: Home, observer: Observer, *, clock: Clock | None = None, fresh: bool = False
) -> Result:
    """Build, measure, judge and explain; resumes the last run of the same study if unfinished.

    The budget is ``study.measure.budget``. ``fresh`` starts a new run in any case. Interrupted
    while measuring, it returns what there is with ``complete`` False, and the next call goes on.
    UserError when no baseline could be built.
    """
    clock = clock or SystemClock()
    began = clock.monotonic()
    study = with_twin(study)
    study = with_source(study, home, observer.note)
    prepared = prepare(study, home, observer)
    seconds = {"prepare": clock.monotonic() - began}
    usable = [b.variant for b in prepared.builds if isinstance(b, Build)]
    baselines = [b for b in study.baselines if b in usable]
    if not baselines:
        raise UserError(_no_baseline(study, prepared), where=study.folder / "study.toml")

    store = SampleStore(home.database)
    try:
        run = open_run(store, run_key(study, prepared), study.name, clock, fresh)
        observer.phase("measure")
        began = clock.monotonic()
        with exclusive(
            home.data / "measuring.lock",
            lambda: observer.note("waiting: another whyfast is measuring on this machine"),
        ):
            enter = entrances(study, prepared, home)
            entries = _entries(study, prepared, enter, store, run, usable, baselines)
            earlier = sum(len(e.blocks) for e in entries)
            if earlier:
                observer.note(f"resuming: {earlier} blocks are there already")
            complete = measure_entries(study, store, run, entries, observer, clock)
        seconds["measure"] = clock.monotonic() - began
        if complete:
            store.finish(run.id, clock.now())
        observer.phase("judge")
        return judged(
            study,
            store,
            run,
            complete=complete,
            variants=usable,
            baselines=baselines,
            toolchains=prepared.toolchains,
            builds=prepared.builds,
            evidence=prepared.evidence,
            seconds=seconds,
        )
    finally:
        store.close()


def run_key(study: Study, prepared: Prepared) -> str:
    """What must be equal for two runs to be one: builds, benchmarks and how they are measured."""
    parts = {
        "study": study.name,
        "builds": {b.variant: b.digest for b in prepared.builds if isinstance(b, Build)},
        "benchmarks": [
            [b.name, b.runner, list(b.command), b.check, b.timeout] for b in study.benchmarks
        ],
        "baselines": list(study.baselines),
        "layouts": study.measure.layouts,
        "turn": [study.measure.turn, study.measure.turns],
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def open_run(store: SampleStore, key: str, study: str, clock: Clock, fresh: bool) -> Run:
    """The unfinished run of that key, or a new one."""
    old = None if fresh else store.unfinished(key)
    if old:
        return old
    run = Run(uuid.uuid4().hex, key, study, clock.now(), None)
    store.begin(run)
    return run


def _entries(
    study: Study,
    prepared: Prepared,
    enter: Mapping[str, tuple[str, ...]],
    store: SampleStore,
    run: Run,
    usable: Sequence[str],
    baselines: Sequence[str],
) -> list[Entry]:
    """What to measure, with the blocks and failures that the run has already."""
    earlier = store.blocks(run.id)
    failed = {(f.benchmark, f.variant) for f in store.failures(run.id)}
    ordered = [baselines[0], *(v for v in usable if v != baselines[0])]
    return [
        _entry(study, prepared, enter, b, ordered, baselines, failed, earlier)
        for b in study.benchmarks
    ]


def _entry(
    study: Study,
    prepared: Prepared,
    enter: Mapping[str, tuple[str, ...]],
    benchmark: Benchmark,
    variants: Sequence[str],
    baselines: Sequence[str],
    failed: set[tuple[str, str]],
    earlier: Sequence[Block],
) -> Entry:
    blocks = [b for b in earlier if b.benchmark == benchmark.name]
    commands = _commands(study, prepared, enter, benchmark)
    layouts = _layout_commands(study, prepared, enter, benchmark)
    return Entry(
        name=benchmark.name,
        runner=make_runner(
            benchmark, commands, dict(os.environ), prepared.packages.pyperf, layouts
        ),
        variants=[v for v in variants if (benchmark.name, v) not in failed],
        baselines=baselines,
        pinned=benchmark.runner != "command",
        turn=study.measure.turn,
        turns=study.measure.turns,
        layouts={v: len(argvs) for v, argvs in layouts.items()},
        next_index=max((b.index for b in blocks), default=-1) + 1,
        blocks=blocks,
    )


def _commands(
    study: Study,
    prepared: Prepared,
    enter: Mapping[str, tuple[str, ...]],
    benchmark: Benchmark,
) -> dict[str, tuple[str, ...]]:
    """Each built variant's argument vector with placeholders replaced."""
    return {
        build.variant: enter[build.variant] + _argv(study, prepared, benchmark, build.program)
        for build in prepared.builds
        if isinstance(build, Build)
    }


def _layout_commands(
    study: Study,
    prepared: Prepared,
    enter: Mapping[str, tuple[str, ...]],
    benchmark: Benchmark,
) -> dict[str, list[tuple[str, ...]]]:
    """The argument vectors of each variant's layouts; a twin draws from its original's."""
    original = {v.name: v.twin_of or v.name for v in study.variants}
    return {
        build.variant: [
            enter[build.variant] + _argv(study, prepared, benchmark, p) for p in programs
        ]
        for build in prepared.builds
        if isinstance(build, Build) and (programs := prepared.layouts.get(original[build.variant]))
    }


def _argv(study: Study, prepared: Prepared, benchmark: Benchmark, program: Path) -> tuple[str, ...]:
    places = {
        "program": str(program),
        "source": str(study.source.folder),
        "study": str(study.folder),
        "pyperformance": str(prepared.packages.pyperformance),
    }
    return tuple(substitute(word, places) for word in benchmark.command)


def _no_baseline(study: Study, prepared: Prepared) -> str:
    reasons = [
        f"{b.variant}: {b.reason}"
        for b in prepared.builds
        if isinstance(b, BuildFailure) and b.variant in study.baselines
    ]
    return "no baseline could be built, so there is nothing to compare with; " + "; ".join(reasons)
