"""What builds a project by CMake: the programs that its CMakeLists.txt add, read, not run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from os.path import normpath
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.project import (
    WHOLE,
    Project,
    first_group,
    instead_of,
    is_theirs,
    linked_again,
    needed,
    or_else,
    others,
    sources,
    text_of,
    tools,
    wanted_first,
)

#: Folders within each other that are read.
_DEEPEST_FOLDER = 4

_CMAKE_PROJECT = r"project\s*\(\s*\"?([\w.-]+)"
#: CMakeLists.txt that are read, at most: one may name itself, or links to itself, again and again.
_MOST_LISTS = 300


def cmake(folder: Path) -> Project:
    """A program that CMakeLists.txt or those of its subfolders add: the one with Google Benchmark,
    else the one that has the project's name, else one that is installed. Where they add none, as of
    a library of headers, one of a folder that is a project of its own, such as its tests."""
    needed(folder / "CMakeLists.txt")
    inner = "" if _programs(_read(folder)) else next(iter(_elsewhere(folder)), "")
    lists = _read(folder / inner)
    text = "\n".join(lists.values())
    places = _programs(lists)
    if not places:
        raise UserError("adds no executable", where=folder / "CMakeLists.txt")
    timed = re.findall(r"target_link_libraries\s*\(\s*([\w.-]+)[^()]*\bbenchmark(?:_main)?\b", text)
    installed = [
        w for t in re.findall(r"install\s*\(\s*TARGETS([^()]*)\)", text) for w in t.split()
    ]
    switches, downloads = _switches(lists), _downloads(lists)
    # Of those alike the ones first that are built unless somebody switches them off.
    by_default = sorted(places, key=lambda name: bool(switches.get(name)))
    made = {name: _made_in(text, name, places[name]) for name in by_default}
    names = wanted_first(made, first_group(_CMAKE_PROJECT, text), installed)
    names.sort(key=lambda name: (name not in timed, name in timed and len(made[name].parts)))
    in_c, in_cxx = (re.search(rf"project\s*\([^()]*\b{name}\b", text) for name in ("C", "CXX"))
    # With no language named it is both, and what is written in C needs no compiler of C++.
    cxx = bool(in_cxx or (not in_c and _mostly_cxx(folder)))
    language = "CXX" if cxx else "C"
    flags = " ".join(f'-DCMAKE_{name}_FLAGS="{{cflags}}"' for name in ("C", "CXX"))

    def way(names: list[str], further: Sequence[Project] = (), without: str = "") -> Project:
        name = names[0]
        on = "".join(f" -D{option}=ON" for option in switches.get(name, ()))
        comments = others(names)
        if without:
            comments = (*comments, f"It downloads while it builds, unless by{without}.")
        make = f"cmake --build build -j{{jobs}} --target {name}"
        source = f"{{source}}/{inner}" if inner else "{source}"
        project = Project(
            "path:c++" if cxx else "path:cc",
            (
                # Layouts move what is in the program, and nothing in a library beside it.
                f"cmake -S {source} -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo "
                f"-DBUILD_SHARED_LIBS=OFF{on}{without} "
                f"-DCMAKE_{language}_COMPILER={{cc}} {flags} "
                '-DCMAKE_EXE_LINKER_FLAGS="{ldflags}"',
                make,
            ),
            str(Path("build") / made[name]),
            env=tools("cmake"),
            benchmarks={} if name in timed else WHOLE,
            runner="google-benchmark" if name in timed else "command",
            comments=comments,
            others=tuple(further),
        )
        project = linked_again(
            project, f'cmake build -DCMAKE_EXE_LINKER_FLAGS="{{ldflags}} {{layout}}" && {make}'
        )
        if downloads and not without:
            also = [other.otherwise or other for other in further]
            return replace(project, otherwise=way(names, also, downloads))
        return project

    further = [way(n) for n in instead_of(names)]
    first = way(names, further)
    # What is off by default may need what is not there, such as a library for tests.
    always = [name for name in names if not switches.get(name) and "fuzz" not in name.lower()]
    if always and names[0] not in always:
        return or_else(first, way(always, [way(n) for n in instead_of(always)]))
    # A condition that is not read here may keep CMake from adding the first.
    return or_else(first, further[0]) if further else first


_CMAKE_COMMANDS = re.compile(
    r"\b(if|elseif|else|endif|return|add_subdirectory|add_executable)\s*\(\s*((?:[^()]|\([^()]*\))*)\)"
)
#: An option that is off unless somebody asks for it.
_OFF = re.compile(
    r'\b(?:cmake_dependent_)?option\s*\(\s*([\w.-]+)\s+"[^"]*"\s*(?:(?:OFF|FALSE|NO|0)\b|\))',
    re.IGNORECASE,
)


#: One that is on by default, or may be; a setting of which the values are listed.
_ON = re.compile(
    r'\boption\s*\(\s*([\w.-]+)\s+"[^"]*"\s*(?:(?:ON|TRUE|YES|1)\b|\$\{\w+\})', re.IGNORECASE
)
_VALUES = re.compile(r"set_property\s*\(\s*CACHE\s+(\w+)\s+PROPERTY\s+STRINGS\s+([^()]*)\)")
#: What opens and ends conditions, and what downloads; CMake that runs CMake does so as well.
_IF = re.compile(
    r"\b(if|elseif|else|endif|add_subdirectory|FetchContent_\w+|ExternalProject_Add|"
    r"execute_process(?=\s*\(\s*COMMAND\s+\"?\$\{CMAKE_COMMAND\}))\s*\(([^()]*)",
    re.IGNORECASE,
)


def _downloads(lists: Mapping[Path, str]) -> str:
    """Words for CMake that switch off what downloads: options, on by default, in conditions around
    it, and settings of which another value is listed; empty without such."""
    text = "\n".join(lists.values())
    on = {*_ON.findall(text), "BUILD_TESTING"}  # by CTest
    values = {name: words.replace('"', "").split() for name, words in _VALUES.findall(text)}
    off: dict[str, str] = {}
    places: dict[Path, list[list[str]]] = {}
    for place, content in lists.items():
        around = list(places.get(place, []))
        for command, given in _IF.findall(content):
            words = given.replace('"', "").split() or [""]
            if command == "if":
                around.append(words)
            elif command in ("elseif", "else") and around:
                around[-1] = words if command == "elseif" else []
            elif command == "endif":
                around[-1:] = []
            elif command == "add_subdirectory":
                places.setdefault(place / words[0], list(around))
            else:
                for asked in around:
                    off |= {w: "OFF" for w in asked if w in on and "NOT" not in asked}
                    for name in set(asked) & values.keys():
                        other = [v for v in values[name] if v not in asked]
                        other.sort(key=lambda value: value.lower() in _NONE)
                        off[name] = next(iter(other), "OFF")
    return "".join(f" -D{name}={value}" for name, value in sorted(off.items()))


#: Values that leave the part out.
_NONE = {"none", "off", "no"}


def _mostly_cxx(folder: Path) -> bool:
    """Whether more of its files are in C++ than in C."""
    found = [f.suffix for f in sources(folder, ("*.c*", "*/*.c*"))]
    return sum(ending in (".cc", ".cpp", ".cxx") for ending in found) >= found.count(".c")


def _switches(lists: Mapping[Path, str]) -> dict[str, list[str]]:
    """The options, off by default, that stand in conditions around each program."""
    off = {name for text in lists.values() for name in _OFF.findall(text)}
    places: dict[Path, set[str]] = {}
    found: dict[str, list[str]] = {}
    for place, text in lists.items():
        around = [set(places.get(place, set()))]
        denied: list[set[str]] = [set()]
        for command, content in _CMAKE_COMMANDS.findall(text):
            words = content.replace('"', "").split() or [""]
            if command == "if":
                # Of alternatives, one that is on by default is enough, else the first.
                other = {"NOT"} if "OR" not in words else set(words) - off - {"OR"}
                asked = [w for w in words if w in off][: 1 if "OR" in words else None]
                around.append(set() if other & set(words) else set(asked))
                denied.append(set(asked) if words[0] == "NOT" and len(words) == 2 else set())
            elif command == "endif" and len(around) > 1:
                around.pop()
                denied.pop()
            elif command in ("else", "elseif"):
                around[-1] = denied[-1] = set()
            elif command == "return":  # what follows is only for those who asked
                around[0] |= denied[-1]
            elif command == "add_subdirectory":
                inner, asked_here = place / words[0], set().union(*around)
                places[inner] = min(places.get(inner, asked_here), asked_here, key=len)
            elif command == "add_executable":
                for name in _expanded(words[0], _variables(text, lists[Path()])):
                    found.setdefault(name, sorted(set().union(*around)))
    return found


def _programs(lists: Mapping[Path, str]) -> dict[str, Path]:
    """The programs that they add, with the folders of their lists."""
    places: dict[str, Path] = {}
    for place, content in lists.items():
        for name in _cmake_project_programs(content, lists[Path()]):
            places.setdefault(name, place)
    return places


def _elsewhere(folder: Path) -> list[str]:
    """The folders below that are projects of their own which add programs, the likeliest first."""
    found: dict[str, Path] = {}
    for file in islice(folder.glob("*/**/CMakeLists.txt"), _MOST_LISTS):
        place = file.parent.relative_to(folder)
        if re.fullmatch(r"[\w+-][\w.+-]*(/[\w+-][\w.+-]*)*", str(place)) and not is_theirs(place):
            named = re.search(r"\bproject\s*\(", text_of(file), re.IGNORECASE)
            found |= {str(place): place} if named and _programs(_read(file.parent)) else {}
    return sorted(wanted_first(found, folder.resolve().name, ()), key=lambda n: "linux" not in n)


_FUNCTION = re.compile(
    r"(?s)\b(?:function|macro)\s*\(\s*(\w+)([^()]*)\)((?:(?!\b(?:function|macro)\s*\().)*?)"
    r"\bend(?:function|macro)\s*\([^()]*\)"
)
#: The innermost loop.
_LOOP = re.compile(
    r"(?s)\bforeach\s*\(\s*(\w+)\s([^()]*)\)((?:(?!\bforeach\s*\().)*?)\bendforeach\s*\([^()]*\)"
)
_SETS = re.compile(r"\b(?:set|list)\s*\(\s*(APPEND\s+)?(\w+)\s([^()$]+)\)")
_STEM = re.compile(r"get_filename_component\s*\(\s*(\w+)\s+\"?([^\s\"]+)\"?\s+NAME_W\w+")
#: Rounds in which they are written out, each one level deeper, values of a loop, and letters from
#: which on there is no further round.
_ROUNDS, _MOST_VALUES, _MOST_WRITTEN = 4, 100, 100_000


def _read(folder: Path) -> dict[Path, str]:
    """What :func:`_lists` finds, with the bodies of functions that add programs in place of their
    calls, and those of loops once for each value: what a name is no longer depends on its place."""
    lists = dict(islice(_lists(folder, Path(), _DEEPEST_FOLDER), _MOST_LISTS))
    every = "\n".join(lists.values())
    bodies: dict[str, tuple[list[str], str]] = {}
    for _ in range(_ROUNDS):  # one may call another
        adds = re.compile(rf"\b({'|'.join(['add_executable', *map(re.escape, bodies)])})\s*\(")
        for name, words, body in _FUNCTION.findall(every):
            if adds.search(body):
                bodies[name.lower()] = words.split(), body
    calls = re.compile(
        rf"\b({'|'.join(map(re.escape, bodies)) or '(?!)'})\s*\(((?:[^()]|\([^()]*\))*)\)"
    )
    values: dict[str, list[str]] = {}
    for more, name, words in _SETS.findall(every):
        if more or name not in values:
            values[name] = [*values.get(name, ()), *words.replace('"', "").split()]

    def filled(body: str, given: Mapping[str, str]) -> str:
        for name, value in given.items():
            body = body.replace(f"${{{name}}}", value)
        for name, file in _STEM.findall(body):
            body = body.replace(f"${{{name}}}", Path(file).stem)
        return body

    def call(found: re.Match[str]) -> str:
        names, body = bodies[found[1]]
        words = found[2].replace('"', "").split()
        words[len(names) :] = [" ".join(words[len(names) :])]
        return filled(body, dict(zip([*names, "ARGN"], words, strict=False)))

    def loop(found: re.Match[str]) -> str:
        words = re.sub(r"^\s*IN\s+(LISTS|ITEMS)\s", "", found[2]).split()
        given = [v for w in words for v in values.get(w.strip("${}"), [] if "$" in w else [w])]
        return "\n".join(filled(found[3], {found[1]: v}) for v in given[:_MOST_VALUES])

    written = {}
    for place, text in lists.items():
        for name, patterns in re.findall(r"\bfile\s*\(\s*GLOB\s+(\w+)\s+([^()]+)\)", text):
            plain = [re.sub(r"^\$\{\w+\}/", "", p) for p in patterns.replace('"', "").split()]
            there = (p for p in plain if re.fullmatch(r"(?!.*\.\.)[\w*.-][\w*./+-]*", p))
            values[name] = [f.name for f in sources(folder / place, tuple(there))]
        text = _FUNCTION.sub(lambda m: "" if m[1].lower() in bodies else m[0], text)
        for _ in range(_ROUNDS):
            if len(text) < _MOST_WRITTEN:
                text = _LOOP.sub(loop, calls.sub(call, text))
        written[place] = text
    return written


def _lists(folder: Path, place: Path, deepest: int) -> Iterator[tuple[Path, str]]:
    """What the CMakeLists.txt there and below say, with files of theirs in place of their names,
    comments left out, by their folders."""

    def included(name: re.Match[str]) -> str:
        inside = ".." not in name[1] and not name[1].startswith("/")
        return f"{name[0]}\n{text_of(folder / place / name[1])}" if inside else name[0]

    text = text_of(folder / place / "CMakeLists.txt")
    text = re.sub(r"(?m)^[ \t]*include\s*\(\s*\"?([\w./-]+\.cmake)\"?\s*\)", included, text)
    text = re.sub(r"#.*", "", text)
    # Names of commands are the same in capital letters.
    text = re.sub(r"(?m)^[ \t]*\w+(?=[ \t]*\()", lambda name: name[0].lower(), text)
    yield place, text
    if deepest:
        inners = re.findall(r"add_subdirectory\s*\(\s*\"?([\w./-]+)", text)
        for inner in dict.fromkeys(inners):
            if ".." not in inner and (folder / place / inner / "CMakeLists.txt").is_file():
                yield from _lists(folder, place / inner, deepest - 1)


def _made_in(text: str, name: str, place: Path) -> Path:
    """Where in the build a program is made, by the name and in the folder that are set for it; else
    in that of all programs, or that of its CMakeLists.txt."""
    folder = r"RUNTIME_OUTPUT_DIRECTORY\s+\"?(?:(\$\{\w*BINARY_DIR\})/?)?([\w./-]*)"
    # One expression for the whole command would take the cube of its words.
    sets = re.findall(r"set_(?:property|target_properties)\s*\(([^()]*)", text)
    ours = "\n".join(f" {' '.join(words.split())} ".partition(f" {name} ")[2] for words in sets)
    file = first_group(r"(?<!\w)OUTPUT_NAME\s+\"?([\w.-]+)[\"\s]", ours) or name
    if output := re.search(rf"(?<!\w){folder}", ours):
        return Path(normpath(place / output[2] / file))  # it may be that above
    every = re.search(rf"CMAKE_{folder}", text)
    if every and every[1] and ".." not in every[2]:  # that above a folder is for its own programs
        place = Path(every[2])
    return place / file


def _cmake_project_programs(text: str, top: str) -> list[str]:
    """The names of programs, those of variables that are set among them, in their order."""
    variables = _variables(text, top)
    added = re.findall(r"add_executable\s*\(\s*\"?((?:\$\{\w+\}|[\w.-])+)(?=[\s\")])", text)
    return [name for words in added for name in _expanded(words, variables)]


def _variables(text: str, top: str) -> dict[str, list[str]]:
    """Variables with their values; of several that are set the first, as it depends on no
    condition."""
    variables: dict[str, list[str]] = {}
    for name, value in re.findall(r"set\s*\(\s*(\w+)\s+\"?([\w.-]+)\"?\s*\)", top + text):
        variables.setdefault(name, [value])
    if project := first_group(_CMAKE_PROJECT, top):
        variables["PROJECT_NAME"] = [project]
    return variables


def _expanded(words: str, variables: Mapping[str, list[str]]) -> list[str]:
    """With each value of the first variable; none where that is not known."""
    found = re.search(r"\$\{(\w+)\}", words)
    if not found:
        return [words]
    values = variables.get(found[1], [])
    return [n for v in values for n in _expanded(words.replace(found[0], v), variables)]
