"""Programs that run under other kernels, each in a virtual machine (docs/kernels.md): what is
booted, and what each boot starts from.

Variants that need the same kernel, parameters and settings share a boot. The plan is what the first
process is to do, in the strings that init.c reads. The kernel starts from an archive of a few files
in cpio's "newc" (Documentation/driver-api/early-userspace/buffer-format.rst in Linux)."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.model.variant import Variant

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"
#: Bytes of the blocks in which the kernel reads the archive.
_BLOCK = 512
#: Major and minor number of /dev/console, which the kernel opens for the first process.
_CONSOLE = (5, 1)


@dataclass(frozen=True)
class CpioEntry:
    """One file, folder or device; ``mode`` has its type, ``device`` its numbers if it is one."""

    name: str
    mode: int
    data: bytes = b""
    device: tuple[int, int] = (0, 0)


def initramfs(init: bytes, programs: Mapping[str, bytes], plan: bytes) -> bytes:
    """The archive: ``/init``, ``/plan``, a console, and the programs by absolute path. Equal
    contents give equal bytes: no times, no owners, files in order of their names."""
    folders = {"dev"}
    for path in programs:
        parts = path.strip("/").split("/")[:-1]
        folders.update("/".join(parts[: i + 1]) for i in range(len(parts)))
    executable = stat.S_IFREG | 0o755
    return newc(
        [
            *(CpioEntry(folder, stat.S_IFDIR | 0o755) for folder in sorted(folders)),
            CpioEntry("dev/console", stat.S_IFCHR | 0o600, device=_CONSOLE),
            CpioEntry("init", executable, init),
            CpioEntry("plan", stat.S_IFREG | 0o644, plan),
            *(CpioEntry(p.strip("/"), executable, data) for p, data in sorted(programs.items())),
        ]
    )


def newc(entries: Iterable[CpioEntry]) -> bytes:
    """The archive of these entries; a folder must come before its contents."""
    out = bytearray()
    for number, entry in [*enumerate(entries, start=1), (0, CpioEntry(_TRAILER, 0))]:
        name = entry.name.encode() + b"\0"
        # inode, mode, owner, group, links, time, size, device, device of a device file, name,
        # checksum
        fields = (
            *(number, entry.mode, 0, 0, 1, 0, len(entry.data)),
            *(0, 0, *entry.device, len(name), 0),
        )
        for part in (_MAGIC + b"".join(b"%08X" % field for field in fields) + name, entry.data):
            out += part + bytes(-(len(out) + len(part)) % 4)
    out += bytes(-len(out) % _BLOCK)
    return bytes(out)


#: Loops of the shorter grant of a turn. A timer interrupt comes every four million instructions, so
#: that most grants of up to some hundred thousand are undisturbed; and a program that works on long
#: grants in parts does such a one in one part.
COUNTED_LOOPS = 25

#: Where values are times, a value is to be long beside a reading of the clock.
TIMED_LOOPS = 10_000

#: Turns of each benchmark in one boot.
TURNS = 16


#: As much as init.c has room for, in bytes, strings, and words of one command.
MOST_BYTES, MOST_WORDS, MOST_ARGUMENTS = (1 << 16) - 1, 4000, 63

#: Seconds of time inside that a kernel gets to end the work it left for after its boot.
SETTLE = 10

#: A program must not be stopped for using up its share of the processor.
_NO_LIMIT = ("/proc/sys/kernel/sched_rt_runtime_us", "-1")

#: What a machine says of itself, by the files that it reads.
FACTS = {
    "version": "/proc/version",
    "command_line": "/proc/cmdline",
    "clocksource": "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "spectre_v2": "/sys/devices/system/cpu/vulnerabilities/spectre_v2",
    "bpf_jit_enable": "/proc/sys/net/core/bpf_jit_enable",
    "bpf_jit_harden": "/proc/sys/net/core/bpf_jit_harden",
}


@dataclass(frozen=True)
class VirtualMachine:
    """One machine to boot: ``variants`` run in it, one after the other."""

    kernel: str
    boot: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    variants: tuple[str, ...]

    @property
    def name(self) -> str:
        """For messages: ``debian:linux-6.12 spectre_v2=on``."""
        return " ".join((self.kernel, *self.boot, *(f"{k}={v}" for k, v in self.settings)))


def share(variants: Sequence[Variant]) -> tuple[VirtualMachine, ...]:
    """The machines that these variants need, in the order in which they first do."""
    groups: dict[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]], list[str]] = {}
    for v in variants:
        key = (v.kernel, v.boot, tuple(sorted(v.sysctl.items())))
        groups.setdefault(key, []).append(v.name)
    return tuple(VirtualMachine(*key, tuple(names)) for key, names in groups.items())


@dataclass(frozen=True)
class Cargo:
    """What one machine starts from; ``ids`` maps each (variant, benchmark) to its task."""

    initrd: bytes
    ids: Mapping[tuple[str, str], str]

    @property
    def digest(self) -> str:
        """sha256 of the archive."""
        return hashlib.sha256(self.initrd).hexdigest()


def load(
    machine: VirtualMachine,
    init: bytes,
    commands: Mapping[tuple[str, str], Sequence[str]],
    programs: Mapping[str, Path],
    *,
    loops: int,
    turns: int,
    timeouts: Mapping[str, float],
) -> Cargo:
    """Pack the programs of a machine and its plan. ``commands`` maps (variant, benchmark) to the
    words of its command, in which a word that is the path in ``programs[variant]`` becomes the one
    inside. ``timeouts``: seconds, by benchmark. ValueError when it is more than a machine has room
    for."""
    tasks: list[BootTask] = []
    ids: dict[tuple[str, str], str] = {}
    files: dict[str, bytes] = {}
    inside: dict[str, str] = {}
    for variant in machine.variants:
        data = programs[variant].read_bytes()
        inside[variant] = f"/program-{hashlib.sha256(data).hexdigest()[:12]}"
        files[inside[variant]] = data
    for (variant, benchmark), words in commands.items():
        if variant not in inside:
            continue
        id_ = str(len(tasks))
        ids[variant, benchmark] = id_
        path = str(programs[variant])
        command = tuple(inside[variant] if word == path else word for word in words)
        tasks.append(BootTask(id_, command, loops, turns, max(1, round(timeouts[benchmark]))))
    return Cargo(initramfs(init, files, encode_plan(tasks, dict(machine.settings))), ids)


def boot_digest(kernel: str, cargo: str, parameters: str, emulator: str) -> str:
    """What decides a boot that has no other source of chance."""
    text = json.dumps([kernel, cargo, parameters, emulator])
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class BootTask:
    """A program of the machine, by its path there, and the turns to grant it: ``turns`` times
    ``loops`` and then twice as many. ``seconds`` of time inside is what one answer may take."""

    id: str
    command: tuple[str, ...]
    loops: int
    turns: int
    seconds: int


def encode_plan(tasks: Sequence[BootTask], settings: Mapping[str, str]) -> bytes:
    """The plan; ``settings`` as the program sysctl names them. ValueError when it is too long."""
    words = ["write", *_NO_LIMIT]
    for name, value in settings.items():
        words += ["write", "/proc/sys/" + name.replace(".", "/"), value]
    words += ["settle", str(SETTLE)]
    for name, path in FACTS.items():
        words += ["file", name, path]
    for task in tasks:
        if len(task.command) > MOST_ARGUMENTS:
            raise ValueError(f"a command has more than {MOST_ARGUMENTS} words")
        numbers = (task.loops, task.turns, task.seconds, len(task.command))
        words += ["turns", task.id, *map(str, numbers), *task.command]
    plan = b"".join(word.encode() + b"\0" for word in words)
    if len(plan) > MOST_BYTES or len(words) > MOST_WORDS:
        raise ValueError("more benchmarks and variants than one boot has room for")
    return plan
