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
    answer = ask([str(program)])
    headers = [f for f in answer.headers if (f / "Python.h").is_file()]
    if not headers:
        raise CannotBuildHere(
            f"{answer.program} has no headers ({answer.headers[0]}/Python.h is missing)"
        )
    # A prefix of /usr is the machine's own, which is seen in any case.
    prefixes = [
        p for p in answer.prefixes if p not in (Path("/usr"), Path("/usr/local"), Path("/"))
    ]
    return Interpreter(
        name=name,
        version=answer.version,
        program=answer.program,
        digest=digest_of(answer),
        cflags=tuple(f"-I{f}" for f in headers),
        headers=tuple(headers),
        readable=tuple(dict.fromkeys((*prefixes, Path(os.path.dirname(answer.program))))),
        facts=corrected(answer.facts, needs_libpython(answer.program)),
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
            raise CannotBuildHere(f"{name} is not installed; on PATH: {here}")
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
        versions = [v for v in pyenv_versions() if v == name or v.startswith(f"{name}.")]
        if not versions:
            here = ", ".join(pyenv_versions()) or "none"
            raise CannotBuildHere(f"pyenv has no {name}; installed: {here}; pyenv install {name}")
        program = pyenv_folder() / versions[-1] / "bin" / "python"
        if not os.access(program, os.X_OK):
            raise CannotBuildHere(f"{program} cannot be run")
        return local_interpreter(f"pyenv:{name}", Path(program))

    def installed(self, name: str, home: Home) -> bool:
        """Nothing is ever downloaded."""
        return True
