"""What a program did while it ran: events, and the functions that they fell on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    """One quantity of one run. ``value`` None means unavailable, and ``note`` says why. ``unit`` is
    ``events`` or what the value is a share of (``per cycle``, ``of branches``); a share is a number
    from 0 to 1. ``tool`` is the program that counted, with its version."""

    name: str
    value: float | None
    unit: str
    source: Source
    tool: str
    note: str = ""


@dataclass(frozen=True)
class FunctionCost:
    """What one function itself cost, without what it called: event → count. ``object`` is the file
    name of the library, empty for the program itself or when the tool does not tell."""

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
    """Everything counted for one program with one set of arguments. ``notes`` say what could not be
    counted and why; ``failed`` that the program or a tool failed."""

    variant: str
    command: tuple[str, ...]
    counters: tuple[Counter, ...]
    profile: Profile | None
    notes: tuple[str, ...] = ()
    failed: bool = False


# Hot functions and their addresses.


@dataclass(frozen=True)
class CodePlace:
    """Where the pieces of one function lie in one build. ``address`` and ``size`` in bytes, of the
    largest piece and of all together; ``section`` is the largest piece's.

    ``lines``, ``pages`` and ``sets`` are how many cache lines, 4-KiB pages and sets of the L1
    instruction cache the code spans. ``crowded`` is how many of its sets cannot hold the lines of
    all hot functions that fall on them.
    """

    address: int
    size: int
    section: str
    lines: int
    pages: int
    sets: int
    crowded: int


@dataclass(frozen=True)
class HotFunction:
    """One function of the source in every build, in their order; None where a build lacks it.

    ``costs`` are in the main event of the profile (instructions or samples), without callees;
    ``shares`` are of the build's whole run, from 0 to 1. ``object`` is a library, empty for the
    program itself. ``misses`` are the branches mispredicted in it; empty where they are not known.
    """

    name: str
    object: str
    costs: tuple[float | None, ...]
    shares: tuple[float | None, ...]
    places: tuple[CodePlace | None, ...]
    misses: tuple[float | None, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """How the hot functions of one build share the L1 instruction cache. ``lines`` and ``pages``
    are what they span together, ``capacity`` the lines that the cache holds. ``fullest`` is the
    largest number of their lines that fall on one set of ``ways``, and ``crowded`` the number of
    ``sets`` with more lines than ways."""

    variant: str
    functions: int
    lines: int
    pages: int
    capacity: int
    ways: int
    sets: int
    fullest: int
    crowded: int


@dataclass(frozen=True)
class Heat:
    """What a profile that was recorded elsewhere says of functions, by their names in the source.
    ``shares`` of the whole run, from 0 to 1, without callees; ``source`` is the profile's name, and
    ``hot`` the share from which on a function counts as hot."""

    source: str
    shares: Mapping[str, float]
    hot: float

    def of(self, name: str) -> float:
        """The share of a function, 0 where the profile has none of it."""
        return self.shares.get(name, 0.0)

    def is_hot(self, name: str) -> bool:
        """Whether it is worth looking at."""
        return self.of(name) >= self.hot


# Counters and hot functions of all builds on one benchmark.


@dataclass(frozen=True)
class Counted:
    """One benchmark, counted in every build apart from the timed runs.

    ``work`` says what was counted, the same for all; ``loops`` how many loops that was by each
    source, nothing where it was run whole. ``counts`` has one entry a build, without its profile.
    ``hot`` compares the functions of the builds named in ``profiled``, in that order;
    their profiles are of ``event`` (instructions or samples), of that ``source`` and made by
    ``tool``. ``overlaps`` say how these functions share the instruction cache.
    """

    benchmark: str
    work: str
    counts: tuple[Counts, ...]
    profiled: tuple[str, ...] = ()
    event: str = ""
    source: Source = "simulated"
    tool: str = ""
    hot: tuple[HotFunction, ...] = ()
    overlaps: tuple[Overlap, ...] = ()
    loops: Mapping[Source, int] = field(default_factory=dict)

    def instructions_a_loop(self, variant: str) -> tuple[float, Source] | None:
        """What that build executes in a loop, measured where the processor counts; None where it
        was run whole, or not counted."""
        counted = {
            counter.source: counter.value
            for counts in self.counts
            for counter in counts.counters
            if counts.variant == variant and counter.name == "instructions"
        }
        for source in SOURCES:
            value, loops = counted.get(source), self.loops.get(source)
            if value is not None and loops:
                return value / loops, source
        return None


@dataclass(frozen=True)
class ChangedFunctions:
    """What a range of commits has to do with the hot functions of a build.

    ``statement`` is the fact in words. ``hot`` are the hot functions that it touches, ``functions``
    all that it touches (``name (file)``); ``outside``, ``not_compiled`` and ``other`` as in
    :class:`whyfast.explain.source_lines.TouchedFunctions`. ``variant`` is the build whose
    debug information tells.
    """

    base: str
    head: str
    variant: str
    statement: str
    hot: tuple[str, ...]
    functions: tuple[str, ...]
    outside: tuple[str, ...] = ()
    not_compiled: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
