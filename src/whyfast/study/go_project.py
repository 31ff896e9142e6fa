"""A project of Go: the benchmarks of its tests, its program, or the tests."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.library import go_file, to_fill_in
from whyfast.study.project import (
    WHOLE,
    Project,
    first_group,
    needed,
    offline_comment,
    some_names,
    sources,
    text_of,
)

_GO = re.compile(r"^func Benchmark(\w+)\(\w+ \*testing\.B\)", re.MULTILINE)
_TESTS = re.compile(r"^func Test(\w+)\(\w+ \*testing\.T\)", re.MULTILINE)


def go(folder: Path) -> Project:
    """The benchmarks of the tests of the module, or of the package that ``folder`` is; or its
    program, its tests, or a benchmark to be filled in."""
    module = _module(folder)
    needed(module / "go.mod")
    env = {"GOPROXY": "off", "GOTELEMETRY": "off"}
    comments: list[str] = []
    fetch: tuple[str, ...] = ()
    if "require" in text_of(module / "go.mod"):
        fetch = ("go", "mod", "download")
        if (module / "vendor").is_dir():
            # Go's own choice: the folder, or the cache for a revision that has none; by default a
            # build has -mod=mod, which leaves the folder unread.
            fetch, env["GOFLAGS"] = (), ""
        else:
            comments.append(offline_comment("go mod download", "GOMODCACHE", "go mod vendor"))
        env["GOMODCACHE"] = _cache()
    place, more = _go_benchmarks(folder)
    inside = "" if place else _inner_module(folder)
    if inside:
        place, more = _go_benchmarks(folder / inside)
        comments.append(f"These are the benchmarks of {inside}, a module of its own.")
        fetch = ("go", "-C", inside, "mod", "download")
        env["GOMODCACHE"] = _cache()
    if more:
        comments.append(
            f"These are the benchmarks of {place}; other packages have some, too: "
            f"{some_names(more, 3)}. A study has one program: run whyfast new in their folders."
        )
    files = sources(folder, ("*.go", "cmd/*/*.go"))
    mains = [f for f in files if re.search(r"(?m)^package main\b", text_of(f))]
    plain = Project("path:go", (), "program", env=env, comments=tuple(comments), fetch=fetch)
    where = f"{{source}}/{inside}" if inside else "{source}"
    if place:
        return _tested(replace(plain, runner="go"), where, place)
    if mains:
        plain, main = replace(plain, benchmarks=WHOLE), mains[0].parent.relative_to(folder)
        return _by_go(plain, where, "build", f"./{main}")
    last = None
    if any(re.search(r"(?m)^package \w", text_of(f)) for f in files if f.parent == folder):
        own = replace(plain, steps=(go_file(folder, "{source}"),), runner="go")
        last = _tested(replace(own, incomplete=to_fill_in("BenchmarkWork")), where, "./")
    if tests := _go_benchmarks(folder, _TESTS)[0]:
        comment = f"It has no benchmark: the program is the tests of {tests}, all in a run."
        comments = [*comments, comment]
        way = replace(plain, candidates={"tests": ("{program}",)}, comments=tuple(comments))
        if last:
            way = replace(way, others=(last,), otherwise=last)
        return _tested(way, where, tests)
    if last is None:
        message = "has neither a program nor a benchmark in its tests, and no package here"
        raise UserError(message, where=folder)
    return last


def _tested(project: Project, where: str, package: str) -> Project:
    """The project whose program is that of the tests of a package, which read files beside them."""
    place = f"{where}/{package[2:]}".rstrip("/")
    return _by_go(replace(project, folder=place), where, "test -c", package)


def _by_go(project: Project, where: str, verb: str, what: str) -> Project:
    start = f"cd {where} && {{cc}} {verb} {{cflags}} -buildvcs=false"
    end = f'-o "$OLDPWD/{{program}}" {what}'
    plain = replace(project, steps=(*project.steps, f"{start} {end}"))
    return replace(plain, link=f'{start} -ldflags="{{layout}}" {end}', as_linked=plain)


def _module(folder: Path) -> Path:
    """The folder of the module that ``folder`` is in, as far as its repository goes."""
    for place in (folder, *folder.parents):
        if (place / "go.mod").is_file():
            return place
        if (place / ".git").exists():
            break
    return folder


def _cache() -> str:
    """Where go keeps modules that it has downloaded."""
    return os.environ.get("GOMODCACHE") or str(
        Path(os.environ.get("GOPATH", Path.home() / "go"), "pkg", "mod")
    )


def _inner_module(folder: Path) -> str:
    """The module below that of ``folder`` which times it: it has the most benchmarks of those that
    replace the published one by what lies here. Empty where there is none."""
    name = first_group(r"(?m)^module\s+(\S+)", text_of(folder / "go.mod"))
    found: dict[str, int] = {}
    for file in sources(folder, ("**/go.mod",)):
        up = "/".join([".."] * len(file.parent.relative_to(folder).parts))
        here = rf"(?m)^(?:replace)?\s+{re.escape(name)}(?:\s\S+)? => {re.escape(up)}/?\s*$"
        if file.parent == folder or not re.search(here, text_of(file)):
            continue
        tests = sources(file.parent, ("**/*_test.go",))
        if count := sum(len(_GO.findall(text_of(test))) for test in tests):
            found[str(file.parent.relative_to(folder))] = count
    return max(found, key=found.__getitem__, default="")


def _go_benchmarks(folder: Path, functions: re.Pattern[str] = _GO) -> tuple[str, tuple[str, ...]]:
    """The package with the most of these functions, but first a folder of benchmarks, which are of
    the whole; and the others that have some."""
    counts: dict[str, int] = {}
    for file in sources(folder, ("**/*_test.go",)):
        parts = file.relative_to(folder).parts[:-1]
        if any(part in ("vendor", "testdata") or part[0] in "._" for part in parts):
            continue
        if file.parent != folder and (file.parent / "go.mod").is_file():  # a module of its own
            continue
        if count := len(functions.findall(text_of(file))):
            place = f"./{'/'.join(parts)}"
            counts[place] = counts.get(place, 0) + count
    places = sorted(counts, key=lambda name: ("/bench" not in name, -counts[name], name))
    return (places[0], tuple(places[1:])) if places else ("", ())
