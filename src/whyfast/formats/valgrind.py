"""Simulated profiles of Valgrind: Cachegrind's and Callgrind's costs by function."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field


class DamagedProfile(ValueError):
    """A profile that cannot be read; the message names the line."""


#: (object, function)
Key = tuple[str, str]


@dataclass
class SimulatedProfile:
    """``costs`` maps (object, function) to one count an event, in the order of ``events``; the
    object is empty where the format does not tell. ``totals`` are the tool's costs sums. ``desc``
    are its remarks, such as the geometry of each cache.

    Of Callgrind alone: ``places`` maps an object to the costs of each instruction, by the address
    that the file gives it, where instructions were asked for; ``calls`` maps (caller, callee) to
    the number of calls, then the costs of the callee with all that it called.
    """

    events: tuple[str, ...] = ()
    costs: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    totals: tuple[int, ...] = ()
    desc: list[str] = field(default_factory=list)
    places: dict[str, dict[int, list[int]]] = field(default_factory=dict)
    calls: dict[tuple[Key, Key], list[int]] = field(default_factory=dict)


def counts_of(words: list[str], events: tuple[str, ...]) -> list[int]:
    """One number an event; a dot is 0, and zeros at the end of a line are left out in the files.

    Raises ValueError.
    """
    if not events:
        raise ValueError("counts before the events are named")
    if len(words) > len(events):
        raise ValueError(f"{len(words)} counts for {len(events)} events")
    return [0 if w == "." else int(w) for w in words] + [0] * (len(events) - len(words))


# ---- Profiles as Cachegrind writes them (``cachegrind.out``): costs by file, function and line.


def parse_cachegrind(text: str) -> SimulatedProfile:
    """Read one profile; lines are added up to functions. Raises DamagedProfile."""
    profile = SimulatedProfile()
    function = ""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("fn="):
                function = line[3:]
            elif line.startswith("desc:"):
                profile.desc.append(line[5:].strip())
            elif line.startswith("events:"):
                profile.events = tuple(line[7:].split())
            elif line.startswith("summary:"):
                profile.totals = tuple(counts_of(line[8:].split(), profile.events))
            elif line[:1].isdecimal():
                costs = profile.costs.setdefault(("", function), [0] * len(profile.events))
                for i, count in enumerate(counts_of(line.split()[1:], profile.events)):
                    costs[i] += count
            elif line and not line.startswith(("fl=", "fi=", "fe=", "cmd:", "#")):
                raise ValueError(line[:60])
        except ValueError as error:
            raise DamagedProfile(f"line {number} is not of a Cachegrind profile: {error}") from None
    if not profile.events:
        raise DamagedProfile("no line names the events")
    return profile


# ---- Profiles as Callgrind writes them (``callgrind.out``): self costs by function.
#
# Each cost line stands under a file (``fl=``) and function (``fn=``) of an object (``ob=``). A name
# is written out once, with a number, and by its number later. The line after ``calls=`` has the
# cost of the called function, which is not the caller's.

_NAME = re.compile(r"\((\d+)\)(?:\s+(.*))?$")
_COST = re.compile(r"[0-9+*-]")
_HEADER = re.compile(r"(\w+):\s*(.*)$")


def parse_callgrind(text: str) -> SimulatedProfile:
    """Read one profile; several parts and threads are added up. Raises DamagedProfile."""
    return _Reader().read(text)


class _Reader:
    def __init__(self) -> None:
        self._profile = SimulatedProfile()
        self._names: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._positions = 1
        self._object = self._function = ""
        self._called = 0
        self._callee = ("", "")
        self._by_instruction = False
        self._sums: dict[str, list[int]] = {}

    def read(self, text: str) -> SimulatedProfile:
        for number, line in enumerate(text.splitlines(), 1):
            try:
                self._line(line.strip())
            except ValueError as error:
                raise DamagedProfile(
                    f"line {number} is not of a Callgrind profile: {error}"
                ) from None
        if not self._profile.events:
            raise DamagedProfile("no line names the events")
        self._profile.totals = tuple(self._sums.get("totals") or self._sums.get("summary") or ())
        return self._profile

    def _line(self, line: str) -> None:
        if not line or line.startswith("#"):
            return
        if _COST.match(line):
            self._cost(line)
        elif "=" in line and not _HEADER.match(line):
            key, _, value = line.partition("=")
            self._position(key, value)
        elif match := _HEADER.match(line):
            self._header(match[1], match[2])
        else:
            raise ValueError(line[:60])

    def _position(self, key: str, value: str) -> None:
        if key in ("fn", "cfn"):
            name = self._name("fn", value)
            if key == "fn":
                self._function = name
                self._callee = self._object, name
            else:
                self._callee = self._callee[0], name
        elif key in ("ob", "cob"):
            name = self._name("ob", value)
            if key == "ob":
                self._object = name
            self._callee = name, self._callee[1]
        elif key == "calls":
            self._called = int(value.split()[0])
        # The rest are jumps inside a function and source files, which do not matter here.

    def _name(self, kind: str, value: str) -> str:
        match = _NAME.match(value)
        if match is None:
            return value
        if match[2] is not None:
            self._names[kind][match[1]] = match[2]
        if match[1] not in self._names[kind]:
            raise ValueError(f"name {match[1]} is not defined")
        return self._names[kind][match[1]]

    def _header(self, key: str, value: str) -> None:
        profile = self._profile
        if key == "events":
            events = tuple(value.split())
            if profile.events and events != profile.events:
                raise ValueError("the parts count different events")
            profile.events = events
        elif key == "positions":
            self._positions = len(value.split())
            self._by_instruction = value.split()[:1] == ["instr"]
        elif key in ("totals", "summary"):
            counts = counts_of(value.split(), profile.events)
            known = self._sums.get(key, [0] * len(counts))
            self._sums[key] = [a + b for a, b in zip(known, counts, strict=True)]
        elif key == "desc":
            profile.desc.append(value)

    def _cost(self, line: str) -> None:
        words = line.split()
        counts = counts_of(words[self._positions :], self._profile.events)
        here = self._object, self._function
        if self._called:
            calls = self._profile.calls.setdefault(
                (here, self._callee), [0] * (1 + len(self._profile.events))
            )
            _add(calls, [self._called, *counts])
            self._called, self._callee = 0, here
            return
        _add(self._profile.costs.setdefault(here, [0] * len(counts)), counts)
        if self._by_instruction and words[0].startswith("0x"):
            places = self._profile.places.setdefault(self._object, {})
            _add(places.setdefault(int(words[0], 16), [0] * len(counts)), counts)


def _add(sums: list[int], counts: list[int]) -> None:
    for i, count in enumerate(counts):
        sums[i] += count
