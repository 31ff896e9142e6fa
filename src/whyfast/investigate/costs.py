"""What variants cost beside time: read from their files, and counted in runs of their own."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.explain.sizes import Sizes, build_files, size_changes, size_costs, sizes_of
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import BuildCounter, scratch_folder, within_limit
from whyfast.investigate.services import Note, Services
from whyfast.measure.commands import energy_meter
from whyfast.measure.count import CountingTask, counted_costs
from whyfast.measure.simulate import Valgrind, choose_valgrind
from whyfast.measure.tools import CannotCount, ToolRun
from whyfast.model.build import Build, BuildFailure
from whyfast.model.cost import SizeChange, VariantCost
from whyfast.model.errors import UserError
from whyfast.model.study import Question, Study
from whyfast.store.home import Home


def built_sizes(
    context: RunContext[Study],
) -> tuple[tuple[VariantCost, ...], tuple[SizeChange, ...]]:
    """The sizes of every build but controls, and what differs most from the main baseline."""
    controls = {v.name for v in context.question.variants if v.control_of}
    program = Path(context.question.build.program)
    evidence_only = {v.name for v in context.question.variants if v.evidence_only}
    files = {
        b.variant: build_files(b, program)
        for b in context.builds
        if isinstance(b, Build) and b.variant not in controls | evidence_only
    }
    return _sizes(context.question, files, context.observer.note)


#: Bytes of a program of a command from which on only its sections are read: functions and debug
#: information of Node's 94 MB take 8 s.
LARGE = 24 << 20


def command_sizes(
    question: Question, commands: Mapping[str, Sequence[str]], find: Mapping[str, str | None]
) -> tuple[tuple[VariantCost, ...], tuple[SizeChange, ...]]:
    """The sizes of the programs of commands, without their libraries, where they differ: ``find``
    has the file of each program. None of scripts, nor of one program with other arguments."""
    files: dict[str, Mapping[str, Path]] = {}
    for name, words in commands.items():
        path = find.get(words[0])
        if path is not None and _is_elf(Path(path)):
            files[name] = {words[0]: Path(path).resolve()}
    if len({str(f) for f in files.values()}) < 2:
        return (), ()
    return _sizes(question, files, lambda text: None, LARGE)


def count_costs(context: RunContext[Study]) -> RunContext[Study]:
    """What every build does on each benchmark, where the study wants its costs counted, as far as
    its limit goes. Nothing is raised for what cannot be counted; its cost says why."""
    study = context.question
    if not study.costs.count or study.in_vms:
        return context
    context.observer.phase("count")
    costs: list[VariantCost] = []
    with scratch_folder(context.home) as folder:
        counter = BuildCounter(context, folder)
        valgrind = _valgrind(counter)
        wanted = [b for b in study.benchmarks if b.kind.countable]
        for benchmark in within_limit(context, counter, wanted):
            for task in counter.tasks(benchmark):
                context.observer.step(f"counting the costs of {task.variant} on {benchmark.name}")
                costs += counted_costs(task, benchmark.name, valgrind)
        names = dict.fromkeys(c.variant for c in costs)
    return replace(context, costs=(*costs, *no_energy(names)))


#: Why there is no peak memory of a build.
SMALL_BUILD = "no process of the build was larger than whyfast, whose peak the kernel includes"

#: Rounds of repeated builds: one of each variant, as many as a verdict needs and a few more.
BUILD_ROUNDS = 12


def repeat_builds(context: RunContext[Study]) -> RunContext[Study]:
    """Build every variant again, in rounds of random order, where the study wants that measured;
    as long as the study's budget for measuring lasts, and at most :data:`BUILD_ROUNDS` times."""
    study, clock = context.question, context.services.clock
    usable = {b.variant for b in context.usable}
    recipes = {r.variant: r for r in context.recipes if r.variant in usable}
    if not study.costs.build or len(recipes) < 2:
        return context
    context.observer.phase("repeat builds")
    rng = random.Random(study.name)
    rounds: list[Mapping[str, Mapping[str, float]]] = []
    began = clock.monotonic()
    while len(rounds) < BUILD_ROUNDS:
        spent = clock.monotonic() - began
        if rounds and spent + spent / len(rounds) > study.measure.budget:
            break
        taken: dict[str, dict[str, float]] = {}
        for name in rng.sample(sorted(recipes), len(recipes)):
            text = f"building {name} again, round {len(rounds) + 1} of {BUILD_ROUNDS}"
            context.observer.step(text)
            cost = context.services.rebuild(recipes[name], context.home)
            if isinstance(cost, BuildFailure):
                context.observer.note(f"{name} does not build again: {cost.reason}")
                return context
            taken[name] = {"build-time": cost.seconds}
            if cost.peak is not None:
                taken[name]["build-memory"] = cost.peak
        rounds.append(taken)
    costs = []
    for key in ("build-time", "build-memory"):
        for name in recipes:
            values = [r[name][key] for r in rounds if key in r[name]]
            whole = len(values) == len(rounds)
            value = statistics.median(values) if whole else None
            costs.append(VariantCost(key, name, value, note="" if whole else SMALL_BUILD))
    return replace(context, built_again=tuple(rounds), costs=(*context.costs, *costs))


def command_costs(
    benchmark: str, runs: Mapping[str, ToolRun], home: Home, services: Services, note: Note
) -> tuple[VariantCost, ...]:
    """The counted costs of commands, each run whole."""
    valgrind: Valgrind | CannotCount
    try:
        valgrind = choose_valgrind(
            services.launcher, services.env, home, rooted=False, note=note, newer=services.valgrind
        )
    except CannotCount as error:
        valgrind = error
    costs: list[VariantCost] = []
    for name, run in runs.items():
        note(f"counting the costs of {name}")
        costs += counted_costs(CountingTask(name, run), benchmark, valgrind)
    return (*costs, *no_energy(runs))


def no_energy(variants: Iterable[str]) -> Iterator[VariantCost]:
    """Why the energy of these is unavailable; nothing where it comes with each value."""
    meter = energy_meter()
    if isinstance(meter, str):
        yield from (VariantCost("energy", name, None, note=meter) for name in variants)


def _valgrind(counter: BuildCounter) -> Valgrind | CannotCount:
    try:
        return counter.simulator().valgrind
    except CannotCount as error:
        return error


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _sizes(
    question: Question,
    files: Mapping[str, Mapping[str, Path]],
    note: Note,
    largest: float = math.inf,
) -> tuple[tuple[VariantCost, ...], tuple[SizeChange, ...]]:
    sizes: dict[str, Sizes] = {}
    read: dict[tuple[Path, ...], Sizes] = {}
    for variant, paths in files.items():
        if not paths:
            continue
        key = tuple(sorted(paths.values()))
        try:
            if key not in read:
                read[key] = sizes_of(paths, largest=largest)
            sizes[variant] = read[key]
        except (UserError, OSError) as error:
            note(f"the size of {variant} is not known: {error}")
    pairs = question.compared(list(sizes), question.baselines[: None if question.along else 1])
    return size_costs(sizes), size_changes(sizes, pairs)
