"""Ends what this process has started when it ends itself, also by SIGKILL or for want of memory.

A process of its own sleeps until the pipe from this one is closed; then it kills the process groups
in a table of shared memory, and all processes with the mark of this one: a limit of resources, the
CPU time of real-time programs, here some 190 years. It is inherited, also in other sessions
(setsid), and /proc shows it."""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

#: Ends when standard input does; ``$1`` is the table, ``$2`` the mark. In the background and
#: orphaned, so that it is nobody's child to wait for. What is in the background has no standard
#: input but by number. What a marked process starts while it is looked for is found the next time.
_WATCH = """\
trap '' INT TERM HUP
exec 3<&0
(
    while read -r line; do :; done
    while read -r group; do
        if [ "$group" -gt 1 ]; then kill -s KILL -- "-$group"; fi
    done <"$1"
    for round in 1 2 3 4 5; do
        found=$(grep -lE "^Max realtime timeout +$2" /proc/[0-9]*/limits)
        [ -n "$found" ] || break
        for file in $found; do
            file=${file#/proc/}
            kill -s KILL "${file%/limits}"
        done
    done
) <&3 3<&- &
"""

#: A group in the table: decimal, right-aligned, with the end of line.
_WIDTH = 12

#: A mark: 6, what tells one whyfast from others, and what tells what it has started apart.
_OWN_DIGITS, _STARTED_DIGITS = 9, 6
_SHOWN = re.compile(rb"^Max realtime timeout +(\d+) ", re.MULTILINE)


class Watcher:
    """Started with the first process that it is to know."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._marking = threading.Lock()
        self._owner = 0
        self._table = -1
        self._free: list[int] = []
        self._slots: dict[int, int] = {}
        self._own = 0
        self._started = 0
        self._left = 0

    def start(self) -> None:
        """Start it, in this process once. Where it cannot be, nothing is watched."""
        with self._lock:
            if self._owner == os.getpid():
                return
            self._owner = os.getpid()
            self._table, self._free, self._slots = -1, [], {}
            number = random.SystemRandom().randrange(10**_OWN_DIGITS)
            self._own, self._started = 6 * 10**_OWN_DIGITS + number, 0
            _limit(resource.RLIM_INFINITY)  # what ends this process must not end the watcher first
            with contextlib.suppress(OSError):
                self._begin()
            _limit(self._own * 10**_STARTED_DIGITS)

    @contextlib.contextmanager
    def marked(self) -> Iterator[int]:
        """What is started inside has a mark of its own, which is handed out."""
        self.start()
        with self._marking:
            self._started = self._started % (10**_STARTED_DIGITS - 1) + 1
            mark = self._own * 10**_STARTED_DIGITS + self._started
            _limit(mark)
            try:
                yield mark
            finally:
                _limit(self._own * 10**_STARTED_DIGITS)

    def end_left(self, mark: int, group: int) -> None:
        """End what an ended program, the first of its group, has left behind elsewhere."""
        self._left += end_marked(mark, group)

    def left(self) -> int:
        """How many processes have been ended, since this was asked the last time, that had left
        the process group of their program and were running when it had ended."""
        left, self._left = self._left, 0
        return left

    def add(self, group: int) -> None:
        """A process group to kill when this process ends."""
        self.start()
        with self._lock:
            if self._table < 0:
                return
            slot = self._free.pop() if self._free else len(self._slots)
            self._slots[group] = slot
            self._write(slot, group)

    def forget(self, group: int) -> None:
        """Before the group's first process is reaped, as its number may be another's afterwards."""
        with self._lock:
            slot = self._slots.pop(group, None)
            if slot is not None:
                self._free.append(slot)
                self._write(slot, 0)

    def _begin(self) -> None:
        table = os.memfd_create("whyfast-groups")
        ours, theirs = -1, -1
        try:
            theirs, ours = os.pipe()
            mark = f"{self._own}[0-9]{{{_STARTED_DIGITS}}} "
            subprocess.run(
                ["/bin/sh", "-c", _WATCH, "watcher", f"/proc/self/fd/{table}", mark],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(table,),
                cwd="/",
                start_new_session=True,  # an interrupt from the terminal is not for it
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            os.close(table)
            if ours >= 0:
                os.close(ours)
            return
        finally:
            if theirs >= 0:
                os.close(theirs)
        self._table = table  # and the pipe stays open until this process ends

    def _write(self, slot: int, group: int) -> None:
        os.pwrite(self._table, b"%*d\n" % (_WIDTH - 1, group), slot * _WIDTH)


def _limit(mark: int) -> None:
    """Mark this process, and all that it starts from now on; nothing where a limit is set."""
    with contextlib.suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_RTTIME)[1]
        resource.setrlimit(resource.RLIMIT_RTTIME, (mark, hard))


def end_marked(mark: int, after: int) -> int:
    """Kill all processes with that mark whose numbers are above ``after``, whatever session they
    are in; how many of them were running outside of the process group ``after``. Numbers grow until
    they wrap, once in thousands of blocks; who is missed then ends with this process."""
    ended: set[int] = set()
    elsewhere = 0
    for _ in range(10):  # what one starts meanwhile is found the next time
        pids = [p for p in _processes() if p > after and p not in ended and _mark_of(p) == mark]
        if not pids:
            break
        for pid in pids:
            elsewhere += _runs_outside(pid, after)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended.update(pids)
    return elsewhere


def _processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _mark_of(pid: int) -> int | None:
    try:
        # By the plainest call: all processes are asked whenever one has ended.
        with open(f"/proc/{pid}/limits", "rb", buffering=0) as file:
            shown = _SHOWN.search(file.read())
    except OSError:
        return None
    return int(shown[1]) if shown else None


def _runs_outside(pid: int, group: int) -> bool:
    """Whether it has not ended and is in another process group."""
    try:
        shown = Path("/proc", str(pid), "stat").read_bytes()
    except OSError:
        return False
    state, _, process_group = shown.rpartition(b")")[2].split()[:3]
    return state not in b"ZX" and int(process_group) != group


#: Of this process.
WATCHER = Watcher()
