"""A Valgrind that knows newer compilers than the machine's own: Debian's, in a root of its own. Its
tools are linked statically and find their data by ``VALGRIND_LIB``, so that they run in any root,
straight from this one's files."""

from __future__ import annotations

import platform
import re
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import discard, exclusive, lock_of
from whyfast.store.home import Home
from whyfast.toolchain.debian_root import ensure_root, place_of, spec_here
from whyfast.toolchain.provider import Progress

#: As it is called where toolchains are listed and removed, though it is no compiler.
NAME = "debian:valgrind"

SUITE = "trixie"
PACKAGES = ("valgrind",)

#: The version in that suite; a machine whose own is as new needs no other.
VERSION = (3, 24)

#: Bytes that the root takes, about.
NEED = 350_000_000

_LIBRARY = "usr/libexec/valgrind"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def valgrind_root(home: Home) -> Path:
    """Where that root is or will be."""
    return place_of(home, f"debian-{SUITE}-valgrind", PACKAGES) / "root"


def valgrind_size(home: Home) -> int:
    """Bytes on disk of that root; 0 when it is not there."""
    file = valgrind_root(home).parent / "size"
    return int(file.read_text()) if file.exists() else 0


def remove_valgrind(home: Home) -> None:
    """Delete that root; UserError when it is not there."""
    folder = valgrind_root(home).parent
    with exclusive(lock_of(folder)):
        if not folder.exists():
            raise UserError(f"{NAME} is not installed")
        discard(folder)


def newer_valgrind(home: Home, progress: Progress) -> Path:
    """The root with Valgrind in it, made when it is not there, which takes about a minute.
    CannotBuildHere when it is not available."""
    root = valgrind_root(home)
    what = f"Valgrind of Debian {SUITE}"
    ensure_root(root.parent, lambda: spec_here(SUITE, PACKAGES, NEED), what, progress)
    return root


def tool_words(root: Path, tool: str) -> tuple[list[str], dict[str, str]]:
    """(the words that start a tool of that Valgrind anywhere, the environment that they need). They
    are what ``valgrind --tool=TOOL`` itself executes. CannotBuildHere when the root has no such
    tool for this processor."""
    machine = platform.machine()
    library = root / _LIBRARY
    program = library / f"{tool}-{_ARCHITECTURES.get(machine, machine)}-linux"
    if not program.exists():
        raise CannotBuildHere(f"Debian {SUITE}'s Valgrind has no {tool} for {machine}")
    launcher = str(root / "usr/bin/valgrind")
    environment = {"VALGRIND_LIB": str(library), "VALGRIND_LAUNCHER": launcher}
    return [str(program), f"--tool={tool}"], environment


def version_of(text: str) -> tuple[int, int]:
    """``valgrind-3.19.0`` → (3, 19); (0, 0) for anything else."""
    match = re.search(r"valgrind-(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else (0, 0)
