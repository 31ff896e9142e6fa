"""What builds a project with a configure script: the first program that is installed, or made."""

from __future__ import annotations

import re
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.makefile import program_of
from whyfast.study.project import WHOLE, Project, others, sources, text_of, tools

_FILES = ("Makefile.am", "*/Makefile.am")
_PROGRAMS = re.compile(r"^[ \t]*(bin|noinst)_PROGRAMS\s*\+?=\s*([^#\n]*)", re.MULTILINE)


def autotools(folder: Path) -> Project:
    """The first of ``bin_PROGRAMS``, or else of ``noinst_PROGRAMS``; without Automake what the
    ``Makefile.in`` makes."""
    made = (folder / "configure").is_file()
    if not made and not (folder / "configure.ac").is_file():
        raise UserError("has no configure and no configure.ac", where=folder)
    found: dict[str, list[str]] = {"bin": [], "noinst": []}
    for file in sources(folder, _FILES):
        for kind, words in _PROGRAMS.findall(text_of(file).replace("\\\n", " ")):
            names = [w for w in words.split() if re.fullmatch(r"[\w./+-]+", w)]
            found[kind] += [str((file.parent / n).relative_to(folder)) for n in names]
    names, target = found["bin"] or found["noinst"], ""
    if not names and (by_hand := program_of(folder / "Makefile.in")):
        target, names = f" {by_hand[0]}", [by_hand[1]]
    if not names:
        raise UserError(
            "no Makefile.am here names a program (bin_PROGRAMS), and no Makefile.in makes one",
            where=folder,
        )
    cxx = bool(sources(folder, ("*.cc", "*.cpp", "*/*.cc", "*/*.cpp")))
    compiler, flags = ("CXX", "CXXFLAGS") if cxx else ("CC", "CFLAGS")
    # One that came with the source has the same date as the rest, so it is not made again.
    generate = () if made else ("cd {source} && autoreconf -fi",)
    return Project(
        "path:c++" if cxx else "path:cc",
        (
            *generate,
            f"cd {{source}} && ./configure --quiet {compiler}={{cc}} "
            f'{flags}="{{cflags}}" LDFLAGS="{{ldflags}}"',
            f"make -C {{source}} --silent -j{{jobs}}{target}",
        ),
        f"src/{names[0]}",
        cflags=("-O2", "-g"),
        env=tools("autoreconf", "make"),
        benchmarks=WHOLE,
        said=others(names),
    )
