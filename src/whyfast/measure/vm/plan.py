"""What the first process of a guest is to do, in the strings that init.c reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: As much as init.c has room for, in bytes, strings, and words of one command.
MOST_BYTES, MOST_WORDS, MOST_ARGUMENTS = (1 << 16) - 1, 4000, 63

#: Seconds of guest time that a kernel gets to end the work it left for after its boot.
SETTLE = 10

#: A program must not be stopped for using up its share of the processor.
_NO_LIMIT = ("/proc/sys/kernel/sched_rt_runtime_us", "-1")

#: What a guest says of itself, by the files that it reads.
FACTS = {
    "version": "/proc/version",
    "command_line": "/proc/cmdline",
    "clocksource": "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "spectre_v2": "/sys/devices/system/cpu/vulnerabilities/spectre_v2",
    "bpf_jit_enable": "/proc/sys/net/core/bpf_jit_enable",
    "bpf_jit_harden": "/proc/sys/net/core/bpf_jit_harden",
}


@dataclass(frozen=True)
class BootTask:
    """A program of the guest, by its path there, and the turns to grant it: ``turns`` times
    ``loops`` and then twice as many. ``seconds`` of guest time is what one answer may take."""

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
