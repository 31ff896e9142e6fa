"""The text of a first study, for ``whyfast new``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.store.git import git
from whyfast.study.autotools_project import autotools
from whyfast.study.c_project import c, meson
from whyfast.study.cmake_project import cmake
from whyfast.study.go_project import go
from whyfast.study.java_project import GRADLE, IN_GRADLE, maven
from whyfast.study.library import c_library
from whyfast.study.node_project import in_node
from whyfast.study.project import MOST, Project, some_names, wanted_first
from whyfast.study.python_project import compiling_backend, python
from whyfast.study.rust_project import cargo

_TEXT = """\
# A study for whyfast: a question, the ways to build the program, and the workloads to time.
# Everything that can stand here is described on the page study.md of the documentation.

[study]
title = "Does -O3 make it faster than -O2?"
# The variant that the others are compared with. A list may name several, the main one first.
baseline = "O2"
# The smallest difference that matters to you.
margin = "1%"

[source]
# The folder with the program's source, relative to this file.
path = {path}

[build]
# Shell lines, run in order in a fresh folder for each variant. They may use {{cc}} {{cflags}}
# {{ldflags}} {{configure}} {{source}} {{include}} {{jobs}} {{program}}; a brace is written twice.
steps = ["{{cc}} {{cflags}} -o {{program}} {{source}}/*.c {{ldflags}}"]
# The file that the steps make, relative to that folder.
program = "program"

# What the variants below have in common. It is abstract: extended, never built.
[variant.base]
abstract = true
toolchain = "path:cc"
cflags = ["-g"]

[variant.O2]
extends = "base"
cflags.add = ["-O2"]

[variant.O3]
extends = "base"
cflags.add = ["-O3"]

[benchmarks.whole]
# "command" times the whole process, "turn" asks the program for its own timings, "pyperf" runs a
# pyperf benchmark. The command is a list of words; no shell reads it.
runner = "command"
command = ["{{program}}"]
timeout = "60s"

[measure]
# The most time to spend on measuring. It ends earlier once every verdict is decided.
budget = "60s"

# [evidence]
# Functions whose machine code could explain a difference; * stands for anything.
# functions = ["*"]
# Functions that dispatch, when the program is an interpreter.
# dispatch = ["run"]
"""


def skeleton(path: str) -> str:
    """A commented study of the program whose source is in ``path``; ValueError for a path that
    TOML cannot hold."""
    # Late: only ``whyfast new`` writes TOML.
    import tomlkit

    path.encode("utf-8")
    return _TEXT.format(path=tomlkit.string(path).as_string())


_CHECK = """\
# What `whyfast check` builds and times, at both ends of a change.
{comments}
[study]
title = "Did this change make it slower?"
baseline = "release"
# The smallest difference that matters to you.
margin = "1%"
{source}
[build]
# Shell lines, run in order in a fresh folder where src is this repository; without network. A brace
# is written twice.
steps = [
{steps}]
{link}# The file that the steps make, relative to that folder.
program = {program}
{takes}{env}
[variant.release]
toolchain = {toolchain}
{cflags}
{benchmarks}"""


_SOURCE = """
[source]
# The whole repository, as the project needs files of it beside this folder.
path = {}
"""

_LINK = """\
# The last step; it also links the program in other layouts, which tell what its place does.
link = {}
"""


_TAKES = """\
# What one build takes, about: a check waits four times as long for two.
takes = "{:.0f}s"
"""


#: Before many benchmarks.
_MANY = """\
# Of those that execute what has changed, `whyfast check` measures {}, of as many functions as there
# are. Delete what does not matter to you.
[benchmarks]
"""


def check_file(project: Project) -> str:
    """The text of a ``whyfast.toml`` for that project."""
    text = _CHECK.format(
        # Names of files stand in them, which a line end must not lead out of the comment.
        comments="".join(
            f"# {''.join(c if c.isprintable() else '?' for c in line)}\n"
            for line in project.comments
        ),
        steps="".join(f"    {_string(step)},\n" for step in project.steps),
        source=_SOURCE.format(_string("/".join(".." for _ in Path(project.inner).parts)))
        if project.inner
        else "",
        link=_LINK.format(_string(project.link)) if project.link else "",
        program=_string(project.program),
        takes=_TAKES.format(project.takes) if project.takes >= 10.0 else "",
        env=_table("build.env", project.env),
        toolchain=_string(project.toolchain),
        cflags=f"cflags = {_list(project.cflags)}\n" if project.cflags else "",
        benchmarks=_benchmarks(project),
    )
    return re.sub(r"\n{3,}", "\n\n", text)


def _benchmarks(project: Project) -> str:
    """A table for each benchmark; a line for each where they are many."""
    folder = {"folder": _string(project.folder)} if project.folder else {}
    tables = {
        _key(name): {"runner": _string(project.runner), **folder, "command": _list(command)}
        for name, command in project.benchmarks.items()
    }
    if len(tables) <= MOST:
        return "\n".join(
            "".join([f"[benchmarks.{key}]\n", *(f"{k} = {value}\n" for k, value in table.items())])
            for key, table in tables.items()
        )
    lines = (
        f"{key} = {{ {', '.join(f'{k} = {value}' for k, value in table.items())} }}\n"
        for key, table in tables.items()
    )
    return _MANY.format(MOST) + "".join(lines)


def _table(name: str, values: Mapping[str, str]) -> str:
    if not values:
        return ""
    lines = "".join(f"{key} = {_string(value)}\n" for key, value in values.items())
    return f"\n[{name}]\n{lines}"


def _list(words: Sequence[str]) -> str:
    return f"[{', '.join(map(_string, words))}]"


def _string(text: str) -> str:
    import tomlkit

    text.encode("utf-8")
    if "\n" in text and "'''" not in text:
        return tomlkit.string(f"\n{text}", literal=True, multiline=True).as_string()
    if "'" in text and '"' in text and "''" not in text and not text.endswith("'"):
        return tomlkit.string(text, literal=True, multiline=True).as_string()
    literal = "'" not in text and '"' in text
    return tomlkit.string(text, literal=literal).as_string()


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _string(name)


#: Where a library of headers alone has them.
HEADERS = ("*.h", "*.hpp", "src/*.h", "src/*.hpp", "include/**/*.h", "include/**/*.hpp")

#: Each kind of project that ``whyfast new`` knows, with the files that it is recognised by, in the
#: order in which they are looked for.
KINDS: dict[str, tuple[tuple[str, ...], Callable[[Path], Project]]] = {
    "cargo": (("Cargo.toml",), cargo),
    "go": (("go.mod", "*.go"), go),
    "maven": (("pom.xml",), maven),
    "meson": (("meson.build",), meson),
    "cmake": (("CMakeLists.txt",), cmake),
    "autotools": (("configure.ac", "configure"), autotools),
    "python": (("pyproject.toml", "setup.py"), python),
    "c": (("Makefile", "makefile", "*.c", "src/*.c", *HEADERS), c),
}


#: How many commits before the last the files that build a project must have been there.
_BACK = 20

#: Kinds of projects in C. One that does not build as the first of them may build as another.
_IN_C = {"c", "cmake", "autotools", "meson"}


def _is_new(folder: Path, marks: Sequence[str]) -> bool:
    """Whether an earlier revision lacked the files by which a kind of project is recognised."""
    files = [mark for mark in marks if (folder / mark).is_file()]
    before = f"HEAD~{_BACK}"
    if not files or git(folder, "rev-parse", "-q", "--verify", before).returncode:
        return False
    return all(git(folder, "cat-file", "-e", f"{before}:./{file}").returncode for file in files)


def projects_of(folder: Path) -> Iterator[tuple[str, Project]]:
    """What kinds of project are in the folder, and how it is built as each.

    First that which its files tell and that has something to time; of one in C then also the
    others. UserError when there is none.
    """
    kinds = [
        kind
        for kind, (marks, _) in KINDS.items()
        if any(True for mark in marks for _ in folder.glob(mark))
    ]
    # What maturin builds of Rust is a package of Python.
    kinds.sort(key=lambda kind: kind != "python" or not compiling_backend(folder))
    # Checks are about earlier revisions, too, which are to build in the same way.
    kinds.sort(key=lambda kind: kind in _IN_C and _is_new(folder, KINDS[kind][0]))
    errors = []
    found: set[str] = set()
    for kind in kinds:
        if found and not found | {kind} <= _IN_C:
            continue
        try:
            project = KINDS[kind][1](folder)
        except UserError as error:
            errors.append(error)
            continue
        found.add(kind)
        yield kind, project
    if found:
        return
    if errors and _IN_C & set(kinds):
        with suppress(UserError):
            yield "c", c_library(folder)
            return
    if errors:
        raise errors[0]
    known = ", ".join(dict.fromkeys(m[0] for m, _ in KINDS.values()))
    if (folder / "package.json").is_file():
        raise UserError(in_node(folder), where=folder)
    if any((folder / name).is_file() for name in GRADLE):
        raise UserError(IN_GRADLE, where=folder)
    hint = "expected the folder of a project"
    if inner := _projects_below(folder):
        hint = f"its folders have projects: cd {inner[0]}; whyfast new"
        hint += f" (or {some_names(inner[1:], 3)})" if inner[1:] else ""
    raise UserError(f"contains none of {known}; {hint}", where=folder)


def _projects_below(folder: Path) -> list[str]:
    """The folders in this one, or in one of these, that have a project: first what says how it is
    built; those of tests and examples last."""
    marks = [mark for files, _ in KINDS.values() for mark in files if "/" not in mark]
    inner = [d for d in _folders(folder) for d in (d, *_folders(d))]
    found = {
        str(p.relative_to(folder)): p for p in inner if any(any(p.glob(mark)) for mark in marks)
    }
    names = wanted_first(found, folder.resolve().name, ())
    built = {n for n in names if any((found[n] / m).is_file() for m in marks if "*" not in m)}
    return sorted(names, key=lambda name: name not in built)


def _folders(folder: Path) -> list[Path]:
    return [p for p in sorted(folder.iterdir()) if p.is_dir() and p.name[0] != "."]
