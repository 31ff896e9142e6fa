"""The passes that LLVM runs over one source file, up to a limit: ``-opt-bisect-limit``; and the
candidates of a search that have a beginning of what an optimiser does."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

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


#: With it, LLVM prints its passes, and runs all of them.
LIST = ("-mllvm", "-opt-bisect-limit=-1")


class OptimiserRun(Protocol):
    """What an optimiser did with one source file, in the order in which it can be limited."""

    @property
    def most(self) -> int:
        """How much that was."""

    @property
    def names(self) -> frozenset[str]:
        """Words that may be names of functions."""

    def flags(self, limit: int) -> tuple[str, ...]:
        """Those of a compiler that does the first ``limit`` of it alone."""

    def title(self, number: int) -> str:
        """Of one of it, counted from 1."""

    def limit(self, text: str) -> int | None:
        """A limit of a name of its own; None for any other text."""

    @property
    def ends(self) -> str:
        """What an end may be, for a message."""


@dataclass(frozen=True)
class PassRun:
    """All passes over one source file in the order in which they ran; the first is pass 1."""

    titles: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """Words that may be names of functions."""
        found = (_ON.search(t) for t in self.titles)
        return frozenset(w for m in found if m for w in re.findall(r"[\w.$]+", m[1]))

    @property
    def most(self) -> int:
        """The number of passes."""
        return len(self.titles)

    def flags(self, limit: int) -> tuple[str, ...]:
        """Those that a program cannot do without run in any case."""
        return ("-mllvm", f"-opt-bisect-limit={limit}")

    def title(self, number: int) -> str:
        """As LLVM calls it."""
        return f"pass {number}, {self.titles[number - 1]}"

    def limit(self, text: str) -> int | None:
        """Passes have no limits of other names."""
        return None

    @property
    def ends(self) -> str:
        """What an end may be, for a message."""
        return f"a number of passes, 0 to {self.most}, nor all"


def limited(variant: Variant, flags: Sequence[str]) -> Variant:
    """The variant with those flags that limit its compiler."""
    return replace(variant, cflags=(*variant.cflags, *flags), expect={}, axes={})


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


def run_of(runs: Sequence[OptimiserRun], functions: frozenset[str]) -> OptimiserRun:
    """What was done with the source file of an object that has these functions."""
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


def passes(run: OptimiserRun, good: str, bad: str, variant: Variant) -> tuple[AxisCandidate, ...]:
    """A candidate a limit, from the good one to the bad one, which may be the lower one.

    An end is a number, ``all``, or a name of the run's own. UserError for other ends.
    """
    first, last = (_limit(run, text, f"--{w}") for w, text in (("good", good), ("bad", bad)))
    if first == last:
        raise UserError(f"both ends are the first {first}", where="--bad")
    step = 1 if first < last else -1
    return tuple(
        AxisCandidate(str(limit), _title(run, limit, step), limited(variant, run.flags(limit)))
        for limit in range(first, last + step, step)
    )


def _title(run: OptimiserRun, limit: int, step: int) -> str:
    """What a candidate has that the one before it has not, or lacks."""
    number = limit if step > 0 else limit + 1
    if not 1 <= number <= run.most:
        return f"all {limit}" if limit else "nothing that can be left out"
    return run.title(number) + ("" if step > 0 else ", left out")


def _limit(run: OptimiserRun, text: str, where: str) -> int:
    if text == "all":
        return run.most
    named = run.limit(text)
    if named is None and not (text.isdigit() and int(text) <= run.most):
        raise UserError(f"{text!r} is neither {run.ends}", where=where)
    return int(text) if named is None else named
