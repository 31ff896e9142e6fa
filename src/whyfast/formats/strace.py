"""Tables of ``strace -c``, and stacks of ``strace -k``."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True)
class CallRow:
    """One system call over a whole run: ``seconds`` in the kernel (or of wall time with ``-w``),
    how often it was called, and how often it failed."""

    name: str
    seconds: float
    calls: int
    errors: int


#: % time, seconds, usecs/call, calls, errors (may be empty), syscall
_ROW = re.compile(r"^\s*[\d.]+\s+([\d.]+)\s+\d+\s+(\d+)(?:\s+(\d+))?\s+([a-z_]\w*)\s*$")


def parse_strace_table(text: str) -> dict[str, CallRow]:
    """The rows by system call; the total is left out. Empty for a text without a table."""
    rows = {}
    for line in text.splitlines():
        match = _ROW.match(line)
        if match and match[4] != "total":
            rows[match[4]] = CallRow(match[4], float(match[1]), int(match[2]), int(match[3] or 0))
    return rows


_CALL = re.compile(r"^(?:\[pid\s+\d+\] |\d+\s+)?(\w+)\(")
_FRAME = re.compile(r"^ > (\S+?)\(([^()+]*)(?:\+0x[0-9a-f]+)?\) \[0x[0-9a-f]+\]")


def parse_strace_stacks(text: str) -> dict[str, Counter[tuple[tuple[str, str], ...]]]:
    """By system call the stacks that made it, as (object, function) from the innermost outwards,
    with the number of calls."""
    stacks: dict[str, Counter[tuple[tuple[str, str], ...]]] = {}
    call, frames = "", list[tuple[str, str]]()
    for line in [*text.splitlines(), ""]:
        if frame := _FRAME.match(line):
            frames.append((frame[1], frame[2]))
            continue
        if call and frames:
            stacks.setdefault(call, Counter())[tuple(frames)] += 1
        match = _CALL.match(line)
        call, frames = match[1] if match else "", []
    return stacks
