"""Which benchmarks execute what has changed: by a run with traps in it and under a simulator, which
says how many instructions each takes; of a package of Python by the probe inside Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.explain.functions import base_name
from whyfast.explain.program import load
from whyfast.explain.python_changes import executed_name
from whyfast.explain.python_files import MODULE
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.investigate.trapped import functions_entered
from whyfast.measure.count import CountingTask
from whyfast.measure.harnesses import LONG, ONCE
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
            entered = functions_entered(benchmark, counter.tasks(benchmark), programs, inner, code)
        except CannotCount as error:
            return ChangeCoverage(benchmark.name, None, str(error))
        if entered == () and code.traced:
            return ChangeCoverage(benchmark.name, ())
        seen = _reach(counter, benchmark, names, code)
        # Of what takes too long under a simulator, or does not run there, more is not known.
        return seen if seen.executes or not entered else replace(seen, executes=entered, why="")

    return _in_shares(context, timeout, reach)


#: Seconds that one benchmark of Python may take at least, with its start and its imports.
_PYTHON_TAKES = 3.0


def reached_in_python(
    context: RunContext[Study], code: CodeComparison, timeout: float, parts: int
) -> tuple[ChangeCoverage, ...]:
    """The same for a package of Python, by runs under its profiler; ``parts`` is how deep in a
    build its program lies. UserError where a benchmark runs the package of a checkout instead.

    Of more benchmarks than are measured only the head runs."""
    folders = {b.variant: b.program.parents[parts - 1] for b in context.usable}
    study = context.question
    checkouts = {study.source.folder.resolve(), study.folder.resolve()}
    first = -1 if len(study.benchmarks) > MOST else 0

    def reach(counter: BuildCounter, benchmark: Benchmark) -> ChangeCoverage:
        return python_reach(benchmark, counter.tasks(benchmark)[first:], folders, code, checkouts)

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
        counter = BuildCounter(context, folder, timeout, misses=False)
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


#: Of a pyperf script: as many loops as take longer than a value, 0.1 s, as inputs may differ.
_A_VALUE = ("--worker", "--calibrate-loops", "--min-time=0.2", "--values=1", "--warmups=0")


def python_reach(
    benchmark: Benchmark,
    tasks: Sequence[CountingTask],
    folders: dict[str, Path],
    code: CodeComparison,
    checkouts: Collection[Path] = (),
) -> ChangeCoverage:
    """By what ran of the builds in ``folders``, the head last; nothing is raised for what cannot be
    seen. That nothing of what has changed runs is said only where all that runs was seen. UserError
    where what has changed is taken from one of the ``checkouts``, on both sides.

    Who executes no changed function of the head executes none of the base: up to the first, both
    run the same code."""
    *base, head = tasks
    seen = _python_reach(benchmark, [head], folders, code, checkouts)
    if not seen.executes or not base:
        return seen
    removed = _python_reach(benchmark, base, folders, code, checkouts).executes or ()
    executes = sorted(dict.fromkeys((*seen.executes, *removed)), key=lambda n: n.endswith(MODULE))
    return replace(seen, executes=tuple(executes))


def _python_reach(
    benchmark: Benchmark,
    tasks: Sequence[CountingTask],
    folders: dict[str, Path],
    code: CodeComparison,
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
            run = replace(run, command=(*run.command[: -len(WORKER)], *_A_VALUE))
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
