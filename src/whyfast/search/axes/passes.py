"""The passes that an optimiser runs over one source file, up to a limit: ``-opt-bisect-limit``."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate

#: ``BISECT: running pass (12) GVNPass on f``, of LLVM 3.9 and later.
_LINE = re.compile(r"BISECT: (?:NOT )?running pass \((\d+)\) (.*)")
#: What passes run on, at the end of a line: ``on f``, ``on function (f)``, ``on (f, g)``,
#: ``on loop %a in function f``.
_ON = re.compile(r"\bon (.*)$")


@dataclass(frozen=True)
class PassRun:
    """All passes over one source file in the order in which they ran; the first is pass 1."""

    titles: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """Words that may be names of functions."""
        found = (_ON.search(t) for t in self.titles)
        return frozenset(w for m in found if m for w in re.findall(r"[\w.$]+", m[1]))


def limited(variant: Variant, limit: int) -> Variant:
    """The variant compiled with the first ``limit`` passes alone, with all of them for -1; those
    that a program cannot do without run in any case."""
    flag = ("-mllvm", f"-opt-bisect-limit={limit}")
    return replace(variant, cflags=(*variant.cflags, *flag), expect={}, axes={})


def read_passes(log: str) -> tuple[PassRun, ...]:
    """From what the compiler printed, an entry a source file, in order. Files that were compiled at
    the same time come out as more than there are, with gaps; those are left out."""
    runs: list[list[str]] = []
    for line in log.splitlines():
        if not (match := _LINE.search(line)):
            continue
        number, title = int(match[1]), match[2].strip()
        if number == 1:
            runs.append([])
        fitting = [r for r in reversed(runs) if len(r) == number - 1]
        if fitting:
            fitting[0].append(title)
    return tuple(PassRun(tuple(r)) for r in runs)


def run_of(runs: Sequence[PassRun], functions: frozenset[str]) -> PassRun:
    """The passes over the source file of an object that has these functions."""
    return max(runs, key=lambda run: (len(run.names & functions), -len(run.names)))


def functions_of(file: Path) -> frozenset[str]:
    """The functions of an object; none of a file that is no ELF. OSError."""
    try:
        elf = ELFFile(io.BytesIO(file.read_bytes()))
        tables = [s for s in elf.iter_sections() if isinstance(s, SymbolTableSection)]
    except (ELFError, ValueError):
        return frozenset()
    return frozenset(
        s.name for t in tables for s in t.iter_symbols() if s["st_info"]["type"] == "STT_FUNC"
    )


def passes(run: PassRun, good: str, bad: str, variant: Variant) -> tuple[AxisCandidate, ...]:
    """A candidate a limit, from the good one to the bad one, which may be the lower one.

    An end is a number of passes, or ``all``. UserError for other ends.
    """
    first, last = (_limit(run, text, f"--{w}") for w, text in (("good", good), ("bad", bad)))
    if first == last:
        raise UserError(f"both ends are {first} passes", where="--bad")
    step = 1 if first < last else -1
    return tuple(
        AxisCandidate(str(limit), _title(run, limit, step), limited(variant, limit))
        for limit in range(first, last + step, step)
    )


def _title(run: PassRun, limit: int, step: int) -> str:
    """What a candidate has that the one before it has not, or lacks."""
    number = limit if step > 0 else limit + 1
    if not 1 <= number <= len(run.titles):
        return f"all {limit} passes" if limit else "no pass that can be left out"
    return f"pass {number}, {run.titles[number - 1]}" + ("" if step > 0 else ", left out")


def _limit(run: PassRun, text: str, where: str) -> int:
    most = len(run.titles)
    if text == "all":
        return most
    if not text.isdigit() or int(text) > most:
        raise UserError(
            f"{text!r} is neither a number of passes, 0 to {most}, nor all", where=where
        )
    return int(text)
