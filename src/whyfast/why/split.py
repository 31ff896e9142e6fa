"""Wall time as a sum of user CPU, kernel CPU and waiting, from the accounting of timed runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from whyfast.judge.special import t_limit
from whyfast.model.sample import Block
from whyfast.model.why import PARTS, Change, Part

#: Confidence of intervals in an account.
LEVEL = 0.95


def split(blocks: Sequence[Block], fast: str, slow: str) -> tuple[Change, dict[Part, Change]]:
    """(wall time, its parts), in seconds of one run; blocks hold whole runs of commands.

    The kernel accounts CPU time of a whole tree of processes. Where several threads or processes
    ran at once it exceeds wall time; it is then divided by how many ran on average, so that the sum
    stays that of wall time. Time in the queue of a CPU behind other programs has been taken out of
    the values.
    """
    series: dict[str, dict[str, list[float]]] = {fast: {}, slow: {}}
    for block in blocks:
        if not {fast, slow} <= block.values.keys():
            continue
        for side in (fast, slow):
            extra = block.extra.get(side, {})
            if "user" not in extra or "system" not in extra:
                continue
            wall = float(np.median(block.values[side])) / block.loops
            user = float(np.median(extra["user"])) / block.loops
            kernel = float(np.median(extra["system"])) / block.loops
            if user + kernel > wall:
                user, kernel = (x * wall / (user + kernel) for x in (user, kernel))
            parts = {"wall": wall, "user": user, "kernel": kernel, "waiting": wall - user - kernel}
            for name, value in parts.items():
                series[side].setdefault(name, []).append(value)
    changes = {
        name: change_of(series[fast].get(name, []), series[slow].get(name, []), paired=True)
        for name in ("wall", *PARTS)
    }
    return changes["wall"], {part: changes[part] for part in PARTS}


def cpu_time(parts: Mapping[Part, Change]) -> Change:
    """The change of user and kernel CPU time together."""
    cpu = [parts["user"], parts["kernel"]]
    half = math.sqrt(sum(((c.high - c.low) / 2) ** 2 for c in cpu))
    fast, centre = sum(c.fast for c in cpu), sum(c.difference for c in cpu)
    return Change(fast, fast + centre, centre - half, centre + half)


#: Of a difference in CPU time, and of the CPU time, what its interval must lie above to count where
#: wall time is undecided: three halves of the interval, and 3 %.
SURE, RELEVANT = 1 / 3, 0.03


def certainly_more(cpu: Change) -> bool:
    """Whether the slow side takes more CPU time for certain, whatever wall time is."""
    if not math.isfinite(cpu.low) or cpu.fast <= 0:
        return False
    return cpu.low > max(SURE * cpu.difference, RELEVANT * cpu.fast)


def without_noise(whole: Change, parts: dict[Part, Change]) -> Change:
    """The difference in CPU time where waiting is a large part of the difference but may be none at
    all, as on a busy machine, and CPU time differs for certain; else the whole difference.

    Shares are then of what is certain.
    """
    waiting, cpu = parts["waiting"], cpu_time(parts)
    if waiting.low > 0 or not math.isfinite(waiting.low) or not math.isfinite(cpu.low):
        return whole
    if abs(waiting.difference) < UNCERTAIN * abs(whole.difference) or cpu.low <= 0:
        return whole
    return cpu


#: Share of the difference from which waiting that may be none is left out.
UNCERTAIN = 0.05


@dataclass(frozen=True)
class Crew:
    """Threads at work in one run, with their CPU seconds together and the wall seconds."""

    threads: int
    cpu: float
    wall: float

    @property
    def at_once(self) -> float:
        """How many ran at a time on average."""
        return self.cpu / self.wall if self.wall > 0 else 0.0


def crew(blocks: Sequence[Block], side: str) -> Crew:
    """The threads of one side, with medians of the CPU and wall seconds of one run."""
    cpu, walls, threads = [], [], 1
    for block in blocks:
        extra = block.extra.get(side, {})
        threads = max(threads, block.threads.get(side, 1))
        if side in block.values and {"user", "system"} <= extra.keys():
            cpu.append(float(np.median(extra["user"]) + np.median(extra["system"])) / block.loops)
            walls.append(float(np.median(block.values[side])) / block.loops)
    if not cpu:
        return Crew(threads, 0.0, 0.0)
    return Crew(threads, float(np.median(cpu)), float(np.median(walls)))


def change_of(fast: Sequence[float], slow: Sequence[float], *, paired: bool = False) -> Change:
    """The change of the medians, with Student's interval of the mean difference, widened to hold
    it: half a width of the mean around a median would cover 88 % instead of 95 %.

    ``paired``: the n-th values belong to one block; otherwise by Welch's degrees of freedom
    (Welch 1947). Of fewer than three values the interval is infinite.
    """
    if not fast or not slow:
        return Change(0.0, 0.0, -math.inf, math.inf)
    a, b = np.asarray(fast, float), np.asarray(slow, float)
    low, high = -math.inf, math.inf
    centre = float(np.median(b) - np.median(a))
    if paired and min(len(a), len(b)) > 2:
        d = b - a
        centre = float(np.median(d))
        half = _half(d.std(ddof=1) / math.sqrt(len(d)), len(d) - 1)
        low, high = _around(float(d.mean()), half, centre)
    elif min(len(a), len(b)) > 2:
        va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
        total = va + vb
        freedom = total**2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1)) if total else 1.0
        half = _half(math.sqrt(total), freedom) if total else 0.0
        low, high = _around(float(b.mean() - a.mean()), half, centre)
    middle = float(np.median(a))
    return Change(middle, middle + centre, low, high)


def _around(mean: float, half: float, centre: float) -> tuple[float, float]:
    return min(mean - half, centre), max(mean + half, centre)


def _half(error: float, freedom: float) -> float:
    return t_limit((1 - LEVEL) / 2, freedom) * error
