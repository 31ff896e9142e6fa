"""A project of Python: the package, with the benchmarks that it has, or its import."""

from __future__ import annotations

import ast
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from whyfast.model.errors import UserError
from whyfast.study.project import (
    MOST,
    MOST_LISTED,
    Commands,
    Project,
    benchmark_key,
    some,
    sources,
    spread,
    text_of,
    tools,
)
from whyfast.study.rust_project import REGISTRY_HERE, registry
from whyfast.study.toml_table import parse_toml

#: Where benchmarks are looked for, and those of tests with the fixture of pytest-benchmark.
_PLACES = ("bench*.py", "bench*/**/*.py", "perf*/**/*.py", "asv_bench/**/*.py")
_TESTS = (*_PLACES, "test*/**/*bench*.py")

#: What is written beside the study, for benchmarks of airspeed velocity and for one of your own.
ASV_FILE, OWN_FILE = "whyfast_asv.py", "whyfast_bench.py"

_ASV = '''\
"""Runs one benchmark of airspeed velocity under pyperf: FILE NAME, as in `x.py Class.time_it`.

Written by `whyfast new`. Of each parameter the first value is taken.
"""

import importlib.util
import os
import sys

import pyperf

file, name = sys.argv[1:3]
del sys.argv[1:3]
# As a module of its package, whose other modules it may import.
folder = os.path.dirname(os.path.dirname(os.path.abspath(file)))
sys.path.insert(0, folder)
package = os.path.basename(os.path.dirname(os.path.abspath(file)))
stem = os.path.splitext(os.path.basename(file))[0]
spec = importlib.util.spec_from_file_location(package + "." + stem, file)
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
owner = module
if "." in name:
    owner = getattr(module, name.split(".")[0])()
function = getattr(owner, name.split(".")[-1])
values = getattr(function, "params", getattr(owner, "params", []))
if values and not isinstance(values[0], (list, tuple)):
    values = [values]
arguments = [v[0] for v in values]
given = []
if hasattr(owner, "setup_cache"):
    given = [owner.setup_cache()]
for setup in (getattr(owner, "setup", None), getattr(function, "setup", None)):
    if setup is not None:
        setup(*given, *arguments)
pyperf.Runner(program_args=(__file__, file, name)).bench_func(name, function, *given, *arguments)
'''

_OWN = '''\
"""What `whyfast check` times: fill in `work`. Written by `whyfast new`.

It runs against the package of either revision; pyperf finds out how often to call `work`.
"""

import pyperf

import {package}


def work():
    # Fill in: call what should be fast, with data of a realistic size.
    return {package}.__name__


pyperf.Runner().bench_func("work", work)
'''


def python(folder: Path) -> Project:
    """The package, run by the interpreter that is on PATH with what is installed there.

    Its benchmarks by pyperf, pytest-benchmark or airspeed velocity, else scripts of a folder for
    benchmarks, else its import and a file to be filled in.
    """
    if not any((folder / n).is_file() for n in ("pyproject.toml", "setup.py", "setup.cfg")):
        raise UserError("has no pyproject.toml or setup.py", where=folder)
    inner = _inner(folder)
    packages = _packages(folder / inner) + sorted(
        f.stem for f in (folder / inner).glob("*.py") if f"/{f.stem}.py" in _modules(folder)
    )
    packages = packages or _in_rust(folder)
    if not packages:
        raise UserError("has no package, here, in src/ or a folder that it names", where=folder)
    # The package that has the project's name, of several.
    named = folder.resolve().name.lower().replace("-", "_")
    packages.sort(key=lambda name: (name.lower() != named, name.lower() not in named))
    path = "$PWD/src" + (f"/{inner}" if inner else "")
    steps = ["{cc} -m compileall -q --invalidation-mode unchecked-hash src || true"]
    env: dict[str, str] = {}
    fetch: tuple[str, ...] = ()
    if backend := compiling_backend(folder):
        step, env, fetch = _by_backend(folder, backend, inner)
        steps.insert(0, step)
    elif "ext_modules" in text_of(folder / "setup.py") and _by_setuptools(folder):
        build = f"{_VERSION} {{cc}} setup.py -q build_ext --inplace"
        steps.insert(0, f"cd {{source}} && {build}")
    # In front of what is asked for anyway, such as a hook of pyperf, and by whyfast's own hook also
    # of the checkout, where scripts and tests lie. Both sides are run by the interpreter that is on
    # PATH then: a build may be older than another choice of it.
    line = "WHYFAST_PACKAGES=%s PYTHONPATH=%s:%s${{PYTHONPATH:+:$PYTHONPATH}}"
    places = f'"{path}:{":".join(packages)}" "$PWD/{{include}}/packages" "{path}"'
    launcher = f"printf '#!/bin/sh\\n{line} exec python3 \"$@\"\\n' {places}"
    steps.append(f"{launcher} > {{program}} && chmod +x {{program}}")
    plain = Project(
        "path:python3",
        tuple(steps),
        "python",
        env=env,
        fetch=fetch,
        install=_install(folder, extension=len(steps) > 2),
        candidates={"import": ("{program}", "-c", f"import {packages[0]}")},
        beside={OWN_FILE: _OWN.format(package=packages[0])},
        comments=(
            "The program is the interpreter on PATH with this revision's package in front; what",
            "the package needs must be installed there.",
            "Nothing else was found that runs, so the import is timed. Fill in what should be fast "
            f"in {OWN_FILE}, and put these in place of [benchmarks.import]:",
            "[benchmarks.work]",
            'runner = "pyperf"',
            f'command = ["{{program}}", "{{study}}/{OWN_FILE}"]',
        ),
    )
    way = plain
    for other in reversed(list(_with_benchmarks(folder, plain))):
        way = replace(other, instead=way)
    return way


def _packages(place: Path) -> list[str]:
    aside = ("tests", "test", "docs", "bench", "benchmarks", "examples")
    names = (file.parent.name for file in place.glob("*/__init__.py"))
    return sorted(name for name in names if name not in aside)


def _inner(folder: Path) -> str:
    """The folder that holds the packages, when it is not the project's own: `src`, or one that its
    files name, as `where = ["lib"]` and `python-source = "lib"` do."""
    texts = text_of(folder / "pyproject.toml") + text_of(folder / "setup.py")
    named = re.findall(
        r"""(?:where|python-source|package.dir\b)[^\n]*["'](?:\./)?([\w-]+)/?["']""", texts
    )
    return next((n for n in ("src", *named) if list((folder / n).glob("*/__init__.py"))), "")


def _install(folder: Path, *, extension: bool) -> str:
    """What installs all that the package declares in an interpreter of its own, and puts that on
    PATH; of an extension also what builds it."""
    data: dict[str, Any] = {}
    with suppress(ValueError):
        data = parse_toml(text_of(folder / "pyproject.toml"))
    extras = ",".join(_wanted(data.get("project", {}).get("optional-dependencies", {})))
    groups = data.get("dependency-groups", {})
    wanted = [] if extras else _wanted(groups)
    words = ["-e", f".[{extras}]" if extras else "."]
    # pip knows groups by name only from 25.1 on.
    words += [word for group in wanted for word in _of_group(groups, group)]
    if not (extras or wanted):
        places = (f"*requirement*{w}*.txt" for w in ("/*test", "test", "/*dev", "dev"))
        listed = sources(folder, tuple(places))
        words += [w for f in listed[:1] for w in ("-r", str(f.relative_to(folder)))]
    if extension:
        words = [*map(str, data.get("build-system", {}).get("requires", ())), *words]
    named = {re.split(r"[^\w-]", word)[0] for word in words}
    words += [tool for tool in _TOOLS if tool not in named]
    install = shlex.join(["pip", "install", *dict.fromkeys(words)])
    return f"python3 -m venv .venv && . .venv/bin/activate && {install}"


def _of_group(groups: Mapping[str, Any], name: str, within: tuple[str, ...] = ()) -> list[str]:
    """What a group asks for, with that of groups that it includes."""
    found: list[str] = []
    for asked in groups.get(name, ()) if name not in within else ():
        if isinstance(asked, str):
            found.append(asked)
        elif isinstance(asked, dict):
            found += _of_group(groups, str(asked.get("include-group", "")), (*within, name))
    return list(dict.fromkeys(found))


#: What runs tests and benchmarks, which not every project declares.
_TOOLS = "pytest", "pytest-benchmark"


def _wanted(names: Iterable[str]) -> list[str]:
    """That for benchmarks and that for tests, of several the first in the order of letters; else
    one for development."""
    first = [min((n for n in names if word in n), default="") for word in ("bench", "test", "dev")]
    return list(dict.fromkeys(filter(None, first[:2]))) or [*filter(None, first[2:])]


def _modules(folder: Path) -> str:
    """The modules that setup.py or pyproject.toml name, a project may be one file."""
    texts = text_of(folder / "setup.py") + text_of(folder / "pyproject.toml")
    listed = texts.partition("py_modules")[2] or texts.partition("py-modules")[2]
    names = "".join(c if c.isalnum() or c == "_" else " " for c in listed.partition("]")[0])
    return "".join(f"/{name}.py" for name in names.split())


def _with_benchmarks(folder: Path, plain: Project) -> Iterator[Project]:
    """Ways to time it, the best first."""
    base = replace(plain, beside={}, candidates={}, comments=plain.comments[:2])
    files = {str(f.relative_to(folder)): text_of(f) for f in sources(folder, _TESTS)}
    own = {n: t for n, t in files.items() if not Path(n).name.startswith("test")}
    pyperf: Commands = {
        benchmark_key(Path(name).stem): ("{program}", "{source}/" + name)
        for name, text in own.items()
        if "import pyperf" in text
    }
    if pyperf:
        yield replace(base, runner="pyperf", benchmarks=some(pyperf))
    fixtures = tuple(n for n, text in files.items() if _uses_fixture(text))
    if fixtures:
        yield replace(base, runner="pytest-benchmark", files=fixtures)
    asv: Commands = {
        benchmark_key(f"{Path(name).stem}.{function}"): (
            *("{program}", f"{{study}}/{ASV_FILE}"),
            *("{source}/" + name, function),
        )
        for name, text in own.items()
        for function in _asv_functions(text)
    }
    if asv:
        asv = spread(asv, lambda name: name.partition(".")[0])
        yield replace(
            base, runner="pyperf", benchmarks=some(asv, MOST_LISTED), beside={ASV_FILE: _ASV}
        )
    timed = [
        f"{name}::{f.name}"
        for name, text in files.items()
        for f in _parsed(text).body
        if isinstance(f, ast.FunctionDef) and f.name.startswith("test") and name not in fixtures
    ]
    if timed:  # as pytest-codspeed takes them
        of = f", of {len(timed)} the first {MOST}" if len(timed) > MOST else ""
        yield _by_pytest(folder, base, timed, f"Tests among benchmarks are timed{of}.")
    scripts: Commands = {
        benchmark_key(name.removesuffix(".py")): ("{program}", "{source}/" + name)
        for name, text in own.items()
        if ("__main__" in text or Path(name).parent == Path())
        and not Path(name).name.startswith("_")  # what others import
    }
    if scripts:
        yield replace(base, candidates=some(scripts))
    found = {
        str(file.relative_to(folder)): text
        for file in sources(
            folder, ("test*/**/test*_*.py", "src/**/test_*.py", "*/test*/test_*.py")
        )
        if "def test" in (text := text_of(file))
    }
    if found:
        comment = f"Tests are timed, of {len(found)} files the first."
        yield _by_pytest(folder, base, [*found], comment)
        # For where a whole file takes too long.
        classes = [f"{name}::{c}" for name, text in found.items() for c in _test_classes(text)]
        if classes:
            step = max(len(classes) // MOST, 1)
            comment = f"Tests are timed, of {len(classes)} classes every {step}th."
            yield _by_pytest(folder, base, classes[::step], comment)


def _by_pytest(folder: Path, base: Project, tests: Sequence[str], comment: str) -> Project:
    pytest = ("{program}", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    commands: Commands = {
        benchmark_key(test.replace(".py", "", 1)): (*pytest, *_place(folder, test))
        for test in tests
    }
    return replace(base, candidates=some(commands), comments=(*base.comments, comment))


def _place(folder: Path, test: str) -> tuple[str, ...]:
    """How pytest is told of a test: by its file; by its module where it is part of the package,
    which is imported from the build, and pytest takes no two files for one module."""
    name, colons, inside = test.partition("::")
    place = folder / _inner(folder)
    file = folder / name
    around = list(file.relative_to(place).parents)[:-1] if file.is_relative_to(place) else []
    ours = around and around[-1].name in _packages(place)
    if ours and all((place / part / "__init__.py").is_file() for part in around):
        module = ".".join(file.relative_to(place).with_suffix("").parts)
        return "--pyargs", module + colons + inside
    return ("{source}/" + test,)


def _test_classes(text: str) -> Iterator[str]:
    """Classes with methods that pytest takes for tests."""
    for node in _parsed(text).body:
        if isinstance(node, ast.ClassDef) and any(
            isinstance(f, ast.FunctionDef) and f.name.startswith("test") for f in node.body
        ):
            yield node.name


def _uses_fixture(text: str) -> bool:
    """Whether a test has the fixture of pytest-benchmark as an argument."""
    return any(
        f.name.startswith("test") and "benchmark" in [a.arg for a in f.args.args]
        for f in _functions(text)
    )


def _asv_functions(text: str) -> Iterator[str]:
    """``Class.time_it`` and ``time_it``, but none of a class that others inherit from."""
    tree = _parsed(text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("time_"):
            yield node.name
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name.startswith("time_"):
                    yield f"{node.name}.{inner.name}"


def _functions(text: str) -> Iterator[ast.FunctionDef]:
    return (n for n in ast.walk(_parsed(text)) if isinstance(n, ast.FunctionDef))


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])


#: A build has no history, by which setuptools-scm and the like would count versions.
_VERSION = "SETUPTOOLS_SCM_PRETEND_VERSION=0"

#: Backends that compile a part of the package, with the tools that they call.
_COMPILING = {
    "maturin": ("maturin", "cargo", "rustc"),
    "setuptools_rust": ("cargo", "rustc"),
    "mesonpy": ("meson", "ninja"),
    "scikit_build_core": ("cmake", "ninja"),
}


def compiling_backend(folder: Path) -> str:
    """Which of the backends that compile builds the package; empty for others."""
    with suppress(ValueError):
        system = parse_toml(text_of(folder / "pyproject.toml")).get("build-system", {})
        named = str(system.get("build-backend", ""))
        asked = " ".join(map(str, system.get("requires", ()))).replace("-", "_")
        for backend in _COMPILING:
            if named.startswith(backend) or (backend == "setuptools_rust" and backend in asked):
                return backend
    return ""


def _by_backend(
    folder: Path, backend: str, inner: str
) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """The step that builds the package by its own backend, through pip, and puts what it made
    beside the sources; the environment, and the command that downloads what it needs."""
    # Each file of the source stays as it is, by which functions are told.
    make = (
        f"cd {{source}} && {_VERSION} {{cc}} -m pip install -q --no-index --no-build-isolation "
        f'--no-deps --target "$OLDPWD/made" . && cp -Rn "$OLDPWD/made/." ./{inner}'
    )
    env = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", **tools(*_COMPILING[backend])}
    if "cargo" not in _COMPILING[backend]:
        return make, env, ()
    env |= registry() | {"CARGO_NET_OFFLINE": "true"}
    # What stands for cargo on PATH may be rustup, which looks in a home that builds do not see.
    rustup = Path(os.environ.get("RUSTUP_HOME", Path.home() / ".rustup"))
    env |= {"RUSTUP_HOME": str(rustup)} if rustup.is_dir() else {}
    manifest = next(iter(sources(folder, ("Cargo.toml", "*/Cargo.toml"))), folder / "Cargo.toml")
    where = str(manifest.relative_to(folder))
    own = 'export CARGO_HOME="$HOME/cargo"; '
    return own + REGISTRY_HERE + make, env, ("cargo", "fetch", "--manifest-path", where)


def _in_rust(folder: Path) -> list[str]:
    """The module of a package that is of Rust alone."""
    if compiling_backend(folder) != "maturin":
        return []
    with suppress(ValueError):
        data = parse_toml(text_of(folder / "pyproject.toml"))
        crate = parse_toml(text_of(folder / "Cargo.toml"))
        named = data.get("tool", {}).get("maturin", {}).get("module-name", "").split(".")[0]
        named = named or crate.get("lib", {}).get("name") or data.get("project", {}).get("name")
        return [str(named).replace("-", "_")] if named else []
    return []


def _by_setuptools(folder: Path) -> bool:
    """Whether what builds the package is setuptools, which is so where nothing else is named."""
    try:
        data = parse_toml(text_of(folder / "pyproject.toml"))
    except ValueError:
        return True
    system = data.get("build-system")
    backend = system.get("build-backend", "setuptools") if isinstance(system, dict) else ""
    return "setuptools" in str(backend or "setuptools")
