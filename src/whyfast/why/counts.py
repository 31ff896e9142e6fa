"""Simulated counts of both sides by function: events, calls, and executions by address."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from whyfast.formats.profiles import SimulatedProfile
from whyfast.model.why import Change
from whyfast.why.functions import FunctionKey, FunctionTime, Names

#: Names of quantities and the events that they are sums of.
EVENTS = {
    "instructions": ("Ir",),
    "loads": ("Dr",),
    "stores": ("Dw",),
    "L1 data misses": ("D1mr", "D1mw"),
    "last-level misses": ("DLmr", "DLmw"),
    "L1 instruction misses": ("I1mr",),
    "branches": ("Bc",),
    "mispredicted branches": ("Bcm", "Bim"),
    "indirect branches": ("Bi",),
}


@dataclass
class SideCounts:
    """One side: ``events`` by function, ``called`` how often each was called, ``calls`` how often
    by whom, ``inclusive`` the instructions of calls with all that they called; ``places`` are
    executions by file and address; ``totals`` of the whole run."""

    events: dict[FunctionKey, Counter[str]] = field(default_factory=dict)
    called: Counter[FunctionKey] = field(default_factory=Counter)
    calls: Counter[tuple[FunctionKey, FunctionKey]] = field(default_factory=Counter)
    inclusive: Counter[tuple[FunctionKey, FunctionKey]] = field(default_factory=Counter)
    places: dict[str, dict[int, float]] = field(default_factory=dict)
    symbols: defaultdict[FunctionKey, set[str]] = field(default_factory=lambda: defaultdict(set))
    totals: Counter[str] = field(default_factory=Counter)

    def of(self, key: FunctionKey, name: str) -> float:
        return float(self.events[key][name]) if key in self.events else 0.0

    def callers(self, key: FunctionKey) -> list[FunctionKey]:
        """Who calls it, the most frequent caller first."""
        rows = [(n, caller) for (caller, callee), n in self.calls.items() if callee == key]
        return [caller for _, caller in sorted(rows, reverse=True)]


def objects_of(profiles: Sequence[SimulatedProfile]) -> set[str]:
    return {path for profile in profiles for path, _ in profile.costs}


def counts_by_function(profiles: Sequence[SimulatedProfile], names: Names) -> SideCounts:
    """All processes of one side together."""
    side = SideCounts()
    names.learn(symbol for profile in profiles for _, symbol in profile.costs)
    for profile in profiles:
        columns = {
            name: [profile.events.index(e) for e in events if e in profile.events]
            for name, events in EVENTS.items()
        }
        nameless = {p for p in profile.places if names.nameless(p)}
        for path in nameless:
            _add_places(side, path, profile, names, columns)
        for (path, symbol), costs in profile.costs.items():
            if path in nameless:
                continue
            key = names.key(path, symbol)
            side.symbols[key].add(symbol)
            row = side.events.setdefault(key, Counter())
            for name, indices in columns.items():
                amount = sum(costs[i] for i in indices)
                row[name] += amount
                side.totals[name] += amount
        for (caller, callee), (number, *costs) in profile.calls.items():
            pair = names.key(*caller), names.key(*callee)
            side.called[pair[1]] += number
            side.calls[pair] += number
            side.inclusive[pair] += costs[0] if costs else 0
        for path, rows in profile.places.items():
            mine = side.places.setdefault(path, {})
            for address, costs in rows.items():
                mine[address] = mine.get(address, 0.0) + costs[0]
    return side


def _add_places(
    side: SideCounts,
    path: str,
    profile: SimulatedProfile,
    names: Names,
    columns: Mapping[str, Sequence[int]],
) -> None:
    """The counts of a file without symbols, by the extents of its functions."""
    code = names.nameless(path)
    assert code is not None
    for address, costs in profile.places[path].items():
        key = names.key(path, code.name_at(address) or "?")
        side.symbols[key].add(key.name)
        row = side.events.setdefault(key, Counter())
        for name, indices in columns.items():
            amount = sum(costs[i] for i in indices)
            row[name] += amount
            side.totals[name] += amount


def modelled_seconds(
    sides: Mapping[str, SideCounts], user: Mapping[str, float]
) -> dict[str, dict[FunctionKey, float]]:
    """User time by function where it could not be sampled: a model of cycles.

    An instruction costs a third of a cycle and up, a misprediction 15, a miss of the first level
    10, of the last 150 (orders of magnitude of x86 processors since 2013: Fog, *The
    microarchitecture of Intel, AMD and VIA CPUs*). Each side is scaled to its measured user time.
    """
    modelled = {}
    for side, counts in sides.items():
        cycles = {key: cycles_of(row) for key, row in counts.events.items()}
        total = sum(cycles.values())
        factor = user[side] / total if total else 0.0
        modelled[side] = {key: c * factor for key, c in cycles.items()}
    return modelled


def modelled_times(sides: Mapping[str, SideCounts], user: Change) -> list[FunctionTime]:
    """The same of the sides ``fast`` and ``slow`` by function, the largest difference first."""
    seconds = modelled_seconds(sides, {"fast": user.fast, "slow": user.slow})
    keys = dict.fromkeys(k for row in seconds.values() for k in row)
    times = []
    for key in keys:
        a, b = seconds["fast"].get(key, 0.0), seconds["slow"].get(key, 0.0)
        times.append(FunctionTime(key, Change(a, b, b - a, b - a)))
    return sorted(times, key=lambda t: -abs(t.time.difference))


#: Cycles of the model.
CYCLES = {
    "instructions": 0.33,
    "mispredicted branches": 15.0,
    "L1 data misses": 10.0,
    "last-level misses": 150.0,
}

#: Misses of the second level, which are only counted where nothing else differs, and the cycles
#: until the third level serves one (Fog: 35 to 70).
SECOND_LEVEL, SECOND_LEVEL_CYCLES = "second-level misses", 40.0

#: Cycles of a miss that memory serves, with the walk through its pages: 60 to 100 ns. In the
#: simulation the last level has the processor's size, of which a program on a busy or virtual
#: machine has a part: misses of the first level may be such.
FAR = 250.0

#: Those of them on pages that were not among the last so many, as misses of a cache whose lines are
#: pages: the simulation fetches nothing ahead, processors do within a page, and from one
#: to the next; and about as many pages are known to the processor without a look-up.
PAGES, LAST_PAGES = "misses on other pages", 256


def cycles_of(row: Mapping[str, float]) -> float:
    return sum(row.get(name, 0.0) * cycles for name, cycles in CYCLES.items())
