"""Why a step failed, in one line and the end of its log."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from pathlib import Path

#: Last lines of a failing step's log that are shown.
TAIL = 15

#: What a compiler prints when it is itself at fault.
_CRASH = re.compile(r"internal compiler error|PLEASE submit a bug report|LLVM ERROR:")


def why(step: str, status: int, tail: Sequence[str] = ()) -> str:
    """``status`` is the exit status of a shell, negative for a signal; a shell and a sandbox say
    128 and the signal's number when it was their child that it ended."""
    shown = shortened(step)
    text = "\n".join(tail)
    if "No space left on device" in text:
        return f"the disk became full in the step: {shown}"
    killed = _signal(status)
    if killed == "SIGKILL":
        return f"step killed by SIGKILL, perhaps for want of memory: {shown}"
    if _CRASH.search(text):
        return f"the compiler crashed in the step: {shown}"
    if killed:
        return f"step killed by {killed}: {shown}"
    return f"step ended with exit code {status}: {shown}"


def shortened(step: str) -> str:
    """A step on one line of a report."""
    return step if len(step) < 120 else step[:117] + "…"


def _signal(status: int) -> str | None:
    number = -status if status < 0 else status - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def tail(log: Path) -> tuple[str, ...]:
    """The last lines of a log."""
    lines = log.read_text(errors="replace").splitlines()
    return tuple(lines[-TAIL:])
