"""A Valgrind that knows newer compilers than the machine's own: Debian's, in a root of its own.

Valgrind's tools are linked statically and find their data by ``VALGRIND_LIB``, so that they run in
any root, and on this machine, straight from this one's files. The roots of compilers stay as they
are: what is counted is what was built, and asking for counts builds nothing anew.
"""

from __future__ import annotations

import hashlib
import platform
import re
from pathlib import Path

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import discard, exclusive, lock_of, make_once
from whyfast.store.home import Home
from whyfast.toolchain.archive import archive_address, proxy_options
from whyfast.toolchain.debian_root import RootSpec, get_root
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
    digest = hashlib.sha256(" ".join(PACKAGES).encode()).hexdigest()[:8]
    return home.toolchains / f"debian-{SUITE}-valgrind-{digest}" / "root"


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

    CannotBuildHere when it is not available.
    """
    root = valgrind_root(home)
    folder = root.parent

    def make() -> None:
        spec = RootSpec(SUITE, PACKAGES, archive_address(), tuple(proxy_options()), NEED)
        get_root(spec, folder, f"Valgrind of Debian {SUITE}", progress)

    make_once(
        folder,
        (folder / "digest").exists,
        make,
        lambda: progress("waiting for another whyfast that makes the root of Valgrind"),
    )
    return root


def tool_words(root: Path, tool: str) -> tuple[list[str], dict[str, str]]:
    """(the words that start a tool of that Valgrind anywhere, the environment that they need).

    They are what ``valgrind --tool=TOOL`` itself executes. CannotBuildHere when the root has no
    such tool for this processor.
    """
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
    found = re.search(r"valgrind-(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0, 0)
