"""Interpreters on ``PATH``, or by their file: ``path:python3.11``, ``path:/opt/bin/python3``."""

from __future__ import annotations

import shutil
from pathlib import Path

from whyfast.interpreter.local import local_interpreter
from whyfast.interpreter.provider import Progress
from whyfast.model.errors import CannotBuildHere
from whyfast.model.interpreter import Interpreter
from whyfast.store.home import Home
from whyfast.study.installed import pythons_on_path


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
