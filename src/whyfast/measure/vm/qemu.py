"""One boot of a kernel in QEMU, and what its first process sent over the second serial port."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whyfast.measure.doctor import number
from whyfast.measure.tools import Launcher
from whyfast.measure.turns import read_answer
from whyfast.measure.vm import initramfs
from whyfast.model.build import BootUnit, Kernel
from whyfast.model.errors import UserError
from whyfast.store.home import Home

PROGRAM = "qemu-system-x86_64"

#: Bytes of memory of a machine, in units that QEMU reads.
MEMORY = "512M"

#: Kernel parameters of every boot: only emergencies on the console, and no life after one.
ALWAYS = ("console=ttyS0", "quiet", "loglevel=1", "panic=-1", "oops=panic")

#: And where instructions are counted: equal addresses in every boot, the processor's counter as the
#: clock, and no self-tests of ciphers in threads beside the program.
COUNTING = ("nokaslr", "norandmaps", "tsc=reliable", "cryptomgr.notests")

#: Lines of the console that a message shows.
TAIL = 3

#: Seconds that a machine gets to say something; with KVM a kernel boots in one or two.
KVM_PATIENCE = 15.0

#: The kernel complains of this when it is given no program to start with, having booted.
_BOOTED = "No working init found"

_DEVICE = "/dev/kvm"

_PANIC = re.compile(r"Kernel panic - not syncing: (.*)")
_STAMP = re.compile(r"^\[ *\d+\.\d+\] ")


class BootFailed(Exception):
    """The machine did not come to the end of its plan; the message has what its console says."""


@dataclass(frozen=True)
class Booted:
    """A machine that did all it was to do; ``text`` is its transcript as it was sent."""

    transcript: Transcript
    text: str
    seconds: float


def find_qemu(launcher: Launcher) -> str:
    """The path of QEMU; UserError when it is not installed."""
    path = launcher.find(PROGRAM)
    if path is None:
        raise UserError(
            f"{PROGRAM}, which runs other kernels, is not installed; "
            "apt-get install qemu-system-x86"
        )
    return path


def qemu_version(launcher: Launcher, qemu: str) -> str:
    """For example ``QEMU 7.2.22``."""
    done = launcher.run([qemu, "--version"], env=dict(os.environ), timeout=30)
    match = re.search(r"version (\S+)", done.stdout)
    return f"QEMU {match[1]}" if match else "QEMU"


def command_line(unit: BootUnit, boot: Sequence[str]) -> str:
    """The parameters of the kernel, those of the variant last, as they overrule."""
    return " ".join((*ALWAYS, *(COUNTING if unit == "instructions" else ()), *boot))


def qemu_words(
    qemu: str, unit: BootUnit, kernel: Path, initrd: Path, parameters: str, folder: Path
) -> list[str]:
    """The whole command. What the machine sends goes to ``console`` and ``results`` in ``folder``.
    Counting: one instruction is one nanosecond of the machine's clock, which no real clock touches,
    and which jumps ahead when the machine has nothing to do. Every source of chance has a seed."""
    if unit == "instructions":
        how = [
            *("-machine", "q35,hpet=off", "-accel", "tcg,thread=single", "-cpu", "max"),
            *("-icount", "shift=0,sleep=off", "-rtc", "base=2020-01-01,clock=vm"),
            *("-seed", "42"),
        ]
    else:
        how = ["-machine", "q35", "-accel", "kvm", "-cpu", "host"]
    return [
        *(qemu, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *how,
        *("-smp", "1", "-m", MEMORY, "-kernel", str(kernel), "-initrd", str(initrd)),
        *("-append", parameters),
        *("-serial", f"file:{folder / 'console'}", "-serial", f"file:{folder / 'results'}"),
    ]


def boot(
    kernel: Kernel,
    initrd: bytes,
    *,
    unit: BootUnit,
    parameters: str,
    qemu: str,
    launcher: Launcher,
    timeout: float,
) -> Booted:
    """Run one machine to its end, at most ``timeout`` seconds of wall time. Raises BootFailed."""
    with tempfile.TemporaryDirectory(prefix="whyfast-vm-") as name:
        folder = Path(name)
        archive = folder / "initramfs"
        archive.write_bytes(initrd)
        words = qemu_words(qemu, unit, kernel.image, archive, parameters, folder)
        began = time.monotonic()
        try:
            done = launcher.run(words, env=dict(os.environ), timeout=timeout)
        except TimeoutError:
            console = _read(folder / "console")
            raise BootFailed(_why(f"did not end within {timeout:g} s", console)) from None
        except OSError as error:
            raise BootFailed(f"{qemu} could not be started: {error.strerror}") from None
        seconds = time.monotonic() - began
        console, text = _read(folder / "console"), _read(folder / "results")
    if done.status != 0:
        last = done.output.strip().splitlines()[-1:] or [f"exit code {done.status}"]
        raise BootFailed(f"QEMU failed: {last[0]}")
    transcript = parse_transcript(text)
    if panic := _PANIC.search(console):
        raise BootFailed(f"the kernel panicked: {panic[1].strip()}")
    if not transcript.complete:
        begun = "ended early" if transcript.begun else "ended before its first process started"
        raise BootFailed(_why(begun, console))
    return Booted(transcript, text, seconds)


def kvm_boots(kernel: Kernel, home: Home, qemu: str, launcher: Launcher) -> bool:
    """Whether a kernel boots under KVM. Some machines offer it and cannot; so it is tried, and
    what came of it is kept until the machine boots anew."""
    if not os.access(_DEVICE, os.R_OK | os.W_OK):
        return False
    with contextlib.suppress(OSError):
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        key = hashlib.sha256(f"{boot_id} {qemu} {kernel.sha256}".encode()).hexdigest()[:16]
        kept = home.cache / "kernels" / f"kvm-{key}"
        if not kept.exists():
            answer = _try_kvm(kernel, qemu, launcher)
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text("boots\n" if answer else "does not boot\n")
            return answer
        return kept.read_text() == "boots\n"
    return _try_kvm(kernel, qemu, launcher)


def _try_kvm(kernel: Kernel, qemu: str, launcher: Launcher) -> bool:
    """An init that is no program makes a kernel that came so far panic."""
    try:
        boot(
            kernel,
            initramfs(b"", {}, b""),
            unit="time",
            parameters=command_line("time", ()),
            qemu=qemu,
            launcher=launcher,
            timeout=KVM_PATIENCE,
        )
    except BootFailed as failed:
        return _BOOTED in str(failed)
    return False


def _why(what: str, console: str) -> str:
    lines = [_STAMP.sub("", line).strip() for line in console.splitlines()]
    tail = [line for line in lines if line][-TAIL:]
    ending = f"its console ends: {' | '.join(tail)}" if tail else "its console says nothing"
    return f"the guest {what}; {ending}"


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


@dataclass
class Answers:
    """One task: the lines that its program wrote, and its exit status (negative for a signal)."""

    ready: str | None = None
    lines: list[str] = field(default_factory=list)
    exit: int | None = None
    late: bool = False


@dataclass(frozen=True)
class Transcript:
    """``complete`` says that the machine came to the end of its plan; ``begun`` that its first
    process started at all; ``per_round`` how many ticks a loop of two instructions took."""

    begun: bool
    complete: bool
    facts: Mapping[str, str]
    refused: tuple[str, ...]
    per_round: float | None
    tasks: Mapping[str, Answers]


class Unanswered(Exception):
    """A task has no usable answers; the message says why in words."""


def parse_transcript(transcript: str) -> Transcript:
    """Of lines KIND ID TEXT: ``hello - 1`` at the beginning and ``bye - 0`` at the end; ``file``
    and ``nofile`` for facts, ``unwritten`` for settings that the kernel refused, ``rounds`` for the
    loop that shows what a tick is; and for each task ``ready``, ``answer``, ``late`` and ``exit``.
    Other lines are passed over: a machine may die in the middle of one."""
    facts: dict[str, str] = {}
    refused: list[str] = []
    tasks: dict[str, Answers] = {}
    begun = complete = False
    per_round: float | None = None
    for line in transcript.splitlines():
        kind, _, rest = line.partition(" ")
        name, _, text = rest.partition(" ")
        if kind == "hello":
            begun = True
        elif kind == "bye":
            complete = text == "0"
        elif kind == "file":
            facts[name] = text
        elif kind == "unwritten":
            refused.append(name)
        elif kind == "rounds":
            rounds, ticks = number(name), number(text)
            if rounds and ticks is not None:
                per_round = ticks / rounds
        elif kind in ("ready", "answer", "late", "exit"):
            task = tasks.setdefault(name, Answers())
            if kind == "ready":
                task.ready = text
            elif kind == "answer":
                task.lines.append(text)
            elif kind == "late":
                task.late = True
            elif (status := number(text)) is not None:
                task.exit = status
    return Transcript(begun, complete, facts, tuple(refused), per_round, tasks)


@dataclass(frozen=True)
class TaskValues:
    """The answers of one task: nanoseconds of the machine for ``loops`` and for twice as many, turn
    by turn, and the check value that all reported (None for none)."""

    short: tuple[int, ...]
    long: tuple[int, ...]
    check: str | None


def read_values(task: Answers | None, turns: int) -> TaskValues:
    """All turns of a task, or :class:`Unanswered`."""
    if task is None:
        raise Unanswered("was not started")
    for line in (task.ready or "", *task.lines):
        if line.startswith("error "):
            raise Unanswered(line.removeprefix("error "))
    if task.late:
        raise Unanswered("gave no answer in time")
    if task.exit == 127 and task.ready is None:
        raise Unanswered("could not be started; link it statically, the guest has no libraries")
    if task.ready != "ready 1":
        ended = "" if task.exit is None else f" (exit code {task.exit})"
        raise Unanswered(f"ended before it was ready{ended}")
    if len(task.lines) != 2 * turns:
        raise Unanswered(f"answered {len(task.lines)} turns of {2 * turns}")
    try:
        readings = [read_answer(line) for line in task.lines]
    except ValueError as error:
        raise Unanswered(str(error)) from None
    checks = {check for _, check in readings}
    if len(checks) > 1:
        raise Unanswered(f"wrong result: {' and '.join(sorted(map(str, checks)))}")
    times = [round(seconds * 1e9) for seconds, _ in readings]
    return TaskValues(tuple(times[::2]), tuple(times[1::2]), checks.pop())


@dataclass(frozen=True)
class LoopCount:
    """Instructions of one loop; ``disturbed`` is the share of grants that took more than the least
    of their kind, and ``most`` the most that such a grant took beyond it, in instructions."""

    instructions: float
    disturbed: float
    most: int


def count_loop(values: TaskValues, loops: int) -> LoopCount:
    """From the answers of a task to the instructions of one loop. A program is granted L loops and
    then 2L, many times over. What the grant itself costs is in both; the difference of the two is
    what L loops cost. An interrupt only ever adds instructions, so the least of all equal grants is
    the one that none fell into. ValueError when twice the loops take no longer: then what was
    granted is not the work."""
    short, long = min(values.short), min(values.long)
    if long <= short:
        raise ValueError(f"twice the loops take {long} instructions, after {short}")
    over = [v - short for v in values.short] + [v - long for v in values.long]
    disturbed = sum(v > 0 for v in over) / len(over)
    return LoopCount((long - short) / loops, disturbed, max(over))
