"""Peak memory of processes: of a tree that is alive, and of one that is traced until it ends.

The kernel's account of an ended process includes the peak of its parent, of which it was a part
until it loaded its program: of programs smaller than whyfast it tells nothing.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Callable
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


def tree_peak(pid: int) -> float | None:
    """The peak memory in bytes of the largest process among this one and its descendants that are
    alive, each in its own program; None where the kernel does not tell."""
    return max((p for one in process_tree(pid) if (p := _peak_of(one)) is not None), default=None)


def _peak_of(pid: int) -> float | None:
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
        if peak := re.search(r"^VmHWM:\s*(\d+) kB", status, re.M):
            return 1024.0 * int(peak[1])
    return None


def process_tree(pid: int) -> list[int]:
    """The number of this process, and those of its descendants that are alive."""
    tree = [pid]
    for one in tree:
        with contextlib.suppress(OSError):
            tree += map(int, Path(f"/proc/{one}/task/{one}/children").read_text().split())
    return tree


class PeakTracer:
    """The peak memory of a child, read as it ends, where ptrace is allowed.

    Without what :attr:`Usage.maxrss` includes of this process. It runs freely until it ends, and
    then waits for a thousandth of its run (0.5 to 5 ms): such a run is not for its time.
    """

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
