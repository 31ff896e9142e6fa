"""The two sets of programs: those that the interpreter is tuned on, and those held out."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUBJECT = ROOT / "subjects" / "ebpf-vm"
#: The sets, in the order of the tables.
FOLDERS = {
    "tuning": SUBJECT / "programs",
    "held-out": SUBJECT / "programs" / "held-out",
}


@dataclass(frozen=True)
class Program:
    """A program in bytecode and in C; ``memory`` in bytes, ``result`` as a turn answers it."""

    name: str
    kind: str
    memory: int
    result: str

    @property
    def bytecode(self) -> Path:
        return FOLDERS[self.kind] / f"{self.name}.hex"

    @property
    def source(self) -> Path:
        return FOLDERS[self.kind] / f"{self.name}.c"


def programs(kind: str) -> list[Program]:
    """Those of one set, by name, without those that call programs: not everybody has tail calls."""
    found = []
    expected = tomllib.loads((FOLDERS[kind] / "expected.toml").read_text())
    for name, entry in sorted(expected.items()):
        arguments: list[str] = entry["args"]
        if "--prog-array" not in arguments:
            size = arguments[arguments.index("--mem-size") + 1] if "--mem-size" in arguments else 0
            found.append(Program(name, kind, int(size), entry["result"]))
    return found
