"""Counting what every build does in every benchmark, apart from the timed runs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.explain.hot import hot_functions
from whyfast.explain.program import load
from whyfast.investigate.events import Observer
from whyfast.investigate.exec_prefixes import exec_prefixes
from whyfast.investigate.prepare import Prepared, to_measure
from whyfast.investigate.valgrind_choice import choose_valgrind
from whyfast.measure.count import TIMEOUT
from whyfast.measure.counting_runs import Counting, CountingTask, measured_turns
from whyfast.measure.doctor.system import Files
from whyfast.measure.geometry import read_geometry
from whyfast.measure.launch import Launcher, SystemLauncher
from whyfast.measure.pyperf_runner import WORKER, worker_environment
from whyfast.measure.simulate import CannotCount, RunPlace, Valgrind
from whyfast.model.counted import Counted
from whyfast.model.counters import MEASURED, Counts
from whyfast.model.errors import UserError
from whyfast.model.sample import Calibration
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.store.home import Home
from whyfast.toolchain.valgrind import valgrind_root

WHOLE = "one run of the command"

#: Runners whose programs do their work in a process of their own.
COUNTABLE = ("turn", "command", "pyperf")

#: A benchmark and the words before each variant's command → each variant's whole command.
Commands = Callable[[Benchmark, Mapping[str, tuple[str, ...]]], Mapping[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Setting:
    """What counting needs of a run: its builds, how they are started and how they are measured."""

    study: Study
    prepared: Prepared
    home: Home
    commands: Commands
    calibrations: Mapping[str, Calibration]


def count_study(
    setting: Setting, observer: Observer, launcher: Launcher | None = None
) -> tuple[Counted, ...]:
    """Every benchmark that the study wants counted, in every build but twins.

    Nothing is raised for what cannot be counted; the notes of its counts say why.
    """
    study = setting.study
    named = study.evidence.counted or [b.name for b in study.benchmarks]
    wanted = [b for b in study.benchmarks if b.name in named and b.runner in COUNTABLE]
    scratch = setting.home.cache / "counting"
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch, prefix="run-") as folder:
        counter = _Counter(setting, observer, launcher or SystemLauncher(), Path(folder))
        return tuple(counter.benchmark(b) for b in wanted)


class _Counter:
    def __init__(
        self, setting: Setting, observer: Observer, launcher: Launcher, scratch: Path
    ) -> None:
        self._setting = setting
        self._observer = observer
        self._scratch = scratch
        twins = {v.name for v in setting.study.variants if v.twin_of}
        built = to_measure(setting.study, setting.prepared)
        self._builds = [b for b in built if b.variant not in twins]
        self._geometry = read_geometry(Files())
        self._counting = Counting(launcher, self._geometry, TIMEOUT)
        self._hardware = setting.study.evidence.counters == "hardware or simulation"
        self._valgrind: Valgrind | CannotCount | None = None
        self._launcher = launcher

    def benchmark(self, benchmark: Benchmark) -> Counted:
        """All builds with one benchmark: measured; simulated where wanted or all there is."""
        counts: list[Counts] = []
        work = []
        if self._hardware:
            counts, said = self._measured(benchmark)
            work += [said] if counts else []
        events = self._setting.study.evidence.events
        if not counts or not set(events) <= set(MEASURED):
            simulated, said = self._simulated(benchmark)
            counts = _joined(counts, simulated)
            work.append(f"simulated: {said}" if work else said)
        self._counting.forget()
        return self._compared(benchmark, "; ".join(work), counts)

    def _measured(self, benchmark: Benchmark) -> tuple[list[Counts], str]:
        """Empty where the machine counts nothing, after one try."""
        tasks = self._tasks(benchmark)
        calibration = self._setting.calibrations.get(benchmark.name)
        loops = calibration.loops if calibration else 1
        turns = measured_turns(calibration.value) if calibration else 1
        found: list[Counts] = []
        self._observer.note(f"counting {benchmark.name} in {len(tasks)} builds")
        for task in tasks:
            found.append(self._counting.measured(task, loops, turns))
            if not found[0].counters:
                self._hardware = False
                self._observer.note(f"{found[0].notes[0]}; simulating instead")
                return [], ""
        work = f"{turns} turns of {loops} loops, beyond start-up and a turn to warm up"
        return found, work if benchmark.runner != "command" else WHOLE

    def _simulated(self, benchmark: Benchmark) -> tuple[list[Counts], str]:
        try:
            valgrind = self._choose()
        except CannotCount as error:
            return [_uncounted(t, str(error)) for t in self._tasks(benchmark)], WHOLE
        tasks = self._tasks(benchmark)  # only now: the folder of a new Valgrind is to be seen
        loops, work = 1, WHOLE
        self._observer.note(f"simulating {benchmark.name} in {len(tasks)} builds")
        if benchmark.runner != "command":
            for task in tasks:  # the first that works, the main baseline if it does
                try:
                    loops = self._counting.loops(task, valgrind)
                    break
                except CannotCount:
                    continue
            times = "loop" if loops == 1 else "loops"
            work = f"one turn of {loops} {times}, beyond start-up and a turn to warm up"
        found = []
        for task in tasks:
            found.append(self._counting.simulated(task, loops, valgrind))
        return found, work

    def _choose(self) -> Valgrind:
        if self._valgrind is None:
            try:
                self._valgrind = choose_valgrind(
                    self._launcher,
                    os.environ,
                    self._setting.home,
                    rooted=any(t.root for t in self._setting.prepared.toolchains),
                    note=self._observer.note,
                )
            except CannotCount as error:
                self._valgrind = error
        if isinstance(self._valgrind, CannotCount):
            raise self._valgrind
        return self._valgrind

    def _tasks(self, benchmark: Benchmark) -> list[CountingTask]:
        """The main baseline first."""
        setting = self._setting
        enter = exec_prefixes(
            setting.study,
            setting.prepared,
            setting.home,
            readable=(valgrind_root(setting.home),),
            writable=(self._scratch,),
        )
        commands = setting.commands(benchmark, dict.fromkeys(enter, ()))
        env: Mapping[str, str] = os.environ
        more: tuple[str, ...] = ()
        if benchmark.runner == "pyperf":
            more = WORKER
            env = worker_environment(env, setting.prepared.packages.pyperf)
        main = setting.study.baselines[0]
        return [
            CountingTask(
                build.variant,
                (*commands[build.variant], *more),
                dict(env),
                RunPlace(enter[build.variant], self._scratch),
                turns=benchmark.runner != "command",
                check=benchmark.check if benchmark.runner == "turn" else None,
            )
            for build in sorted(self._builds, key=lambda b: b.variant != main)
        ]

    def _compared(self, benchmark: Benchmark, work: str, counts: Sequence[Counts]) -> Counted:
        """Hot functions side by side; then the profiles, thousands of functions each, can go."""
        events = self._setting.study.evidence.events
        order = [b.variant for b in self._builds]
        counts = sorted(counts, key=lambda c: order.index(c.variant))
        kept = tuple(
            replace(
                c,
                profile=None,
                counters=tuple(k for k in c.counters if not events or k.name in events),
            )
            for c in counts
        )
        programs = {b.variant: b.program for b in self._builds}
        profiled = [(c.variant, c.profile) for c in counts if c.profile]
        counted = Counted(benchmark.name, work, kept)
        try:
            loaded = [load(programs[variant]) for variant, _ in profiled]
        except UserError as error:
            self._observer.note(f"hot functions of {benchmark.name}: {error}")
            return counted
        if not profiled or len({p.main for _, p in profiled}) > 1:
            return counted
        names = [variant for variant, _ in profiled]
        hot, overlaps = hot_functions([p for _, p in profiled], loaded, names, self._geometry.l1i)
        first = profiled[0][1]
        event = "instructions" if first.main == "Ir" else first.main
        return replace(
            counted,
            profiled=tuple(names),
            event=event,
            source=first.source,
            tool=first.tool,
            hot=tuple(hot),
            overlaps=tuple(overlaps),
        )


def _joined(measured: Sequence[Counts], simulated: Sequence[Counts]) -> list[Counts]:
    """Both kinds of counters of each build; the profile is the measured one where there is one."""
    others = {c.variant: c for c in measured}
    joined = []
    for one in simulated:
        other = others.get(one.variant)
        if other is None:
            joined.append(one)
            continue
        joined.append(
            replace(
                other,
                counters=(*other.counters, *one.counters),
                profile=other.profile or one.profile,
                notes=(*other.notes, *one.notes),
            )
        )
    return joined


def _uncounted(task: CountingTask, why: str) -> Counts:
    return Counts(task.variant, task.command, (), None, (why,), failed=True)
