"""What a program did while it ran: events, and the functions that they fell on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

#: ``measured`` by the hardware, with its noise; ``simulated`` by a model of a processor that may
#: predict branches and replace cache lines otherwise than this machine's does.
Source = Literal["measured", "simulated"]

#: The sources, that of more weight first.
SOURCES: tuple[Source, ...] = ("measured", "simulated")

#: Every quantity by the name that reports and studies call it by: what the hardware counts, what a
#: simulation does, and shares.
MEASURED = (
    *("instructions", "cycles", "branches", "branch-misses"),
    *("stalled-cycles-frontend", "stalled-cycles-backend"),
    *("L1-icache-loads", "L1-icache-load-misses", "iTLB-loads", "iTLB-load-misses"),
    *("instructions per cycle", "branch miss rate", "front end stalled", "back end stalled"),
    *("L1i miss rate", "iTLB miss rate"),
)
SIMULATED = (
    *("instructions", "branches", "branch-misses", "indirect branches", "indirect branch misses"),
    *("L1i misses", "last-level instruction misses"),
    *("L1d accesses", "L1d misses", "last-level data misses"),
    *("branch miss rate", "indirect branch miss rate", "L1i miss rate", "L1d miss rate"),
)


@dataclass(frozen=True)
class Counter:
    """One quantity of one run. ``value`` None means unavailable, and ``note`` says why.

    ``unit`` is ``events`` or what the value is a share of (``per cycle``, ``of branches``); a share
    is a number from 0 to 1. ``tool`` is the program that counted, with its version.
    """

    name: str
    value: float | None
    unit: str
    source: Source
    tool: str
    note: str = ""


@dataclass(frozen=True)
class FunctionCost:
    """What one function itself cost, without what it called: event → count.

    ``object`` is the file name of the library, empty for the program itself or when the tool does
    not tell.
    """

    name: str
    object: str
    costs: Mapping[str, float]


@dataclass(frozen=True)
class Profile:
    """One run, function by function. ``events`` are those that the tool counted, the main one
    first; ``totals`` are their sums as the tool states them, over the whole program."""

    tool: str
    source: Source
    events: tuple[str, ...]
    functions: tuple[FunctionCost, ...]
    totals: Mapping[str, float]
    notes: tuple[str, ...] = ()

    @property
    def main(self) -> str:
        """The event that shares are of: instructions, or samples of time."""
        return self.events[0]


@dataclass(frozen=True)
class Counts:
    """Everything counted for one program with one set of arguments.

    ``notes`` say what could not be counted and why; ``failed`` that the program or a tool failed.
    """

    variant: str
    command: tuple[str, ...]
    counters: tuple[Counter, ...]
    profile: Profile | None
    notes: tuple[str, ...] = ()
    failed: bool = False
