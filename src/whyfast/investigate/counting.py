"""Counting what programs execute, apart from the timed runs: builds of a study, and files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.explain.hot import hot_functions
from whyfast.explain.program import load
from whyfast.explain.source_lines import TouchedFunctions, touched_functions
from whyfast.investigate.context import RunContext, file_prefixes, study_prefixes
from whyfast.investigate.measuring import folder_words, launch_arguments
from whyfast.investigate.recording import OpenRun
from whyfast.investigate.services import Note, Services
from whyfast.measure.count import (
    TIMEOUT,
    CountingTask,
    Profiler,
    Simulation,
    count_measured,
    count_program,
    joined,
    measured_turns,
)
from whyfast.measure.doctor import System
from whyfast.measure.registry import MAKERS
from whyfast.measure.simulate import Geometry, Valgrind, choose_valgrind, read_geometry
from whyfast.measure.tools import CannotCount, LimitedLauncher, ToolRun
from whyfast.model.counters import MEASURED, Counted, Counts, HotFunction, Overlap, Source
from whyfast.model.errors import UserError
from whyfast.model.sample import Calibration
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.store.home import Home
from whyfast.toolchain.debian import valgrind_root
from whyfast.toolchain.sandbox import Box

WHOLE = "one run of the command"


def count(context: RunContext[Study], run: OpenRun) -> RunContext[Study]:
    """Every benchmark that the study wants counted, in every build but controls.

    Nothing is raised for what cannot be counted; the notes of its counts say why. Programs under
    other kernels are not counted so.
    """
    study = context.question
    if study.evidence.counters == "nothing" or study.in_vms:
        return context
    context.observer.phase("count")
    named = study.evidence.counted or [b.name for b in study.benchmarks]
    wanted = [b for b in study.benchmarks if b.name in named and b.kind.countable]
    with run.timed("count", context.services.clock), scratch_folder(context.home) as folder:
        counter = BuildCounter(context, folder, calibrations=run.calibrations())
        counted = tuple(counter.benchmark(b) for b in within_limit(context, counter, wanted))
        return replace(context, counted=counted)


def within_limit(
    context: RunContext[Study], counter: BuildCounter, wanted: Sequence[Benchmark]
) -> Iterator[Benchmark]:
    """Those that can be counted within the study's limit; a note names the others.

    No run under a tool outlives the limit. A benchmark is not begun that cannot be expected to end
    within it, as the last one took longer.
    """
    clock, limit = context.services.clock, context.question.evidence.limit
    began, last = clock.monotonic(), 0.0
    if limit is not None:
        counter.launcher = LimitedLauncher(counter.launcher, clock, began + limit)
    for i, benchmark in enumerate(wanted):
        spent = clock.monotonic() - began
        if limit is not None and spent + last >= limit:
            names = ", ".join(b.name for b in wanted[i:])
            context.observer.note(f"not counted, as {limit:.0f} s are used up: {names}")
            return
        started = clock.monotonic()
        yield benchmark
        last = clock.monotonic() - started


@contextmanager
def file_tasks(
    request: CountRequest, home: Home, services: Services, note: Note
) -> Iterator[tuple[list[CountingTask], Valgrind | None]]:
    """The programs, each to be run whole, and what simulates them (None: the machine's own
    Valgrind).

    Programs that were built in a root of their own run in it, under a Valgrind that is seen there.
    """
    plain = ToolRun((), services.launcher, services.env, request.timeout)
    tasks = [
        CountingTask(name, replace(plain, command=(str(file.absolute()), *request.arguments)))
        for name, file in request.programs
    ]
    files, here = [file for _, file in request.programs], Box(start=Path.cwd())
    if not any(file_prefixes(files, home, also=here)):
        yield tasks, None
        return
    valgrind = None
    if request.profiler == "callgrind":
        with suppress(CannotCount):
            valgrind = _choose(services, home, True, note)
    with scratch_folder(home) as folder:
        seen = replace(here, readable=(valgrind_root(home),), writable=(folder,))
        enter = file_prefixes(files, home, also=seen)
        rooted = [
            replace(t.run, enter=w, scratch=folder) for t, w in zip(tasks, enter, strict=True)
        ]
        yield [replace(t, run=r) for t, r in zip(tasks, rooted, strict=True)], valgrind


def _choose(services: Services, home: Home, rooted: bool, note: Note) -> Valgrind:
    launcher, env = services.launcher, services.env
    return choose_valgrind(launcher, env, home, rooted=rooted, note=note, newer=services.valgrind)


@contextmanager
def scratch_folder(home: Home) -> Iterator[Path]:
    """A folder that can be written to inside and outside of sandboxes."""
    folders = home.cache / "counting"
    folders.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folders, prefix="run-") as folder:
        yield Path(folder)


@dataclass
class BuildCounter:
    """Remembers what works here: hardware counters, and a Valgrind, which counts misses of caches
    and branches only where these are wanted. One run under a tool may take ``timeout`` seconds,
    which can be set anew."""

    context: RunContext[Study]
    scratch: Path
    timeout: float = TIMEOUT
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    misses: bool = True
    _simulation: Simulation | CannotCount | None = None

    def __post_init__(self) -> None:
        self.launcher = self.context.services.launcher
        self._geometry = read_geometry(self.context.services.system)
        self._hardware = self.context.question.evidence.counters == "hardware or simulation"

    def benchmark(self, benchmark: Benchmark) -> Counted:
        """All builds with one benchmark: measured; simulated where wanted or all there is."""
        measured: list[Counts] = []
        what: list[str] = []
        loops: dict[Source, int] = {}
        if self._hardware:
            measured, work, loops["measured"] = self._measured(benchmark)
            what += [work] if measured else []
        counts = measured
        if not measured or not set(self.context.question.evidence.events) <= set(MEASURED):
            counts, work, loops["simulated"] = self.simulated(benchmark)
            what.append(f"simulated: {work}" if what else work)
            if measured:
                counts = [joined(m, s) for m, s in zip(measured, counts, strict=True)]
        known = {source: number for source, number in loops.items() if number}
        counted = Counted(benchmark.name, "; ".join(what), tuple(counts), loops=known)
        return _compared(self.context, counted, self._geometry)

    def _measured(self, benchmark: Benchmark) -> tuple[list[Counts], str, int]:
        """As :meth:`simulated`; empty where the machine counts nothing, after one try."""
        tasks = self.tasks(benchmark)
        calibration = self.calibrations.get(benchmark.name)
        loops = calibration.loops if calibration else 1
        turns = measured_turns(calibration.value) if calibration else 1
        counts: list[Counts] = []
        self.context.observer.step(f"counting {benchmark.name} in {len(tasks)} builds")
        for task in tasks:
            counts.append(count_measured(task, loops, turns))
            if not counts[0].counters:
                self._hardware = False
                self.context.observer.step(f"{counts[0].notes[0]}; simulating instead")
                return [], "", 0
        work = f"{turns} turns of {loops} loops, beyond start-up and a turn to warm up"
        if not benchmark.kind.takes_turns:
            return counts, WHOLE, 0
        return counts, work, turns * loops

    def simulated(
        self, benchmark: Benchmark, wanted: int | None = None
    ) -> tuple[list[Counts], str, int]:
        """What every build does by the simulation, with its profile; of what work, and of how many
        loops (0: of a whole run): as many as ``wanted``, else chosen by the main baseline."""
        try:
            simulation = self.simulator()
        except CannotCount as error:
            return [task.failed(str(error)) for task in self.tasks(benchmark)], WHOLE, 0
        tasks = self.tasks(benchmark)  # only now: the folder of a new Valgrind is to be seen
        loops, work, counted = 1, WHOLE, 0
        builds = "1 build" if len(tasks) == 1 else f"{len(tasks)} builds"
        self.context.observer.step(f"simulating {benchmark.name} in {builds}")
        if benchmark.kind.takes_turns:
            for task in tasks:  # the first that works, the main baseline if it does
                if wanted:
                    loops = wanted
                    break
                try:
                    loops = simulation.loops(task)
                    break
                except CannotCount:
                    continue
            times = "loop" if loops == 1 else "loops"
            work = f"one turn of {loops} {times}, beyond start-up and a turn to warm up"
            counted = loops
        counts = [simulation.count(task, loops) for task in tasks]
        simulation.forget()
        return counts, work, counted

    def seen(self, benchmark: Benchmark, way: int) -> list[Counts]:
        """Every build run whole under the simulation, as its runner's ``to_see`` number ``way`` has
        it: what it executes, whose counts are of no defined work."""
        to_see = MAKERS[benchmark.runner].to_see
        assert to_see is not None
        try:
            simulation = self.simulator()
        except CannotCount as error:
            return [task.failed(str(error)) for task in self.tasks(benchmark)]
        tasks = self.tasks(benchmark)
        self.context.observer.step(f"simulating {benchmark.name} in {len(tasks)} builds")
        runs = [replace(t.run, command=to_see(t.run.command)[way]) for t in tasks]
        return [
            simulation.count(replace(task, run=run), 1)
            for task, run in zip(tasks, runs, strict=True)
        ]

    def simulator(self) -> Simulation:
        """One for all benchmarks, so that they can be compared. Raises CannotCount."""
        context = self.context
        if self._simulation is None:
            try:
                rooted = any(t.root for t in context.toolchains)
                valgrind = _choose(context.services, context.home, rooted, context.observer.step)
                self._simulation = Simulation(valgrind, self._geometry if self.misses else None)
            except CannotCount as error:
                self._simulation = error
        if isinstance(self._simulation, CannotCount):
            raise self._simulation
        return self._simulation

    def tasks(self, benchmark: Benchmark) -> list[CountingTask]:
        """How every build is run to be counted: the main baseline first, no controls."""
        context = self.context
        seen = Box(readable=(valgrind_root(context.home),), writable=(self.scratch,))
        enter = study_prefixes(context, also=seen)
        # A tool stands between the words before a command and the command.
        inside = folder_words(context, benchmark)
        plain = launch_arguments(context, replace(benchmark, folder=""), dict.fromkeys(enter, ()))
        started = MAKERS[benchmark.runner].adapt(plain)
        controls = {v.name for v in context.question.variants if v.control_of}
        main = context.question.baselines[0]
        return [
            CountingTask(
                name,
                ToolRun(
                    started.commands[name],
                    self.launcher,
                    started.env,
                    self.timeout,
                    (*enter[name], *inside),
                    self.scratch,
                ),
                turns=benchmark.kind.takes_turns,
                check=benchmark.check if benchmark.kind.takes_turns else None,
            )
            for name in sorted(enter, key=lambda name: name != main)
            if name not in controls
        ]


def _compared(context: RunContext[Study], counted: Counted, geometry: Geometry) -> Counted:
    """Hot functions side by side; then the profiles, thousands of functions each, can go."""
    events = context.question.evidence.events
    programs = {b.variant: b.program for b in context.usable}
    order = list(programs)
    counts = sorted(counted.counts, key=lambda c: order.index(c.variant))
    kept = tuple(
        replace(
            c, profile=None, counters=tuple(k for k in c.counters if not events or k.name in events)
        )
        for c in counts
    )
    counted = replace(counted, counts=kept)
    profiled = [(c.variant, c.profile) for c in counts if c.profile]
    try:
        loaded = [load(programs[variant]) for variant, _ in profiled]
    except UserError as error:
        context.observer.note(f"hot functions of {counted.benchmark}: {error}")
        return counted
    if not profiled or len({p.main for _, p in profiled}) > 1:
        return counted
    names = [variant for variant, _ in profiled]
    hot, overlaps = hot_functions([p for _, p in profiled], loaded, names, geometry.l1i)
    first = profiled[0][1]
    return replace(
        counted,
        profiled=tuple(names),
        event="instructions" if first.main == "Ir" else first.main,
        source=first.source,
        tool=first.tool,
        hot=tuple(hot),
        overlaps=tuple(overlaps),
    )


@dataclass(frozen=True)
class FileCounts:
    """The counts of each program, hot functions where these are comparable, and the functions that
    commits touch, None without commits."""

    counts: Sequence[Counts]
    hot: Sequence[HotFunction]
    overlaps: Sequence[Overlap]
    touched: TouchedFunctions | None


@dataclass(frozen=True)
class CountRequest:
    """Programs by their labels, all run with the same arguments; ``timeout`` is for one run.

    ``commits`` are a repository and two revisions; the last program is built from the second.
    """

    programs: Sequence[tuple[str, Path]]
    arguments: Sequence[str]
    timeout: float
    profiler: Profiler
    commits: tuple[Path, str, str] | None


def count_files(
    request: CountRequest,
    home: Home,
    note: Callable[[str], None],
    counting: Callable[[str], AbstractContextManager[object]],
) -> FileCounts:
    """Run and count each program, inside ``counting``. UserError for files that cannot be run."""
    files = [file for _, file in request.programs]
    for file in files:
        if not file.exists():
            raise UserError("no such file", where=file)
        if not os.access(file, os.X_OK):
            raise UserError("not executable, so --run cannot run it", where=file)
    programs = [load(file) for file in files]
    geometry = read_geometry(System())
    counts = []
    with file_tasks(request, home, Services(), note) as (tasks, valgrind):
        for task in tasks:
            with counting(task.variant):
                counts.append(count_program(task, geometry, request.profiler, valgrind))
    profiles = [c.profile for c in counts if c.profile]
    # Shares of instructions and of samples are not comparable.
    comparable = len({p.main for p in profiles}) == 1 and len(profiles) == len(counts)
    labels = [label for label, _ in request.programs]
    functions, overlaps = (
        hot_functions(profiles, programs, labels, geometry.l1i) if comparable else ([], [])
    )
    commits = request.commits
    touched = touched_functions(*commits, files[-1]) if commits else None
    return FileCounts(counts, functions, overlaps, touched)
