"""Plain commands: the whole process is the value, from its start to its end.

:func:`probe_run` is a command's first run: does it take turns, does it work, and how much of a CPU
does it use?"""

from __future__ import annotations

import os
import random
import select
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from whyfast.measure.accounts import ThreadTally, pauses
from whyfast.measure.invocation import (
    Invocation,
    InvocationFailed,
    LaunchArguments,
    Sample,
    completed,
    running,
    started,
)
from whyfast.measure.process import Child, Usage, away_from, usable_cpus, wait_for
from whyfast.measure.turns import Pipes
from whyfast.model.sample import WAITED

#: How often a run is repeated that ended before it was traced, within some milliseconds.
TRIES = 4


@dataclass
class CommandInvocation:
    """Runs one command anew for every turn. The time is from just before the process is started
    until the kernel reports its end, so it includes what starting a process costs (about the same
    for every command). This process keeps off its CPU meanwhile. How long it waited for a CPU that
    others had comes with it, where it has one thread. ``tally`` looks at its threads."""

    command: tuple[str, ...]
    env: Mapping[str, str]
    cpu: int | None
    arguments: LaunchArguments
    tally: ThreadTally

    def turn(self, loops: int) -> Sample:
        """Run the command ``loops`` times, one after the other."""
        total, alone = 0.0, True
        extra: dict[str, float] = {}
        for _ in range(loops):
            sample = self._once()
            tries = TRIES if self.arguments.traced else 0
            while tries and "maxrss" not in sample.extra:
                sample, tries = self._once(), tries - 1
            total += sample.seconds
            for key, value in sample.extra.items():
                peak = key in ("maxrss", "maxrss_below")
                extra[key] = max(extra.get(key, 0.0), value) if peak else extra.get(key, 0) + value
            alone = alone and WAITED in sample.extra
        if not alone:
            extra.pop(WAITED, None)
        return Sample(total, self.arguments.check, extra)

    def _once(self) -> Sample:
        wanted = self.arguments
        if wanted.prepare is not None:
            run_aside(wanted.prepare, env=self.env, timeout=wanted.timeout, what="--prepare")
        cpu = self.cpu
        if wanted.traced and cpu is None:  # woken on its CPU, what traces it comes too late
            cpu = next(iter(usable_cpus()[1:]), None)
        start = running(
            self.command,
            env=self.env,
            cpu=cpu,
            stdin=wanted.stdin,
            stdout="discarded" if wanted.check is None else "whole",
            traced=wanted.traced,
        )
        before = METER.read() if METER else ()
        with away_from(cpu), start as child:
            usage = completed(
                child,
                self.command,
                wanted.timeout,
                tally=self.tally if self.tally.due() else None,
                ignore_failure=wanted.ignore_failure,
            )
            if wanted.check is not None and (printed := child.stdout().strip()) != wanted.check:
                reason = f"wrong result: {printed[:80]!r}, expected {wanted.check!r}"
                output = child.output_tail()
                raise InvocationFailed(reason, output=output, command=self.command)
            if wanted.traced:
                usage = replace(usage, maxrss=child.peak())
        extra = {k: v for k, v in asdict(usage).items() if v is not None}
        if METER:
            extra["energy"] = METER.joules(before, METER.read())
        return Sample(child.seconds, None, extra)

    @property
    def threads(self) -> int:
        """In all runs of this command so far."""
        return self.tally.at_work

    peak_memory = None  # comes with each run

    def close(self) -> None:
        """Nothing is alive between turns."""


@dataclass
class CommandRunner:
    """Runs commands."""

    arguments: LaunchArguments
    tallies: dict[str, ThreadTally] = field(default_factory=dict)
    loops_vary = False

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """An invocation of the variant; nothing is started yet."""
        env, command = self.arguments.process(variant, pad, layout)
        tally = self.tallies.setdefault(variant, ThreadTally())
        return CommandInvocation(command, env, cpu, self.arguments, tally)


def run_aside(
    command: tuple[str, ...], *, env: Mapping[str, str], timeout: float, what: str
) -> None:
    """Run a command that is not measured. :class:`InvocationFailed` naming ``what`` when it
    fails."""
    try:
        with running(command, env=env) as child:
            completed(child, command, timeout, late="still running")
    except InvocationFailed as failed:
        reason = f"{what}: {failed.reason}"
        raise InvocationFailed(reason, output=failed.output, command=command) from None


_GREETING = b"ready 1\n"


@dataclass(frozen=True)
class ProbeRun:
    """``takes_turns``: it answered the offer of the turn protocol (and was let go at once; the
    other fields are then 0). Else ``seconds`` of wall time and ``cpu_seconds`` of user and system
    time of the whole run, how many ``threads`` were at work, and how long it ``waited`` for a CPU,
    where that is known; ``usage`` has all of the kernel's accounting."""

    takes_turns: bool
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    threads: int = 1
    waited: float | None = None
    usage: Usage | None = None


def probe_run(arguments: LaunchArguments, variant: str, offer: bool) -> ProbeRun:
    """Run a variant once, on ``offer`` to take turns; one that does not know them just runs. Raises
    :class:`InvocationFailed` when it cannot be started, fails, or outlives its timeout."""
    command, timeout = arguments.commands[variant], arguments.timeout
    tally, pipes = ThreadTally(), Pipes.opened()
    try:
        start = time.perf_counter()
        with pipes.handed_on():
            child = started(
                command,
                env={**arguments.env, **pipes.variable} if offer else arguments.env,
                stdin=arguments.stdin,
                stdout="discarded",  # a command may print gigabytes
                pass_fds=pipes.inherited if offer else (),
            )
        try:
            if _greets(child, pipes.answer, timeout, tally):
                return ProbeRun(takes_turns=True)
            left = max(0.0, timeout - (time.perf_counter() - start))
            usage = completed(
                child,
                command,
                left,
                tally=tally,
                ignore_failure=arguments.ignore_failure,
                late=f"still running after {timeout:g} s; name a command that ends, or give it "
                "longer with --timeout 10m",
            )
            cpu_seconds = usage.user + usage.system
            return ProbeRun(False, child.seconds, cpu_seconds, tally.at_work, usage.waited, usage)
        finally:
            child.kill()
    finally:
        pipes.close()


def _greets(child: Child, answer: int, timeout: float, tally: ThreadTally) -> bool:
    """Wait until the process greets on ``answer``, or ends, or closes it, or time is up, and look
    at its threads now and then meanwhile."""
    pidfd = os.pidfd_open(child.pid)
    try:
        poller = select.poll()
        poller.register(answer, select.POLLIN)
        poller.register(pidfd, select.POLLIN)
        deadline = time.monotonic() + timeout
        for pause in pauses(random.Random()):
            left = deadline - time.monotonic()
            ready = wait_for(poller, max(0.0, min(pause, left)))
            if ready or left <= pause:
                break
            child.trim()
            tally.look(child.pid, pause)
    finally:
        os.close(pidfd)
    return answer in ready and os.read(answer, 64).startswith(_GREETING)


# The energy of the processor's packages, as their counters (RAPL) tell; where a machine has none,
# or only root may read them, it is unavailable.

_ZONES = "sys/class/powercap/*-rapl:*"


@dataclass(frozen=True)
class EnergyMeter:
    """Counters in microjoules that begin again at 0 above their ``range``, by file."""

    counters: tuple[tuple[Path, int], ...]

    def read(self) -> tuple[int, ...]:
        """All counters now. Raises OSError."""
        return tuple(int(path.read_bytes()) for path, _ in self.counters)

    def joules(self, before: tuple[int, ...], after: tuple[int, ...]) -> float:
        """Of all packages between two readings, that of whatever else runs among it."""
        limits = (limit for _, limit in self.counters)
        apart = zip(before, after, limits, strict=True)
        return sum((b - a) % (limit + 1) for a, b, limit in apart) / 1e6


def energy_meter(root: Path = Path("/")) -> EnergyMeter | str:
    """The meter of this machine, or why there is none."""
    zones = [z for z in sorted(root.glob(_ZONES)) if z.name.count(":") == 1]
    packages = [z for z in zones if _text(z / "name").startswith("package")]
    if not packages:
        return "this machine has no RAPL counters (virtual machines hide them)"
    counters = []
    for zone in packages:
        try:
            int((zone / "energy_uj").read_bytes())
            counters.append((zone / "energy_uj", int(_text(zone / "max_energy_range_uj"))))
        except PermissionError:
            file = f"{zone}/energy_uj"
            return f"only root may read {file}; allow it: sudo chmod a+r {file}"
        except (OSError, ValueError):
            return f"{zone} cannot be read"
    return EnergyMeter(tuple(counters))


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


_METER = energy_meter()
#: The energy of each run; None where it is unavailable.
METER = None if isinstance(_METER, str) else _METER
