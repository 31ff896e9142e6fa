"""A project as ``whyfast new`` sees it: its files, and how they are built and timed; those with a
package manager: of Rust, Go and Python."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whyfast.formats.input import opened
from whyfast.model.errors import UserError
from whyfast.study.toml_document import parse_toml

#: What programs of the system are looked for in while building; a tool from elsewhere is named.
SYSTEM = "/usr/local/bin:/usr/bin:/bin"

#: The most benchmarks that are written for a project that has them in its files.
MOST = 12

#: Bytes of a file that are read; no file that a person wrote has as many.
_MOST_TEXT = 1_000_000


@dataclass(frozen=True)
class Project:
    """How a project is built and what is timed.

    ``benchmarks`` maps names to commands, of the runner ``runner``. ``comments`` are on what
    was chosen and what could stand there instead. ``first`` is a command to run before building.
    """

    toolchain: str
    steps: tuple[str, ...]
    program: str
    cflags: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    benchmarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    runner: str = "command"
    comments: tuple[str, ...] = ()
    first: str = ""


#: What times the whole program.
WHOLE = {"whole": ("{program}",)}


def some(commands: Commands) -> Commands:
    """The first of them: as many as a first file should have."""
    return dict(list(commands.items())[:MOST])


def wanted_first(programs: Mapping[str, Path], project: str, installed: Sequence[str]) -> list[str]:
    """Names of programs, given with their folders, in the order in which they are likely to be
    meant: the one that has the project's name, then installed ones; tests and examples last."""

    def rank(name: str) -> tuple[bool, bool, bool]:
        aside = re.search(r"test|fuzz|example|demo|sample", str(programs[name] / name).lower())
        return name.lower() != project.lower(), name not in installed, bool(aside)

    return sorted(programs, key=rank)


def others(names: list[str]) -> tuple[str, ...]:
    """A comment that names the programs behind the first, which was chosen."""
    more = ", ".join(names[1:])
    return (f"The program is {names[0]}; there are also {more}.",) if more else ()


def first_group(pattern: str, text: str) -> str:
    """What the first group of the first match holds; empty without a match."""
    match = re.search(pattern, text)
    return match[1] if match else ""


def tools(*names: str) -> dict[str, str]:
    """PATH with the folders of tools that the system's own folders lack."""
    paths = (shutil.which(name) for name in names if not shutil.which(name, path=SYSTEM))
    files = [file for path in paths if path for file in (path, *_interpreter(Path(path)))]
    folders = dict.fromkeys(os.path.dirname(file) for file in files)
    return {"PATH": ":".join((*folders, SYSTEM))} if folders else {}


def _interpreter(tool: Path) -> list[str]:
    """What runs a script: its folder must be seen while building, too."""
    with tool.open("rb") as file:
        first = file.readline(500)
    program = first[2:].split()[0].decode() if first[2:].split() and first[:2] == b"#!" else ""
    real = os.path.realpath(program) if program else ""
    return [real] if real and os.path.dirname(real) not in SYSTEM.split(":") else []


def needed(file: Path) -> str:
    """The text of the file that makes it such a project; UserError when it is not there."""
    if not file.is_file():
        raise UserError("no such file, so the project is of another kind", where=file)
    return text_of(file)


def text_of(file: Path) -> str:
    """Its first megabyte; empty when it cannot be read, or is no plain file."""
    try:
        with opened(file) as opened_file:
            return opened_file.read(_MOST_TEXT).decode("utf-8", errors="replace")
    except UserError:
        return ""


def sources(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    """Files by glob patterns, in the order of these, sorted for each."""
    return [f for pattern in patterns for f in sorted(folder.glob(pattern)) if f.is_file()]


def shell_word(path: Path) -> str:
    """As it can stand in a build step; UserError when it would need quotes."""
    text = str(path)
    if not re.fullmatch(r"[\w./+-]+", text):
        raise UserError("name not allowed in a build step", where=path)
    return text


# Benchmarks of Criterion, Google and Go that a project has itself show in the text of its files.

#: Commands by the name of a benchmark.
Commands = dict[str, tuple[str, ...]]

#: A group, or one benchmark of the receiver in front.
_CRITERION = re.compile(
    r'benchmark_group\(\s*"(?P<group>[^"]+)"|(?P<of>\w+)\s*\.\s*bench_function\(\s*"(?P<name>[^"]+)"'
)
_GOOGLE = re.compile(r"^[ \t]*BENCHMARK(?:_F)?\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?\)", re.MULTILINE)
_GO_INSIDE = re.compile(r'^([ \t]*+)[^\n"]*?\bb\.Run\((?:"([^"\n]+)",)?', re.MULTILINE)
_GO = re.compile(r"^func Benchmark(\w+)\(\w+ \*testing\.B\)", re.MULTILINE)


def criterion_commands(text: str) -> Commands:
    """What ``bench_function`` names; in a group, the group's name stands in front. Those whose name
    is made at run time are left out."""
    commands: Commands = {}
    group = ""
    for match in _CRITERION.finditer(text):
        if match["group"]:
            group = match["group"]
            continue
        in_group = group and match["of"] not in ("c", "criterion")
        name = f"{group}/{match['name']}" if in_group else match["name"]
        commands[_key(name)] = ("{program}", f"^{_literal(name)}$")
    return commands


def _literal(name: str) -> str:
    """For a regular expression of Rust, which knows no backslash before a space."""
    return re.sub(r"([.^$*+?()[\]{}|\\])", r"\\\1", name)


def google_commands(text: str) -> Commands:
    """What ``BENCHMARK`` and ``BENCHMARK_F`` register."""
    names = ["/".join(n for n in match.groups() if n) for match in _GOOGLE.finditer(text)]
    return {_key(n): ("{program}", f"--benchmark_filter=^{n}$") for n in dict.fromkeys(names)}


def go_commands(text: str) -> Commands:
    """The benchmarks of a test file, and those inside of one that has them, by their names."""
    commands: Commands = {}
    for name, inside in _go_functions(text):
        if inside is None:
            continue
        for benchmark in inside:
            within = f"/^{_literal(benchmark.replace(' ', '_'))}$" if benchmark else ""
            commands[_key(f"{name}/{benchmark}")] = (
                "{program}",
                f"-test.bench=^Benchmark{name}${within}",
            )
    return commands


def go_unnamed(text: str) -> tuple[str, ...]:
    """Benchmarks of a test file that have others inside, whose names are made when it runs."""
    return tuple(f"Benchmark{name}" for name, inside in _go_functions(text) if inside is None)


def _go_functions(text: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Each with the names of those inside: "" alone where there are none, None where they are made
    when it runs. As gofmt indents, those that stand in a loop or in another one are deeper."""
    for match in _GO.finditer(text):
        body = text[match.end() :].partition("\nfunc ")[0]
        inside = _GO_INSIDE.findall(body)
        if not inside:
            yield match[1], ("",)
        elif all(indent == "\t" and name for indent, name in inside):
            yield match[1], tuple(name for _, name in inside)
        else:
            yield match[1], None


def _key(name: str) -> str:
    """As benchmarks of a study may be called."""
    return re.sub(r"[^\w.+-]+", "-", name, flags=re.ASCII).strip("-.+") or "benchmark"


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
        build = f"{how} bench --no-run --offline -j{{jobs}} --bench {bench}"
        steps += [build, f'cp "{newest}" {{program}}']
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


def _criterion(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, Commands]:
    """The first file of benchmarks by Criterion, and what is in it."""
    if not _uses_criterion(manifest):
        return "", {}
    for entry in manifest.get("bench", ()):
        name = str(entry.get("name", ""))
        file = folder / str(entry.get("path", f"benches/{name}.rs"))
        if benchmarks := criterion_commands(_with_modules(file)):
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
        files = sources(folder, ("*.go", "cmd/*/*.go"))
        mains = [f for f in files if re.search(r"(?m)^package main\b", text_of(f))]
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


def _go_benchmarks(folder: Path) -> tuple[Commands, str, tuple[str, ...]]:
    """The benchmarks of the first package that has any, the package, and those that are left out
    there because their names are not known."""
    for file in sources(folder, ("*_test.go", "*/*_test.go")):
        text = text_of(file)
        if benchmarks := go_commands(text):
            place = f"./{file.parent.relative_to(folder)}"
            return benchmarks, place, go_unnamed(text)
    return {}, "", ()


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
