"""Starting, waiting for and ending child processes, and what they print."""

from __future__ import annotations

import contextlib
import errno
import itertools
import math
import os
import random
import resource
import select
import shutil
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

from whyfast.measure.accounts import (
    PeakTracer,
    ThreadTally,
    late,
    moment,
    pauses,
    scheduled,
    waited_alone,
)
from whyfast.toolchain.watcher import WATCHER, end_marked

#: Seconds after which a signal is heard at the latest.
LONGEST_WAIT = 1.0

#: Seconds between two looks at how much a child has printed, where its threads are not looked at.
LOOK = 0.1


def usable_cpus() -> tuple[int, ...]:
    """The CPUs that this process may run on, in order; empty where pinning is not possible."""
    try:
        return tuple(sorted(os.sched_getaffinity(0)))
    except (AttributeError, OSError):
        return ()


def on_cpu(cpu: int | None) -> AbstractContextManager[None]:
    """Children started inside inherit the pinning to ``cpu``; None changes nothing."""
    return _on(set() if cpu is None else {cpu})


def away_from(cpu: int | None) -> AbstractContextManager[None]:
    """This thread leaves ``cpu`` to the child that runs there, where it may run elsewhere: else it
    is woken on it, and the child waits."""
    return _on(set() if cpu is None else set(usable_cpus()) - {cpu})


@contextlib.contextmanager
def _on(cpus: set[int]) -> Iterator[None]:
    if not cpus:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


# What a child process prints, kept in bounded memory.

#: How much of what a failing program printed is shown, in bytes.
OUTPUT_KEPT = 4000

#: How much one stream may hold, in bytes. An anonymous file is memory. A pipe would bound it to the
#: byte, but would wake its reader whenever a program that is being measured prints.
OUTPUT_MOST = 16 << 20


class TooMuchOutput(Exception):
    """More was printed than is kept; the message says so."""

    def __init__(self) -> None:
        super().__init__(f"printed more than {OUTPUT_MOST >> 20} MB on standard output")


class KeptOutput:
    """One stream of a child; ``fd`` is what it writes to. ``over``: some has been discarded."""

    def __init__(self, name: str) -> None:
        self.fd = os.memfd_create(name)
        self.over = False
        self._before = b""

    def trim(self) -> None:
        """Give back its memory when it is above the limit; the end is kept for a failure report.
        The child goes on behind what it has written: what is before that is then a hole."""
        if os.fstat(self.fd).st_blocks * 512 > OUTPUT_MOST:
            self._before = self._last()
            os.ftruncate(self.fd, 0)
            self.over = True

    def text(self) -> str:
        """All of it; TooMuchOutput where some is gone."""
        self.trim()
        if self.over:
            raise TooMuchOutput
        return os.pread(self.fd, os.fstat(self.fd).st_size, 0).decode("utf-8", "replace")

    def tail(self) -> str:
        """The last :data:`OUTPUT_KEPT` bytes."""
        last = self._last()
        if self.over:
            last = (self._before + last.lstrip(b"\0"))[-OUTPUT_KEPT:]
        return last.decode("utf-8", "replace")

    def close(self) -> None:
        """Release the file."""
        os.close(self.fd)

    def _last(self) -> bytes:
        size = os.fstat(self.fd).st_size
        return os.pread(self.fd, OUTPUT_KEPT, max(0, size - OUTPUT_KEPT))


@dataclass(frozen=True)
class Usage:
    """The kernel's accounting of one ended process: seconds, bytes, counts. ``maxrss`` is None
    unless it is above the peak of this process, of which the child is a part until it has loaded
    its program, and which the kernel counts as its own; it is then below ``maxrss_below``.
    ``waited`` is how long it waited for a CPU; None where that is not known, or more than one
    thread was at work."""

    user: float
    system: float
    maxrss: float | None
    minor_faults: float
    major_faults: float
    voluntary_switches: float
    involuntary_switches: float
    maxrss_below: float | None = None
    waited: float | None = None


class Child:
    """A started process in a process group of its own, its output kept in anonymous files. Raises
    OSError when the program cannot be started. It is pinned to ``cpu``; None: it runs where this
    process may. ``stdin`` is a path to read from; ``stdout``: what it prints is ``kept`` as far as
    there is room, ``discarded`` to the null device, or wanted ``whole``, so that more than there is
    room for is a failure. ``traced``: for its :meth:`peak`."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cpu: int | None = None,
        pass_fds: Sequence[int] = (),
        stdin: str = os.devnull,
        stdout: Literal["kept", "discarded", "whole"] = "kept",
        traced: bool = False,
    ) -> None:
        self._whole_stdout = stdout == "whole"
        self._stderr: KeptOutput | None = KeptOutput("whyfast-stderr")
        self._stdout: KeptOutput | None = None
        if stdout != "discarded":
            self._stdout = KeptOutput("whyfast-stdout")
        self.status: int | None = None
        self._mark = -1
        self._heard, self._late = math.nan, 0.0
        self._usage: Usage | None = None
        actions: list[tuple[int, int, str, int, int] | tuple[int, int, int]] = [
            (os.POSIX_SPAWN_OPEN, 0, stdin, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, self._stderr.fd, 2),
        ]
        if self._stdout is None:
            actions.append((os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0))
        else:
            actions.append((os.POSIX_SPAWN_DUP2, self._stdout.fd, 1))
        for fd in pass_fds:
            os.set_inheritable(fd, True)
        WATCHER.start()  # not while the child runs already

        def spawn() -> int:
            with on_cpu(cpu):
                # Nothing else of this program is within the timed span.
                self._began = time.perf_counter()
                # posix_spawn, not fork: its cost does not grow with the memory of this process
                return os.posix_spawnp(
                    argv[0],
                    list(argv),
                    env,
                    file_actions=actions,
                    setpgroup=0,
                    setsigdef=[signal.SIGPIPE],
                )

        self._tracer = PeakTracer(spawn) if traced else None
        try:
            with WATCHER.marked() as self._mark:
                self.pid = spawn() if self._tracer is None else self._tracer.start()
            WATCHER.add(self.pid)
        except BaseException as error:  # also of a signal that comes before the number is known
            end_marked(self._mark, 0)
            self._close_files()
            # Of a folder in PATH that may not be entered the system says so only.
            nowhere = os.sep not in argv[0] and shutil.which(argv[0]) is None
            if isinstance(error, PermissionError) and nowhere:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
            raise

    def wait(
        self, timeout: float, *, whole_group: bool = False, tally: ThreadTally | None = None
    ) -> Usage | None:
        """Wait for the end, at most ``timeout`` seconds; None when it still runs. Afterwards
        ``status`` is the exit code, negative for a signal. May be called again. ``whole_group``:
        what it leaves running in its process group is killed when it has ended. ``tally`` looks at
        its threads now and then meanwhile. TooMuchOutput, at once, where its standard output is
        wanted whole."""
        if self._usage is not None:
            return self._usage
        pidfd = os.pidfd_open(self.pid)
        try:
            poller = select.poll()
            poller.register(pidfd, select.POLLIN)
            if not self._ends(poller, timeout, tally):
                return None
        finally:
            os.close(pidfd)
        if whole_group:  # before it is reaped, as the number may be another group's afterwards
            self._kill_group()
        WATCHER.forget(self.pid)
        first = scheduled(f"/proc/{self.pid}/schedstat")  # it has ended and is not reaped
        if first:  # it did not end before it had run and waited so long
            self._late = max(0.0, min(self._late, self._heard - self._began - first.lived))
        _, raw, r = os.wait4(self.pid, 0)
        self.status = os.waitstatus_to_exitcode(raw)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        self._usage = Usage(
            r.ru_utime,
            r.ru_stime,
            r.ru_maxrss * 1024.0 if r.ru_maxrss > usage.ru_maxrss else None,
            r.ru_minflt,
            r.ru_majflt,
            r.ru_nvcsw,
            r.ru_nivcsw,
            None if r.ru_maxrss > usage.ru_maxrss else usage.ru_maxrss * 1024.0,
            waited_alone(first, r.ru_utime + r.ru_stime, self.seconds),
        )
        self.trim()
        return self._usage

    def peak(self) -> float | None:
        """Its peak memory in bytes once it has ended: the kernel's account of it, else what tracing
        it has shown."""
        if self._usage is not None and self._usage.maxrss is not None:
            return self._usage.maxrss
        return self._tracer.peak() if self._tracer is not None else None

    @property
    def seconds(self) -> float:
        """From just before its start until the kernel told of its end, less what this thread then
        waited for a CPU; nan while it is not known to have ended."""
        return self._heard - self._late - self._began

    def _ends(self, poller: select.poll, timeout: float, tally: ThreadTally | None) -> bool:
        deadline = time.monotonic() + timeout
        for pause in itertools.repeat(LOOK) if tally is None else pauses(random.Random()):
            left = deadline - time.monotonic()
            most = max(0.0, min(pause, left))
            before = moment()
            if wait_for(poller, most):
                after = moment()
                self._heard, self._late = after.seconds, late(before, after, most)
                return True
            if left <= pause:
                return False
            self.trim()
            if tally is not None:
                tally.look(self.pid, pause)
        return False

    def trim(self) -> None:
        """Discard what is too much of what it has printed so far; to be called now and then while
        it runs. TooMuchOutput where its standard output is wanted whole."""
        for stream in (self._stdout, self._stderr):
            if stream is not None:
                stream.trim()
        if self._whole_stdout and self._stdout is not None and self._stdout.over:
            raise TooMuchOutput

    def end(self, timeout: float) -> None:
        """Give it so many seconds to end by itself, then :meth:`kill` it."""
        try:
            self.wait(timeout, whole_group=True)
        finally:  # also after an interrupt: nobody asks a second time
            self.kill()

    def kill(self) -> None:
        """End the whole process group now and reap the process; and end what it has left behind in
        sessions of its own."""
        if self.status is None:
            self._kill_group()
            self._whole_stdout = False  # too much of it is no reason any more to stop waiting
            self.wait(10.0)
        WATCHER.end_left(self._mark, self.pid)
        self._close_files()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def stdout(self) -> str:
        """What it printed on standard output (empty when that is not kept). TooMuchOutput when
        some of it is gone."""
        return self._stdout.text() if self._stdout is not None else ""

    def output_tail(self) -> str:
        """The end of what it printed, both streams, for a failure report."""
        parts = [stream.tail() for stream in (self._stdout, self._stderr) if stream is not None]
        return "\n".join(p.strip() for p in parts if p.strip())

    def _close_files(self) -> None:
        for stream in (self._stdout, self._stderr):
            if stream is not None:
                stream.close()
        self._stdout = self._stderr = None


def wait_for(poller: select.poll, timeout: float) -> set[int]:
    """The files of ``poller`` that there is something to read from, waiting for the first of them
    at most ``timeout`` seconds. In steps of a second: a signal that comes just before a system call
    begins does not interrupt it, and would be heard only once that ends."""
    deadline = time.monotonic() + timeout
    while True:
        left = max(0.0, deadline - time.monotonic())
        ready = {fd for fd, _ in poller.poll(1000 * min(left, LONGEST_WAIT))}
        if ready or left <= LONGEST_WAIT:
            return ready


def describe_status(status: int) -> str:
    """An exit code in words: ``exit code 3``, ``killed by SIGSEGV``."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
