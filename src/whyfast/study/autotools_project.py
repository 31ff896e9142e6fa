"""What builds a project with a configure script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.makefile import programs_of, read_makefile
from whyfast.study.project import (
    WHOLE,
    Project,
    instead_of,
    linked_again,
    others,
    sources,
    text_of,
    tools,
)

_FILES = ("Makefile.am", "*/Makefile.am", "*/*/Makefile.am")
_PROGRAMS = re.compile(r"^[ \t]*(bin|noinst|check)_PROGRAMS[ \t]*\+?=([^#\n]*)", re.MULTILINE)


#: Options of configure that leave out what no benchmark runs.
_ASIDE = re.compile(r"AC_ARG_ENABLE\(\s*\[?(docs?|documentation|man(?:pages?)?|test-\w+)\b[\],]")


def autotools(folder: Path) -> Project:
    """The first of ``bin_PROGRAMS``, or else of ``noinst_PROGRAMS``; without Automake what the
    ``Makefile.in`` makes, or another template of the Makefile: all of it, as a program may load
    what else is made, or else the program alone; at last the first of ``check_PROGRAMS``."""
    generated = (folder / "configure").is_file()
    if not generated and not (folder / "configure.ac").is_file():
        raise UserError("has no configure and no configure.ac", where=folder)
    programs: dict[str, list[str]] = {"bin": [], "noinst": [], "check": []}
    for file in sources(folder, _FILES):
        for kind, words in _PROGRAMS.findall(text_of(file).replace("\\\n", " ")):
            said = read_makefile(file).expand(words) if kind == "check" else words
            names = [w for w in said.split() if re.fullmatch(r"[\w./+-]+", w)]
            programs[kind] += [str((file.parent / n).relative_to(folder)) for n in names]
    names, alone = programs["bin"] or programs["noinst"], ""
    for template in () if names else sources(folder, ("Makefile.in", "Makefile.*.in")):
        if not names and (by_hand := programs_of(template)):
            alone, names = f" {by_hand[0][0]}", [by_hand[0][1]]
    tests = () if names else programs["check"]  # which only a target by their names makes
    names = names or [*tests]
    if not names:
        raise UserError(
            "no Makefile.am here names a program (bin_PROGRAMS), and no Makefile.in makes one",
            where=folder,
        )
    in_c, in_cxx = (
        len(sources(folder, tuple(f"{place}*.{end}" for place in ("", "*/") for end in ends)))
        for ends in (("c",), ("cc", "cpp", "cxx"))
    )
    cxx = in_cxx > in_c
    compiler, flags = ("CXX", "CXXFLAGS") if cxx else ("CC", "CFLAGS")
    # One that came with the source has the same date as the rest, so it is not made again.
    generate = () if generated else ("cd {source} && autoreconf -fi",)
    # With its shared libraries, libtool makes a shell script in the program's place.
    asked = text_of(folder / "configure.ac") + text_of(folder / "configure")
    without = [f" --disable-{name}" for name in dict.fromkeys(_ASIDE.findall(asked))]
    if re.search(r"LT_INIT|PROG_LIBTOOL|--enable-shared", asked):
        without.append(" --disable-shared")

    def way(names: list[str], further: Sequence[Project] = (), target: str = "") -> Project:
        make = f"make -C {{source}} --silent -j{{jobs}}{target}"
        place = Path(names[0])
        inner = f"make -C {{source}}/{place.parent} --silent -j{{jobs}} {place.name}"
        project = Project(
            "path:c++" if cxx else "path:cc",
            (
                *generate,
                f"cd {{source}} && ./configure --quiet{''.join(without)} {compiler}={{cc}} "
                f'{flags}="{{cflags}}" LDFLAGS="{{ldflags}}"',
                *((make, inner) if tests else (make,)),
            ),
            f"src/{names[0]}",
            cflags=("-O2", "-g"),
            env=tools("autoreconf", "make"),
            benchmarks=WHOLE,
            comments=others(names),
            others=tuple(further),
        )
        return linked_again(project, f'{inner if tests else make} LDFLAGS="{{ldflags}} {{layout}}"')

    found = way(names, [way(n) for n in instead_of(names)])
    return replace(found, otherwise=way(names, target=alone)) if alone else found
