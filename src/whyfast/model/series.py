"""What another tool measured: the values of one file, grouped by the process that yielded them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

# Units beside times, and which of them are better when higher.

_RATE = re.compile(r"/(s|sec|second|min)$|^(rps|qps|fps|ips|bps|iops|ops)$|[-_ ]per[-_ ]sec(ond)?$")


def rate(unit: str) -> bool:
    """Whether a unit says how much is done in a time, so that higher is better: ``MB/s``,
    ``ops/sec``, ``qps``."""
    return _RATE.search(unit.lower()) is not None


#: Times are always kept in this unit; pyperf files may also hold ``byte`` and ``integer``.
SECOND = "second"

#: Where the session that stands for a recording in a result keeps the mean over processes of each
#: benchmark, in seconds.
MEAN_SECONDS = "mean_seconds"
#: And of each quantity beside speed, in its unit.
MEAN_AMOUNTS = "mean_amounts"

MetadataValue = str | float | tuple[str, ...]
"""One fact about a run: text, a number, or the several texts it had within one file."""


@dataclass(frozen=True)
class Series:
    """All values of one benchmark in one file, warm-ups left out.

    ``processes[i]`` are the values of process ``i`` in the order taken, in ``unit``, for one inner
    loop; no process is empty. ``process_known`` is False when the file does not say which process
    a value came from: then all values stand as one process. ``sampled`` is True when each value
    stands for a process, though one process yielded them all.

    ``higher``: more of the unit is better. ``exact``: every value should be the same.

    Where one file holds several subjects (commands, variants), ``subject`` is the one that ran, and
    ``task`` what it ran, which the subjects share.
    """

    benchmark: str
    unit: str
    processes: tuple[tuple[float, ...], ...]
    process_known: bool = True
    sampled: bool = False
    higher: bool = False
    exact: bool = False
    subject: str = ""
    task: str = ""


@dataclass(frozen=True)
class Recording:
    """One file, or folder, that a tool wrote.

    ``name`` tells it apart in reports, ``source`` is where it was read from, ``tool`` is the format
    it was in. ``metadata`` holds what the file says about the subject and the machine as a whole;
    ``started`` and ``ended`` are seconds since the epoch (as local time when the file names no time
    zone), None when the file has no dates. ``left_out`` says in words what was not read.
    """

    name: str
    source: str
    tool: str
    series: Mapping[str, Series]
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    started: float | None = None
    ended: float | None = None
    left_out: tuple[str, ...] = ()
