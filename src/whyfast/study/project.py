"""A project as ``whyfast new`` sees it: its files, how they are built, and what is timed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.formats.input import opened
from whyfast.model.errors import UserError

#: What programs of the system are looked for in while building; a tool from elsewhere is named.
SYSTEM = "/usr/local/bin:/usr/bin:/bin"

#: The most benchmarks that are written for a project that has them in its files, and that a check
#: measures of one whose program lists them, of which so many are written.
MOST, MOST_LISTED = 12, 200

#: Bytes of a file that are read; no file that a person wrote has as many.
_MOST_TEXT = 1_000_000


@dataclass(frozen=True)
class Project:
    """How a project is built and what is timed.

    ``benchmarks`` maps names to commands, of the runner ``runner``; where it is empty, the built
    program lists its benchmarks, and each command ends with ``options``. ``comments`` are on what
    was chosen and what could stand there instead.
    ``fetch`` is the command that downloads what a lock file pins, run in the project's folder
    before building; ``install`` is the line for a shell after which the interpreter on PATH has the
    modules that it needs. ``otherwise`` is tried where this does not build.

    Of ``candidates``, commands like ``benchmarks``, those stay that end well when they are tried
    once; a runner that lists them does so in ``files``. ``instead`` has other benchmarks of the
    same build, for where there is none of this. ``beside`` are files, by name, that benchmarks
    need beside the study. ``incomplete`` says what a person must fill in first.
    ``folder`` is where benchmarks run, as a study names it; empty: anywhere. ``idle``: no work for
    its program was found; ``others`` are then the same project with other programs.
    ``link`` is the last step, where the program can be linked again in another layout, and
    ``as_linked`` the project without such a step. ``inner`` is its folder in the repository, where
    that is built from the whole of it. ``takes``: seconds of a build, where none is known by steps.
    """

    toolchain: str
    steps: tuple[str, ...]
    program: str
    cflags: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    benchmarks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    runner: str = "command"
    comments: tuple[str, ...] = ()
    fetch: tuple[str, ...] = ()
    install: str = ""
    options: tuple[str, ...] = ()
    otherwise: Project | None = None
    candidates: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    instead: Project | None = None
    beside: Mapping[str, str] = field(default_factory=dict)
    incomplete: str = ""
    folder: str = ""
    link: str = ""
    as_linked: Project | None = None
    idle: bool = False
    others: tuple[Project, ...] = ()
    inner: str = ""
    takes: float = 0.0


#: What times the whole program.
WHOLE = {"whole": ("{program}",)}


def some(commands: Commands, most: int = MOST) -> Commands:
    """The first of them: as many as a first file should have."""
    return dict(list(commands.items())[:most])


def some_names(names: Sequence[str], most: int = MOST) -> str:
    """The first, and how many more there are."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


def spread(commands: Commands, group: Callable[[str], str]) -> Commands:
    """In an order that begins with one of each group, then a second of each: the first twelve of a
    hundred are of twelve functions then, where there are as many."""
    turns: dict[str, int] = {}
    places = {}
    for name in commands:
        turns[group(name)] = turns.get(group(name), 0) + 1
        places[name] = turns[group(name)]
    return {name: commands[name] for name in sorted(commands, key=places.__getitem__)}


def wanted_first(programs: Mapping[str, Path], project: str, installed: Sequence[str]) -> list[str]:
    """Names of programs, given with the files that are made, in the order in which they are likely
    to be meant: that of the project's name, one that measures it, one with an abbreviation of it,
    as ``rg`` of ripgrep, installed ones; tests and examples, then fuzzers and those of others."""

    def rank(name: str) -> tuple[bool, bool, bool, bool, bool, bool]:
        made, whole = programs[name].name.lower(), project.lower()
        letters = iter(whole[1:])
        short = made[:1] == whole[:1] and all(letter in letters for letter in made[1:])
        place = f"{programs[name]} {name}".lower()
        measures = bool(re.search(r"bench|(?<![a-z])perf(?!ect)|speed", place))
        aside = bool(re.search(r"test|example|demo|sample", place))
        theirs = "fuzz" in place or is_theirs(programs[name].parent)
        return theirs, made != whole, not measures, aside or not short, name not in installed, aside

    return sorted(programs, key=rank)


def is_theirs(place: Path) -> bool:
    """Whether the folder, by its name or those around it, holds the source of other projects."""
    return bool(re.search(r"third.?party|extern|vendor|depend|deps", str(place).lower()))


def others(names: list[str]) -> tuple[str, ...]:
    """A comment that names the programs behind the first, which was chosen."""
    more = some_names(names[1:])
    return (f"The program is {names[0]}; there are also {more}.",) if more else ()


#: The first programs of a project that are built in each other's place, where they have no work.
_INSTEAD = 8


def instead_of(names: Sequence[str]) -> list[list[str]]:
    """The names in orders that begin with the second, the third and so on, of a few."""
    return [[name, *(n for n in names if n != name)] for name in names[1:_INSTEAD]]


def or_else(project: Project, last: Project) -> Project:
    """The project with a further way to build it, after all that it has."""
    further = or_else(project.otherwise, last) if project.otherwise else last
    return replace(project, otherwise=further)


#: The flag of a compiler with which each function can be placed by itself.
SECTIONS = "-ffunction-sections"


def linked_again(project: Project, again: str) -> Project:
    """The project whose program the command ``again`` links anew once it is gone.

    The program stays where the project makes it, and the study's is a copy beside it.
    """
    made, flags = project.program, dict.fromkeys((*project.cflags, SECTIONS))
    link = f"rm -f {made} && {again} && cp {made} {{program}}"
    return replace(
        project, program=f"{made}.linked", cflags=tuple(flags), link=link, as_linked=project
    )


def program_name(project: Project) -> str:
    """What the project itself calls its program."""
    return Path(project.program).name.removesuffix(".linked")


def placed_at(project: Project, place: str) -> Project:
    """The project whose program is made at ``place``, such as a folder that a variable names."""
    bare = project.as_linked
    old = (bare or project).program
    return replace(
        project,
        program=project.program.replace(old, place),
        link=project.link.replace(old, place),
        as_linked=replace(bare, program=place) if bare else None,
    )


def within(project: Project, inner: str) -> Project:
    """The project built from the whole repository, of which it is the folder ``inner``: its files
    may need others beside them."""

    def moved(text: str) -> str:
        return re.sub(r"\{source\}|(?<![\w./-])src(?=/)", lambda m: f"{m[0]}/{inner}", text)

    def all_of(projects: tuple[Project, ...]) -> tuple[Project, ...]:
        return tuple(within(other, inner) for other in projects)

    return replace(
        project,
        steps=tuple(map(moved, project.steps)),
        program=os.path.normpath(moved(project.program)),
        link=moved(project.link),
        otherwise=next(iter(all_of((project.otherwise,) if project.otherwise else ())), None),
        as_linked=next(iter(all_of((project.as_linked,) if project.as_linked else ())), None),
        others=all_of(project.others),
        inner=inner,
    )


def first_group(pattern: str, text: str) -> str:
    """What the first group of the first match holds; empty without a match."""
    match = re.search(pattern, text)
    return match[1] if match else ""


def tools(*names: str) -> dict[str, str]:
    """PATH with the folders of tools that are found before those in the system's own folders."""
    found = [path for name in names if (path := shutil.which(name))]
    paths = [path for path in found if os.path.dirname(path) not in SYSTEM.split(":")]
    files = [file for path in paths for file in (path, *_interpreter(Path(path)))]
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


#: Commands by the name of a benchmark.
Commands = dict[str, tuple[str, ...]]


def literal(name: str) -> str:
    """For a regular expression of Rust, which knows no backslash before a space."""
    return re.sub(r"([.^$*+?()[\]{}|\\])", r"\\\1", name)


def benchmark_key(name: str) -> str:
    """As benchmarks of a study may be called."""
    return re.sub(r"[^\w.+-]+", "-", name, flags=re.ASCII).strip("-.+_") or "benchmark"


def offline_comment(fetch: str, variable: str, vendor: str) -> str:
    """On how a build without network gets at what the project needs."""
    return (
        f"Builds have no network: run `{fetch}` before. {variable} is the folder with the result, "
        f"which the build can read. Neither is needed after `{vendor}`."
    )
