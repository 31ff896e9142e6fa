"""A project as ``whyfast new`` sees it: its files, and how they are built and timed."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whyfast.formats.input import opened
from whyfast.model.errors import UserError

#: What programs of the system are looked for in while building; a tool from elsewhere is named.
SYSTEM = "/usr/local/bin:/usr/bin:/bin"

#: At most so many benchmarks are written for a project that has them in its files.
MOST = 12

#: Bytes of a file that are looked at; no file that a person wrote has as many.
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
    meant: that which is called as the project is, those that are installed, and those for tests
    and examples last."""

    def rank(name: str) -> tuple[bool, bool, bool]:
        aside = re.search(r"test|fuzz|example|demo|sample", str(programs[name] / name).lower())
        return name.lower() != project.lower(), name not in installed, bool(aside)

    return sorted(programs, key=rank)


def others(names: list[str]) -> tuple[str, ...]:
    """A comment that names the programs behind the first, which was chosen."""
    more = ", ".join(names[1:])
    return (f"The program is {names[0]}; there are also {more}.",) if more else ()


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


# ---- Which benchmarks a project has itself, by the text of its files: of Criterion, Google and
# Go.

#: Commands by the name of a benchmark.
Commands = dict[str, tuple[str, ...]]

#: A group, or one benchmark of the receiver in front.
_CRITERION = re.compile(
    r'benchmark_group\(\s*"(?P<group>[^"]+)"|(?P<of>\w+)\s*\.\s*bench_function\(\s*"(?P<name>[^"]+)"'
)
_GOOGLE = re.compile(r"^[ \t]*BENCHMARK(?:_F)?\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?\)", re.MULTILINE)
_GO_INSIDE = re.compile(r'^([ \t]*+)[^\n"]*?\bb\.Run\((?:"([^"\n]+)",)?', re.MULTILINE)
_GO = re.compile(r"^func Benchmark(\w+)\(\w+ \*testing\.B\)", re.MULTILINE)


def criterion(text: str) -> Commands:
    """What ``bench_function`` names; in a group, the group's name stands in front. Those whose name
    is made at run time are left out."""
    return {_key(n): ("{program}", f"^{_literal(n)}$") for n in _criterion_names(text)}


def _criterion_names(text: str) -> Iterator[str]:
    group = ""
    for match in _CRITERION.finditer(text):
        if match["group"]:
            group = match["group"]
        elif match["of"] in ("c", "criterion") or not group:
            yield match["name"]
        else:
            yield f"{group}/{match['name']}"


def _literal(name: str) -> str:
    """For a regular expression of Rust, which knows no backslash before a space."""
    return re.sub(r"([.^$*+?()[\]{}|\\])", r"\\\1", name)


def google(text: str) -> Commands:
    """What ``BENCHMARK`` and ``BENCHMARK_F`` register."""
    names = ["/".join(n for n in match.groups() if n) for match in _GOOGLE.finditer(text)]
    return {_key(n): ("{program}", f"--benchmark_filter=^{n}$") for n in dict.fromkeys(names)}


def go(text: str) -> Commands:
    """The benchmarks of a test file, and those inside of one that has them, by their names."""
    commands: Commands = {}
    for name, inside in _go_benchmarks(text):
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
    return tuple(f"Benchmark{name}" for name, inside in _go_benchmarks(text) if inside is None)


def _go_benchmarks(text: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
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
