"""What each compile of a build read, by the compiler's own word: with it a build can go on from
the last one and still compile again all that reads a changed file, whatever its makefiles know of
headers.

gcc finds its compilers proper by a variable, where it is set; there lie scripts that have them note
the files that they read (``-MD``). clang is one program and notes nothing here.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.build.recipe import Recipe

#: The variable of gcc.
FOUND_BY = "COMPILER_PATH"

#: Not where the compiler is told to write such a list itself, or reads what is preprocessed. With
#: the variable DEPENDENCIES_OUTPUT, gcc would only warn of a header that is not there. Numbers of
#: processes begin anew in each sandbox.
_SCRIPT = """\
#!/bin/sh
for word; do
    case $word in -M* | -fpreprocessed | --*) exec {real} "$@" ;; esac
done
note={notes}/$$
while [ -e "$note.in" ]; do note=$note+; done
echo "$PWD" > "$note.in"
exec {real} "$@" -MD "$note.d"
"""


@dataclass(frozen=True)
class Compiles:
    """``reads`` are the files that the compiles of a file read, by its name in the folder of the
    build, those outside of it left out; ``times`` is how many compiles of it there were."""

    reads: dict[str, list[str]] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)

    def of(self, names: Iterable[str]) -> set[str]:
        """What is compiled that reads one of the files ``names``."""
        wanted = set(names)
        return {name for name, read in self.reads.items() if not wanted.isdisjoint(read)}

    def after(self, later: Compiles) -> Compiles:
        """With what was compiled ``later`` in place of the same before."""
        times = {n: max(count, later.times.get(n, 0)) for n, count in self.times.items()}
        return Compiles({**self.reads, **later.reads}, {**later.times, **times})


def noting(recipe: Recipe, folder: Path) -> Recipe:
    """The recipe whose compiler notes what it reads below ``folder``, that of the build; as it is
    for other compilers than gcc's."""
    toolchain = recipe.toolchain
    if toolchain.language not in ("c", "c++") or toolchain.root or FOUND_BY in recipe.env:
        return recipe
    notes, scripts = folder / "tmp" / "compiled", folder / "compilers"
    for place in (notes, scripts):
        place.mkdir(parents=True, exist_ok=True)
    for file in notes.iterdir():
        file.unlink()
    for name in ("cc1", "cc1plus"):
        asked = [toolchain.cc[0], f"-print-prog-name={name}"]
        real = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        if os.path.isabs(real):
            words = {"real": shlex.quote(real), "notes": shlex.quote(str(notes))}
            (scripts / name).write_text(_SCRIPT.format(**words), encoding="utf-8")
            (scripts / name).chmod(0o755)
    return replace(recipe, env={**recipe.env, FOUND_BY: str(scripts)})


def noted(folder: Path) -> Compiles:
    """What was noted since. Names are relative to ``work`` of the folder; files elsewhere are left
    out, and what was compiled and is gone, as the tests of configure are."""
    work = folder / "work"
    reads: dict[str, list[str]] = {}
    times: Counter[str] = Counter()
    for file in sorted((folder / "tmp" / "compiled").glob("*.d")):
        here = Path(file.with_suffix(".in").read_text().rstrip("\n"))
        for rule in file.read_text(errors="replace").replace("\\\n", " ").splitlines():
            names = _inside(rule.partition(": ")[2].split(), here, work)
            if names and (work / names[0]).is_file():
                reads[names[0]] = sorted({*reads.get(names[0], ()), *names})
                times[names[0]] += 1
    return Compiles(reads, dict(times))


def _inside(words: Sequence[str], here: Path, work: Path) -> list[str]:
    paths = (os.path.normpath(here / word) for word in words)
    return [os.path.relpath(p, work) for p in paths if p.startswith(f"{work}/")]
