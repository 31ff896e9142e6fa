"""Ends what is measured when whyfast itself is killed (SIGKILL, out of memory), which runs none of
its own code.

A process of its own sleeps until the pipe from this one is closed, as the kernel does whatever
happens, and then kills the process groups in a table of shared memory. Nothing wakes it before, so
that it takes no time from what is measured.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading

#: Ends when standard input does; ``$1`` is the table. In the background and orphaned, so that it is
#: nobody's child to wait for. What is in the background has no standard input but by number.
_WATCH = """\
trap '' INT TERM HUP
exec 3<&0
(
    while read -r line; do :; done
    while read -r group; do
        if [ "$group" -gt 1 ]; then kill -s KILL -- "-$group"; fi
    done <"$1"
) <&3 3<&- &
"""

#: A group in the table: decimal, right-aligned, with the end of line.
_WIDTH = 12


class Watcher:
    """Started with the first group that it is to know."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._table = -1
        self._free: list[int] = []
        self._slots: dict[int, int] = {}

    def start(self) -> None:
        """Start it, in this process once. Where it cannot be, nothing is watched."""
        with self._lock:
            if self._owner == os.getpid():
                return
            self._owner = os.getpid()
            self._table, self._free, self._slots = -1, [], {}
            with contextlib.suppress(OSError):
                self._begin()

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
            subprocess.run(
                ["/bin/sh", "-c", _WATCH, "watcher", f"/proc/self/fd/{table}"],
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


#: Of this process.
WATCHER = Watcher()
