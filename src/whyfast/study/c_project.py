"""What builds a project of C: its Makefile, the C files themselves, autotools or Meson."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.library import CXX, c_library, main_of
from whyfast.study.makefile import makefile_in, programs_of, read_makefile
from whyfast.study.project import (
    SECTIONS,
    WHOLE,
    Project,
    first_group,
    instead_of,
    linked_again,
    needed,
    or_else,
    others,
    shell_word,
    some_names,
    sources,
    text_of,
    tools,
    wanted_first,
)


def c(folder: Path) -> Project:
    """A Makefile that makes one program, or the C files themselves, or those of C++."""
    makefile = makefile_in(folder)
    files, mains = list[Path](), list[Path]()
    for ends in (("c",), CXX):
        if not mains:
            files = files or sources(folder, tuple(f"{p}*.{e}" for p in ("", "src/") for e in ends))
            # A library has programs of its own in other folders.
            aside = tuple(f"{p}*/*.{e}" for p in _ASIDE for e in ends)
            mains = _mains(files) or _mains(sources(folder, aside))
    mains = mains or [f for f in files if main_of(f)]
    if makefile is not None:
        if not files and not re.search(
            r"\$[({](CC|CXX|MAKE)[)}]|\b(gcc|cc|clang)\b|[gc]\+\+|\.[co]\b", text_of(makefile)
        ):
            raise UserError("compiles no C", where=makefile)
        try:
            return _make(makefile)
        except UserError:
            if not mains:
                raise
    if not mains:
        raise UserError("no C file with a main()", where=folder)
    mains = _likeliest(mains, folder)
    # One of another folder may build where that needs what is not there.
    instead = sorted(mains[1:], key=lambda main: main.parent == mains[0].parent)[:3]
    further: list[Project] = []
    for main in instead:
        with suppress(UserError):  # a name that no step may hold
            further.append(_of_files(folder, files, [main, *(f for f in mains if f != main)]))
    found = _of_files(folder, files, mains, further)
    for way in further:
        found = or_else(found, way)
    with suppress(UserError):
        return or_else(found, c_library(folder))
    return found


#: Where a library has programs.
_ASIDE = ("bench", "example", "test")


def _mains(files: Sequence[Path]) -> list[Path]:
    return [f for f in files if main_of(f) == ""]


def _of_files(
    folder: Path, files: Sequence[Path], mains: Sequence[Path], further: Sequence[Project] = ()
) -> Project:
    """The first of those with a main() with the files that have none."""
    chosen = mains[0]
    files = [*files, *(f for f in mains if f not in files)]
    linked = [f for f in files if f == chosen or main_of(f) != ""]
    names = " ".join("{source}/" + shell_word(f.relative_to(folder)) for f in linked)
    places = [f" -I{{source}}/{d}" for d in ("include", "src") if (folder / d).is_dir()]
    include = "".join([f"-D{guard} " if (guard := main_of(chosen)) else "", "-I{source}", *places])
    comments = [f"The program consists of {chosen.name} and the files without a main()."]
    if mains[1:]:
        left_out = some_names([str(f.relative_to(folder)) for f in mains[1:]])
        comments.append(f"Left out, with a main() of their own: {left_out}.")
    plain = Project(
        "path:c++" if chosen.suffix[1:] in CXX else "path:cc",
        (f"{{cc}} {{cflags}} {include} -o {{program}} {names} {{ldflags}} -lm",),
        "program",
        cflags=("-O2", "-g"),
        benchmarks=WHOLE,
        comments=tuple(comments),
        others=tuple(further),
    )
    return replace(
        plain,
        # Each by itself: two folders may have files of one name.
        steps=(
            f"mkdir -p objects && for f in {names}; do "
            f'{{cc}} {{cflags}} {include} -c -o "objects/$(echo $f | tr / _).o" $f || exit; done',
        ),
        cflags=("-O2", "-g", SECTIONS),
        link="{cc} {cflags} -o {program} objects/*.o {layout} {ldflags} -lm",
        as_linked=plain,
    )


def _likeliest(mains: Sequence[Path], folder: Path) -> list[Path]:
    """First a benchmark; or what bears the project's name; or ``main.c``."""
    name = first_group(r"^([a-z]*)", folder.resolve().name.lower())
    return sorted(mains, key=lambda f: (not _measures(f), f.stem != name, f.stem != "main"))


def _measures(file: Path) -> bool:
    """Whether it is a benchmark by its name, or by that of a header that it includes."""
    header = r'(?m)^\s*#\s*include\s*([<"][^>"\n]*bench|"[^"\n]*perf)'
    included = re.search(header, text_of(file))
    return "bench" in file.name or bool(included)


def _make(makefile: Path) -> Project:
    programs = programs_of(makefile)
    if not programs:
        raise UserError(
            "no target names the program that it builds; use --kind cmake, meson, …, or add such a "
            "target",
            where=makefile,
        )
    read = read_makefile(makefile)
    jobs = "" if read.runs_twice else " -j{jobs}"
    # Steps run without network: what make would fetch counts as unchanged.
    kept = "".join(f" -o {name}" for name in read.fetched)
    make = f"make -C {{source}}{jobs}{kept}"
    named = others(list(dict.fromkeys(program for _, program in programs)))
    ways = [_made_by(make, target, program, named) for target, program in programs[:_MOST_PROGRAMS]]
    # Where the first does not build, the next may; where it has no work, the others by themselves.
    first = replace(ways[0], others=tuple(ways[1:]))
    return or_else(first, ways[1]) if ways[1:] else first


#: Programs of a Makefile that are built, at most.
_MOST_PROGRAMS = 4


def _made_by(make: str, target: str, program: str, named: tuple[str, ...]) -> Project:
    """A program by the words that begin with ``make``."""
    flags = 'CFLAGS="{cflags}"'
    replaced = Project(
        "path:cc",
        (f"{make} CC={{cc}} {flags} {target}",),
        f"src/{program}",
        cflags=("-O2", "-g"),
        benchmarks=WHOLE,
        comments=("CFLAGS replace those of the Makefile; leave them out to have its own.", *named),
    )
    again = f'CC="{{cc}} {{layout}}" {target}'
    # A Makefile with CFLAGS += adds to those of the environment; with CFLAGS = it has its own.
    added = replace(
        replaced,
        steps=(f"{flags} {make} CC={{cc}} {target}",),
        comments=(
            "The Makefile sets CFLAGS, or adds to these; it does not build without its own.",
            *named,
        ),
    )
    own = replace(
        replaced,
        steps=(f"{make} {target}",),
        cflags=(),
        comments=("Compiler and flags are those of the Makefile.", *named),
    )
    added = linked_again(added, f"{flags} {make} {again}")
    replaced = linked_again(replaced, f"{make} {flags} {again}")
    return replace(replaced, otherwise=replace(added, otherwise=own))


_MESON_DOCS = re.compile(r"\boption\s*\(\s*'((?:gtk_)?docs?|man(?:pages?)?)'[^)]*?'(bool|feature)")
_OFF = {"bool": "false", "feature": "disabled"}


#: An option that is off unless somebody asks: of a feature the rest is asked about the default.
_MESON_OPTION = re.compile(
    r"\boption\s*\(\s*'([\w.-]+)'\s*,\s*type\s*:\s*'(boolean|feature)'([^)]*)"
)
_MESON_LINE = re.compile(r"^[ \t]*(?:(if|endif)\b(.*)|subdir\s*\(\s*'([\w./-]+)')", re.MULTILINE)
_GOOGLE_BENCHMARK = re.compile(r"(\w+)\s*=\s*dependency\s*\(\s*'benchmark(?:_main)?'")


def _meson_places(text: str, options: str) -> dict[str, str]:
    """The folders that meson.build adds, each with the words that switch on the options, off by
    default, in the conditions around it."""
    off = {
        name: "enabled" if kind == "feature" else "true"
        for name, kind, rest in _MESON_OPTION.findall(options)
        if not re.search(r"value\s*:\s*'enabled'", rest)
        and (kind == "feature" or re.search(r"value\s*:\s*false", rest))
    }
    around, found = list[list[str]](), dict[str, str]()
    for word, condition, place in _MESON_LINE.findall(text):
        if word == "if":
            asked = re.findall(r"get_option\s*\(\s*'([\w.-]+)'", condition)
            around.append([] if "not " in condition else [n for n in asked if n in off])
        elif word:
            around[-1:] = []
        else:
            names = [name for asked in around for name in asked]
            found.setdefault(place, "".join(f" -D{n}={off[n]}" for n in names))
    return found


def meson(folder: Path) -> Project:
    """A program that meson.build adds: one with Google Benchmark, of the project's name or
    installed; no documentation."""
    text = needed(folder / "meson.build")
    project = first_group(r"project\s*\(\s*'([\w.-]+)'", text)
    options = text_of(folder / "meson_options.txt") + text_of(folder / "meson.options")
    places, installed, timed = dict[str, Path](), list[str](), list[str]()
    switches = {"": "", **_meson_places(text, options)}
    for place in switches:
        inner = text_of(folder / place / "meson.build")
        google = _GOOGLE_BENCHMARK.findall(text + inner)
        # A name that goes on behind the quote is made when meson runs.
        for name, rest in re.findall(r"executable\s*\(\s*'([\w.-]+)'\s*(?![\s+/.])([^)]*)", inner):
            places.setdefault(name, Path(place))
            installed += [name] if re.search(r"install\s*:\s*true", rest) else []
            timed += [name] if set(google) & set(re.findall(r"\w+", rest)) else []
    names = wanted_first({n: p / n for n, p in places.items()}, project, installed)
    names.sort(key=lambda name: name not in timed)
    if not names:
        raise UserError("has no executable", where=folder / "meson.build")
    cxx = bool(re.search(r"project\s*\([^()]*'cpp'", text))
    compiler, language = ("CXX", "cpp") if cxx else ("CC", "c")
    in_c = not cxx or re.search(r"project\s*\([^()]*'c'", text)
    flags = " ".join(f'-D{x}_args="{{cflags}}"' for x in ("c", "cpp")[0 if in_c else 1 : 1 + cxx])
    without = [f"-D{o}={_OFF[kind]}" for o, kind in _MESON_DOCS.findall(options)]

    def way(names: list[str], further: Sequence[Project] = ()) -> Project:
        program = places[names[0]] / names[0]
        words = (
            # Layouts move what is in the program, and nothing in a library beside it.
            "--default-library=static",
            "--wrap-mode=nodownload",
            *without,
            *switches["" if places[names[0]] == Path() else str(places[names[0]])].split(),
        )
        make = f"meson compile -C build -j{{jobs}} {program}:executable"
        made = Project(
            "path:c++" if cxx else "path:cc",
            (
                f"{compiler}={{cc}} meson setup --buildtype=release -Ddebug=true "
                f"{' '.join(words)} "
                f"{flags} build {{source}}",
                make,
            ),
            f"build/{program}",
            env=tools("meson", "ninja"),
            benchmarks={} if names[0] in timed else WHOLE,
            runner="google-benchmark" if names[0] in timed else "command",
            comments=others(names),
            others=tuple(further),
        )
        again = f'meson configure build -D{language}_link_args="{{ldflags}} {{layout}}" && {make}'
        return linked_again(made, again)

    further = [way(n) for n in instead_of(names)]
    first = way(names, further)
    return or_else(first, further[0]) if names[0] in timed and further else first
