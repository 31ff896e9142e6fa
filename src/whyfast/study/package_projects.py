"""Projects with a package manager: how those of Rust, Go and Python are built and timed."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.study import project
from whyfast.study.project import MOST, WHOLE, Project, needed, others, some, sources, text_of
from whyfast.study.toml_document import parse_toml


def cargo(folder: Path) -> Project:
    """The first benchmark of the package that uses Criterion, or its first binary."""
    manifest = folder / "Cargo.toml"
    try:
        data = parse_toml(needed(manifest))
    except ValueError as error:
        raise UserError(f"is not TOML: {error}", where=manifest) from None
    bins = [str(b["name"]) for b in data.get("bin", ()) if "name" in b]
    if (folder / "src" / "main.rs").is_file() and "package" in data and not bins:
        bins.append(str(data["package"].get("name", "")))
    bins += sorted(f.stem for f in (folder / "src" / "bin").glob("*.rs") if f.stem not in bins)
    bench, benchmarks = _criterion(folder, data)
    if not bins and not benchmarks:
        what = "no benchmark by Criterion"
        if _uses_criterion(data) and data.get("bench"):
            what = "no benchmark by Criterion whose name stands in its text"
        message = f"has no binary and {what}, and a library alone cannot be timed"
        raise UserError(message, where=manifest)
    profile = "BENCH" if benchmarks else "RELEASE"
    env = {f"CARGO_PROFILE_{profile}_DEBUG": "1", f"CARGO_PROFILE_{profile}_STRIP": "none"}
    comments = [f"The program is the benchmark {bench}."] if benchmarks else list(others(bins))
    steps: list[str] = []
    first = ""
    if _needs_registry(folder, data):
        first = "cargo fetch"
        registry = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"), "registry")
        env["REGISTRY"] = str(registry)
        comments.append(_offline("cargo fetch", "REGISTRY", "cargo vendor"))
        # In a separate folder: credentials stay hidden, and cargo can unpack and lock.
        steps = [
            "mkdir -p cargo/registry; "
            'for f in index cache; do ln -s "$REGISTRY/$f" cargo/registry/$f; done'
        ]
    home = 'export CARGO_HOME="$PWD/cargo"; ' if steps else ""
    how = f'{home}cd {{source}} && CARGO_TARGET_DIR=../target RUSTFLAGS="{{cflags}}" {{cc}}'
    if benchmarks:
        # Its file has a hash behind its name.
        newest = f"$(ls -t target/release/deps/{bench}-* | grep -v '\\.d$' | head -n 1)"
        steps.append(f"{how} bench --no-run --offline -j{{jobs}} --bench {bench}")
        steps.append(f'cp "{newest}" {{program}}')
    else:
        steps.append(f"{how} build --release --offline -j{{jobs}} --bin {bins[0]}")
    return Project(
        "path:cargo",
        tuple(steps),
        "program" if benchmarks else f"target/release/{bins[0]}",
        env=env,
        benchmarks=some(benchmarks) or WHOLE,
        runner="criterion" if benchmarks else "command",
        comments=tuple(comments),
        first=first,
    )


def _offline(fetch: str, variable: str, vendor: str) -> str:
    return (
        f"Builds have no network: run `{fetch}` before. {variable} is the folder with the result, "
        f"which the build can read. Neither is needed after `{vendor}`."
    )


def _needs_registry(folder: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether it is built with what a registry has: by its lock file, or else by what it asks for,
    as libraries keep no lock file."""
    if (folder / "Cargo.lock").is_file():
        return 'source = "registry+' in text_of(folder / "Cargo.lock")
    tables = (manifest, manifest.get("workspace", {}), *manifest.get("target", {}).values())
    return any(
        isinstance(asked, str) or not {"path", "git"} & set(asked)
        for table in tables
        for kind in ("dependencies", "dev-dependencies", "build-dependencies")
        for asked in table.get(kind, {}).values()
    )


def _criterion(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, project.Commands]:
    """The first file of benchmarks by Criterion, and what is in it."""
    if not _uses_criterion(manifest):
        return "", {}
    for entry in manifest.get("bench", ()):
        name = str(entry.get("name", ""))
        file = folder / str(entry.get("path", f"benches/{name}.rs"))
        if benchmarks := project.criterion(_with_modules(file)):
            return name, benchmarks
    return "", {}


def _uses_criterion(manifest: Mapping[str, Any]) -> bool:
    tables = (manifest, *manifest.get("target", {}).values())
    return any("criterion" in table.get("dev-dependencies", {}) for table in tables)


def _with_modules(file: Path) -> str:
    """Its text, and that of the modules that it names."""
    text = text_of(file)
    names = re.findall(r"^[ \t]*(?:pub\s+)?mod\s+(\w+)\s*;", text, re.MULTILINE)
    places = (file.parent / place for n in names for place in (f"{n}.rs", f"{n}/mod.rs"))
    return "\n".join((text, *map(text_of, places)))


# Go.


def go(folder: Path) -> Project:
    """The benchmarks of the module's tests, or its program."""
    needed(folder / "go.mod")
    env = {"GOPROXY": "off", "GOTELEMETRY": "off"}
    comments: list[str] = []
    first = ""
    if "require" in text_of(folder / "go.mod"):
        first = "" if (folder / "vendor").is_dir() else "go mod download"
        cache = os.environ.get("GOMODCACHE") or str(
            Path(os.environ.get("GOPATH", Path.home() / "go"), "pkg", "mod")
        )
        env["GOMODCACHE"] = cache
        comments.append(_offline("go mod download", "GOMODCACHE", "go mod vendor"))
    benchmarks, place, unnamed = _go_benchmarks(folder)
    comments += [
        f"Left out: {name}, which names those inside of it when it runs. To have one, add "
        f'-test.bench="^{name}$/^NAME$"; `go test -bench {name}` shows the names.'
        for name in unnamed
    ]
    if benchmarks:
        build = f"test -c {{cflags}} -buildvcs=false -o ../{{program}} {place}"
    else:
        mains = [f for f in sources(folder, ("*.go", "cmd/*/*.go")) if _is_main(f)]
        if not mains:
            raise UserError("has neither a program nor a benchmark in its tests", where=folder)
        package = f"./{mains[0].parent.relative_to(folder)}"
        build = f"build {{cflags}} -buildvcs=false -o ../{{program}} {package}"
    return Project(
        "path:go",
        ("cd {source} && {cc} " + build,),
        "program",
        env=env,
        benchmarks=some(benchmarks) or WHOLE,
        runner="go" if benchmarks else "command",
        comments=tuple(comments),
        first=first,
    )


def _is_main(file: Path) -> bool:
    return bool(re.search(r"^package main\b", text_of(file), re.MULTILINE))


def _go_benchmarks(folder: Path) -> tuple[project.Commands, str, tuple[str, ...]]:
    """The benchmarks of the first package that has any, the package, and those that are left out
    there because their names are not known."""
    for file in sources(folder, ("*_test.go", "*/*_test.go")):
        text = text_of(file)
        if benchmarks := project.go(text):
            place = f"./{file.parent.relative_to(folder)}"
            return benchmarks, place, project.go_unnamed(text)
    return {}, "", ()


# Python: a package with the interpreter on PATH.


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
    benchmarks, runner = _python_benchmarks(folder)
    return Project(
        "path:python3",
        tuple(steps),
        "python",
        benchmarks=benchmarks or {"import": ("{program}", "-c", f"import {packages[0]}")},
        runner=runner,
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


def _python_benchmarks(folder: Path) -> tuple[dict[str, tuple[str, ...]], str]:
    """Files that use pyperf; they are those of the head on both sides."""
    benchmarks = {}
    for file in sources(folder, ("bench*.py", "bench*/*.py", "perf/*.py")):
        if "pyperf" in text_of(file):
            benchmarks[file.stem] = ("{program}", "{source}/" + str(file.relative_to(folder)))
    return dict(list(benchmarks.items())[:MOST]), "pyperf" if benchmarks else "command"
