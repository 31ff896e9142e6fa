"""How long a thread waited for a CPU that others had, as the kernel's scheduler accounts it.

Of a run on a CPU that others want too, this is most of what is uneven: a neighbour that gets its
slices of time makes some runs twice as long as others.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whyfast.model.sample import WAITED

#: Values in seconds, one a turn, by what they are of.
Series = Mapping[str, Sequence[float]]

#: What the first thread of a program must have of the CPU time of all that ended with it, for what
#: it waited to be what the program waited. Of several at work one may have waited for another.
ALONE = 0.95

#: The thread that asks.
OWN = "/proc/thread-self/schedstat"


@dataclass(frozen=True)
class Scheduled:
    """Seconds that a thread has run, and that it was ready and waited for a CPU."""

    ran: float
    waited: float

    @property
    def lived(self) -> float:
        """The least time that the thread has been there, if it never slept."""
        return self.ran + self.waited


def scheduled(file: str = OWN) -> Scheduled | None:
    """What such a file says (Linux, Documentation/scheduler/sched-stats.rst); None where there is
    none: another system, or a kernel that does not account it."""
    try:
        with open(file, "rb", buffering=0) as open_file:
            ran, waited = open_file.read().split()[:2]
        return Scheduled(int(ran) / 1e9, int(waited) / 1e9)
    except (OSError, ValueError):
        return None


def of_ended(pid: int) -> Scheduled | None:
    """Of the first thread of a process that has ended and is not reaped."""
    return scheduled(f"/proc/{pid}/schedstat")


@dataclass(frozen=True)
class Moment:
    """Of this thread at one time: the ``seconds`` of a clock, how long it has ``waited`` for a CPU
    (None: not known), and how often it has ``slept`` and been ``interrupted`` by others so far."""

    seconds: float
    waited: float | None
    slept: int
    interrupted: int


def moment() -> Moment:
    """Now. Who is interrupted while asking does not know what it has waited."""
    seconds, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_THREAD)
    own, used = scheduled(), resource.getrusage(resource.RUSAGE_THREAD)
    sure = own is not None and used.ru_nivcsw == before.ru_nivcsw
    return Moment(seconds, own.waited if own and sure else None, used.ru_nvcsw, used.ru_nivcsw)


def late(before: Moment, after: Moment, most: float) -> float:
    """How long this thread waited for a CPU after what it slept for had come, ``most`` seconds at
    the longest.

    0 where that is not known: when it did not sleep once and without a pause, so that some of what
    it waited may be from before, when it was time that woke it, or when the kernel's account and
    the clock do not agree.
    """
    if before.waited is None or after.waited is None:
        return 0.0
    if (after.slept - before.slept, after.interrupted - before.interrupted) != (1, 0):
        return 0.0
    waited = after.waited - before.waited
    return waited if 0 <= after.seconds - before.seconds - waited < most else 0.0


def waited_alone(first: Scheduled | None, cpu_time: float, elapsed: float) -> float | None:
    """The seconds that a program waited for a CPU in the ``elapsed`` ones of its run, all whose
    processes and threads together ran for ``cpu_time``; None where its first thread was not alone
    at work. Clocks differ: a run does not take less than it computes."""
    if first is None or first.ran < ALONE * cpu_time:
        return None
    return max(0.0, min(first.waited, elapsed - cpu_time))


def without_waiting(
    values: Series, extra: Mapping[str, Series]
) -> tuple[dict[str, tuple[float, ...]], dict[str, dict[str, tuple[float, ...]]]]:
    """The values of a block by variant less what the runs waited for a CPU, and what came with
    them.

    Where that is not known of all variants it is not taken out of any, nor kept: else one side
    would have waited and the other not.
    """
    known = all(WAITED in extra.get(v, {}) for v in values)
    came = {
        v: {name: tuple(x) for name, x in per.items() if known or name != WAITED}
        for v, per in extra.items()
    }
    if not known:
        return {v: tuple(x) for v, x in values.items()}, came
    net = {
        v: tuple(value - waited for value, waited in zip(x, came[v][WAITED], strict=True))
        for v, x in values.items()
    }
    return net, came
