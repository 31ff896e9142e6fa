"""Interpreters that are installed on this machine, whoever installed them."""

from __future__ import annotations

import os
from pathlib import Path

from whyfast.interpreter.ask import ask, digest_of
from whyfast.interpreter.facts import corrected, needs_libpython
from whyfast.model.errors import CannotBuildHere
from whyfast.model.interpreter import Interpreter


def local_interpreter(name: str, program: Path) -> Interpreter:
    """The interpreter of that file, by its full ``name``; CannotBuildHere when it is no CPython, or
    extensions cannot be made for it."""
    found = ask([str(program)])
    headers = [f for f in found.headers if (f / "Python.h").is_file()]
    if not headers:
        raise CannotBuildHere(
            f"{found.program} has no headers ({found.headers[0]}/Python.h is missing)"
        )
    # A prefix of /usr is the machine's own, which is seen in any case.
    own = [p for p in found.prefixes if p not in (Path("/usr"), Path("/usr/local"), Path("/"))]
    return Interpreter(
        name=name,
        version=found.version,
        program=found.program,
        digest=digest_of(found),
        cflags=tuple(f"-I{f}" for f in headers),
        headers=tuple(headers),
        readable=tuple(dict.fromkeys((*own, Path(os.path.dirname(found.program))))),
        facts=corrected(found.facts, needs_libpython(found.program)),
    )
