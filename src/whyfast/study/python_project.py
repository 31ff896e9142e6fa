"""A project of Python: the package, with benchmarks by pyperf or its import."""

from __future__ import annotations

from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.project import Commands, Project, some, sources, text_of
from whyfast.study.toml_document import parse_toml


def python(folder: Path) -> Project:
    """The package, run by the interpreter that is on PATH with what is installed there."""
    if not any((folder / n).is_file() for n in ("pyproject.toml", "setup.py", "setup.cfg")):
        raise UserError("has no pyproject.toml or setup.py", where=folder)
    inner = "src" if (folder / "src").is_dir() else ""
    packages = sorted(
        p.parent.name
        for p in (folder / inner).glob("*/__init__.py")
        if p.parent.name not in ("tests", "test", "docs")
    )
    if not packages:
        raise UserError("has no package, here or in src/", where=folder)
    path = "$PWD/src" + (f"/{inner}" if inner else "")
    steps = ["{cc} -m compileall -q --invalidation-mode unchecked-hash src"]
    if "ext_modules" in text_of(folder / "setup.py") and _by_setuptools(folder):
        steps.insert(0, "cd {source} && {cc} setup.py -q build_ext --inplace")
    launcher = f'printf \'#!/bin/sh\\nPYTHONPATH=%s exec %s "$@"\\n\' "{path}" {{cc}}'
    steps.append(f"{launcher} > {{program}} && chmod +x {{program}}")
    # Files that use pyperf; those of the head on both sides.
    benchmarks: Commands = {
        file.stem: ("{program}", "{source}/" + str(file.relative_to(folder)))
        for file in sources(folder, ("bench*.py", "bench*/*.py", "perf/*.py"))
        if "pyperf" in text_of(file)
    }
    return Project(
        "path:python3",
        tuple(steps),
        "python",
        benchmarks=some(benchmarks) or {"import": ("{program}", "-c", f"import {packages[0]}")},
        runner="pyperf" if benchmarks else "command",
        comments=(
            "The program is the interpreter on PATH with this revision's package in front; what",
            "the package needs must be installed there.",
        ),
    )


def _by_setuptools(folder: Path) -> bool:
    """Whether what builds the package is setuptools, which is so where nothing else is named."""
    try:
        data = parse_toml(text_of(folder / "pyproject.toml"))
    except ValueError:
        return True
    system = data.get("build-system")
    backend = system.get("build-backend", "setuptools") if isinstance(system, dict) else ""
    return "setuptools" in str(backend or "setuptools")
