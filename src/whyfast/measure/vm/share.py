"""Which variants can share a boot: those that need the same kernel, parameters and settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whyfast.measure.vm.initramfs import initramfs
from whyfast.measure.vm.plan import BootTask, encode_plan
from whyfast.model.variant import Variant

#: Loops of the shorter grant of a turn. A timer interrupt comes every four million instructions, so
#: that most grants of up to some hundred thousand are undisturbed; and a program that works on long
#: grants in parts does such a one in one part.
COUNTED_LOOPS = 25

#: Where values are times, a value is to be long beside a reading of the clock.
TIMED_LOOPS = 10_000

#: Turns of each benchmark in one boot.
TURNS = 16


@dataclass(frozen=True)
class Guest:
    """One machine to boot: ``variants`` run in it, one after the other."""

    kernel: str
    boot: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    variants: tuple[str, ...]

    @property
    def name(self) -> str:
        """For messages: ``debian:linux-6.12 spectre_v2=on``."""
        return " ".join((self.kernel, *self.boot, *(f"{k}={v}" for k, v in self.settings)))


def share(variants: Sequence[Variant]) -> tuple[Guest, ...]:
    """The guests that these variants need, in the order in which they first do."""
    groups: dict[tuple[str, tuple[str, ...], tuple[tuple[str, str], ...]], list[str]] = {}
    for v in variants:
        key = (v.kernel, v.boot, tuple(sorted(v.sysctl.items())))
        groups.setdefault(key, []).append(v.name)
    return tuple(Guest(*key, tuple(names)) for key, names in groups.items())


@dataclass(frozen=True)
class Cargo:
    """What one guest starts from; ``ids`` maps each (variant, benchmark) to its task."""

    initrd: bytes
    ids: Mapping[tuple[str, str], str]

    @property
    def digest(self) -> str:
        """sha256 of the archive."""
        return hashlib.sha256(self.initrd).hexdigest()


def load(
    guest: Guest,
    init: bytes,
    commands: Mapping[tuple[str, str], Sequence[str]],
    programs: Mapping[str, Path],
    *,
    loops: int,
    turns: int,
    timeouts: Mapping[str, float],
) -> Cargo:
    """Pack the programs of a guest and its plan.

    ``commands`` maps (variant, benchmark) to the words of its command, in which a word that is the
    path in ``programs[variant]`` becomes the one inside. ``timeouts``: seconds, by benchmark.
    ValueError when it is more than a guest has room for.
    """
    tasks: list[BootTask] = []
    ids: dict[tuple[str, str], str] = {}
    files: dict[str, bytes] = {}
    inside: dict[str, str] = {}
    for variant in guest.variants:
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
    return Cargo(initramfs(init, files, encode_plan(tasks, dict(guest.settings))), ids)


def boot_digest(kernel: str, cargo: str, parameters: str, emulator: str) -> str:
    """What decides a boot that has no other source of chance."""
    text = json.dumps([kernel, cargo, parameters, emulator])
    return hashlib.sha256(text.encode()).hexdigest()
