"""The kinds of projects that ``whyfast new`` knows, and what builds each: one function a kind."""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.study import own_benchmarks

#: What programs of the system are looked for in while building; a tool from elsewhere is named.
_SYSTEM = "/usr/local/bin:/usr/bin:/bin"

#: At most so many benchmarks are written for a project that has them in its files.
_MOST = 12


@dataclass(frozen=True)
class Project:
    """How a project is built and what is timed.

    ``benchmarks`` maps names to commands, of the runner ``runner``. ``said`` are comments on what
    was chosen and what could stand there instead.
    """

    toolchain: str
    steps: tuple[str, ...]
    program: str
    cflags: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    benchmarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    runner: str = "command"
    said: tuple[str, ...] = ()


#: What times the whole program.
_WHOLE = {"whole": ("{program}",)}


def c(folder: Path) -> Project:
    """A Makefile that makes one program, or the C files themselves."""
    makefile = next((f for n in ("Makefile", "makefile") if (f := folder / n).is_file()), None)
    files = _sources(folder, ("*.c", "src/*.c"))
    if makefile is not None:
        if not files and not re.search(
            r"\$[({]CC[)}]|\b(gcc|cc|clang)\b|\.[co]\b", _text(makefile)
        ):
            raise UserError("compiles no C", where=makefile)
        return _make(makefile)
    mains = [f for f in files if re.search(r"\bmain\s*\(", _text(f))]
    if not mains:
        raise UserError("no C file here has a main(), so there is no program", where=folder)
    chosen = next((f for f in mains if "bench" in f.name), mains[0])
    linked = [f for f in files if f == chosen or f not in mains]
    names = " ".join("{source}/" + _shell(f.relative_to(folder)) for f in linked)
    include = "-I{source} -I{source}/include" if (folder / "include").is_dir() else "-I{source}"
    others = [str(f.relative_to(folder)) for f in mains if f != chosen]
    said = [f"The program is made of {chosen.name} and the files without a main()."]
    if others:
        said.append(f"Others with a main(), which are left out: {', '.join(others)}.")
    return Project(
        "path:cc",
        (f"{{cc}} {{cflags}} {include} -o {{program}} {names} {{ldflags}} -lm",),
        "program",
        cflags=("-O2", "-g"),
        benchmarks=_WHOLE,
        said=tuple(said),
    )


def _make(makefile: Path) -> Project:
    text = _text(makefile)
    variables = dict(re.findall(r"^(\w+)\s*[:?]?=\s*(.*?)\s*$", text, re.MULTILINE))
    first = re.search(r"^all\s*:(?!=)\s*([^\s#]+)", text, re.MULTILINE)
    target = first[1] if first else ""
    if not target:
        own = re.findall(r"^([\w./-]+|\$[({]\w+[)}])\s*:(?!=)", text, re.MULTILINE)
        target = next((t for t in own if not t.startswith(".")), "")
    if match := re.fullmatch(r"\$[({](\w+)[)}]", target):
        target = variables.get(match[1], "").split(" ")[0]
    if not re.fullmatch(r"[\w./-]+", target):
        raise UserError(
            "what program it makes cannot be told; write one with --kind cmake, meson, …, or a "
            "Makefile whose target all has the program first",
            where=makefile,
        )
    return Project(
        "path:cc",
        (f'make -C {{source}} -j{{jobs}} CC={{cc}} CFLAGS="{{cflags}}" {target}',),
        f"src/{target}",
        cflags=("-O2", "-g"),
        benchmarks=_WHOLE,
        said=("CFLAGS replace those of the Makefile; leave them out to have its own.",),
    )


def cmake(folder: Path) -> Project:
    """The first program that CMakeLists.txt adds, or the one with Google Benchmark in it."""
    text = _needed(folder / "CMakeLists.txt")
    variables = dict(re.findall(r"set\s*\(\s*(\w+)\s+\"?([\w.-]+)\"?\s*\)", text))
    added = re.findall(r"add_executable\s*\(\s*\"?(\$\{\w+\}|[\w.-]+)", text)
    names = [n for a in added if (n := variables.get(a[2:-1], "") if a.startswith("$") else a)]
    if not names:
        raise UserError("adds no executable", where=folder / "CMakeLists.txt")
    timed = re.findall(r"target_link_libraries\s*\(\s*([\w.-]+)[^)]*\bbenchmark(?:_main)?\b", text)
    names.sort(key=lambda name: name not in timed)
    files = ("*.cc", "*.cpp", "*.cxx", "*/*.cc", "*/*.cpp", "*/*.cxx")
    found = own_benchmarks.google("\n".join(map(_text, _sources(folder, files)))) if timed else {}
    cxx = bool(re.search(r"project\s*\([^)]*\bCXX\b", text)) or not re.search(
        r"project\s*\([^)]*\bC\b", text
    )
    language = "CXX" if cxx else "C"
    return Project(
        "path:c++" if cxx else "path:cc",
        (
            "cmake -S {source} -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo "
            f'-DCMAKE_{language}_COMPILER={{cc}} -DCMAKE_{language}_FLAGS="{{cflags}}"',
            f"cmake --build build -j{{jobs}} --target {names[0]}",
        ),
        f"build/{names[0]}",
        env=_tools("cmake"),
        benchmarks=_some(found) or _WHOLE,
        runner="google-benchmark" if found else "command",
        said=_others(names),
    )


def meson(folder: Path) -> Project:
    """The first program that meson.build adds."""
    text = _needed(folder / "meson.build")
    names = re.findall(r"executable\s*\(\s*'([\w.-]+)'", text)
    if not names:
        raise UserError("has no executable", where=folder / "meson.build")
    cxx = bool(re.search(r"project\s*\([^)]*'cpp'", text))
    compiler = "CXX" if cxx else "CC"
    flags = f"-Dc{'pp' if cxx else ''}_args"
    return Project(
        "path:c++" if cxx else "path:cc",
        (
            f"{compiler}={{cc}} meson setup --buildtype=release -Ddebug=true "
            f'--wrap-mode=nodownload {flags}="{{cflags}}" build {{source}}',
            f"meson compile -C build -j{{jobs}} {names[0]}",
        ),
        f"build/{names[0]}",
        env=_tools("meson", "ninja"),
        benchmarks=_WHOLE,
        said=_others(names),
    )


def cargo(folder: Path) -> Project:
    """The first benchmark of the package that uses Criterion, or its first binary."""
    manifest = folder / "Cargo.toml"
    try:
        data = tomllib.loads(_needed(manifest))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"is not TOML: {error}", where=manifest) from None
    bins = [str(b["name"]) for b in data.get("bin", ()) if "name" in b]
    if (folder / "src" / "main.rs").is_file() and "package" in data and not bins:
        bins.append(str(data["package"].get("name", "")))
    bins += sorted(f.stem for f in (folder / "src" / "bin").glob("*.rs") if f.stem not in bins)
    bench, found = _criterion(folder, data)
    if not bins and not found:
        message = "has no binary and no benchmark by Criterion, and a library alone cannot be timed"
        raise UserError(message, where=manifest)
    profile = "BENCH" if found else "RELEASE"
    env = {f"CARGO_PROFILE_{profile}_DEBUG": "1", f"CARGO_PROFILE_{profile}_STRIP": "none"}
    said = [f"The program is the benchmark {bench}."] if found else list(_others(bins))
    own = []
    if 'source = "registry+' in _text(folder / "Cargo.lock"):
        registry = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"), "registry")
        env["REGISTRY"] = str(registry)
        said.append(
            "There is no network while building: run `cargo fetch` before. REGISTRY is what it "
            "fetched, shown to the build; what `cargo vendor` writes needs neither."
        )
        # In a folder of its own: credentials stay unseen, and cargo can unpack and lock.
        own = [
            "mkdir -p cargo/registry; "
            'for f in index cache; do ln -s "$REGISTRY/$f" cargo/registry/$f; done'
        ]
    home = 'export CARGO_HOME="$PWD/cargo"; ' if own else ""
    how = f'{home}cd {{source}} && CARGO_TARGET_DIR=../target RUSTFLAGS="{{cflags}}" {{cc}}'
    if found:
        # Its file has a hash behind its name.
        newest = f"$(ls -t target/release/deps/{bench}-* | grep -v '\\.d$' | head -n 1)"
        return Project(
            "path:cargo",
            (
                *own,
                f"{how} bench --no-run --offline -j{{jobs}} --bench {bench}",
                f'cp "{newest}" {{program}}',
            ),
            "program",
            env=env,
            benchmarks=_some(found),
            runner="criterion",
            said=tuple(said),
        )
    return Project(
        "path:cargo",
        (*own, f"{how} build --release --offline -j{{jobs}} --bin {bins[0]}"),
        f"target/release/{bins[0]}",
        env=env,
        benchmarks=_WHOLE,
        said=tuple(said),
    )


def _criterion(folder: Path, manifest: Mapping[str, Any]) -> tuple[str, own_benchmarks.Commands]:
    """The first file of benchmarks by Criterion, and what is in it."""
    if "criterion" not in manifest.get("dev-dependencies", {}):
        return "", {}
    for entry in manifest.get("bench", ()):
        name = str(entry.get("name", ""))
        file = folder / str(entry.get("path", f"benches/{name}.rs"))
        if found := own_benchmarks.criterion(_text(file)):
            return name, found
    return "", {}


def _some(found: own_benchmarks.Commands) -> own_benchmarks.Commands:
    return dict(list(found.items())[:_MOST])


def go(folder: Path) -> Project:
    """The benchmarks of the module's tests, or its program."""
    _needed(folder / "go.mod")
    env = {"GOPROXY": "off", "GOTELEMETRY": "off"}
    said: list[str] = []
    if "require" in _text(folder / "go.mod"):
        cache = os.environ.get("GOMODCACHE") or str(
            Path(os.environ.get("GOPATH", Path.home() / "go"), "pkg", "mod")
        )
        env["GOMODCACHE"] = cache
        said.append(
            "There is no network while building: run `go mod download` before. GOMODCACHE is what "
            "it fetched, shown to the build; what `go mod vendor` writes needs neither."
        )
    found, place = _go_benchmarks(folder)
    if found:
        return Project(
            "path:go",
            (
                "cd {source} && {cc} test -c {cflags} -buildvcs=false "
                f"-o ../{{program}} {place}",
            ),
            "program",
            env=env,
            benchmarks=_some(found),
            runner="go",
            said=tuple(said),
        )
    mains = [f for f in _sources(folder, ("*.go", "cmd/*/*.go")) if _is_main(f)]
    if not mains:
        raise UserError("has neither a program nor a benchmark in its tests", where=folder)
    package = f"./{mains[0].parent.relative_to(folder)}"
    return Project(
        "path:go",
        (f"cd {{source}} && {{cc}} build {{cflags}} -buildvcs=false -o ../{{program}} {package}",),
        "program",
        env=env,
        benchmarks=_WHOLE,
        said=tuple(said),
    )


def _is_main(file: Path) -> bool:
    return bool(re.search(r"^package main\b", _text(file), re.MULTILINE))


def _go_benchmarks(folder: Path) -> tuple[own_benchmarks.Commands, str]:
    """The benchmarks of the first package that has any, and the package."""
    for file in _sources(folder, ("*_test.go", "*/*_test.go")):
        if found := own_benchmarks.go(_text(file)):
            return found, f"./{file.parent.relative_to(folder)}"
    return {}, ""


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
    setup = _text(folder / "setup.py")
    if "ext_modules" in setup:
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
        said=(
            "The program is the interpreter on PATH with this revision's package in front; what",
            "the package needs must be installed there.",
        ),
    )


def _python_benchmarks(folder: Path) -> tuple[dict[str, tuple[str, ...]], str]:
    """Files that use pyperf; they are those of the head on both sides."""
    found = {}
    for file in _sources(folder, ("bench*.py", "bench*/*.py", "perf/*.py")):
        if "pyperf" in _text(file):
            found[file.stem] = ("{program}", "{source}/" + str(file.relative_to(folder)))
    return dict(list(found.items())[:_MOST]), "pyperf" if found else "command"


#: Each kind with the files that tell it, in the order in which they are looked for.
KINDS: dict[str, tuple[tuple[str, ...], Callable[[Path], Project]]] = {
    "cargo": (("Cargo.toml",), cargo),
    "go": (("go.mod",), go),
    "meson": (("meson.build",), meson),
    "cmake": (("CMakeLists.txt",), cmake),
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


def _others(names: list[str]) -> tuple[str, ...]:
    more = ", ".join(names[1:])
    return (f"The program is {names[0]}; there are also {more}.",) if more else ()


def _tools(*names: str) -> dict[str, str]:
    """PATH with the folders of tools that the system's own folders lack."""
    found = (shutil.which(name) for name in names if not shutil.which(name, path=_SYSTEM))
    files = [file for path in found if path for file in (path, *_interpreter(Path(path)))]
    folders = dict.fromkeys(os.path.dirname(file) for file in files)
    return {"PATH": ":".join((*folders, _SYSTEM))} if folders else {}


def _interpreter(tool: Path) -> list[str]:
    """What runs a script: its folder must be seen while building, too."""
    with tool.open("rb") as file:
        first = file.readline(500)
    program = first[2:].split()[0].decode() if first[2:].split() and first[:2] == b"#!" else ""
    real = os.path.realpath(program) if program else ""
    return [real] if real and os.path.dirname(real) not in _SYSTEM.split(":") else []


def _needed(file: Path) -> str:
    if not file.is_file():
        raise UserError("is not there, so this is no such project", where=file)
    return _text(file)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _sources(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    return [f for pattern in patterns for f in sorted(folder.glob(pattern)) if f.is_file()]


def _shell(path: Path) -> str:
    text = str(path)
    if not re.fullmatch(r"[\w./+-]+", text):
        raise UserError("a build step cannot hold this name", where=path)
    return text
