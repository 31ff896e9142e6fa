"""What ``perf stat`` writes for programs: JSON lines (``-j``), or fields (``-x``) before 5.19.

Numbers are bare in some versions and quoted in others, ``nan`` stands where JSON has no word for
it, and a line without an event carries a second metric of the line above.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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
    found = [e for e in events if e.name == name]
    return max(found, key=lambda e: (e.value is not None, e.running), default=None)


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
