"""The kinds of projects that ``whyfast new`` knows: a new one is one file and one line here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.autotools_project import autotools
from whyfast.study.c_project import c
from whyfast.study.cargo_project import cargo
from whyfast.study.cmake_project import cmake
from whyfast.study.go_project import go
from whyfast.study.meson_project import meson
from whyfast.study.project import Project
from whyfast.study.python_project import python

#: Each kind with the files that tell it, in the order in which they are looked for.
KINDS: dict[str, tuple[tuple[str, ...], Callable[[Path], Project]]] = {
    "cargo": (("Cargo.toml",), cargo),
    "go": (("go.mod",), go),
    "meson": (("meson.build",), meson),
    "cmake": (("CMakeLists.txt",), cmake),
    "autotools": (("configure.ac", "configure"), autotools),
    "python": (("pyproject.toml", "setup.py"), python),
    "c": (("Makefile", "makefile", "*.c", "src/*.c"), c),
}


def project_of(folder: Path) -> tuple[str, Project]:
    """What kind of project is in the folder, and how it is built.

    The first kind that its files tell and that has something to time. UserError when there is none.
    """
    told = [
        kind
        for kind, (marks, _) in KINDS.items()
        if any(True for mark in marks for _ in folder.glob(mark))
    ]
    errors = []
    for kind in told:
        try:
            return kind, KINDS[kind][1](folder)
        except UserError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    known = ", ".join(dict.fromkeys(m[0] for m, _ in KINDS.values()))
    raise UserError(f"has none of {known}; name the folder of the project", where=folder)
