"""Stacks of samples by process, as ``perf script`` prints them with its task events.

The fields are those of ``perf script -F pid,tid,time,period,ip,sym,symoff,dso --show-task-events``
on a recording with call graphs.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

_TASK = re.compile(r"PERF_RECORD_(FORK|COMM exec|COMM|EXIT)(?::\s*|\()(.*)$")
_FORK = re.compile(r"(-?\d+):(-?\d+)\):\((-?\d+):(-?\d+)\)")
_COMM = re.compile(r"(.*):(-?\d+)/(-?\d+)$")
_HEAD = re.compile(r"^\s*(-?\d+)/(-?\d+)\s+[\d.]+:\s+(\d+)\s*$")
_FRAME = re.compile(
    r"^\s+([0-9a-f]{1,16})\s+(?:\[unknown\]|(\S.*?)(?:\+0x([0-9a-f]+))?)\s+\((.*)\)\s*$"
)


class StackFrame(NamedTuple):
    """Code on a stack: the ``name`` of its symbol (empty where none is known), bytes from there,
    the path of the ``object``, and the place in that file in bytes."""

    name: str
    offset: int
    object: str
    place: int


#: From the innermost function outwards.
Stack = tuple[StackFrame, ...]


@dataclass
class SampledProcess:
    """One process: its ``names`` in order (one per ``exec``), and nanoseconds by stack."""

    pid: int
    parent: int
    names: list[str] = field(default_factory=list)
    stacks: Counter[Stack] = field(default_factory=Counter)
    samples: int = 0


def parse_stacks(text: str) -> dict[int, SampledProcess]:
    """The processes by their ids, in the order in which they were started.

    Threads count for their process. Lines of other kinds are passed over.
    """
    processes: dict[int, SampledProcess] = {}
    reader = _Reader(processes)
    for line in text.splitlines():
        reader.line(line)
    reader.end()
    return processes


class _Reader:
    def __init__(self, processes: dict[int, SampledProcess]) -> None:
        self._processes = processes
        self._head: tuple[int, int] | None = None
        self._frames: list[StackFrame] = []

    def line(self, line: str) -> None:
        if frame := _FRAME.match(line) if self._head else None:
            address, name, offset, path = frame.groups()
            self._frames.append(
                StackFrame(name or "", int(offset or "0", 16), path, int(address, 16))
            )
            return
        self.end()
        if head := _HEAD.match(line):
            self._head = int(head[1]), int(head[3])
        elif task := _TASK.search(line):
            self._task(task[1], task[2])

    def end(self) -> None:
        if self._head and self._frames:
            pid, nanoseconds = self._head
            process = self._process(pid)
            process.stacks[tuple(self._frames)] += nanoseconds
            process.samples += 1
        self._head, self._frames = None, []

    def _process(self, pid: int, parent: int = 0) -> SampledProcess:
        return self._processes.setdefault(pid, SampledProcess(pid, parent))

    def _task(self, kind: str, rest: str) -> None:
        if kind == "FORK" and (fork := _FORK.match(rest)):
            child, thread, parent, _ = map(int, fork.groups())
            if child == thread:  # else it is a thread
                self._process(child, parent)
        elif kind.startswith("COMM") and (comm := _COMM.match(rest)):
            self._process(int(comm[2])).names.append(comm[1])
