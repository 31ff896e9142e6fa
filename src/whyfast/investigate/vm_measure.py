"""One run of a study whose variants have kernels of their own, each booted in a virtual machine."""

from __future__ import annotations

import random
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.build.recipe import make_recipe, scan_source
from whyfast.build.run import build_all
from whyfast.investigate.events import Observer
from whyfast.investigate.prepare import Prepared, to_measure
from whyfast.investigate.running import argument_vector
from whyfast.investigate.vm_boots import BootValues, Campaign
from whyfast.measure import vm
from whyfast.measure.clock import Clock
from whyfast.measure.launch import Launcher, SystemLauncher
from whyfast.measure.machine import environment
from whyfast.measure.vm.qemu import find_qemu, qemu_version
from whyfast.measure.vm.share import TIMED_LOOPS, share
from whyfast.measure.vm.usable import kvm_boots
from whyfast.model.boot import Boot, GuestUnit, Kernel
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.sample import Block, Session
from whyfast.model.study import BuildSpec, Study
from whyfast.model.variant import Variant
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.store.samples import Run, SampleStore
from whyfast.toolchain.kernels import get_kernel

#: Each guest is booted so often: the second boot shows whether the first can be repeated.
ROUNDS = 2

#: The flags that make the first process: no C library is needed for it.
_INIT_STEP = (
    "{cc} -static -nostdlib -ffreestanding -O2 -fno-stack-protector "
    "-fno-asynchronous-unwind-tables -o {program} {source}/init.c"
)

KernelSource = Callable[[str, Home, Callable[[str], None]], Kernel]


@dataclass(frozen=True)
class Outside:
    """What lies outside of this program: tests replace it."""

    launcher: Launcher = field(default_factory=SystemLauncher)
    kernels: KernelSource = get_kernel
    #: None to find out whether the processor can run the guests.
    unit: GuestUnit | None = None


@dataclass(frozen=True)
class Guests:
    """The kernels that are there, and for the variants of others the reason why they are not."""

    kernels: Mapping[str, Kernel]
    reasons: Mapping[str, str]

    def outcomes(self, builds: Sequence[BuildOutcome]) -> tuple[BuildOutcome, ...]:
        """The builds, those without a kernel as not buildable here."""
        return tuple(
            BuildFailure(b.variant, "not-buildable", self.reasons[b.variant])
            if isinstance(b, Build) and b.variant in self.reasons
            else b
            for b in builds
        )


def get_kernels(study: Study, home: Home, observer: Observer, outside: Outside) -> Guests:
    """Fetch the kernels that the study's variants name."""
    kernels: dict[str, Kernel] = {}
    missing: dict[str, str] = {}
    for name in dict.fromkeys(v.kernel for v in study.measured):
        try:
            kernels[name] = outside.kernels(name, home, observer.note)
        except CannotBuildHere as error:
            observer.note(f"{name}: {error}")
            missing[name] = str(error)
    reasons = {v.name: missing[v.kernel] for v in study.measured if v.kernel in missing}
    return Guests(kernels, reasons)


def measure_guests(
    study: Study,
    prepared: Prepared,
    guests: Guests,
    home: Home,
    store: SampleStore,
    run: Run,
    observer: Observer,
    clock: Clock,
    outside: Outside,
) -> tuple[tuple[Boot, ...], bool]:
    """Boot every guest, twice while the budget lasts; the boots, and whether that was all.

    Each boot is kept as it ends, and a run that was interrupted does not repeat those it has.
    """
    qemu = find_qemu(outside.launcher)
    usable = {b.variant: b for b in to_measure(study, prepared) if b.variant not in guests.reasons}
    variants = [study.variant(name) for name in usable]
    session = Session(uuid.uuid4().hex, clock.now(), environment())
    store.add_session(run.id, session)
    unit = outside.unit or _unit(guests, home, qemu, outside.launcher, observer)
    campaign = Campaign(
        study=study,
        commands=_commands(study, prepared, usable),
        programs={name: b.program for name, b in usable.items()},
        init=_init(study, prepared, variants[0], home, observer),
        kernels=guests.kernels,
        kept=home.data / "guests" / run.id,
        unit=unit,
        qemu=qemu,
        emulator=qemu_version(outside.launcher, qemu),
        launcher=outside.launcher,
    )
    boots: list[Boot] = []
    began = clock.monotonic()
    rng = random.Random(run.id)
    there = {(b.index, b.benchmark) for b in store.blocks(run.id)}
    try:
        for index in range(ROUNDS):
            groups = list(share(variants))
            rng.shuffle(groups)
            results: dict[str, dict[str, BootValues]] = {}
            for number, guest in enumerate(groups, start=1):
                if index and clock.monotonic() - began >= study.measure.budget:
                    break
                observer.note(
                    f"booting {guest.name} ({number} of {len(groups)}, round {index + 1})"
                )
                one = campaign.boot(guest, index)
                boots += [one.boot] if one.boot else []
                for failure in one.failures:
                    store.add_failure(run.id, failure)
                    if one.boot:
                        observer.failure(failure)
                if one.boot is None:  # all for one and the same reason
                    observer.note(f"failed: {one.failures[0].reason}")
                for benchmark, variant, values in one.values:
                    results.setdefault(benchmark, {})[variant] = values
            for benchmark, mine in results.items():
                if (index, benchmark) not in there:
                    store.add_block(run.id, _block(benchmark, index, mine, session, clock))
    except KeyboardInterrupt:
        return tuple(boots), False
    shutil.rmtree(campaign.kept, ignore_errors=True)
    return tuple(boots), True


def _unit(
    guests: Guests, home: Home, qemu: str, launcher: Launcher, observer: Observer
) -> GuestUnit:
    """Time where KVM boots a kernel of the study, instructions elsewhere."""
    kernel = next(iter(guests.kernels.values()))
    if kvm_boots(kernel, home, qemu, launcher):
        return "time"
    observer.note(
        "KVM boots no kernel here: QEMU interprets them and counts instructions, simulated and not "
        "time"
    )
    return "instructions"


def _init(
    study: Study, prepared: Prepared, variant: Variant, home: Home, observer: Observer
) -> bytes:
    """The first process of every guest, built by the toolchain of the first variant."""
    folder = Path(vm.__file__).parent / "init"
    toolchain = next(t for t in prepared.toolchains if t.name == variant.toolchain)
    first = Variant("first process of the guests", variant.toolchain)
    spec = replace(study, build=BuildSpec((_INIT_STEP,), "init"))
    recipe = make_recipe(spec, first, toolchain, scan_source(folder))
    (built,) = build_all([recipe], BuildStore(home.builds), observer.note)
    if isinstance(built, BuildFailure):
        raise UserError(
            f"the first process of the guests cannot be built by {toolchain.name}: {built.reason}",
            where=study.folder / "study.toml",
        )
    return built.program.read_bytes()


def _commands(
    study: Study, prepared: Prepared, usable: Mapping[str, Build]
) -> dict[tuple[str, str], tuple[str, ...]]:
    return {
        (name, b.name): argument_vector(study, prepared, b.command, name, build.program)
        for name, build in usable.items()
        for b in study.benchmarks
    }


def _block(
    benchmark: str, index: int, mine: Mapping[str, BootValues], session: Session, clock: Clock
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
        started=clock.now(),
        seconds=0.0,
        extra={name: _raw(v) for name, v in mine.items()} if counted else {},
    )


def _raw(values: BootValues) -> dict[str, tuple[float, ...]]:
    """Every grant as it was counted."""
    return {
        "grants of the loops": tuple(map(float, values.short)),
        "grants of twice the loops": tuple(map(float, values.long)),
    }
