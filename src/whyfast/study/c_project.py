"""What builds a project of C: a Makefile that makes one program, or the C files themselves."""

from __future__ import annotations

import re
from pathlib import Path

from whyfast.model.errors import UserError
from whyfast.study.project import WHOLE, Project, shell_word, sources, text_of


def c(folder: Path) -> Project:
    """A Makefile that makes one program, or the C files themselves."""
    makefile = next((f for n in ("Makefile", "makefile") if (f := folder / n).is_file()), None)
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
    chosen = next((f for f in mains if "bench" in f.name), mains[0])
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


def _make(makefile: Path) -> Project:
    text = text_of(makefile)
    variables = dict(re.findall(r"^(\w+)\s*[:?]?=\s*(.*?)\s*$", text, re.MULTILINE))
    first = re.search(r"^all\s*:(?!=)\s*([^\s#]+)", text, re.MULTILINE)
    target = first[1] if first else ""
    if not target:
        own = re.findall(r"^([\w./-]+|\$[({]\w+[)}])\s*:(?!=)", text, re.MULTILINE)
        target = next((t for t in own if not t.startswith(".")), "")
    if match := re.fullmatch(r"\$[({](\w+)[)}]", target):
        target = variables.get(match[1], "").split(" ")[0]
    if not re.fullmatch(r"[\w./-]+", target):
        raise UserError(
            "what program it makes cannot be told; write one with --kind cmake, meson, …, or a "
            "Makefile whose target all has the program first",
            where=makefile,
        )
    return Project(
        "path:cc",
        (f'make -C {{source}} -j{{jobs}} CC={{cc}} CFLAGS="{{cflags}}" {target}',),
        f"src/{target}",
        cflags=("-O2", "-g"),
        benchmarks=WHOLE,
        said=("CFLAGS replace those of the Makefile; leave them out to have its own.",),
    )
