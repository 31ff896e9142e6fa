"""What a rule sees of a group of functions on both sides, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from whyfast.explain.executed import Executed
from whyfast.model.why import Basis, Fact
from whyfast.why.counts import CYCLES
from whyfast.why.groups import PROGRAM, FunctionGroup
from whyfast.why.internals import quoted

#: Cycles a second by which counts of events are held against seconds: the order of magnitude of
#: processors of the last decade. It decides only whether a count could carry a difference.
HERTZ = 3e9

#: Cycles up to which ordinary instructions may take on average.
SLOWEST = 4.0

#: Times the instructions from which on a function does other work, and all else is of that; the
#: share of the difference that the further instructions must then be, at the rate of the fast side.
OTHER_WORK, OF_WORK = 2.0, 0.5

#: Seconds of the fast side's function from which on its time tells how long its instructions take.
TIMED = 1e-3

#: An event carries a group's difference if its cycles are at least this share of it.
CARRIES = 0.3


@dataclass(frozen=True)
class CauseLabel:
    """A cause's key with what is said of it. ``sentence`` speaks of ``{slow}`` and ``{fast}``."""

    key: str
    sentence: str
    basis: Basis
    facts: tuple[Fact, ...] = ()
    remedy: str = ""


@dataclass(frozen=True)
class GroupView:
    """What rules see: a group, what ran of it, and whether that was counted. ``replacing``: the
    fast side calls about as often another function, which the slow side does not."""

    group: FunctionGroup
    fast: Executed
    slow: Executed
    counted: bool
    threads: int = 1
    replacing: bool = False

    @property
    def name(self) -> str:
        if self.group.kind == PROGRAM:
            return "its own code"
        name = self.group.main.key.name
        return f"the unnamed function at {name}" if name.startswith("0x") else quoted(name)

    @property
    def basis(self) -> Basis:
        return "counted" if self.counted else "read"

    @property
    def cycles(self) -> float:
        """Those of the group's difference."""
        return max(1.0, abs(self.group.time.difference) * HERTZ)

    def extra(self, kind: str) -> float:
        """How much more often instructions of a kind ran on the slow side, counted."""
        return self.slow.kinds[kind] - self.fast.kinds[kind]

    def more_share(self, kind: str) -> float:
        """The share of the slow side's extra work that is of a kind, from 0 to 1; by time where
        nothing was counted."""
        return self.extra(kind) / self.more if self.more > 0 else 0.0

    @property
    def more(self) -> float:
        """The slow side's extra work; 0 where so few instructions cannot take so long."""
        total = self.slow.total - self.fast.total
        could = not self.counted or self.carries(total, SLOWEST)
        return total if could else 0.0

    def carries(self, events: float, cycles: float) -> bool:
        return self.counted and events * cycles >= CARRIES * self.cycles

    @property
    def other_work(self) -> bool:
        """Whether a function executes so many more instructions that they carry its difference:
        misses and registers are then no reason of their own."""
        times, extra = self.group.ratio("instructions") or 1.0, self.group.extra("instructions")
        if times < OTHER_WORK or not self.carries(extra, 1.0):
            return False
        if self.group.time.fast < TIMED or self.further_work:
            return True
        return extra >= max(OF_WORK * self.cycles, self.miss_cycles)  # at one a cycle

    @property
    def further_work(self) -> bool:
        """Whether its further instructions could carry a function's difference: at the fast side's
        rate, where that is known, else at the slowest."""
        time, times = self.group.time, self.group.ratio("instructions")
        if time.fast >= TIMED and times is not None:
            return (times - 1) * time.fast >= OF_WORK * time.difference
        return self.carries(self.group.extra("instructions"), SLOWEST)

    @property
    def pace(self) -> float:
        """How many times as long an instruction takes on the slow side; 1 where that is not
        known."""
        time, times = self.group.time, self.group.ratio("instructions")
        if time.fast < TIMED or times is None:
            return 1.0
        return time.slow / time.fast / times

    @property
    def arithmetic(self) -> float:
        """How many more vector instructions ran that are not moves."""
        kinds = {k for k in (*self.fast.kinds, *self.slow.kinds) if k.startswith("vector ")}
        return sum(self.extra(k) for k in kinds) - self.extra("wide move")

    @property
    def memory_bound(self) -> bool:
        """Whether misses could carry the difference, and more than instructions could."""
        more = CYCLES["instructions"] * max(0.0, self.slow.total - self.fast.total)
        return self.carries(self.miss_cycles, 1.0) and self.miss_cycles > 2 * more

    @property
    def miss_cycles(self) -> float:
        """Cycles of the slow side's further misses of data, beyond those of more work."""
        names = ("L1 data misses", "last-level misses")
        return sum(self.group.beyond(name) * CYCLES[name] for name in names)

    def fact(self, kind: str, name: str = "") -> Fact:
        fast, slow = self.fast.kinds[kind], self.slow.kinds[kind]
        unit = "executed" if self.counted else "s"
        tool = "Callgrind" if self.counted else "samples"
        return Fact(name or kind, fast, slow, unit, "counted" if self.counted else "measured", tool)

    def quantity(self, name: str) -> Fact:
        fast, slow = self.group.counted.get(name, (0.0, 0.0))
        return Fact(name, fast, slow, "", "counted", "Callgrind")


Rule = Callable[[GroupView], CauseLabel | None]


def caller_of(v: GroupView) -> str:
    callers = v.group.users or v.group.callers.get("slow", [])
    known = [c.name for c in callers[:1] if c.name != "?" and not c.name.startswith(("0x", "("))]
    return f", from `{known[0]}`" if known else ""


def times(fact: Fact) -> str:
    return f"{number(fact.slow or 0)} instead of {number(fact.fast or 0)}"


def number(value: float) -> str:
    for size, unit in ((1e9, " billion"), (1e6, " million")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:,.0f}"
