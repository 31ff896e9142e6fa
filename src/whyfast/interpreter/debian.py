"""Debian's interpreters, each in a root of its own suite: ``debian:python3.14@forky``."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from whyfast.interpreter.facts import ask, corrected, digest_of, needs_libpython
from whyfast.model.build import Interpreter
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import Home
from whyfast.toolchain import sandbox
from whyfast.toolchain.debian_root import ensure_root, is_complete, place_of, spec_here
from whyfast.toolchain.provider import Progress

_NAME = re.compile(r"(?P<python>python(?P<version>\d+\.\d+))@(?P<suite>[a-z][a-z0-9.-]*)")
#: Bytes that a root takes, about: seen 0.25 GB with the headers.
NEED = 350_000_000


@dataclass(frozen=True)
class DebianPython:
    """An interpreter of a suite; ``program`` is ``python3.14``."""

    program: str
    suite: str

    @property
    def packages(self) -> tuple[str, ...]:
        """What has to be installed to run it and to compile against it."""
        return (self.program, f"lib{self.program}-dev")


def debian_python_installed(name: str, home: Home) -> bool:
    """Whether :func:`debian_python` needs no download."""
    return is_complete(root_folder(home, parse_name(name)))


def debian_python(name: str, home: Home, progress: Progress) -> Interpreter:
    """The interpreter of a suite; its root is created if it is new, which takes about a minute."""
    wanted = parse_name(name)
    sandbox.must_enter_roots()
    folder = root_folder(home, wanted)
    what = f"{wanted.program} of Debian {wanted.suite}"
    ensure_root(folder, lambda: spec_here(wanted.suite, wanted.packages, NEED), what, progress)
    return _interpreter(f"debian:{name}", wanted, folder, home)


def parse_name(name: str) -> DebianPython:
    """UserError for a name of another form."""
    match = _NAME.fullmatch(name)
    if not match:
        raise UserError(
            f"invalid interpreter debian:{name}; expected debian:pythonVERSION@SUITE, e.g. "
            "debian:python3.14@forky"
        )
    return DebianPython(match["python"], match["suite"])


def root_folder(home: Home, name: DebianPython) -> Path:
    """Where the root with that interpreter is or will be."""
    return place_of(home, f"debian-{name.suite}-{name.program}", name.packages)


def _interpreter(full: str, name: DebianPython, folder: Path, home: Home) -> Interpreter:
    root = folder / "root"
    box = sandbox.Box(root, network=True)
    answer = ask([*sandbox.around_program(box, home.sandbox), f"/usr/bin/{name.program}"])
    headers = tuple(root / place.relative_to("/") for place in answer.headers)
    if not any((place / "Python.h").is_file() for place in headers):
        raise CannotBuildHere(f"{full} has no headers: {headers[0]}/Python.h is missing")
    # Its headers include others by their place below /usr/include; those of the C library, which
    # are there too, must come after the compiler's own.
    shared = root / "usr" / "include"
    return Interpreter(
        name=full,
        version=answer.version,
        program=answer.program,
        digest=hashlib.sha256(
            f"{digest_of(answer, root)} {(folder / 'digest').read_text().strip()}".encode()
        ).hexdigest(),
        cflags=(*(f"-I{place}" for place in headers), "-idirafter", str(shared)),
        headers=(shared,),
        root=root,
        facts=corrected(answer.facts, needs_libpython(root / answer.program.relative_to("/"))),
    )
