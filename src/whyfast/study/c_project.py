"""What builds a project of C: a Makefile that makes one program, or the C files themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.makefile import makefile_in, program_of, read_makefile
from whyfast.study.project import WHOLE, Project, shell_word, sources, text_of


def c(folder: Path) -> Project:
    """A Makefile that makes one program, or the C files themselves."""
    makefile = makefile_in(folder)
    files = sources(folder, ("*.c", "src/*.c"))
    if makefile is not None:
        if not files and not re.search(
            r"\$[({]CC[)}]|\b(gcc|cc|clang)\b|\.[co]\b", text_of(makefile)
        ):
            raise UserError("compiles no C", where=makefile)
        return _make(makefile)
    mains = [f for f in files if re.search(r"\bmain\s*\(", text_of(f))]
    if not mains:
        raise UserError("no C file here has a main(), so there is no program", where=folder)
    chosen = _likeliest(mains, folder)
    linked = [f for f in files if f == chosen or f not in mains]
    names = " ".join("{source}/" + shell_word(f.relative_to(folder)) for f in linked)
    include = "-I{source} -I{source}/include" if (folder / "include").is_dir() else "-I{source}"
    others = [str(f.relative_to(folder)) for f in mains if f != chosen]
    said = [f"The program is made of {chosen.name} and the files without a main()."]
    if others:
        said.append(f"Others with a main(), which are left out: {', '.join(others)}.")
    return Project(
        "path:cc",
        (f"{{cc}} {{cflags}} {include} -o {{program}} {names} {{ldflags}} -lm",),
        "program",
        cflags=("-O2", "-g"),
        benchmarks=WHOLE,
        said=tuple(said),
    )


def _likeliest(mains: Sequence[Path], folder: Path) -> Path:
    """A benchmark; or what bears the project's name; or ``main.c``."""
    own = re.match(r"[a-z]*", folder.resolve().name.lower())
    for wanted in ("main", own.group() if own else ""):
        named = [f for f in mains if f.stem == wanted]
        mains = [*named, *(f for f in mains if f not in named)]
    return next((f for f in mains if "bench" in f.name), mains[0])


def _make(makefile: Path) -> Project:
    found = program_of(makefile)
    if found is None:
        raise UserError(
            "what program it makes cannot be told: no target names the file that it makes; write "
            "one with --kind cmake, meson, …, or one with a target for the program",
            where=makefile,
        )
    target, program = found
    jobs = "" if read_makefile(makefile).runs_twice else " -j{jobs}"
    return Project(
        "path:cc",
        (f'make -C {{source}}{jobs} CC={{cc}} CFLAGS="{{cflags}}" {target}',),
        f"src/{program}",
        cflags=("-O2", "-g"),
        benchmarks=WHOLE,
        said=("CFLAGS replace those of the Makefile; leave them out to have its own.",),
    )
