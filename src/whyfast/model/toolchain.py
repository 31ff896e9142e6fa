"""A compiler with its linker and libraries, from a named provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

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
