"""Which interpreters are installed here, by their files alone: none is started."""

from __future__ import annotations

import os
import re
from pathlib import Path

_PYTHON = re.compile(r"python\d+\.\d+")
_NUMBERS = re.compile(r"\d+")


def pyenv_folder() -> Path:
    """Where pyenv keeps its versions (``PYENV_ROOT`` moves it)."""
    root = os.environ.get("PYENV_ROOT")
    return (Path(root) if root else Path(os.path.expanduser("~/.pyenv"))) / "versions"


def pyenv_versions() -> list[str]:
    """Their names, the oldest version first."""
    try:
        names = [f.name for f in pyenv_folder().iterdir() if (f / "bin" / "python").exists()]
    except OSError:
        return []
    return sorted(names, key=version_key)


def pythons_on_path() -> list[str]:
    """``python3.11`` and the like, the oldest version first; pyenv's shims are left out."""
    found: set[str] = set()
    for folder in os.get_exec_path():
        if Path(folder) == pyenv_folder().parent / "shims":
            continue
        try:
            found.update(n for n in os.listdir(folder) if _PYTHON.fullmatch(n))
        except OSError:
            continue
    return sorted(found, key=version_key)


def version_key(name: str) -> tuple[list[int], str]:
    """Sorts names by the numbers in them: ``3.9`` before ``3.10``."""
    return [int(n) for n in _NUMBERS.findall(name)], name
