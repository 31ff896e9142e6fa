"""A variant made into a program, and what went into it; the machine, and the kernels
booted on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

#: What a program in another layout is called behind the program's own name.
_LAYOUT = re.compile(r".+\.layout-(?:[0-9a-f]{12}|seed-\d+)(?:\.partial)?")


def is_layout(name: str) -> bool:
    """Whether a file of a build folder is the program in another layout, which no step made."""
    return _LAYOUT.fullmatch(name) is not None


# A compiler with its linker and libraries, from a named provider.

#: What a probe can find out about a compiler, in the order that reports print it.
FEATURES = ("computed-goto", "musttail", "preserve_none")

#: What a compiler compiles; empty: not known. A build by ``cargo`` is one of Rust.
#: Of ``python`` the compiler is the interpreter.
Language = Literal["c", "c++", "rust", "cargo", "go", "python", ""]


@dataclass(frozen=True)
class Toolchain:
    """A usable compiler.

    ``cc`` is the argument vector that compiles and links ``language``, including flags that the
    provider always needs; ``digest`` identifies the very files used (sha256, hex); ``features`` is
    the subset of :data:`FEATURES` that compiling a probe showed.

    ``root`` is the root folder that it lives in, with a C library of its own: what it builds runs
    there too, and ``cc`` and ``env`` are as seen from inside. None: the machine's own files.
    ``readable`` and ``writable`` are folders that it needs to see, beside its root; ``packages``
    are those in the root, name → exact version and hash.
    """

    name: str
    provider: str
    version: str
    target: str
    digest: str
    cc: tuple[str, ...]
    features: frozenset[str]
    env: Mapping[str, str] = field(default_factory=dict)
    root: Path | None = None
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    packages: Mapping[str, str] = field(default_factory=dict)
    language: Language = "c"


# An interpreter under study, from a named provider.

#: What an interpreter says of how it was built, in the order of reports.
FACTS = ("compiler", "flags", "PGO", "LTO", "libpython", "build")


@dataclass(frozen=True)
class Interpreter:
    """A usable CPython.

    ``name`` is the full one (``pyenv:3.12``), ``version`` what it says of itself (``3.12.1``).
    ``program`` is its file, under the name that it has inside of ``root``, the root folder that it
    lives in; None: the machine's own files. ``readable`` are folders that it needs to see beside
    that root. ``cflags`` find its headers for a compiler outside of that root, in the folders
    ``headers``. ``digest`` identifies the files used (sha256, hex). ``facts`` maps :data:`FACTS`
    to words, as far as known.
    """

    name: str
    version: str
    program: Path
    digest: str
    cflags: tuple[str, ...]
    headers: tuple[Path, ...]
    readable: tuple[Path, ...] = ()
    root: Path | None = None
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Build:
    """A finished build. ``digest`` is over everything that went in, ``program_sha256`` over what
    came out; ``provenance`` is the whole record, as kept beside the program (plain JSON data)."""

    variant: str
    digest: str
    program: Path
    program_sha256: str
    provenance: Mapping[str, Any]
    reused: bool
    kind: Literal["built"] = "built"


@dataclass(frozen=True)
class BuildFailure:
    """A variant that has no program. ``kind`` is ``not-buildable`` (its toolchain or this machine
    cannot do it; ``reason`` says why), ``failed`` (a step failed: ``log_tail`` holds the last
    lines, ``log`` the whole) or ``late`` (there was a limit in time). ``elsewhere`` is where the
    steps made a program of that name, when they made none in its place."""

    variant: str
    kind: Literal["not-buildable", "failed", "late"]
    reason: str
    log: Path | None = None
    log_tail: tuple[str, ...] = ()
    elsewhere: str = ""


BuildOutcome = Build | BuildFailure


# The machine, and the kernels that are booted on it.

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
