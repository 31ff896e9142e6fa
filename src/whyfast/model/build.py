"""A variant made into a program, and what went into it."""

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
