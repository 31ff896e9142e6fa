"""What gcc's passes did with one source file, up to a limit: its debug counters, ``-fdbg-cnt``."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: A line of the table that gcc prints when it has compiled a file: ``dce  12  unset``.
_COUNTER = re.compile(r"^\s+(?P<name>[a-z]\w*)\s+(?P<count>\d+)\s+(?:unset|[\[{].*)$")
#: The head of that table.
_HEAD = re.compile(r"^\s+counter name\s+counter value\b")

#: With it, gcc prints the table.
LIST = ("-fdbg-cnt-list",)


@dataclass(frozen=True)
class CounterRun:
    """The counters that counted anything, with how often, in gcc's order.

    As one line of decisions: those of the first counter from its first on, then those of the next.
    What passes do is limited to a beginning of it.
    """

    counters: tuple[tuple[str, int], ...]

    @property
    def most(self) -> int:
        """All decisions."""
        return sum(count for _, count in self.counters)

    @property
    def names(self) -> frozenset[str]:
        """The table names no functions."""
        return frozenset()

    def flags(self, limit: int) -> tuple[str, ...]:
        """Those that let the first ``limit`` decisions happen and no other; a counter that is
        within is left alone, as the others may make it count further."""
        held = []
        for name, count in self.counters:
            if limit < count:
                held.append(f"{name}:{max(limit, 0)}")
            limit -= count
        return (f"-fdbg-cnt={','.join(held)}",) if held else ()

    def title(self, number: int) -> str:
        """Of one decision, counted from 1."""
        for name, count in self.counters:
            if number <= count:
                return f"{name} {number} of {count}"
            number -= count
        raise ValueError(f"there are {self.most} decisions")

    def limit(self, text: str) -> int | None:
        """``NAME:N``, the first N of that counter and all of those before it; ``NAME:all``."""
        wanted, _, number = text.partition(":")
        before = 0
        for name, count in self.counters:
            if name == wanted:
                own = str(count) if number == "all" else number
                return before + int(own) if own.isdigit() and int(own) <= count else None
            before += count
        return None

    @property
    def ends(self) -> str:
        """What an end may be, for a message."""
        counted = ", ".join(f"{name} (to {count})" for name, count in self.counters)
        return f"a number of decisions, 0 to {self.most}, nor COUNTER:N, of {counted}; nor all"


def read_counters(log: str) -> tuple[CounterRun, ...]:
    """From what gcc printed, an entry a source file for which any counter counted, in order."""
    runs: list[list[tuple[str, int]]] = []
    for line in log.splitlines():
        if _HEAD.match(line):
            runs.append([])
        elif runs and (match := _COUNTER.match(line)) and int(match["count"]):
            runs[-1].append((match["name"], int(match["count"])))
    return tuple(CounterRun(tuple(run)) for run in runs if run)
