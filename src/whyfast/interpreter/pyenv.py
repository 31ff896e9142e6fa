"""Interpreters that pyenv has installed: ``pyenv:3.12``, ``pyenv:3.12.1``."""

from __future__ import annotations

import os
from pathlib import Path

from whyfast.interpreter.local import local_interpreter
from whyfast.interpreter.provider import Progress
from whyfast.model.errors import CannotBuildHere
from whyfast.model.interpreter import Interpreter
from whyfast.store.home import Home
from whyfast.study.installed import pyenv_folder, pyenv_versions


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
