"""The boots of one run: each machine loaded, booted once a round, and its answers read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from whyfast.measure.launch import Launcher
from whyfast.measure.vm.boot_plan import (
    COUNTED_LOOPS,
    TIMED_LOOPS,
    TURNS,
    Cargo,
    VirtualMachine,
    boot_digest,
    load,
)
from whyfast.measure.vm.qemu import Booted, BootFailed, boot, command_line
from whyfast.measure.vm.transcript import Unanswered, count_loop, parse_transcript, read_values
from whyfast.model.boot import Boot, BootUnit, Kernel
from whyfast.model.sample import RunFailure
from whyfast.model.study import Study

#: Seconds of wall time that a boot may take.
BOOT_TIMEOUT = 300.0


@dataclass(frozen=True)
class BootValues:
    """What one boot yields for a block: the main value of one loop, and every raw one."""

    value: float
    short: tuple[int, ...]
    long: tuple[int, ...]


@dataclass(frozen=True)
class BootOutcome:
    """What became of one boot: None and failures when it did not come to its end."""

    boot: Boot | None
    values: tuple[tuple[str, str, BootValues], ...] = ()
    failures: tuple[RunFailure, ...] = ()


@dataclass(frozen=True)
class Boots:
    """What all boots of a run have in common.

    ``commands`` maps (variant, benchmark) to the words of its command, ``kept`` is the folder for
    what machines have sent, ``init`` the first process of each.
    """

    study: Study
    commands: Mapping[tuple[str, str], tuple[str, ...]]
    programs: Mapping[str, Path]
    init: bytes
    kernels: Mapping[str, Kernel]
    kept: Path
    unit: BootUnit
    qemu: str
    emulator: str
    launcher: Launcher

    @property
    def loops(self) -> int:
        """Of the shorter of two grants."""
        return COUNTED_LOOPS if self.unit == "instructions" else TIMED_LOOPS

    @property
    def turns(self) -> int:
        """Pairs of grants of each benchmark in one boot."""
        return self.study.measure.turns or TURNS

    def boot(self, machine: VirtualMachine, index: int) -> BootOutcome:
        """Boot a machine in round ``index``, or read again what it said in an earlier session."""
        kernel = self.kernels[machine.kernel]
        parameters = command_line(self.unit, machine.boot)
        try:
            cargo = self._load(machine)
            booted = self._booted(machine, index, kernel, parameters, cargo)
        except (BootFailed, ValueError) as error:
            reason = f"{machine.name}: {error}"
            return BootOutcome(None, failures=self._all_failed(machine, reason))
        return self._read(machine, index, kernel, parameters, cargo, booted)

    def _load(self, machine: VirtualMachine) -> Cargo:
        return load(
            machine,
            self.init,
            self.commands,
            self.programs,
            loops=self.loops,
            turns=self.turns,
            timeouts={b.name: b.timeout for b in self.study.benchmarks},
        )

    def _booted(
        self, machine: VirtualMachine, index: int, kernel: Kernel, parameters: str, cargo: Cargo
    ) -> Booted:
        """From an earlier session of this run, or now."""
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
            launcher=self.launcher,
            timeout=BOOT_TIMEOUT,
        )
        self.kept.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(".unfinished")
        unfinished.write_text(f"{booted.seconds:.1f}\n{booted.text}")
        unfinished.rename(file)
        return booted

    def _read(
        self,
        machine: VirtualMachine,
        index: int,
        kernel: Kernel,
        parameters: str,
        cargo: Cargo,
        booted: Booted,
    ) -> BootOutcome:
        transcript = booted.transcript
        if transcript.refused:
            refused = ", ".join(transcript.refused)
            reason = f"{machine.name}: the kernel does not have, or refuses, {refused}"
            return BootOutcome(None, failures=self._all_failed(machine, reason))
        values, failures = [], []
        grants = disturbed = most = 0
        checks = {b.name: b.check for b in self.study.benchmarks}
        for (variant, benchmark), id_ in cargo.ids.items():
            try:
                read = read_values(transcript.tasks.get(id_), self.turns)
                expected = checks[benchmark]
                if expected is not None and read.check != expected:
                    raise Unanswered(f"wrong result: {read.check}, expected {expected}")
                if self.unit == "instructions":
                    one = count_loop(read, self.loops)
                    value = one.instructions
                    grants += len(read.short) + len(read.long)
                    disturbed += round(one.disturbed * (len(read.short) + len(read.long)))
                    most = max(most, one.most)
                else:
                    value = 0.0
                values.append((benchmark, variant, BootValues(value, read.short, read.long)))
            except (Unanswered, ValueError) as error:
                failures.append(self._failed(variant, benchmark, str(error)))
        made = Boot(
            variants=machine.variants,
            index=index,
            unit=self.unit,
            kernel=kernel,
            command_line=parameters,
            emulator=self.emulator,
            initramfs=cargo.digest,
            facts=dict(transcript.facts),
            per_round=transcript.per_round,
            disturbed=disturbed / grants if grants else 0.0,
            most=most,
            seconds=booted.seconds,
        )
        return BootOutcome(made, tuple(values), tuple(failures))

    def _all_failed(self, machine: VirtualMachine, reason: str) -> tuple[RunFailure, ...]:
        return tuple(
            self._failed(variant, benchmark, reason)
            for (variant, benchmark) in self.commands
            if variant in machine.variants
        )

    def _failed(self, variant: str, benchmark: str, reason: str) -> RunFailure:
        return RunFailure(benchmark, variant, reason, "", self.commands[variant, benchmark])
