"""What builds a project of GNU Autotools: the first program that is installed."""

from __future__ import annotations

import re
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.project import WHOLE, Project, others, sources, text_of, tools

_FILES = ("Makefile.am", "*/Makefile.am")
_PROGRAMS = re.compile(r"^[ \t]*(bin|noinst)_PROGRAMS\s*\+?=\s*([^#\n]*)", re.MULTILINE)


def autotools(folder: Path) -> Project:
    """The first of ``bin_PROGRAMS``, or else of ``noinst_PROGRAMS``."""
    made = (folder / "configure").is_file()
    if not made and not (folder / "configure.ac").is_file():
        raise UserError("has no configure and no configure.ac", where=folder)
    found: dict[str, list[str]] = {"bin": [], "noinst": []}
    for file in sources(folder, _FILES):
        for kind, words in _PROGRAMS.findall(text_of(file).replace("\\\n", " ")):
            names = [w for w in words.split() if re.fullmatch(r"[\w./+-]+", w)]
            found[kind] += [str((file.parent / n).relative_to(folder)) for n in names]
    names = found["bin"] or found["noinst"]
    if not names:
        raise UserError("no Makefile.am here names a program (bin_PROGRAMS)", where=folder)
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
            "make -C {source} --silent -j{jobs}",
        ),
        f"src/{names[0]}",
        cflags=("-O2", "-g"),
        env=tools("autoreconf", "make"),
        benchmarks=WHOLE,
        said=others(names),
    )
