"""One run of a study: prepare, measure (or resume), judge."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from whyfast.build.source import with_source
from whyfast.investigate.commits_touch import check_change, touched_code
from whyfast.investigate.counting import Setting, count_study
from whyfast.investigate.events import Observer
from whyfast.investigate.exec_prefixes import exec_prefixes
from whyfast.investigate.forecast import check_room
from whyfast.investigate.measuring import judged, measure_entries
from whyfast.investigate.observe import observe, wants_observing
from whyfast.investigate.prepare import Prepared, prepare, to_measure, with_twin
from whyfast.investigate.running import (
    argument_vector,
    holder,
    holding,
    program_places,
    recover,
    ways_to_run,
)
from whyfast.investigate.vm_study import run_in_guests
from whyfast.measure.campaign import BenchmarkRun
from whyfast.measure.clock import Clock, SystemClock
from whyfast.measure.launch import SystemLauncher
from whyfast.measure.registry import make_runner
from whyfast.measure.vm.qemu import find_qemu
from whyfast.model.build import BuildFailure
from whyfast.model.counted import Counted
from whyfast.model.errors import UserError
from whyfast.model.observed import Observed
from whyfast.model.result import Result
from whyfast.model.sample import Block
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.store.home import Home
from whyfast.store.lock import exclusive
from whyfast.store.samples import Run, SampleStore


def run_study(
    study: Study, home: Home, observer: Observer, *, clock: Clock | None = None, fresh: bool = False
) -> Result:
    """Build, measure, judge and explain; resumes the last run of the same study if unfinished.

    The budget is ``study.measure.budget``. ``fresh`` starts a new run in any case. Interrupted
    while measuring, it returns what there is with ``complete`` False, and the next call goes on.
    UserError when no baseline could be built. Where every variant is for evidence only, or no two
    are left that are what their names say, nothing is measured, and the result has no verdicts.
    """
    clock = clock or SystemClock()
    began = clock.monotonic()
    if study.stands_for:
        observer.note(f"{study.stands_for}; running {study.name} instead")
    if study.in_guests:
        find_qemu(SystemLauncher())  # before anything is built
    study = with_twin(study)
    check_room(study, home)
    study = with_source(study, home, observer.note)
    check_change(study)
    prepared = prepare(study, home, observer)
    seconds = {"prepare": clock.monotonic() - began}
    usable = [b.variant for b in to_measure(study, prepared)]
    baselines = [b for b in study.baselines if b in usable]
    if not study.measured:
        reading = replace(study, benchmarks=(), claim=None)
        return _read_only(reading, prepared, home, clock, seconds)
    if prepared.unmet and (not baselines or len(usable) < 2):
        observer.note("nothing is measured: too few variants are what they should be")
        return _read_only(study, prepared, home, clock, seconds)
    if not baselines:
        raise UserError(_no_baseline(study, prepared), where=study.folder / "study.toml")
    if study.in_guests:
        return run_in_guests(
            study,
            prepared,
            home,
            observer,
            clock,
            begin=lambda store, key: open_run(store, key, study.name, clock, fresh),
            seconds=seconds,
        )

    store = SampleStore(home.database)
    try:
        run = open_run(store, run_key(study, prepared), study.name, clock, fresh)
        observer.phase("measure")
        began = clock.monotonic()
        with exclusive(
            home.data / "measuring.lock",
            lambda: observer.note("waiting: another whyfast is measuring on this machine"),
        ):
            enter = exec_prefixes(study, prepared, home)
            for said in recover(study, home):
                observer.note(said)
            observed = Observed()
            if wants_observing(study):
                observer.note("asking the programs about themselves")
                observed = observe(study, prepared, enter, holder(home), SystemLauncher())
                for said in observed.notes:
                    observer.note(said)
            entries = _entries(study, prepared, enter, home, store, run, usable, baselines)
            earlier = sum(len(e.blocks) for e in entries)
            if earlier:
                observer.note(f"resuming: {earlier} blocks are there already")
            complete = measure_entries(
                study.margin, study.measure, store, run, entries, observer, clock
            )
            seconds["measure"] = clock.monotonic() - began
            counted: tuple[Counted, ...] = ()
            if complete and study.evidence.counters != "nothing":
                began = clock.monotonic()
                counted, complete = _count(study, prepared, home, store, run, observer)
                seconds["count"] = clock.monotonic() - began
        if complete:
            store.finish(run.id, clock.now())
        observer.phase("judge")
        result = judged(
            study,
            prepared,
            store,
            run,
            complete=complete,
            variants=usable,
            baselines=baselines,
            seconds=seconds,
        )
        touched = touched_code(study, prepared, counted, observer.note)
        found = replace(result.found, counted=counted, changed=touched, observed=observed)
        return replace(result, found=found)
    finally:
        store.close()


def _count(
    study: Study, prepared: Prepared, home: Home, store: SampleStore, run: Run, observer: Observer
) -> tuple[tuple[Counted, ...], bool]:
    """What every build does, and whether that was not interrupted."""
    observer.phase("count")
    setting = Setting(
        study,
        prepared,
        home,
        lambda benchmark, enter: _commands(study, prepared, enter, benchmark),
        {c.benchmark: c for c in store.calibrations(run.id)},
    )
    try:
        return count_study(setting, observer), True
    except KeyboardInterrupt:
        return (), False


def run_key(study: Study, prepared: Prepared) -> str:
    """What must be equal for two runs to be one: builds, benchmarks and how they are measured."""
    parts: dict[str, object] = {
        "study": study.name,
        "builds": {b.variant: b.digest for b in to_measure(study, prepared)},
        "benchmarks": [
            [b.name, b.runner, list(b.command), b.check, b.timeout] for b in study.benchmarks
        ],
        "baselines": list(study.baselines),
        "layouts": study.measure.layouts,
        "turn": [study.measure.turn, study.measure.turns],
    }
    if ways := ways_to_run(study):
        parts["run"] = ways
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _read_only(
    study: Study, prepared: Prepared, home: Home, clock: Clock, seconds: Mapping[str, float]
) -> Result:
    """The result of a run that only reads machine code, or has nothing that can be compared."""
    store = SampleStore(home.database)
    try:
        run = open_run(store, run_key(study, prepared), study.name, clock, fresh=True)
        store.finish(run.id, clock.now())
        return judged(
            study,
            prepared,
            store,
            run,
            complete=True,
            variants=(),
            baselines=study.baselines,
            seconds=seconds,
        )
    finally:
        store.close()


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
    home: Home,
    store: SampleStore,
    run: Run,
    usable: Sequence[str],
    baselines: Sequence[str],
) -> list[BenchmarkRun]:
    """What to measure, with the blocks and failures that the run has already."""
    earlier = store.blocks(run.id)
    failed = {(f.benchmark, f.variant) for f in store.failures(run.id)}
    ordered = [baselines[0], *(v for v in usable if v != baselines[0])]
    return [
        _entry(study, prepared, enter, home, b, ordered, baselines, failed, earlier)
        for b in study.benchmarks
    ]


def _entry(
    study: Study,
    prepared: Prepared,
    enter: Mapping[str, tuple[str, ...]],
    home: Home,
    benchmark: Benchmark,
    variants: Sequence[str],
    baselines: Sequence[str],
    failed: set[tuple[str, str]],
    earlier: Sequence[Block],
) -> BenchmarkRun:
    blocks = [b for b in earlier if b.benchmark == benchmark.name]
    commands = _commands(study, prepared, enter, benchmark)
    layouts = _layout_commands(study, prepared, enter, benchmark)
    return BenchmarkRun(
        name=benchmark.name,
        runner=holding(
            make_runner(
                benchmark,
                commands,
                dict(os.environ),
                prepared.packages.pyperf,
                layouts,
                program_places(prepared, commands),
            ),
            study,
            home,
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
        build.variant: enter[build.variant]
        + argument_vector(study, prepared, benchmark.command, build.variant, build.program)
        for build in to_measure(study, prepared)
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
            enter[build.variant]
            + argument_vector(study, prepared, benchmark.command, build.variant, p)
            for p in programs
        ]
        for build in to_measure(study, prepared)
        if (programs := prepared.layouts.get(original[build.variant]))
    }


def _no_baseline(study: Study, prepared: Prepared) -> str:
    reasons = [
        f"{b.variant}: {b.reason}"
        for b in prepared.builds
        if isinstance(b, BuildFailure) and b.variant in study.baselines
    ]
    return "no baseline could be built, so there is nothing to compare with; " + "; ".join(reasons)
