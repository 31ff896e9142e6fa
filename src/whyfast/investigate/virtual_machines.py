"""Measuring variants that have kernels of their own, each booted in a virtual machine."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from whyfast.build.recipe import make_recipe, scan_source
from whyfast.investigate.recording import OpenRun
from whyfast.investigate.vm_boots import Boots, BootValues
from whyfast.investigate.work import Work, argument_vector
from whyfast.measure import vm
from whyfast.measure.vm.boot_plan import TIMED_LOOPS, share
from whyfast.measure.vm.qemu import find_qemu, kvm_boots, qemu_version
from whyfast.model.boot import BootUnit, Kernel
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.sample import Block, Session
from whyfast.model.study import BuildSpec, Study
from whyfast.model.variant import Variant
from whyfast.store.builds import BuildStore

#: Each machine is booted so often: the second boot shows whether the first can be repeated.
ROUNDS = 2

#: The flags that make the first process: no C library is needed for it.
_INIT_STEP = (
    "{cc} -static -nostdlib -ffreestanding -O2 -fno-stack-protector "
    "-fno-asynchronous-unwind-tables -o {program} {source}/init.c"
)


class VirtualMachines:
    """Programs under other kernels, in boots."""

    def check(self, work: Work[Study]) -> None:
        """QEMU must be there."""
        find_qemu(work.outside.launcher)

    def ready(self, work: Work[Study]) -> Work[Study]:
        """Fetch the kernels. A variant without its kernel is one that cannot be built."""
        kernels: dict[str, Kernel] = {}
        missing: dict[str, str] = {}
        for name in dict.fromkeys(v.kernel for v in work.question.measured):
            try:
                kernels[name] = work.outside.kernel(name, work.home, work.observer.note)
            except CannotBuildHere as error:
                work.observer.note(f"{name}: {error}")
                missing[name] = str(error)
        reasons = {v.name: missing[v.kernel] for v in work.question.measured if v.kernel in missing}
        builds = tuple(
            BuildFailure(b.variant, "not-buildable", reasons[b.variant])
            if isinstance(b, Build) and b.variant in reasons
            else b
            for b in work.builds
        )
        return replace(work, builds=builds, kernels=kernels)

    def measure(self, work: Work[Study], run: OpenRun) -> None:
        """Boot every machine, twice while the budget lasts.

        Each boot is kept as it ends, and a run that was interrupted does not repeat those it has.
        """
        outside = work.outside
        with run.timed("boot", outside.clock), run.session(outside) as session:
            boots = _boots(work, run)
            began = outside.clock.monotonic()
            rng = random.Random(run.run.id)
            there = {(b.index, b.benchmark) for b in run.blocks()}
            for index in range(ROUNDS):
                results = _round(work, run, boots, index, rng, began)
                for benchmark, values in results.items():
                    if (index, benchmark) not in there:
                        run.add_block(
                            _block(benchmark, index, values, session, outside.clock.now())
                        )
        shutil.rmtree(boots.kept, ignore_errors=True)


def _round(
    work: Work[Study],
    run: OpenRun,
    boots: Boots,
    index: int,
    rng: random.Random,
    began: float,
) -> dict[str, dict[str, BootValues]]:
    """One boot of every machine; benchmark → variant → its values. After the first round, none is
    begun once the budget is used."""
    machines = list(share([work.question.variant(b.variant) for b in work.usable]))
    rng.shuffle(machines)
    note = work.observer.note
    results: dict[str, dict[str, BootValues]] = {}
    for number, machine in enumerate(machines, start=1):
        spent = work.outside.clock.monotonic() - began
        if index and spent >= work.question.measure.budget:
            break
        note(f"booting {machine.name} ({number} of {len(machines)}, round {index + 1})")
        one = boots.boot(machine, index)
        run.boots += [one.boot] if one.boot else []
        for failure in one.failures:
            run.add_failure(failure)
            if one.boot:
                work.observer.failure(failure)
        if one.boot is None:  # all for one and the same reason
            note(f"failed: {one.failures[0].reason}")
        for benchmark, variant, values in one.values:
            results.setdefault(benchmark, {})[variant] = values
    return results


def _boots(work: Work[Study], run: OpenRun) -> Boots:
    outside, study = work.outside, work.question
    qemu = find_qemu(outside.launcher)
    return Boots(
        study=study,
        commands={
            (build.variant, b.name): argument_vector(work, b.command, build)
            for build in work.usable
            for b in study.benchmarks
        },
        programs={b.variant: b.program for b in work.usable},
        init=_init(work),
        kernels=work.kernels,
        kept=work.home.data / "boots" / run.run.id,
        unit=outside.boot_unit or _unit(work, qemu),
        qemu=qemu,
        emulator=qemu_version(outside.launcher, qemu),
        launcher=outside.launcher,
    )


def _unit(work: Work[Study], qemu: str) -> BootUnit:
    """Time where KVM boots a kernel of the study, instructions elsewhere."""
    kernel = next(iter(work.kernels.values()))
    if kvm_boots(kernel, work.home, qemu, work.outside.launcher):
        return "time"
    work.observer.note(
        "KVM boots no kernel here: QEMU interprets them and counts instructions, simulated and not "
        "time"
    )
    return "instructions"


def _init(work: Work[Study]) -> bytes:
    """The first process of every machine, built by the toolchain of the first variant."""
    folder = Path(vm.__file__).parent / "init"
    wanted = work.question.variant(work.usable[0].variant).toolchain
    toolchain = next(t for t in work.toolchains if t.name == wanted)
    first = Variant("first process of the guests", wanted)
    spec = replace(work.question, build=BuildSpec((_INIT_STEP,), "init"))
    recipe = make_recipe(spec, first, toolchain, scan_source(folder))
    (built,) = work.outside.build([recipe], BuildStore(work.home.builds), work.observer.note)
    if isinstance(built, BuildFailure):
        raise UserError(
            f"the first process of the guests cannot be built by {toolchain.name}: {built.reason}",
            where=work.question.folder / "study.toml",
        )
    return built.program.read_bytes()


def _block(
    benchmark: str, index: int, mine: Mapping[str, BootValues], session: Session, started: float
) -> Block:
    """The boots of one round as a block.

    Counting, a value is the instructions of one loop; timing, the seconds of each longer grant.
    """
    counted = any(v.value for v in mine.values())
    order = tuple(mine)
    turns = 1 if counted else min(len(v.long) for v in mine.values())
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
            name: (v.value,) if counted else tuple(ns * 1e-9 for ns in v.long[:turns])
            for name, v in mine.items()
        },
        started=started,
        seconds=0.0,
        extra={name: _raw(v) for name, v in mine.items()} if counted else {},
    )


def _raw(values: BootValues) -> dict[str, tuple[float, ...]]:
    """Every grant as it was counted."""
    return {
        "grants of the loops": tuple(map(float, values.short)),
        "grants of twice the loops": tuple(map(float, values.long)),
    }
