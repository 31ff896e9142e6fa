"""Why one side is slower: an account of a difference in time, part by part.

The design is docs/account.md. Times are seconds of one run; ``fast`` and ``slow`` name the sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

#: What a number or a reason rests on: time or counters of runs; an exact count of a simulation or
#: tracer; machine code, a compiler's record or settings; or nothing but agreement with the facts.
Basis = Literal["measured", "counted", "read", "suggested"]

#: The parts that wall time is the sum of. ``start-up`` is what happens before ``main``.
Part = Literal["user", "kernel", "waiting"]
PARTS: tuple[Part, ...] = ("user", "kernel", "waiting")


@dataclass(frozen=True)
class Change:
    """A time on both sides, and the interval of the difference ``slow − fast``, all in seconds.
    ``low`` and ``high`` bound the difference with 95 % confidence; both are infinite where one run
    of each side is all there is."""

    fast: float
    slow: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        return self.slow - self.fast


@dataclass(frozen=True)
class Fact:
    """One quantity of an item on both sides, such as ``bytes per vector instruction``. ``unit`` is
    for numbers; ``text`` replaces them where the fact is not a number."""

    name: str
    fast: float | None = None
    slow: float | None = None
    unit: str = ""
    basis: Basis = "counted"
    tool: str = ""
    text: str = ""


@dataclass(frozen=True)
class SourcePlace:
    """Where in the source: any of it may be unknown (empty, 0)."""

    function: str = ""
    file: str = ""
    line: int = 0
    library: str = ""


@dataclass(frozen=True)
class Item:
    """A part of the difference with its seconds: a function, a system call, page faults, a wait.
    ``name`` is unique within its ``part``. ``share`` is of the whole difference, from 0 to 1 (more
    than 1 where other items go the other way)."""

    part: Part
    name: str
    time: Change
    share: float
    place: SourcePlace = SourcePlace()
    facts: tuple[Fact, ...] = ()
    callers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Intervention:
    """One thing changed on both sides, measured in blocks: ``share`` of the difference that went
    with it, from 0 to 1, within ``low`` and ``high``; ``command`` repeats it."""

    what: str
    share: float
    low: float
    high: float
    blocks: int
    command: str = ""


@dataclass(frozen=True)
class Cause:
    """A mechanism that carries part of the difference. ``key`` is one of
    :data:`whyfast.why.causes.CAUSES`; ``sentence`` says what the slow side does; ``items`` are the
    names of those that it labels, whose shares add up to ``share``. ``basis`` is of the label: the
    share itself is measured unless ``modelled``. ``remedy`` is what to try, or the next command."""

    key: str
    sentence: str
    share: float
    low: float
    high: float
    items: tuple[str, ...]
    basis: Basis
    place: SourcePlace = SourcePlace()
    facts: tuple[Fact, ...] = ()
    trial: Intervention | None = None
    remark: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Frame:
    """A function in a call tree of samples, with its seconds on both sides, callees included."""

    name: str
    fast: float
    slow: float
    children: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class CountedLine:
    """An instruction, its place ``file:line`` (empty where unknown), and how often it ran."""

    text: str
    amount: float
    source: str = ""


@dataclass(frozen=True)
class CountedRow:
    """An instruction of each side, or None; ``skipped`` rows in front of it hardly ran at all."""

    fast: CountedLine | None
    slow: CountedLine | None
    differs: bool
    skipped: int = 0


@dataclass(frozen=True)
class CountedCode:
    """The code that carries most of the difference: the functions ``fast`` and ``slow`` of the two
    sides, beside each other. Amounts are executions, or seconds where they were sampled; ``last``
    is how many rows behind the last one hardly ran."""

    fast: str
    slow: str
    unit: Literal["executions", "seconds"]
    rows: tuple[CountedRow, ...]
    last: int = 0


@dataclass(frozen=True)
class Account:
    """The whole answer for two sides.

    ``ratio`` is slow over fast, of wall time. ``split`` has the parts of wall time. ``items`` and
    ``causes`` are in order of their shares, the largest first. ``explained`` is the share that
    causes carry, from 0 to 1. ``limits`` say what could not be looked at, and what would help.
    ``costs`` has the seconds that each layer took, ``slowdown`` how much longer a sampled run takes
    than a plain one (1.03: 3 %). ``modelled``: items have no sampled time, but that of a model.
    ``frames`` is the call tree of samples, ``code`` the machine code of the function that carries
    most user time, ``next_command`` what tells more. ``of_cpu``: ``ratio`` and ``time`` are of CPU
    time, because wall time varied too much to be decided. ``benchmark`` is what builds of a study
    ran, empty for commands. Not ``complete``: it was interrupted. ``undecided``: no cause was
    looked for, because the verdict is undecided.
    """

    fast: str
    slow: str
    ratio: float
    low: float
    high: float
    time: Change
    split: Mapping[Part, Change]
    items: tuple[Item, ...] = ()
    causes: tuple[Cause, ...] = ()
    explained: float = 0.0
    limits: tuple[str, ...] = ()
    costs: Mapping[str, float] | None = None
    slowdown: float | None = None
    modelled: bool = False
    complete: bool = True
    frames: Frame | None = None
    code: CountedCode | None = None
    next_command: str = ""
    benchmark: str = ""
    of_cpu: bool = False
    undecided: bool = False
