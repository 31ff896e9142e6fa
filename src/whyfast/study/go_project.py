"""What builds a project of Go: the benchmarks of a module's tests, or its program."""

from __future__ import annotations

import os
import re
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study import own_benchmarks
from whyfast.study.project import WHOLE, Project, needed, some, sources, text_of


def go(folder: Path) -> Project:
    """The benchmarks of the module's tests, or its program."""
    needed(folder / "go.mod")
    env = {"GOPROXY": "off", "GOTELEMETRY": "off"}
    said: list[str] = []
    first = ""
    if "require" in text_of(folder / "go.mod"):
        first = "" if (folder / "vendor").is_dir() else "go mod download"
        cache = os.environ.get("GOMODCACHE") or str(
            Path(os.environ.get("GOPATH", Path.home() / "go"), "pkg", "mod")
        )
        env["GOMODCACHE"] = cache
        said.append(
            "There is no network while building: run `go mod download` before. GOMODCACHE is what "
            "it fetched, shown to the build; what `go mod vendor` writes needs neither."
        )
    found, place, unnamed = _go_benchmarks(folder)
    said += [
        f"Left out: {name}, which names those inside of it when it runs. To have one, add "
        f'-test.bench="^{name}$/^NAME$"; `go test -bench {name}` shows the names.'
        for name in unnamed
    ]
    if found:
        return Project(
            "path:go",
            (
                "cd {source} && {cc} test -c {cflags} -buildvcs=false "
                f"-o ../{{program}} {place}",
            ),
            "program",
            env=env,
            benchmarks=some(found),
            runner="go",
            said=tuple(said),
            first=first,
        )
    mains = [f for f in sources(folder, ("*.go", "cmd/*/*.go")) if _is_main(f)]
    if not mains:
        raise UserError("has neither a program nor a benchmark in its tests", where=folder)
    package = f"./{mains[0].parent.relative_to(folder)}"
    return Project(
        "path:go",
        (f"cd {{source}} && {{cc}} build {{cflags}} -buildvcs=false -o ../{{program}} {package}",),
        "program",
        env=env,
        benchmarks=WHOLE,
        said=tuple(said),
        first=first,
    )


def _is_main(file: Path) -> bool:
    return bool(re.search(r"^package main\b", text_of(file), re.MULTILINE))


def _go_benchmarks(folder: Path) -> tuple[own_benchmarks.Commands, str, tuple[str, ...]]:
    """The benchmarks of the first package that has any, the package, and those that are left out
    there because their names are not known."""
    for file in sources(folder, ("*_test.go", "*/*_test.go")):
        text = text_of(file)
        if found := own_benchmarks.go(text):
            place = f"./{file.parent.relative_to(folder)}"
            return found, place, own_benchmarks.go_unnamed(text)
    return {}, "", ()
