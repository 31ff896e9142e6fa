"""What the kernel accounts of processes: how long a thread waited for a CPU that others had, how
many threads are at work, and peak memory.

Of a run on a CPU that others want too, waiting is most of what is uneven: a neighbour that gets its
slices of time makes some runs twice as long as others."""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from whyfast.measure.entered import (
    ANY_CHILD,
    CONT,
    DETACH,
    EVENT_EXIT,
    EVENT_STOP,
    LISTEN,
    SEIZE,
    STOPS,
    TRACE_EXIT,
    ptrace_call,
)
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
    account, used = scheduled(), resource.getrusage(resource.RUSAGE_THREAD)
    sure = account is not None and used.ru_nivcsw == before.ru_nivcsw
    return Moment(
        seconds, account.waited if account and sure else None, used.ru_nvcsw, used.ru_nivcsw
    )


def late(before: Moment, after: Moment, most: float) -> float:
    """How long this thread waited for a CPU after what it slept for had come, ``most`` seconds at
    the longest. 0 where that is not known: when it did not sleep once and without a pause, so that
    some of what it waited may be from before, when it was time that woke it, or when the kernel's
    account and the clock do not agree."""
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
    them. Where that is not known of all variants it is not taken out of any, nor kept: else one
    side would have waited and the other not."""
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


# How many threads of a program are at work: bound to one CPU, it would be another program. What a
# process gets of the CPUs tells that badly: on a busy machine one of two threads waits, and both
# together get one CPU. So threads are counted that have work, whether they run or wait.

#: A thread is at work between two looks when it has run for such a part of what its process has.
AT_WORK = 0.05

#: Threads are at work together when ``LOOKS`` looks, which cover ``TOGETHER`` of the time, find as
#: many: a parent that has just started its child waits beside it for a CPU, on a busy
#: machine for more than one of the first looks, which are dense.
LOOKS, TOGETHER = 2, 0.1

#: After ``ENOUGH`` looks at a program its threads are known, and only one run in ``SELDOM`` is
#: looked at: who looks is in the way of what runs, and may be late when it ends.
ENOUGH, SELDOM = 10, 10

#: Seconds between two looks, on average: the first, each further one twice as many, the longest.
#: They are drawn at random, or programs that end just after a look would be told that it took time.
_FIRST, _LONGEST = 0.004, 0.1


@dataclass
class ThreadTally:
    """How many threads the looks at a program and at the processes that it started saw at work.
    ``least`` is how many looks have to find as many threads. ``proc`` is where the kernel shows its
    processes. ``rng`` draws the runs that are still looked at when enough is known."""

    proc: str = "/proc"
    least: int = LOOKS
    rng: random.Random = field(default_factory=random.Random)
    _looks: Counter[int] = field(default_factory=Counter)
    _time: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    _ran: dict[tuple[int, str], float] = field(default_factory=dict)

    def look(self, pid: int, after: float = 1.0) -> None:
        """Once more, ``after`` seconds since the last time or the start, or any unit in which all
        looks are alike; a process that has ended counts for nothing. Found are the threads of one
        process that have run since the last look, or all that run or wait for a CPU at this
        moment."""
        before, self._ran = self._ran, {}
        ready, most = 0, 1
        for process in process_tree(pid, self.proc):
            since = []
            for thread, state, ran in self._threads(process):
                self._ran[process, thread] = ran
                # One that is new did not begin at the last look, so how busy it is is not known.
                since.append(ran - before.get((process, thread), ran))
                ready += state == "R"
            most = max(most, sum(ran > 0 and ran >= AT_WORK * sum(since) for ran in since))
        self._looks[max(most, ready)] += 1
        self._time[max(most, ready)] += after

    def due(self) -> bool:
        """Whether the run that begins is to be looked at."""
        return sum(self._looks.values()) < ENOUGH or self.rng.randrange(SELDOM) == 0

    @property
    def at_work(self) -> int:
        """How many threads there are to run at one time; 1 where nothing is known."""
        looks, time = 0, 0.0
        for number in sorted(self._looks, reverse=True):
            looks += self._looks[number]
            time += self._time[number]
            if looks >= self.least and time >= TOGETHER * sum(self._time.values()):
                return number
        return 1

    def _threads(self, pid: int) -> Iterator[tuple[str, str, float]]:
        """Number and state of each, and how long it has run, in any unit."""
        for thread in _threads(pid, self.proc):
            fields = _text(f"{thread}/stat").rpartition(")")[2].split()
            ran = _text(f"{thread}/schedstat").split()
            if len(fields) > 12:
                seconds = float(ran[0]) if ran else float(fields[11]) + float(fields[12])
                yield os.path.basename(thread), fields[0], seconds


def process_tree(pid: int, proc: str = "/proc") -> list[int]:
    """The number of this process, and those of its descendants that are alive."""
    tree = [pid]
    for one in tree:
        for thread in _threads(one, proc):
            tree += map(int, _text(f"{thread}/children").split())
    return tree


def _threads(pid: int, proc: str) -> list[str]:
    """Where the kernel shows each thread of a process."""
    folder = f"{proc}/{pid}/task"
    try:
        return [f"{folder}/{thread}" for thread in os.listdir(folder)]
    except OSError:
        return []


def _text(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def pauses(rng: random.Random) -> Iterator[float]:
    """Seconds until each next look."""
    mean = _FIRST
    while True:
        yield rng.uniform(0, 2 * mean)
        mean = min(2 * mean, _LONGEST)


# Peak memory: of a tree that is alive, and of a process that is traced until it ends. The account
# of an ended process includes the peak of its parent, of which it was a part until it loaded its
# program: of programs smaller than whyfast it tells nothing.


def tree_peak(pid: int) -> float | None:
    """The peak memory in bytes of the largest process among this one and its descendants that are
    alive, each in its own program; None where the kernel does not tell."""
    return max((p for one in process_tree(pid) if (p := _peak_of(one)) is not None), default=None)


def _peak_of(pid: int) -> float | None:
    peak = re.search(r"^VmHWM:\s*(\d+) kB", _text(f"/proc/{pid}/status"), re.M)
    return 1024.0 * int(peak[1]) if peak else None


class PeakTracer:
    """The peak memory of a child, read as it ends, where ptrace is allowed. Without what
    :attr:`Usage.maxrss` includes of this process. It runs freely until it ends, and then waits for
    a thousandth of its run (0.5 to 5 ms): such a run is not for its time."""

    def __init__(self, spawn: Callable[[], int]) -> None:
        self._spawn, self._pid = spawn, 0
        self._error: Exception | None = None
        self._peak: float | None = None
        self._started = threading.Event()
        # Only the thread that traces may ask of the traced. It also starts it: another would be
        # woken up too late for a process that ends within a few milliseconds.
        self._thread = threading.Thread(target=self._trace, daemon=True)

    def start(self) -> int:
        """The number of the process that ``spawn`` has started. Raises what it raises."""
        self._thread.start()
        self._started.wait()
        if self._error is not None:
            raise self._error
        return self._pid

    def peak(self) -> float | None:
        """In bytes, once the process has ended. None where it had children, whose peaks are not
        seen, or may not be traced."""
        self._thread.join()
        return self._peak

    def _trace(self) -> None:
        traced = False
        try:
            ptrace = ptrace_call()
            self._pid = self._spawn()
            traced = ptrace(SEIZE, self._pid, None, TRACE_EXIT) == 0
        except Exception as error:  # whatever it is: somebody waits for the start
            self._error = error
        finally:
            self._started.set()
        began, wanted = time.monotonic(), os.WSTOPPED | os.WEXITED | os.WNOHANG | os.WNOWAIT
        while traced:
            try:
                state = os.waitid(os.P_PID, self._pid, wanted | ANY_CHILD)
            except ChildProcessError:  # killed, and already waited for
                return
            if state is None:
                time.sleep(min(0.005, max(0.0005, (time.monotonic() - began) / 1000)))
                continue
            event, number = divmod(state.si_status, 256)
            if state.si_code != os.CLD_TRAPPED:
                return
            if event == EVENT_EXIT:
                with contextlib.suppress(OSError):  # it may be killed meanwhile
                    # Of the fields behind the name, the page faults of children waited for.
                    fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
                    self._peak = _peak_of(self._pid) if fields[8] == "0" else None
                ptrace(DETACH, self._pid, None, None)
                return
            if event == EVENT_STOP:
                ptrace(LISTEN if number in STOPS else CONT, self._pid, None, None)
            else:
                ptrace(CONT, self._pid, None, number)
