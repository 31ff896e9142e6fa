"""The stage that takes values: processes here, or kernels in virtual machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from whyfast.investigate.context import RunContext, argument_vector
from whyfast.investigate.exec_prefixes import study_prefixes
from whyfast.investigate.recording import OpenRun, Settled, measure_blocks
from whyfast.investigate.virtual_machines import VirtualMachines
from whyfast.measure.campaign import BenchmarkRun
from whyfast.measure.doctor.tune import SysctlRunner
from whyfast.measure.invocation import LaunchArguments, Runner
from whyfast.model.errors import UserError
from whyfast.model.sample import Block, RunFailure
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark
from whyfast.store.files import sha256_of


class Measurer(Protocol):
    """A way to measure what was built."""

    def check(self, work: RunContext[Study]) -> None:
        """Before anything is built: UserError for what is missing here."""

    def ready(self, work: RunContext[Study]) -> RunContext[Study]:
        """Get what it needs beside the builds; those that lack it become failures. UserError when
        no variant can be measured so."""

    def measure(self, work: RunContext[Study], run: OpenRun) -> None:
        """Take blocks until all is decided or the budget used, with those that ``run`` has already
        from earlier sessions. KeyboardInterrupt at any moment leaves it to be gone on with."""


def measurer_of(study: Study) -> Measurer:
    """What measures the variants of this study."""
    return VirtualMachines() if study.in_vms else Processes()


class Processes:
    """Processes on this machine."""

    def check(self, work: RunContext[Study]) -> None:
        """Nothing is needed but the builds."""

    def ready(self, work: RunContext[Study]) -> RunContext[Study]:
        """Find out how programs are started."""
        return replace(work, prefixes=study_prefixes(work))

    def measure(
        self, work: RunContext[Study], run: OpenRun, settled: Settled | None = None
    ) -> None:
        """All benchmarks of the study, in turns; for ``settled`` see
        :func:`~whyfast.investigate.recording.measure_blocks`."""
        tell_earlier(work, run)
        entries = entries_of(work, run, work.question.benchmarks)
        measure_blocks(work, run, entries, work.question.measure, settled)
        check_programs(work)


def tell_earlier(work: RunContext[Study], run: OpenRun) -> None:
    """That a run goes on, if it does."""
    if earlier := len(run.blocks()):
        work.observer.note(f"resuming: {earlier} blocks are already taken")


def check_programs(work: RunContext[Study]) -> None:
    """They were the right ones before measuring. UserError where one is not any more: from when on
    another was measured, nobody knows."""
    for build in work.usable:
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
    work: RunContext[Study], benchmark: Benchmark, prefixes: Mapping[str, tuple[str, ...]]
) -> LaunchArguments:
    """How the processes of a benchmark are started; a control draws from its original's layouts."""
    original = {v.name: v.twin_of or v.name for v in work.question.variants}
    commands = {
        b.variant: prefixes[b.variant] + argument_vector(work, benchmark.command, b)
        for b in work.usable
    }
    return LaunchArguments(
        commands,
        work.services.env,
        benchmark.timeout,
        benchmark.check,
        layouts={
            b.variant: [
                prefixes[b.variant] + argument_vector(work, benchmark.command, b, program)
                for program in programs
            ]
            for b in work.usable
            if (programs := work.layouts.get(original[b.variant]))
        },
        programs={
            b.variant: commands[b.variant].index(str(b.program))
            for b in work.usable
            if str(b.program) in commands[b.variant]
        },
        packages=work.packages.get(benchmark.runner),
    )


def runner_of(work: RunContext[Study], benchmark: Benchmark) -> tuple[Runner, LaunchArguments]:
    """What starts the processes of a benchmark, under the settings of their variants."""
    arguments = launch_arguments(work, benchmark, work.prefixes)
    runner = work.services.runner(benchmark.runner, arguments)
    settings = {v.name: v.sysctl for v in work.question.variants}
    if any(settings.values()):
        runner = SysctlRunner(runner, settings, work.sysctls)
    return runner, arguments


def entries_of(
    work: RunContext[Study], run: OpenRun, benchmarks: Sequence[Benchmark]
) -> list[BenchmarkRun]:
    """These benchmarks, with the blocks and failures that the run has already."""
    blocks, failures = run.blocks(), run.failures()
    return [entry_of(work, b, blocks, failures) for b in benchmarks]


def entry_of(
    work: RunContext[Study],
    benchmark: Benchmark,
    blocks: Sequence[Block],
    failures: Sequence[RunFailure],
) -> BenchmarkRun:
    """What to measure, with the blocks and failures that the run has already."""
    study = work.question
    taken = [b for b in blocks if b.benchmark == benchmark.name]
    failed = {f.variant for f in failures if f.benchmark == benchmark.name}
    runner, arguments = runner_of(work, benchmark)
    main, usable = work.baselines[0], [b.variant for b in work.usable]
    ordered = [main, *(v for v in usable if v != main)]
    return BenchmarkRun(
        name=benchmark.name,
        runner=runner,
        variants=[v for v in ordered if v not in failed],
        baselines=work.baselines,
        pinned=benchmark.kind.takes_turns and all(b.cpu is not None for b in taken),
        turn=study.measure.turn,
        turns=study.measure.turns,
        layouts={v: len(argvs) for v, argvs in arguments.layouts.items()},
        next_index=max((b.index for b in taken), default=-1) + 1,
        blocks=taken,
    )
