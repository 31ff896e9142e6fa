"""What a program asks of the kernel: system calls by name, time and caller, traced by strace."""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.measure.process import CannotCount, ToolRun

#: Seconds that looking for callers may take: the first few thousand calls tell.
CALLERS_SECONDS = 2.0


@dataclass(frozen=True)
class CallRow:
    """One system call over a whole run: ``seconds`` in the kernel (or of wall time with ``-w``),
    how often it was called, and how often it failed."""

    name: str
    seconds: float
    calls: int
    errors: int


@dataclass(frozen=True)
class TracedRun:
    """One run and all of its processes: ``calls`` by name with the seconds of system time in them,
    ``waits`` with those of wall time."""

    calls: Mapping[str, CallRow]
    waits: Mapping[str, CallRow]

    def number(self, name: str) -> int:
        return self.calls[name].calls if name in self.calls else 0


def trace_calls(run: ToolRun, *, waits: bool) -> TracedRun:
    """One run under strace, and another one for ``waits``, which are empty without it. Raises
    CannotCount where strace is missing, forbidden or too slow."""
    return TracedRun(call_table(run), call_table(run, "-w") if waits else {})


def call_table(run: ToolRun, *options: str) -> dict[str, CallRow]:
    """The table of one run under strace. Raises CannotCount as :func:`trace_calls`."""
    with tempfile.TemporaryDirectory(prefix="whyfast-", dir=run.scratch) as folder:
        out = Path(folder, "table")
        argv = [_strace(run), "-f", "-c", *options, "-o", str(out), *run.enter, *run.command]
        done = run.under("strace", argv, run.env)
        rows = parse_strace_table(out.read_text(errors="replace") if out.exists() else "")
    if not rows:
        lines = done.output.strip().splitlines()[-1:]
        raise CannotCount(f"strace traced nothing{': ' + lines[0] if lines else ''}")
    return rows


#: Calls that return how many bytes they moved.
TRANSFERS = (
    *("read", "pread64", "readv", "preadv", "recvfrom", "recvmsg", "getrandom"),
    *("write", "pwrite64", "writev", "pwritev", "sendto", "sendmsg", "sendfile"),
    *("copy_file_range", "splice"),
)


def moved_bytes(run: ToolRun, names: Sequence[str]) -> dict[str, int]:
    """The bytes that one run moves by each of these system calls. Raises CannotCount."""
    with tempfile.TemporaryDirectory(prefix="whyfast-", dir=run.scratch) as folder:
        out = Path(folder, "calls")
        argv = [_strace(run), "-f", "-s0", "-e", f"trace={','.join(names)}", "-o", str(out)]
        run.under("strace", [*argv, *run.enter, *run.command], run.env)
        moved = dict.fromkeys(names, 0)
        if out.exists():
            with out.open(errors="replace") as file:
                for line in file:
                    if (match := _MOVED.match(line)) and match[1] in moved:
                        moved[match[1]] += int(match[2])
        return moved


def callers_of(run: ToolRun, names: Sequence[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """The most common stack of each of these system calls, as (object, function) from the innermost
    outwards, among those that the first seconds make. Empty where strace cannot unwind."""
    with tempfile.TemporaryDirectory(prefix="whyfast-", dir=run.scratch) as folder:
        out = Path(folder, "stacks")
        argv = [
            _strace(run),
            "-f",
            "-k",
            "-e",
            f"trace={','.join(names)}",
            "-o",
            str(out),
        ]
        with contextlib.suppress(CannotCount):
            short = replace(run, timeout=min(run.timeout, CALLERS_SECONDS))
            short.under("strace", [*argv, *run.enter, *run.command], run.env)
        if not out.exists():
            return {}
        with out.open(errors="replace") as file:
            stacks = parse_strace_stacks(file.read(8_000_000))
    return {name: counts.most_common(1)[0][0] for name, counts in stacks.items()}


def _strace(run: ToolRun) -> str:
    return run.tool("strace", "install it (Debian, Ubuntu: strace)")


# ---- What strace writes.


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


#: ``7 write(1, ""..., 65536) = 65536``, or the second half of a call that another one interrupted.
_MOVED = re.compile(r"^(?:\d+\s+)?(?:<\.\.\. )?(\w+)(?:\(| resumed>).*\)\s+= (\d+)(?: |$)")

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
