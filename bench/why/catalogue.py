"""The pairs of programs whose difference has a known cause, as ``pairs.toml`` has them.

Of each ``[[pair]]``:

- ``kind``: ``one`` cause, ``two`` of similar size, or ``equal`` programs.
- ``requires``: the tools without which it is left out.
- ``sources``: files of the folder ``programs``.
- ``build_fast``, ``build_slow``: shell commands, none for a script. ``run_fast``, ``run_slow``:
  what is compared. In all four, ``{src}`` is the folder of sources, ``{dir}`` a folder of this side
  alone, ``{out}`` and ``{program}`` the program in it, and ``{python}`` the Python of the bench.
- ``causes``: the right answers, the first of them the true one, the others descriptions of the same
  thing that are as right. ``causes2``: those of the second cause of a pair of kind ``two``.
- ``where``: the function or system call that an answer should name, or nothing.
- ``check``: how the cause was found to be the cause without whyfast.
- ``expected``: the cause in a sentence. ``pattern``, ``pattern2``: regular expressions, without
  regard to case, that the sentence of a right cause matches; it is then right by any key.
- ``tempting``: a cause that one could believe in, and that is wrong.

The pairs of ``heldout.toml`` and of ``blind.toml`` to ``blind10.toml`` have one file each, in the
folder of that name, and ``fast`` and ``slow``: flags of the compiler, or else marks,
``A|B``. Lines that end in a mark (``//A``, ``#A``) are those of the side that has it alone, lines
that end in ``//-A`` those of the other.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Kind = Literal["one", "two", "equal"]
Side = Literal["fast", "slow"]

FOLDER = Path(__file__).parent

#: What must be found of a tool whose name is not that of its program.
_PROGRAMS = {"java": ("java", "javac"), "python": ()}


@dataclass(frozen=True)
class Pair:
    """One row of the catalogue."""

    name: str
    kind: Kind
    requires: tuple[str, ...]
    sources: tuple[str, ...]
    build_fast: str
    build_slow: str
    run_fast: str
    run_slow: str
    causes: tuple[str, ...]
    causes2: tuple[str, ...] = ()
    where: str = ""
    check: str = ""
    expected: str = ""
    pattern: str = ""
    pattern2: str = ""
    tempting: str = ""

    def build(self, side: Side) -> str:
        return self.build_fast if side == "fast" else self.build_slow

    def run(self, side: Side) -> str:
        return self.run_fast if side == "fast" else self.run_slow

    @property
    def missing(self) -> tuple[str, ...]:
        """The tools that this machine does not have."""
        return tuple(
            tool
            for tool in self.requires
            if not all(shutil.which(name) for name in _PROGRAMS.get(tool, (tool,)))
        )


#: How a program of one file is built and run, by its ending: the tool it needs, and both.
_DEFAULTS = {
    ".c": ("gcc", "gcc -O2 -g {flags} {source} -o {out} -pthread -lm", "{program}"),
    ".cpp": ("g++", "g++ -std=c++17 -O2 -g {flags} {source} -o {out} -pthread", "{program}"),
    ".rs": ("rustc", "{marked}.rs && rustc -O -g {flags} {dir}/main.rs -o {out}", "{program}"),
    ".go": ("go", "{marked}.go && go build {flags} -o {out} {dir}/main.go", "{program}"),
    ".py": ("python", "{marked}.py", "{python} {dir}/main.py"),
    ".js": ("node", "{marked}.js", "node {dir}/main.js"),
}


def catalogue(file: Path = FOLDER / "pairs.toml") -> tuple[Pair, ...]:
    """All pairs, in the order of the file."""
    with file.open("rb") as text:
        rows = tomllib.load(text)["pair"]
    return tuple(
        Pair(**_listless(_whole(row, file.stem) if "source" in row else row)) for row in rows
    )


def _whole(row: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """A row of a program of one file, in that folder, with all keys of a pair."""
    source = row["source"]
    tool, build, run = _DEFAULTS[Path(source).suffix]
    builds = {}
    for side in ("fast", "slow"):
        given = row.get(side, "")
        flags, marks = (given, "") if given.startswith("-") else ("", given)
        script = r"/(\/\/|#)[A-Z0-9]+$/d; s/ *(\/\/|#)-[A-Z0-9]+$//"
        if marks:
            drop = rf"/(\/\/|#)-({marks})$/d; s/ *(\/\/|#)({marks})$//"
            script = f"{drop}; {script}"
        places = {
            "marked": f"sed -E '{script}' {{src}}/{source} > {{dir}}/main",
            "flags": flags,
            "source": f"{{src}}/{source}",
        }
        builds[f"build_{side}"] = filled(build, places)
    kept = {k: v for k, v in row.items() if k not in ("source", "fast", "slow")}
    return {
        "kind": "one",
        "requires": [tool],
        "sources": [f"../{folder}/{source}"],
        "run_fast": run,
        "run_slow": run,
        **builds,
        **kept,
    }


def _listless(row: Mapping[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}


def chosen(pairs: Sequence[Pair], names: Sequence[str], kinds: Sequence[str]) -> Iterator[Pair]:
    """Those whose name begins with one of ``names`` and whose kind is asked for; all by default."""
    for pair in pairs:
        named = not names or any(pair.name.startswith(name) for name in names)
        if named and (not kinds or pair.kind in kinds):
            yield pair


def filled(template: str, places: Mapping[str, str]) -> str:
    """The template with each ``{name}`` of ``places`` replaced; other braces stay."""
    for name, value in places.items():
        template = template.replace("{" + name + "}", value)
    return template
