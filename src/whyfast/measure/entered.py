"""Which functions a command enters: a program of its own, which traces the command and all that it
starts.

    python entered.py TRAPPED TRAPS FOUND COMMAND...

TRAPPED is the name of a file that the command runs, with a trap (``int3`` of x86-64) as the first
byte of each function in question; TRAPS has a line for each, its place in the file and the byte
that belongs there, in decimals. The first that comes to a trap puts the byte back and goes on, so
all runs at full speed. FOUND gets the places that were come to, after a line ``ran`` where the file
was executed. The command's exit code is this program's, 128 and more for a signal.

It is run by its path, without whyfast, so it may import nothing of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import sys
from pathlib import Path

# Requests, options and events of ptrace, of <linux/ptrace.h>; __WALL of <linux/wait.h>.
PEEK_USER, POKE_USER, CONT, DETACH, SEIZE, LISTEN = 3, 6, 7, 17, 0x4206, 0x4208
TRACE_EXIT, EVENT_EXIT, EVENT_STOP = 1 << 6, 6, 128
ANY_CHILD = 0x40000000
STOPS = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
_FORK, _VFORK, _CLONE, _EXEC, _KILL_WITH_TRACER = 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 20
_EVENT_EXEC = 4

#: Where ``struct user`` of <sys/user.h> has the address of the next instruction, on x86-64.
_NEXT = 128


def ptrace_call() -> ctypes._NamedFuncPointer:
    """The system's ``ptrace``, which takes a request, a process and two words."""
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.restype = ctypes.c_long
    ptrace.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    return ptrace


class _Tracer:
    """Of a command and all that it starts; ``met`` are the places of traps that these came to."""

    def __init__(self, name: str, traps: dict[int, int]) -> None:
        self._name, self._traps = name, traps
        self._ptrace = ptrace_call()
        self.met: dict[int, None] = {}
        self.ran = False

    def run(self, command: list[str]) -> int:
        """Runs it; how it ends, as of ``waitpid``. OSError where it may not be traced."""
        ready, go = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(go)
            if os.read(ready, 1):
                with contextlib.suppress(OSError):
                    os.execvp(command[0], command)
            os._exit(127)
        options = _FORK | _VFORK | _CLONE | _EXEC | _KILL_WITH_TRACER
        if self._ptrace(SEIZE, pid, None, options):
            raise OSError(ctypes.get_errno(), "ptrace")
        os.write(go, b"1")
        while True:
            one, status = os.waitpid(-1, ANY_CHILD)
            if os.WIFSTOPPED(status):
                self._go_on(one, status >> 16, os.WSTOPSIG(status))
            elif one == pid:
                return status

    def _go_on(self, one: int, event: int, number: int) -> None:
        if event == EVENT_STOP and number in STOPS:
            self._ptrace(LISTEN, one, None, None)
            return
        if event == _EVENT_EXEC:
            with contextlib.suppress(OSError):
                self.ran |= os.path.basename(os.readlink(f"/proc/{one}/exe")) == self._name
        mine = event or (number == signal.SIGTRAP and self._taken(one))
        self._ptrace(CONT, one, None, 0 if mine else number)

    def _taken(self, one: int) -> bool:
        """Whether it stands behind one of the traps, which is then taken away."""
        address = (self._ptrace(PEEK_USER, one, _NEXT, None) - 1) & (2**64 - 1)
        place = self._place(one, address)
        if place not in self._traps:
            return False
        self.met[place] = None
        file = os.open(f"/proc/{one}/mem", os.O_RDWR)
        try:
            os.pwrite(file, bytes([self._traps[place]]), address)
        finally:
            os.close(file)
        self._ptrace(POKE_USER, one, _NEXT, address)
        return True

    def _place(self, one: int, address: int) -> int:
        """In the file; -1 where it is in no part of the file."""
        for line in Path(f"/proc/{one}/maps").read_text(errors="replace").splitlines():
            part = re.match(r"(\w+)-(\w+) \S+ (\w+) \S+ \d+ +(.*)", line)
            if part is None or os.path.basename(part[4]) != self._name:
                continue
            start, end, offset = (int(part[i], 16) for i in (1, 2, 3))
            if start <= address < end:
                return address - start + offset
        return -1


def _main(trapped: str, traps: str, found: str, *command: str) -> int:
    lines = (line.split() for line in Path(traps).read_text().splitlines())
    tracer = _Tracer(os.path.basename(trapped), {int(place): int(byte) for place, byte in lines})
    status = tracer.run([*command])
    Path(found).write_text("\n".join(["ran"] * tracer.ran + [*map(str, tracer.met)]))
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
