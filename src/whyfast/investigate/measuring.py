"""The stages that run the builds: programs report about themselves, then they are measured.

Values come from processes here, or from kernels in virtual machines. Programs report once for each
run of the study, before measuring, each under the settings of its variant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Protocol, TypeVar

from whyfast.explain.jit import explain_image, this_architecture
from whyfast.formats.self_report import read_buckets, read_code, read_figures, read_overheads
from whyfast.investigate.context import RunContext, argument_vector, study_prefixes
from whyfast.investigate.recording import OpenRun, Settled, measure_blocks
from whyfast.measure.campaign import BenchmarkRun
from whyfast.measure.doctor.tune import CannotHold, SysctlRunner
from whyfast.measure.invocation import CopyRunner, LaunchArguments, Runner, name_of_copy
from whyfast.measure.process import TooMuchOutput, describe_status
from whyfast.model.build import Build
from whyfast.model.errors import UserError
from whyfast.model.sample import Block, Figure, JitImage, Observed, Overhead, RunFailure, RunTimes
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.store.files import sha256_of

_T = TypeVar("_T")


class Measurer(Protocol):
    """A way to measure builds."""

    def check(self, context: RunContext[Study]) -> None:
        """UserError, before anything is built, for requirements that are missing here."""

    def ready(self, context: RunContext[Study]) -> RunContext[Study]:
        """Get its requirements beside the builds; builds that lack theirs become failures.
        UserError when no variant can be measured."""

    def measure(self, context: RunContext[Study], run: OpenRun) -> None:
        """Take blocks until all is decided or the budget used, with those of earlier sessions in
        ``run``. After KeyboardInterrupt at any moment it can be resumed."""


class Processes:
    """Processes on this machine."""

    def check(self, context: RunContext[Study]) -> None:
        """Only the builds are required."""

    def ready(self, context: RunContext[Study]) -> RunContext[Study]:
        """Find out how programs are started."""
        return replace(context, prefixes=study_prefixes(context))

    def measure(
        self, context: RunContext[Study], run: OpenRun, settled: Settled | None = None
    ) -> None:
        """All benchmarks of the study, in turns; for ``settled`` see
        :func:`~whyfast.investigate.recording.measure_blocks`."""
        tell_earlier(context, run)
        entries = entries_of(context, run, context.question.benchmarks)
        measure_blocks(context, run, entries, context.question.measure, settled)
        check_programs(context)


def tell_earlier(context: RunContext[Study], run: OpenRun) -> None:
    """Note that a run resumes, if it does."""
    if earlier := len(run.blocks()):
        context.observer.note(f"resuming: {earlier} blocks are already taken")


def check_programs(context: RunContext[Study]) -> None:
    """UserError when a program has changed since its build: it is unknown when."""
    for build in context.usable:
        try:
            same = sha256_of(build.program) == build.program_sha256
        except OSError:
            same = False
        if not same:
            raise UserError(
                "changed during the measurement; results discarded; run it again with --fresh",
                where=f"the program of {build.variant}",
            )


def launch_arguments(
    context: RunContext[Study],
    benchmark: Benchmark,
    prefixes: Mapping[str, tuple[str, ...]],
    programs: Mapping[str, Sequence[Path]] | None = None,
) -> LaunchArguments:
    """How the processes of a benchmark start; ``programs`` are those of each variant, by layout."""
    programs = programs or programs_of(context)
    inside = folder_words(context, benchmark)
    vectors = {
        b.variant: [
            prefixes[b.variant] + inside + argument_vector(context, benchmark.command, b, program)
            for program in programs[b.variant]
        ]
        for b in context.usable
    }
    commands = {name: first for name, (first, *_) in vectors.items()}
    return LaunchArguments(
        commands,
        context.services.env,
        benchmark.timeout,
        benchmark.check,
        layouts={name: others for name, (_, *others) in vectors.items() if others},
        programs={
            name: commands[name].index(str(first))
            for name, (first, *_) in programs.items()
            if str(first) in commands[name]
        },
        packages=context.packages.get(benchmark.runner),
    )


def folder_words(context: RunContext[Study], benchmark: Benchmark) -> tuple[str, ...]:
    """The words before a command that start it in the benchmark's folder, if it has one."""
    if not benchmark.folder:
        return ()
    return ("env", "-C", *argument_vector(context, (benchmark.folder,), context.usable[0]))


def programs_of(context: RunContext[Study]) -> dict[str, tuple[Path, ...]]:
    """Of each variant the program as linked, those of its layouts, and those with other profiles; a
    control draws from its original's."""
    original = {v.name: v.control_of or v.name for v in context.question.variants}
    drawn = (context.layouts, context.profiles)
    return {
        b.variant: (b.program, *(p for each in drawn for p in each.get(original[b.variant], ())))
        for b in context.usable
    }


def runner_of(context: RunContext[Study], benchmark: Benchmark) -> tuple[Runner, LaunchArguments]:
    """The runner of a benchmark's processes, under the settings of their variants."""
    programs, files = programs_of(context), {}
    if context.question.measure.copies:
        files = {v: [(p, name_of_copy(p)) for p in each] for v, each in programs.items()}
        programs = {v: tuple(copy for _, copy in each) for v, each in files.items()}
    arguments = launch_arguments(context, benchmark, context.prefixes, programs)
    runner = context.services.runner(benchmark.runner, arguments)
    if files:
        runner = CopyRunner(runner, files)
    settings = {v.name: v.sysctl for v in context.question.variants}
    if any(settings.values()):
        runner = SysctlRunner(runner, settings, context.sysctls)
    return runner, arguments


def entries_of(
    context: RunContext[Study], run: OpenRun, benchmarks: Sequence[Benchmark]
) -> list[BenchmarkRun]:
    """These benchmarks, with the blocks and failures of the run so far."""
    blocks, failures = run.blocks(), run.failures()
    return [entry_of(context, b, blocks, failures) for b in benchmarks]


def entry_of(
    context: RunContext[Study],
    benchmark: Benchmark,
    blocks: Sequence[Block],
    failures: Sequence[RunFailure],
) -> BenchmarkRun:
    """A benchmark to measure, with its blocks and failures so far."""
    study = context.question
    taken = [b for b in blocks if b.benchmark == benchmark.name]
    failed = {f.variant for f in failures if f.benchmark == benchmark.name}
    runner, arguments = runner_of(context, benchmark)
    main, usable = context.baselines[0], [b.variant for b in context.usable]
    ordered = [main, *(v for v in usable if v != main)]
    originals = {v.name: v.control_of or v.name for v in context.question.variants}
    profiles = {v: len(context.profiles.get(originals[v], ())) for v in usable}
    return BenchmarkRun(
        name=benchmark.name,
        runner=runner,
        variants=[v for v in ordered if v not in failed],
        baselines=context.baselines,
        pinned=benchmark.kind.takes_turns and all(b.cpu is not None for b in taken),
        turn=study.measure.turn,
        turns=study.measure.turns,
        layouts={v: len(argvs) - profiles[v] for v, argvs in arguments.layouts.items()},
        profiles=profiles,
        next_index=max((b.index for b in taken), default=-1) + 1,
        blocks=taken,
    )


class _NoAnswer(Exception):
    """A program could not run, or gave no valid report."""


def wants_observing(study: Study) -> bool:
    """Whether programs of the study report about themselves; not under other kernels."""
    asks = study.evidence.image or any(
        b.distribution or b.overhead or b.figures for b in study.benchmarks
    )
    return bool(asks) and not study.in_vms


def observe(context: RunContext[Study]) -> RunContext[Study]:
    """Gather the reports that the study wants; unavailable ones are noted."""
    if not wants_observing(context.question):
        return context
    context.observer.step("asking the programs about themselves")
    observed = _observed(context)
    for note in observed.notes:
        context.observer.note(note)
    return replace(context, observed=observed)


def _observed(context: RunContext[Study]) -> Observed:
    study, builds = context.question, context.usable
    notes: dict[str, None] = {}  # in order, each once

    def attempt(what: str, get: Callable[..., Iterable[_T]], *arguments: object) -> list[_T]:
        try:
            return list(get(context, *arguments))
        except (_NoAnswer, UserError) as error:
            notes[f"no {what}: {error}"] = None
            return []

    images: list[JitImage] = []
    run_times: list[RunTimes] = []
    overheads: list[Overhead] = []
    figures: list[Figure] = []
    for build in builds if study.evidence.image else ():
        images += attempt(f"machine code of {build.variant}", _image, build)
    for build, benchmark in product(builds, study.benchmarks):
        if benchmark.distribution:
            what = f"single runs of {build.variant} on {benchmark.name}"
            run_times += attempt(what, _run_times, build, benchmark)
    families: dict[str, Benchmark] = {}  # the first of each that reports its overhead
    for benchmark in (b for b in study.benchmarks if b.overhead):
        families.setdefault(benchmark.family_name, benchmark)
    for benchmark in families.values():
        overheads += attempt(f"cost of timing on {benchmark.name}", _overheads, benchmark)
    for benchmark, build in product(study.benchmarks, builds):
        if benchmark.figures:
            what = f"figures of {build.variant} on {benchmark.name}"
            figures += attempt(what, _figures, build, benchmark)
    return Observed(tuple(images), tuple(run_times), tuple(overheads), tuple(notes), tuple(figures))


def _ask(context: RunContext[Study], build: Build, command: tuple[str, ...], timeout: float) -> str:
    """The output of the command. Raises _NoAnswer."""
    argv = context.prefixes[build.variant] + argument_vector(context, command, build)
    services = context.services
    try:
        with context.sysctls(context.question.variant(build.variant).sysctl):
            done = services.launcher.run(argv, env=services.env, timeout=timeout)
    except (CannotHold, TimeoutError, OSError) as error:
        raise _NoAnswer(str(error)) from None
    if done.status:
        lines = done.output.strip().splitlines()
        raise _NoAnswer(lines[0] if lines else describe_status(done.status))
    if not done.whole:
        raise _NoAnswer(str(TooMuchOutput()))
    return done.stdout


def _image(context: RunContext[Study], build: Build) -> list[JitImage]:
    architecture = this_architecture()
    if architecture is None:
        raise _NoAnswer("whyfast does not read the machine code of this processor")
    report = read_code(_ask(context, build, context.question.evidence.image, 60.0))
    return [explain_image(report, build.variant, architecture)]


def _run_times(context: RunContext[Study], build: Build, benchmark: Benchmark) -> list[RunTimes]:
    buckets = read_buckets(_ask(context, build, benchmark.distribution, benchmark.timeout))
    starts, widths, counts = zip(*buckets, strict=True) if buckets else ((), (), ())
    return [RunTimes(benchmark.name, build.variant, starts, widths, counts)]


def _overheads(context: RunContext[Study], benchmark: Benchmark) -> list[Overhead]:
    """Of the main baseline, for all variants: timing is the same for each of them."""
    main = next(b for b in context.usable if b.variant == context.baselines[0])
    overheads = read_overheads(_ask(context, main, benchmark.overhead, benchmark.timeout))
    return [Overhead(benchmark.family_name, what, seconds) for what, seconds in overheads]


def _figures(context: RunContext[Study], build: Build, benchmark: Benchmark) -> list[Figure]:
    figures = read_figures(_ask(context, build, benchmark.figures, benchmark.timeout))
    return [
        Figure(benchmark.name, build.variant, figure.what, figure.number, figure.text, figure.why)
        for figure in figures
    ]
