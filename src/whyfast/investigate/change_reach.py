"""Which benchmarks execute what has changed: by a run with traps in it, or under a simulator; of a
package of Python by the probe inside Python.

A benchmark with a trap at the start of each changed function ends well only if it executes none of
them. Unlike under a simulator it runs at full speed, as long as for a value that is measured. Only
benchmarks with a harness are run so: they are one process, which no trap leaves alive.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from whyfast.explain.functions import base_name
from whyfast.explain.objects.elf import open_elf
from whyfast.explain.program import load
from whyfast.explain.python_changes import MODULE, executed_name
from whyfast.explain.same_builds import machine_code
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.measure.count import CountingTask
from whyfast.measure.harnesses import (
    HARNESSES,
    LONG,
    NO_BENCHMARK,
    ONCE,
    Harness,
    reported,
    to_see,
    with_words,
)
from whyfast.measure.registry import MAKERS, WORKER
from whyfast.measure.runtimes import RuntimeRuns, probe_python
from whyfast.measure.tools import CannotCount
from whyfast.model.code import ChangeCoverage, CodeComparison
from whyfast.model.counters import Counts, Profile
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.study.load import ROOT_FILE
from whyfast.study.project import MOST


def reached_by(
    context: RunContext[Study], code: CodeComparison, timeout: float
) -> tuple[ChangeCoverage, ...]:
    """One entry a benchmark, by runs of both builds with traps in what has changed, and where these
    do not end well, under a simulator; ``timeout`` seconds in all.

    Each run may take an equal share of what is left; a benchmark that needs further runs takes from
    those after it. Nothing is raised for what cannot be simulated. Nothing is run where no function
    is known to have changed, as then it cannot be told who executes it.
    """
    benchmarks = context.question.benchmarks
    if not code.reached:
        why = "what has changed is not machine code with names"
        return tuple(ChangeCoverage(b.name, None, why) for b in benchmarks)
    try:
        names = {
            b.variant: {
                base_name(name): base_name(function.name)
                for function in load(b.program).functions
                for name in function.names
            }
            for b in context.usable
        }
    except UserError as error:
        return tuple(ChangeCoverage(b.name, None, error.message) for b in benchmarks)
    programs = {b.variant: b.program for b in context.usable}
    inner = Path(context.question.build.program)

    def reach(counter: BuildCounter, benchmark: Benchmark) -> ChangeCoverage:
        try:
            if runs_without(benchmark, counter.tasks(benchmark), programs, inner, code):
                return ChangeCoverage(benchmark.name, ())
        except CannotCount as error:
            return ChangeCoverage(benchmark.name, None, str(error))
        return _reach(counter, benchmark, names, code)

    return _in_shares(context, timeout, reach)


#: Seconds that one benchmark of Python may take at least, with its start and its imports.
_PYTHON_TAKES = 3.0


def reached_in_python(
    context: RunContext[Study], code: CodeComparison, timeout: float, parts: int
) -> tuple[ChangeCoverage, ...]:
    """The same for a package of Python, by runs under its profiler; ``parts`` is how deep in a
    build its program lies. UserError where a benchmark runs the package of a checkout instead.

    Of more benchmarks than are measured each first runs once, of the head alone; where that shows
    some that execute the change, nothing is known of the others."""
    folders = {b.variant: b.program.parents[parts - 1] for b in context.usable}
    study = context.question
    checkouts = {study.source.folder.resolve(), study.folder.resolve()}

    def reach(counter: BuildCounter, benchmark: Benchmark) -> ChangeCoverage:
        return python_reach(benchmark, counter.tasks(benchmark), folders, code, checkouts)

    def first(counter: BuildCounter, benchmark: Benchmark) -> ChangeCoverage:
        head = counter.tasks(benchmark)[-1:]
        seen = _python_reach(benchmark, head, folders, code, _ONE_LOOP, checkouts)
        return replace(seen, executes=seen.executes or None, why="not when the head runs it once")

    if len(study.benchmarks) > MOST:
        end = context.services.clock.monotonic() + timeout
        seen = _in_shares(context, timeout, first, _PYTHON_TAKES)
        timeout = end - context.services.clock.monotonic()
        if timeout <= 0 or any(r.executes for r in seen):
            return seen
    return _in_shares(context, timeout, reach, _PYTHON_TAKES)


#: How many times its CPU time a look may take, and for how many seconds.
_SLOWER, _LONGEST = 3.0, 60.0


def _cpu_seconds() -> float:
    """Of all that this process has run so far."""
    times = os.times()
    return times.children_user + times.children_system


def _in_shares(
    context: RunContext[Study],
    timeout: float,
    reach: Callable[[BuildCounter, Benchmark], ChangeCoverage],
    least: float = 0.0,
) -> tuple[ChangeCoverage, ...]:
    """Of each benchmark, by runs that share what is left of ``timeout`` seconds, but may take
    ``least``. These are seconds of CPU time, as other work on this machine makes any run longer: by
    the clock it is :data:`_SLOWER` times as long at most."""
    benchmarks, clock = context.question.benchmarks, context.services.clock
    reaches = []
    with scratch_folder(context.home) as folder:
        counter = BuildCounter(context, folder, timeout)
        longest = max(timeout, min(_SLOWER * timeout, _LONGEST))
        end, before = clock.monotonic() + longest, _cpu_seconds()
        for number, benchmark in enumerate(benchmarks):
            by_clock = end - clock.monotonic()
            left = min(timeout - (_cpu_seconds() - before), by_clock)
            if left <= 0:
                why = f"the {timeout:g} s for simulation were used up before its turn"
                reaches.append(ChangeCoverage(benchmark.name, None, why))
                continue
            context.observer.step(
                f"what executes the change: {benchmark.name}, {number + 1} of {len(benchmarks)}; "
                f"at most {by_clock:.0f} s more for all"
            )
            share = left / (len(benchmarks) - number) / len(context.usable)
            counter.timeout = min(longest / timeout * max(share, least), by_clock)
            reaches.append(reach(counter, benchmark))
    return tuple(reaches)


def _reach(
    counter: BuildCounter,
    benchmark: Benchmark,
    names: Mapping[str, Mapping[str, str]],
    code: CodeComparison,
) -> ChangeCoverage:
    if benchmark.kind.countable:
        return _reach_of(benchmark, counter.simulated(benchmark)[0], names, code)
    if MAKERS[benchmark.runner].to_see is None:
        return ChangeCoverage(
            benchmark.name, None, f"a {benchmark.runner} benchmark cannot be simulated"
        )
    # Once shows what most changes are about. That something is not executed takes as many
    # iterations as are measured: inputs may differ from one to the next.
    seen = _reach_of(benchmark, counter.seen(benchmark, ONCE), names, code)
    if seen.placement_only:
        seen = _reach_of(benchmark, counter.seen(benchmark, LONG), names, code)
    return replace(seen, instructions=None)


def _reach_of(
    benchmark: Benchmark,
    counts: list[Counts],
    names: Mapping[str, Mapping[str, str]],
    code: CodeComparison,
) -> ChangeCoverage:
    broken = next((c for c in counts if c.profile is None or c.failed), None)
    if broken is not None or not counts:
        notes = broken.notes if broken else ()
        return ChangeCoverage(benchmark.name, None, notes[0] if notes else "it was not simulated")
    changed = {base_name(f.name) for f in code.reached}
    sides = [_costs_by_name(c.profile, names[c.variant]) for c in counts if c.profile is not None]
    costs = {n: [s.get(n, 0.0) for s in sides] for s in sides for n in s if n in changed}
    # What takes more or fewer instructions than before says most of why.
    executed = tuple(
        sorted(costs, key=lambda n: (min(costs[n]) - max(costs[n]), -max(costs[n]), n))
    )
    totals = [c.profile.totals.get(c.profile.main) for c in counts if c.profile]
    both = len(totals) == 2 and totals[0] is not None and totals[1] is not None
    instructions = (totals[0] or 0.0, totals[1] or 0.0) if both else None
    if not executed and not code.traced:
        return ChangeCoverage(benchmark.name, None, "; ".join(code.reasons), instructions)
    return ChangeCoverage(benchmark.name, executed, "", instructions)


def _costs_by_name(profile: Profile, names: Mapping[str, str]) -> dict[str, float]:
    """Self cost by the name that the program puts first; libraries' functions by their own."""
    costs: dict[str, float] = {}
    for function in profile.functions:
        plain = base_name(function.name.split("'")[0])
        name = names.get(plain, plain)
        costs[name] = costs.get(name, 0.0) + function.costs.get(profile.main, 0.0)
    return costs


def first_runs_reach(
    context: RunContext[Study],
    benchmarks: Sequence[Benchmark],
    code: CodeComparison,
    timeout: float,
) -> list[str]:
    """The names of those that do not end well when the head runs each once, with traps in what has
    changed, in at most ``timeout`` seconds in all; none where that cannot be tried."""
    head = context.usable[-1]
    inner = Path(context.question.build.program)
    folder = head.program.parents[len(inner.parts) - 1]
    # Where other things have changed, too, those that execute changed functions still go first.
    if not code.reached or not _alone(folder, inner):
        return []
    trapped = head.program.with_name(f"{head.program.name}.trapped")
    clock, found = context.services.clock, list[str]()
    context.observer.step(f"which of {len(benchmarks)} benchmarks execute the change")
    with scratch_folder(context.home) as scratch:
        try:
            _set_traps(head.program, trapped, code)
            counter = BuildCounter(context, scratch, timeout)
            end = clock.monotonic() + timeout
            for benchmark in benchmarks:
                counter.timeout = min(_ONCE_TAKES, end - clock.monotonic())
                if counter.timeout <= 0:
                    break
                task = next(t for t in counter.tasks(benchmark) if t.variant == head.variant)
                words = to_see(task.run.command, HARNESSES[benchmark.runner])[ONCE]
                command = [str(trapped) if w == str(head.program) else w for w in words]
                with suppress(TimeoutError):
                    if _status(task, command, HARNESSES[benchmark.runner]):
                        found.append(benchmark.name)
        except (UserError, OSError):
            return []
        finally:
            trapped.unlink(missing_ok=True)
    return found


#: Seconds for a benchmark that runs once.
_ONCE_TAKES = 5.0


def _status(
    task: CountingTask, command: Sequence[str], harness: Harness, *, timed: bool = False
) -> int:
    """How the command ends. OSError, a timeout is one; CannotCount where it was to be ``timed`` and
    no benchmark has run."""
    with tempfile.TemporaryDirectory(dir=task.run.scratch) as results:
        env = dict(task.run.env)
        if harness.folder:
            env[harness.folder] = harness.into.format(results)
        argv = [*task.run.enter, *command]
        done = task.run.launcher.run(argv, env=env, timeout=task.run.timeout)
        if timed and not done.status and not reported(harness, Path(results), done.stdout):
            raise CannotCount(NO_BENCHMARK)
        return done.status


#: ``int3`` of x86-64, whose programs alone are compared by functions.
_TRAP = 0xCC


def runs_without(
    benchmark: Benchmark,
    tasks: Sequence[CountingTask],
    programs: dict[str, Path],
    inner: Path,
    code: CodeComparison,
) -> bool:
    """Whether it runs to its end in all builds with traps in what has changed; False also where
    that cannot be tried. CannotCount where one of them has no such benchmark.

    ``programs`` are by variant, ``inner`` is their path in their builds.
    """
    harness = HARNESSES.get(benchmark.runner)
    if harness is None or not code.traced or not code.reached:
        return False
    for task in tasks:
        program = programs[task.variant]
        folder = program.parents[len(inner.parts) - 1]
        if not _alone(folder, inner):
            return False  # a library may have functions of these names
        trapped = program.with_name(f"{program.name}.trapped")
        command = [str(trapped) if w == str(program) else w for w in task.run.command]
        try:
            _set_traps(program, trapped, code)
            status = _status(task, with_words(tuple(command), harness), harness, timed=True)
        except (UserError, OSError):  # a timeout is one
            return False
        finally:
            trapped.unlink(missing_ok=True)
        if status != 0:
            return False
    return True


def _alone(folder: Path, program: Path) -> bool:
    """Whether the program names none of the libraries that were built with it: those of macros run
    in the compiler of Rust."""
    parts = machine_code(folder, program)
    if not parts:
        return False
    text = (folder / program).read_bytes()
    stems = {Path(name).name.partition(".so")[0] for name in parts if name != str(program)}
    return not any(stem.encode() in text for stem in stems)


def _set_traps(program: Path, trapped: Path, code: CodeComparison) -> None:
    """A copy of the program in which no changed function can run. UserError without one of them."""
    changed = {base_name(f.name): f.kind for f in code.reached}
    elf = open_elf(program)
    blob = bytearray(elf.blob)
    found = set[str]()
    for function in load(program).functions:
        names = {base_name(name) for name in function.names} & changed.keys()
        for section in elf.sections:
            inside = section.address <= function.address < section.address + section.size
            if names and inside and section.executable:
                blob[section.offset + function.address - section.address] = _TRAP
                found |= names
    if missing := {n for n, kind in changed.items() if kind == "changed"} - found:
        raise UserError(f"has no function {min(missing)}", where=program)
    trapped.write_bytes(blob)
    shutil.copymode(program, trapped)


#: Of a pyperf script: one loop; and as many as take a second.
_ONE_LOOP = ("--worker", "--loops=1", "--values=1", "--warmups=0")
_A_SECOND = ("--worker", "--calibrate-loops", "--min-time=1", "--values=1", "--warmups=0")


def python_reach(
    benchmark: Benchmark,
    tasks: Sequence[CountingTask],
    folders: dict[str, Path],
    code: CodeComparison,
    checkouts: Collection[Path] = (),
) -> ChangeCoverage:
    """By what ran of the builds in ``folders``; nothing is raised for what cannot be seen. That
    nothing of what has changed runs is said only where all that runs was seen. UserError where what
    has changed is taken from one of the ``checkouts``, on both sides."""
    seen = _python_reach(benchmark, tasks, folders, code, _ONE_LOOP, checkouts)
    if seen.placement_only and tasks[0].run.command[-len(WORKER) :] == WORKER:
        seen = _python_reach(benchmark, tasks, folders, code, _A_SECOND, checkouts)
    return seen


def _python_reach(
    benchmark: Benchmark,
    tasks: Sequence[CountingTask],
    folders: dict[str, Path],
    code: CodeComparison,
    worker: tuple[str, ...],
    checkouts: Collection[Path],
) -> ChangeCoverage:
    changed = {f.name for f in code.functions}

    def has_changed(file: str | Path, folder: Path) -> bool:
        module = executed_name(folder, (str(file), 0, MODULE)).removesuffix(MODULE)
        return bool(module) and any(name.startswith(module) for name in changed)

    calls: dict[str, int] = {}
    # Some run after all that is seen.
    unseen = {"destructors"} if any(name.endswith(".__del__") for name in changed) else set[str]()
    for task in tasks:
        run, folder = task.run, folders[task.variant]
        if run.command[-len(WORKER) :] == WORKER:
            run = replace(run, command=(*run.command[: -len(WORKER)], *worker))
        runs = RuntimeRuns({task.variant: run}, {}, 0, sides=(task.variant, task.variant))
        try:
            documents, _ = probe_python(runs, task.variant, "reach")
        except CannotCount as error:
            return ChangeCoverage(benchmark.name, None, str(error))
        for document in documents:
            unseen.update(document["unseen"])
            unseen |= {
                f"{Path(file).name} as data"
                for file in document["read"]
                if has_changed(file, folder)
            }
            for file in {Path(row[0]) for row in document["codes"].values()}:
                for place in checkouts:
                    if file.is_relative_to(place) and has_changed(
                        folder / "src" / file.relative_to(place), folder
                    ):
                        raise UserError(
                            f"{benchmark.name} runs {file} on both sides, not what was built: "
                            f"write {ROOT_FILE} again, rm {ROOT_FILE} && whyfast new"
                        )
            names = {
                int(key): executed_name(folder, (row[0], row[1], row[2]))
                for key, row in document["codes"].items()
            }
            for key, count, *_ in document["functions"]:
                name = names.get(key, "") if isinstance(key, int) else ""
                if name in changed:
                    calls[name] = calls.get(name, 0) + count
    # What runs on import comes last.
    order = sorted(calls, key=lambda name: (name.endswith(MODULE), -calls[name], name))
    executed = tuple(order)
    if not executed and (unseen or not code.traced):
        why = f"it uses {' and '.join(sorted(unseen))}, of which not all is seen"
        return ChangeCoverage(benchmark.name, None, why if unseen else "; ".join(code.reasons))
    return ChangeCoverage(benchmark.name, executed)
