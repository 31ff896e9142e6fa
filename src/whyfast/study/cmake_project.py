"""What builds a project of CMake: one of the programs that it adds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study import own_benchmarks
from whyfast.study.project import (
    WHOLE,
    Project,
    needed,
    others,
    some,
    sources,
    text_of,
    tools,
    wanted_first,
)

#: How deep folders of subprojects are followed.
_DEEPEST = 4
#: So many CMakeLists.txt are read: one may name itself, or links to itself, again and again.
_MOST_LISTS = 300


def cmake(folder: Path) -> Project:
    """A program that CMakeLists.txt or those of its subfolders add.

    That with Google Benchmark in it goes first, then that which is called as the project is, then
    one that is installed.
    """
    needed(folder / "CMakeLists.txt")
    lists = dict(islice(_lists(folder, Path(), _DEEPEST), _MOST_LISTS))
    text = "\n".join(lists.values())
    places: dict[str, Path] = {}
    for place, one in lists.items():
        for name in _programs(one, lists[Path()]):
            places.setdefault(name, place)
    if not places:
        raise UserError("adds no executable", where=folder / "CMakeLists.txt")
    timed = re.findall(r"target_link_libraries\s*\(\s*([\w.-]+)[^()]*\bbenchmark(?:_main)?\b", text)
    installed = [
        w for t in re.findall(r"install\s*\(\s*TARGETS([^()]*)\)", text) for w in t.split()
    ]
    own = re.search(r"project\s*\(\s*\"?([\w.-]+)", text)
    names = wanted_first(places, own.group(1) if own else "", installed)
    names.sort(key=lambda name: name not in timed)
    files = ("*.cc", "*.cpp", "*.cxx", "*/*.cc", "*/*.cpp", "*/*.cxx")
    found = own_benchmarks.google("\n".join(map(text_of, sources(folder, files)))) if timed else {}
    cxx = bool(re.search(r"project\s*\([^()]*\bCXX\b", text)) or not re.search(
        r"project\s*\([^()]*\bC\b", text
    )
    language = "CXX" if cxx else "C"
    place = _made_in(text, names[0], places[names[0]])
    return Project(
        "path:c++" if cxx else "path:cc",
        (
            "cmake -S {source} -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo "
            f'-DCMAKE_{language}_COMPILER={{cc}} -DCMAKE_{language}_FLAGS="{{cflags}}"',
            f"cmake --build build -j{{jobs}} --target {names[0]}",
        ),
        str(Path("build") / place / names[0]),
        env=tools("cmake"),
        benchmarks=some(found) or WHOLE,
        runner="google-benchmark" if found else "command",
        said=others(names),
    )


def _lists(folder: Path, place: Path, deepest: int) -> Iterator[tuple[Path, str]]:
    """What the CMakeLists.txt there and below say, comments left out, by their folders."""
    text = re.sub(r"#.*", "", text_of(folder / place / "CMakeLists.txt"))
    yield place, text
    if deepest:
        inners = re.findall(r"add_subdirectory\s*\(\s*\"?([\w./-]+)", text)
        for inner in dict.fromkeys(inners):
            if ".." not in inner and (folder / place / inner / "CMakeLists.txt").is_file():
                yield from _lists(folder, place / inner, deepest - 1)


def _made_in(text: str, name: str, place: Path) -> Path:
    """The folder of the build that a program is made in: its own where it is set, or that of all
    programs, or that of its CMakeLists.txt."""
    folder = r"RUNTIME_OUTPUT_DIRECTORY\s+\"?(?:(\$\{\w*BINARY_DIR\})/?)?([\w./-]*)"
    # One expression for the whole command would take the cube of its words.
    for words in re.findall(r"set_(?:property|target_properties)\s*\(([^()]*)", text):
        _, _, after = f" {' '.join(words.split())} ".partition(f" {name} ")
        if after and (own := re.search(rf"\b{folder}", after)):
            return place / own.group(2)
    every = re.search(rf"CMAKE_{folder}", text)
    return Path(every.group(2)) if every and every.group(1) else place


def _programs(text: str, top: str) -> list[str]:
    """The names of programs, those of variables that are set among them, in their order."""
    variables = dict(re.findall(r"set\s*\(\s*(\w+)\s+\"?([\w.-]+)\"?\s*\)", top + text))
    if own := re.search(r"project\s*\(\s*\"?([\w.-]+)", top):
        variables["PROJECT_NAME"] = own.group(1)
    added = re.findall(r"add_executable\s*\(\s*\"?(\$\{\w+\}|[\w.-]+)(?=[\s\")])", text)
    return [n for a in added if (n := variables.get(a[2:-1], "") if a.startswith("$") else a)]
