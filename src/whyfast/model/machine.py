"""What a machine's settings do to measurements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

State = Literal["good", "warning", "unknown"]


@dataclass(frozen=True)
class MachineFinding:
    """One property of the machine, as found. ``value`` is what was read, in words; ``unknown`` when
    it could not be. ``effect`` is one sentence on what the property does to results in that state,
    ``how`` says how to set it (empty where nothing can be set). ``tunable`` means that ``whyfast
    doctor --tune`` sets it."""

    key: str
    title: str
    value: str
    state: State
    effect: str
    how: str = ""
    tunable: bool = False


@dataclass(frozen=True)
class SettingChange:
    """What ``--tune`` or ``--restore`` did with one kernel setting. ``path`` is the kernel's file,
    ``old`` what it held before, ``new`` what it was to hold. ``error`` says why it does not, and is
    empty when it does."""

    key: str
    path: str
    old: str
    new: str
    error: str = ""


# Kernels booted in a virtual machine, and the results of a boot.

#: ``instructions``: interpreted by QEMU, which counts what it executes; there is no meaningful
#: time. ``time``: executed by the processor through KVM; values are seconds.
BootUnit = Literal["instructions", "time"]


@dataclass(frozen=True)
class Kernel:
    """A kernel's image, extracted from a package. ``name`` is what the study asked for
    (``debian:linux-6.12``), ``release`` what ``uname -r`` of it prints, ``package_sha256`` of the
    package's file and ``sha256`` of ``image``."""

    name: str
    release: str
    package: str
    version: str
    suite: str
    package_sha256: str
    image: Path
    sha256: str

    @property
    def upstream(self) -> str:
        """The version that kernel.org gave it: ``6.1.176``."""
        return re.split(r"[-~+]", self.version)[0]


@dataclass(frozen=True)
class Boot:
    """One boot of one kernel, in which one or more variants ran every benchmark.

    ``command_line`` is the kernel's, ``emulator`` the version of QEMU, ``initramfs`` the sha256 of
    what it started from. ``facts`` are what the machine said of itself (``version``,
    ``spectre_v2``, ``bpf_jit_enable``, ``bpf_jit_harden``, ``clocksource``); ``per_round`` how many
    ticks of its processor's counter a loop of two instructions took: 2.0 where they count
    instructions.
    ``disturbed`` is the share of grants into which an interrupt fell, and which were set aside,
    ``most`` how many instructions the longest of those took beyond the others; ``seconds`` is wall
    time.
    """

    variants: tuple[str, ...]
    index: int
    unit: BootUnit
    kernel: Kernel
    command_line: str
    emulator: str
    initramfs: str
    facts: Mapping[str, str] = field(default_factory=dict)
    per_round: float | None = None
    disturbed: float = 0.0
    most: int = 0
    seconds: float = 0.0
