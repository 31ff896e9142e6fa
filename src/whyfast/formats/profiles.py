"""Profiles, stacks and counts as text: of perf (``report``, ``script``, ``stat``) and of Valgrind's
tools.

Reports are those of ``perf report --stdio -F sample,dso,sym -t ';'``. Cachegrind and Callgrind
simulate, and write costs by function."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

_EVENT = re.compile(r"^#\s*Samples:.* of events? '([^']+)'")
#: The last field: ``[k]`` or ``[.]``, and the symbol.
_SYMBOL = re.compile(r"\[[^]]\]\s*(\S.*)")


def parse_perf_report(text: str) -> tuple[str, Counter[tuple[str, str]]]:
    """(event, samples by (object, function)); the event is empty when there are no samples."""
    event = ""
    samples: Counter[tuple[str, str]] = Counter()
    for line in text.splitlines():
        if match := _EVENT.match(line):
            event = event or match[1].split(":")[0]
            continue
        # By hand: an expression for all three fields takes the cube of the spaces in a line.
        number, _, rest = line.partition(";")
        program, _, symbol = rest.partition(";")
        match = _SYMBOL.match(symbol.strip())
        if match and (number := number.strip()).isdecimal() and len(number) < 19:
            samples[program.strip(), match[1]] += int(number)
    return event, samples


#: An address, a symbol with its offset, and the object where it is printed.
_FRAME = re.compile(
    r"(?:^|\s)(?P<address>[0-9a-f]{4,16})\s+(?P<name>\S.*?)(?:\+0x[0-9a-f]+)?"
    r"(?:\s+\((?P<object>[^()]*)\))?$"
)
#: The command, its ids and the time, how many events a sample stands for, and which.
_HEAD = re.compile(r"^\S.*?\s[\d.]+:\s+(?:\d+\s+)?[\w./:-]+:(?=\s|$)")


def parse_perf_script(text: str) -> Counter[tuple[str, str]]:
    """Samples by (object, function), the object empty where it is not printed. A sample is a line
    (``prog 12 3.4: 1 cycles:u: 55d0 main+0x14 (/bin/prog)``, or with ``-F ip,sym`` ``55d0 main``),
    or a heading and the stack below it, innermost first, up to an empty line."""
    lines = [line.rstrip() for line in text.splitlines() if not line.startswith("#")]
    stacks = any(not line for line in lines[:-1]) or any(map(_HEAD.match, lines))
    samples: Counter[tuple[str, str]] = Counter()
    taken = False
    for line in lines:
        if not line:
            taken = False
            continue
        head = _HEAD.match(line)
        if head:
            taken = False
        if taken:
            continue
        match = _FRAME.search(line[head.end() :] if head else line)
        if match:
            samples[match["object"] or "", match["name"]] += 1
            taken = stacks
    return samples


#: Below this share of the time in which an event was really counted, perf's extrapolation to the
#: whole is not used.
ENOUGH = 0.9

_NOT_JSON = re.compile(r"(:\s*)(-?(?:nan|inf))(?=\s*[,}])", re.IGNORECASE)
_PMU = re.compile(r"^([\w-]+)/([\w.-]+)/([a-zA-Z]*)$")


@dataclass(frozen=True)
class PerfEvent:
    """One line. ``name``: the event without modifiers; ``pmu``: the kind of core (``cpu_core``),
    else empty. ``value`` None: cannot be used, as ``reason`` says, such as a zero of what every
    program does. ``running``: the share of the time in which it was counted, from 0 to 1."""

    name: str
    pmu: str
    value: float | None
    unit: str
    running: float
    reason: str = ""


def parse_perf_stat(text: str) -> list[PerfEvent]:
    """The events of JSON lines (``-j``), or of fields (``-x``) before perf 5.19, in order. Numbers
    are bare in some versions and quoted in others, ``nan`` stands where JSON has no word for it,
    and a line without an event carries a second metric of the line above: it is skipped."""
    return list(_events(text))


def best(events: list[PerfEvent], name: str) -> PerfEvent | None:
    """The event of that name that was counted longest, usable ones first; None without one."""
    matches = [e for e in events if e.name == name]
    return max(matches, key=lambda e: (e.value is not None, e.running), default=None)


def _events(text: str) -> Iterator[PerfEvent]:
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("{"):
            fields = _json_line(line)
            if fields is not None and isinstance(fields.get("event"), str):
                yield _event(
                    fields["event"],
                    str(fields.get("counter-value", "")),
                    str(fields.get("unit") or ""),
                    _perf_number(fields.get("pcnt-running", 100)),
                )
        elif line and not line.startswith("#"):
            words = line.split(";")
            if len(words) >= 5 and words[2]:
                yield _event(words[2], words[0], words[1], _perf_number(words[4]))


def _json_line(line: str) -> dict[str, Any] | None:
    try:
        fields = json.loads(_NOT_JSON.sub(r"\1null", line))
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


def _event(name: str, counted: str, unit: str, percent: float | None) -> PerfEvent:
    pmu = ""
    if match := _PMU.match(name):
        pmu, name = match[1], match[2]
    name = re.sub(r":[a-zA-Z]+$", "", name)
    running = 0.0 if percent is None else min(max(percent / 100, 0.0), 1.0)
    value = _perf_number(counted)
    reason = ""
    if "not supported" in counted:
        reason = "this machine does not count it"
    elif "not counted" in counted:
        reason = "it was never counted while the program ran"
    elif value is None:
        reason = f"perf printed no number ({counted[:40] or 'nothing'})"
    elif value <= 0:
        reason = "the counter stayed at 0, which means that it does not work here"
    elif running < ENOUGH:
        reason = f"counted only {running * 100:.0f} % of the time"
    return PerfEvent(name, pmu, None if reason else value, unit, running, reason)


def _perf_number(text: object) -> float | None:
    """A finite number; a comma is the decimal point of some languages."""
    try:
        value = float(str(text).strip().replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


class DamagedProfile(ValueError):
    """A profile that cannot be read; the message names the line."""


#: (object, function)
Key = tuple[str, str]


@dataclass
class SimulatedProfile:
    """``costs`` maps (object, function) to one count an event, in the order of ``events``;
    ``totals``: the tool's own sums; ``desc``: its remarks, such as the geometry of caches. Of
    Callgrind alone: ``places`` maps an object to the costs of each instruction by address,
    ``calls`` (caller, callee) to the number of calls, then the callee's costs with all that it
    called."""

    events: tuple[str, ...] = ()
    costs: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    totals: tuple[int, ...] = ()
    desc: list[str] = field(default_factory=list)
    places: dict[str, dict[int, list[int]]] = field(default_factory=dict)
    calls: dict[tuple[Key, Key], list[int]] = field(default_factory=dict)


def counts_of(words: list[str], events: tuple[str, ...]) -> list[int]:
    """One number an event; a dot is 0, and zeros at the end of a line are left out in the files.
    Raises ValueError."""
    if not events:
        raise ValueError("counts before the events are named")
    if len(words) > len(events):
        raise ValueError(f"{len(words)} counts for {len(events)} events")
    return [0 if w == "." else int(w) for w in words] + [0] * (len(events) - len(words))


def _add(sums: list[int], counts: list[int]) -> None:
    for i, count in enumerate(counts):
        sums[i] += count


def parse_cachegrind(text: str) -> SimulatedProfile:
    """Read ``cachegrind.out``: costs by file, function and line, which are added up to functions.
    It is the format of Callgrind without objects, calls and numbered names. Raises
    DamagedProfile."""
    return _parse(text, "Cachegrind")


_NAME = re.compile(r"\((\d+)\)(?:\s+(.*))?$")
_COST = re.compile(r"[0-9+*-]")
_HEADER = re.compile(r"(\w+):\s*(.*)$")


def parse_callgrind(text: str) -> SimulatedProfile:
    """Read ``callgrind.out``: self costs by function, of all parts and threads. DamagedProfile. A
    cost line stands under ``fl=``, ``fn=`` and ``ob=``; a name is written once, with a number; the
    line after ``calls=`` has the callee's cost."""
    return _parse(text, "Callgrind")


def _parse(text: str, tool: str) -> SimulatedProfile:
    reader = _Callgrind()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            reader.line(line)
        except ValueError as error:
            raise DamagedProfile(f"line {number} is not of a {tool} profile: {error}") from None
    profile = reader.profile
    if not profile.events:
        raise DamagedProfile("no line names the events")
    profile.totals = tuple(reader.sums.get("totals") or reader.sums.get("summary") or ())
    return profile


class _Callgrind:
    def __init__(self) -> None:
        self.profile = SimulatedProfile()
        self._names: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._positions = 1
        self._object = self._function = ""
        self._called = 0
        self._callee = ("", "")
        self._by_instruction = False
        self.sums: dict[str, list[int]] = {}

    def line(self, line: str) -> None:
        line = line.strip()
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
        # The rest are jumps inside a function and source files, which do not matter here.
        if key in ("fn", "cfn", "ob", "cob"):  # those of a called function also introduce names
            name = self._name(key[-2:], value)
            if key == "fn":
                self._function = name
            elif key == "ob":
                self._object = name
            # A callee is in the object of its caller where no other is named.
            self._callee = {
                "fn": (self._object, name),
                "cfn": (self._callee[0], name),
                "ob": (name, self._callee[1]),
                "cob": (name, self._callee[1]),
            }[key]
        elif key == "calls":
            self._called = int(value.split()[0])

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
        profile = self.profile
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
            known = self.sums.get(key, [0] * len(counts))
            self.sums[key] = [a + b for a, b in zip(known, counts, strict=True)]
        elif key == "desc":
            profile.desc.append(value)

    def _cost(self, line: str) -> None:
        words = line.split()
        counts = counts_of(words[self._positions :], self.profile.events)
        here = self._object, self._function
        if self._called:
            calls = self.profile.calls.setdefault((here, self._callee), [0] * (1 + len(counts)))
            _add(calls, [self._called, *counts])
            self._called, self._callee = 0, here
            return
        _add(self.profile.costs.setdefault(here, [0] * len(counts)), counts)
        if self._by_instruction and words[0].startswith("0x"):
            places = self.profile.places.setdefault(self._object, {})
            _add(places.setdefault(int(words[0], 16), [0] * len(counts)), counts)


_TASK = re.compile(r"PERF_RECORD_(FORK|COMM exec|COMM|EXIT)(?::\s*|\()(.*)$")
_FORK = re.compile(r"(-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)")
_COMM = re.compile(r"(.*):(-?\d+)/(-?\d+)$")
_STACK_HEAD = re.compile(r"^\s*(-?\d+)/(-?\d+)\s+[\d.]+:\s+(\d+)\s*$")
_STACK_FRAME = re.compile(
    r"^\s+([0-9a-f]{1,16})\s+(?:\[unknown\]|(\S.*?)(?:\+0x([0-9a-f]+))?)\s+\((.*)\)\s*$"
)


class StackFrame(NamedTuple):
    """Code on a stack: the ``name`` of its symbol (empty where none is known), bytes from there,
    the path of the ``object``, and the place in that file in bytes."""

    name: str
    offset: int
    object: str
    place: int


#: From the innermost function outwards.
Stack = tuple[StackFrame, ...]


@dataclass
class SampledProcess:
    """One process: its ``names`` in order (one per ``exec``), and nanoseconds by stack."""

    pid: int
    parent: int
    names: list[str] = field(default_factory=list)
    stacks: Counter[Stack] = field(default_factory=Counter)
    samples: int = 0


def parse_stacks(lines: Iterable[str]) -> dict[int, SampledProcess]:
    """The processes by their ids, in the order in which they were started. Threads count for their
    process. Lines of other kinds are passed over."""
    processes: dict[int, SampledProcess] = {}

    def process(pid: int, parent: int = 0) -> SampledProcess:
        return processes.setdefault(pid, SampledProcess(pid, parent))

    head: re.Match[str] | None = None
    frames: list[StackFrame] = []
    for line in chain(lines, ("",)):
        if frame := _STACK_FRAME.match(line) if head else None:
            address, name, offset, path = frame.groups()
            frames.append(StackFrame(name or "", int(offset or "0", 16), path, int(address, 16)))
            continue
        if head and frames:
            sampled = process(int(head[1]))
            sampled.stacks[tuple(frames)] += int(head[3])
            sampled.samples += 1
        head, frames = _STACK_HEAD.match(line), []
        task = None if head else _TASK.search(line)
        if task and task[1] == "FORK" and (fork := _FORK.match(task[2])):
            child, thread, parent, _ = map(int, fork.groups())
            if child == thread:  # else it is a thread
                process(child, parent)
        elif task and task[1].startswith("COMM") and (comm := _COMM.match(task[2])):
            process(int(comm[2])).names.append(comm[1])
    return processes
