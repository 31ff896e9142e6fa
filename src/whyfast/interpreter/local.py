"""Interpreters that are installed on this machine, whoever installed them."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from whyfast.interpreter.provider import Progress, ask, corrected, digest_of, needs_libpython
from whyfast.model.build import Interpreter
from whyfast.model.errors import CannotBuildHere
from whyfast.store.home import Home
from whyfast.study.axes import pyenv_folder, pyenv_versions, pythons_on_path


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


# ---- Interpreters on ``PATH``, or by their file: ``path:python3.11``, ``path:/opt/bin/python3``.


class PathPythons:
    """Whatever the user has on ``PATH``."""

    def names(self) -> list[str]:
        return pythons_on_path()

    def resolve(self, name: str, home: Home, progress: Progress) -> Interpreter:
        program = shutil.which(name)
        if program is None:
            here = ", ".join(pythons_on_path()) or "none"
            raise CannotBuildHere(f"{name} is not installed (on PATH here: {here})")
        return local_interpreter(f"path:{name}", Path(program).absolute())

    def installed(self, name: str, home: Home) -> bool:
        """Nothing is ever downloaded."""
        return True


# ---- Interpreters that pyenv has installed: ``pyenv:3.12``, ``pyenv:3.12.1``.


class PyenvPythons:
    """The folders below ``versions`` of pyenv's own."""

    def names(self) -> list[str]:
        return pyenv_versions()

    def resolve(self, name: str, home: Home, progress: Progress) -> Interpreter:
        """The version of that name, or the newest that begins with it."""
        found = [v for v in pyenv_versions() if v == name or v.startswith(f"{name}.")]
        if not found:
            here = ", ".join(pyenv_versions()) or "none"
            raise CannotBuildHere(f"pyenv has no {name} (here: {here}); pyenv install {name}")
        program = pyenv_folder() / found[-1] / "bin" / "python"
        if not os.access(program, os.X_OK):
            raise CannotBuildHere(f"{program} cannot be run")
        return local_interpreter(f"pyenv:{name}", Path(program))

    def installed(self, name: str, home: Home) -> bool:
        """Nothing is ever downloaded."""
        return True
