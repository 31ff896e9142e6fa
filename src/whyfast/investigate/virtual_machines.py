"""Measuring variants with their own kernels, each booted in a virtual machine."""

from __future__ import annotations

import math
import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.recipe import make_recipe, scan_source
from whyfast.investigate.context import RunContext, argument_vector
from whyfast.investigate.recording import OpenRun
from whyfast.measure import vm
from whyfast.measure.vm import (
    COUNTED_LOOPS,
    TIMED_LOOPS,
    TURNS,
    Cargo,
    VirtualMachine,
    boot_digest,
    load,
    share,
)
from whyfast.measure.vm.qemu import (
    Booted,
    BootFailed,
    TaskValues,
    Unanswered,
    boot,
    command_line,
    count_loop,
    find_qemu,
    kvm_boots,
    parse_transcript,
    qemu_version,
    read_values,
)
from whyfast.model.build import Boot, BootUnit, Build, BuildFailure, Kernel
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.sample import Block, RunFailure, Session
from whyfast.model.study import BuildSpec, Study
from whyfast.model.variant import Variant
from whyfast.store.builds import BuildStore
from whyfast.store.files import write_whole

#: How often each machine is booted: the second boot shows whether the first can be repeated.
ROUNDS = 2

#: Seconds of wall time that a boot may take.
BOOT_TIMEOUT = 300.0

#: The flags that make the first process: no C library is needed for it.
_INIT_STEP = (
    "{cc} -static -nostdlib -ffreestanding -O2 -fno-stack-protector "
    "-fno-asynchronous-unwind-tables -o {program} {source}/init.c"
)


class VirtualMachines:
    """Programs under other kernels, in boots."""

    def check(self, context: RunContext[Study]) -> None:
        """QEMU must be installed."""
        find_qemu(context.services.launcher)

    def ready(self, context: RunContext[Study]) -> RunContext[Study]:
        """Fetch the kernels. A variant without its kernel becomes a build failure."""
        kernels: dict[str, Kernel] = {}
        missing: dict[str, str] = {}
        for name in dict.fromkeys(v.kernel for v in context.question.measured):
            try:
                kernels[name] = context.services.kernel(name, context.home, context.observer.step)
            except CannotBuildHere as error:
                context.observer.note(f"{name}: {error}")
                missing[name] = str(error)
        reasons = {
            v.name: missing[v.kernel] for v in context.question.measured if v.kernel in missing
        }
        builds = tuple(
            BuildFailure(b.variant, "not-buildable", reasons[b.variant])
            if isinstance(b, Build) and b.variant in reasons
            else b
            for b in context.builds
        )
        return replace(context, builds=builds, kernels=kernels)

    def measure(self, context: RunContext[Study], run: OpenRun) -> None:
        """Boot every machine, twice while the budget lasts. Each boot is stored as it ends, and an
        interrupted run does not repeat it."""
        clock, step = context.services.clock, context.observer.step
        with run.timed("boot", clock), run.session(context.services) as session:
            boots = _boots(context, run)
            began = clock.monotonic()
            rng = random.Random(run.run.id)
            there = {(b.index, b.benchmark) for b in run.blocks()}
            for index in range(ROUNDS):
                machines = list(
                    share([context.question.variant(b.variant) for b in context.usable])
                )
                rng.shuffle(machines)
                results: dict[str, dict[str, _Value]] = {}
                for number, machine in enumerate(machines, start=1):
                    if index and clock.monotonic() - began >= context.question.measure.budget:
                        break
                    step(f"booting {machine.name} ({number} of {len(machines)}, round {index + 1})")
                    outcome = boots.boot(machine, index)
                    run.boots += [outcome.boot] if outcome.boot else []
                    for failure in outcome.failures:
                        run.add_failure(failure)
                        if outcome.boot:
                            context.observer.failure(failure)
                    if outcome.boot is None:  # all for the same reason
                        context.observer.note(f"failed: {outcome.failures[0].reason}")
                    for (benchmark, variant), value in outcome.values.items():
                        results.setdefault(benchmark, {})[variant] = value
                for benchmark, values in results.items():
                    if (index, benchmark) not in there:
                        run.add_block(_block(benchmark, index, values, session, clock.now()))
        shutil.rmtree(boots.kept, ignore_errors=True)


@dataclass(frozen=True)
class _Value:
    """Of one program in one boot: instructions of one loop, 0 where timing; and every answer."""

    instructions: float
    answers: TaskValues


@dataclass(frozen=True)
class _Outcome:
    """The outcome of one boot; without ``boot`` and values when it failed."""

    boot: Boot | None
    values: Mapping[tuple[str, str], _Value]
    failures: tuple[RunFailure, ...]


@dataclass(frozen=True)
class _Boots:
    """The common data of all boots of a run. ``commands``: words by (variant, benchmark); ``kept``:
    the folder for transcripts; ``init``: the first process of each machine."""

    context: RunContext[Study]
    commands: Mapping[tuple[str, str], tuple[str, ...]]
    init: bytes
    kept: Path
    unit: BootUnit
    qemu: str
    emulator: str

    @property
    def loops(self) -> int:
        """Loops of the shorter of two grants."""
        return COUNTED_LOOPS if self.unit == "instructions" else TIMED_LOOPS

    @property
    def turns(self) -> int:
        """Pairs of grants of each benchmark in one boot."""
        return self.context.question.measure.turns or TURNS

    def boot(self, machine: VirtualMachine, index: int) -> _Outcome:
        """Boot a machine in round ``index``, or read again its output of an earlier session."""
        try:
            cargo = load(
                machine,
                self.init,
                self.commands,
                {b.variant: b.program for b in self.context.usable},
                loops=self.loops,
                turns=self.turns,
                timeouts={b.name: b.timeout for b in self.context.question.benchmarks},
            )
            booted = self._booted(machine, index, cargo)
            if booted.transcript.refused:
                refused = ", ".join(booted.transcript.refused)
                raise BootFailed(f"the kernel does not have, or refuses, {refused}")
        except (BootFailed, ValueError) as error:
            reason = f"{machine.name}: {error}"
            keys = [key for key in self.commands if key[0] in machine.variants]
            return _Outcome(None, {}, tuple(self._failed(*key, reason) for key in keys))
        return self._read(machine, index, cargo, booted)

    def _booted(self, machine: VirtualMachine, index: int, cargo: Cargo) -> Booted:
        """The boot of an earlier session of this run, or a new one."""
        kernel = self.context.kernels[machine.kernel]
        parameters = command_line(self.unit, machine.boot)
        digest = boot_digest(kernel.sha256, cargo.digest, parameters, self.emulator)
        file = self.kept / f"{index}-{digest[:16]}.txt"
        if file.exists():
            seconds, _, text = file.read_text().partition("\n")
            return Booted(parse_transcript(text), text, float(seconds))
        booted = boot(
            kernel,
            cargo.initrd,
            unit=self.unit,
            parameters=parameters,
            qemu=self.qemu,
            launcher=self.context.services.launcher,
            timeout=BOOT_TIMEOUT,
        )
        self.kept.mkdir(parents=True, exist_ok=True)
        write_whole(file, f"{booted.seconds:.1f}\n{booted.text}")
        return booted

    def _read(self, machine: VirtualMachine, index: int, cargo: Cargo, booted: Booted) -> _Outcome:
        values, failures = {}, []
        grants = disturbed = most = 0
        checks = {b.name: b.check for b in self.context.question.benchmarks}
        for (variant, benchmark), id_ in cargo.ids.items():
            try:
                read = read_values(booted.transcript.tasks.get(id_), self.turns)
                expected = checks[benchmark]
                if expected is not None and read.check != expected:
                    raise Unanswered(f"wrong result: {read.check}, expected {expected}")
                instructions = 0.0
                if self.unit == "instructions":
                    loop = count_loop(read, self.loops)
                    instructions, both = loop.instructions, len(read.short) + len(read.long)
                    grants, disturbed = grants + both, disturbed + round(loop.disturbed * both)
                    most = max(most, loop.most)
                values[benchmark, variant] = _Value(instructions, read)
            except (Unanswered, ValueError) as error:
                failures.append(self._failed(variant, benchmark, str(error)))
        made = Boot(
            variants=machine.variants,
            index=index,
            unit=self.unit,
            kernel=self.context.kernels[machine.kernel],
            command_line=command_line(self.unit, machine.boot),
            emulator=self.emulator,
            initramfs=cargo.digest,
            facts=dict(booted.transcript.facts),
            per_round=booted.transcript.per_round,
            disturbed=disturbed / grants if grants else 0.0,
            most=most,
            seconds=booted.seconds,
        )
        return _Outcome(made, values, tuple(failures))

    def _failed(self, variant: str, benchmark: str, reason: str) -> RunFailure:
        return RunFailure(benchmark, variant, reason, "", self.commands[variant, benchmark])


def _boots(context: RunContext[Study], run: OpenRun) -> _Boots:
    launcher = context.services.launcher
    qemu = find_qemu(launcher)
    return _Boots(
        context,
        commands={
            (build.variant, b.name): argument_vector(context, b.command, build)
            for build in context.usable
            for b in context.question.benchmarks
        },
        init=_init(context),
        kept=context.home.data / "boots" / run.run.id,
        unit=context.services.boot_unit or _unit(context, qemu),
        qemu=qemu,
        emulator=qemu_version(launcher, qemu),
    )


def _unit(context: RunContext[Study], qemu: str) -> BootUnit:
    """Time where KVM boots a kernel of the study, else instructions."""
    kernel = next(iter(context.kernels.values()))
    if kvm_boots(kernel, context.home, qemu, context.services.launcher):
        return "time"
    context.observer.note(
        "KVM boots no kernel here: QEMU interprets them and counts simulated instructions"
    )
    return "instructions"


def _init(context: RunContext[Study]) -> bytes:
    """The first process of every machine, built by the toolchain of the first variant."""
    wanted = context.question.variant(context.usable[0].variant).toolchain
    toolchain = next(t for t in context.toolchains if t.name == wanted)
    first = Variant("first process of the guests", wanted)
    spec = replace(context.question, build=BuildSpec((_INIT_STEP,), "init"))
    source = scan_source(Path(vm.__file__).parent / "init")
    recipe = make_recipe(spec, first, toolchain, source)
    (built,) = context.services.build(
        [recipe], BuildStore(context.home.builds), context.observer.step, math.inf
    )
    if isinstance(built, BuildFailure):
        raise UserError(
            f"the first process of the guests cannot be built by {toolchain.name}: {built.reason}",
            where=context.question.folder / "study.toml",
        )
    return built.program.read_bytes()


def _block(
    benchmark: str, index: int, values: Mapping[str, _Value], session: Session, started: float
) -> Block:
    """The boots of one round as a block. Values are the instructions of one loop, with the counts
    of every grant as extra, or the seconds of each longer grant."""
    counted = any(v.instructions for v in values.values())
    order = tuple(values)
    turns = 1 if counted else min(len(v.answers.long) for v in values.values())
    return Block(
        benchmark=benchmark,
        index=index,
        seed=0,
        session=session.id,
        cpu=None,
        loops=1 if counted else 2 * TIMED_LOOPS,
        warmups=0,
        start_order=order,
        order=(order,) * turns,
        values={
            name: (v.instructions,) if counted else tuple(x * 1e-9 for x in v.answers.long[:turns])
            for name, v in values.items()
        },
        started=started,
        seconds=0.0,
        extra={
            name: {
                "grants of the loops": tuple(map(float, v.answers.short)),
                "grants of twice the loops": tuple(map(float, v.answers.long)),
            }
            for name, v in values.items()
            if counted
        },
    )
