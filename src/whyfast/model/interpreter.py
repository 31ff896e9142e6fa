"""An interpreter under study, from a named provider."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

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
