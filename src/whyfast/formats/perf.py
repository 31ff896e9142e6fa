"""Text of perf: samples by function of ``report`` and ``script``, and counts of ``perf stat``.

Reports are those of ``perf report --stdio -F sample,dso,sym -t ';'``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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


# ---- Samples by function, as ``perf script`` prints them.
#
# A sample is a line of its own (``prog 12 3.4: 1 cycles:u: 55d0 main+0x14 (/bin/prog)``, or with
# ``-F ip,sym`` just ``55d0 main``), or a heading and below it the stack, innermost function first.
# Stacks end at an empty line.

#: An address, a symbol with its offset, and the object where it is printed.
_FRAME = re.compile(
    r"(?:^|\s)(?P<address>[0-9a-f]{4,16})\s+(?P<name>\S.*?)(?:\+0x[0-9a-f]+)?"
    r"(?:\s+\((?P<object>[^()]*)\))?$"
)
#: The command, its ids and the time, how many events a sample stands for, and which.
_HEAD = re.compile(r"^\S.*?\s[\d.]+:\s+(?:\d+\s+)?[\w./:-]+:(?=\s|$)")


def parse_perf_script(text: str) -> Counter[tuple[str, str]]:
    """Samples by (object, function); the object is empty where it is not printed. Empty for a text
    that has no samples."""
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


# ---- What ``perf stat`` writes for programs: JSON lines (``-j``), or fields (``-x``) before 5.19.
#
# Numbers are bare in some versions and quoted in others, ``nan`` stands where JSON has no word for
# it, and a line without an event carries a second metric of the line above.

#: Below this share of the time in which an event was really counted, perf's extrapolation to the
#: whole is not used.
ENOUGH = 0.9

_NOT_JSON = re.compile(r"(:\s*)(-?(?:nan|inf))(?=\s*[,}])", re.IGNORECASE)
_PMU = re.compile(r"^([\w-]+)/([\w.-]+)/([a-zA-Z]*)$")


@dataclass(frozen=True)
class PerfEvent:
    """One line. ``name`` is the event without modifiers, ``pmu`` the kind of core that it is from
    on machines with several (``cpu_core``), else empty.

    ``value`` is None when it cannot be used, and ``reason`` says why: a count of zero of what a
    running program cannot do without means that nothing was counted. ``running`` is the share of
    the time in which the event was counted, from 0 to 1.
    """

    name: str
    pmu: str
    value: float | None
    unit: str
    running: float
    reason: str = ""


def parse_perf_stat(text: str) -> list[PerfEvent]:
    """The events in the order of the output; lines that are none are passed over."""
    return list(_events(text))


def best(events: list[PerfEvent], name: str) -> PerfEvent | None:
    """The event of that name that was counted longest, usable ones first; None without one."""
    matches = [e for e in events if e.name == name]
    return max(matches, key=lambda e: (e.value is not None, e.running), default=None)


def _events(text: str) -> Iterator[PerfEvent]:
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("{"):
            fields = _json(line)
            if fields is not None and isinstance(fields.get("event"), str):
                yield _event(
                    fields["event"],
                    str(fields.get("counter-value", "")),
                    str(fields.get("unit") or ""),
                    _number(fields.get("pcnt-running", 100)),
                )
        elif line and not line.startswith("#"):
            words = line.split(";")
            if len(words) >= 5 and words[2]:
                yield _event(words[2], words[0], words[1], _number(words[4]))


def _json(line: str) -> dict[str, Any] | None:
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
    value = _number(counted)
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


def _number(text: object) -> float | None:
    """A finite number; a comma is the decimal point of some languages."""
    try:
        value = float(str(text).strip().replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None
