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

    def process(pid: int, parent: int = 0) -> SampledProcess:
        return processes.setdefault(pid, SampledProcess(pid, parent))

    head: re.Match[str] | None = None
    frames: list[StackFrame] = []
    for line in [*text.splitlines(), ""]:
        if frame := _FRAME.match(line) if head else None:
            address, name, offset, path = frame.groups()
            frames.append(StackFrame(name or "", int(offset or "0", 16), path, int(address, 16)))
            continue
        if head and frames:
            sampled = process(int(head[1]))
            sampled.stacks[tuple(frames)] += int(head[3])
            sampled.samples += 1
        head, frames = _HEAD.match(line), []
        task = None if head else _TASK.search(line)
        if task and task[1] == "FORK" and (fork := _FORK.match(task[2])):
            child, thread, parent, _ = map(int, fork.groups())
            if child == thread:  # else it is a thread
                process(child, parent)
        elif task and task[1].startswith("COMM") and (comm := _COMM.match(task[2])):
            process(int(comm[2])).names.append(comm[1])
    return processes
