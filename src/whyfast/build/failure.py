"""Why a step failed, in one line and the end of its log."""

from __future__ import annotations

import errno
import re
import signal
from collections.abc import Sequence
from pathlib import Path

from whyfast.build.short_paths import without_folders

#: Last lines of a failing step's log that are shown.
TAIL = 15
#: Last lines that are searched for the reason: a crashed compiler prints its stack, and the other
#: jobs of a parallel make go on for a while.
SEARCHED = 500

_FULL = re.compile(r"No space left on device|Disk quota exceeded")

#: What says that a process was ended by SIGKILL or found no memory: the drivers of gcc and clang
#: of a compiler proper that they ran, make and the shell of any program, and allocators.
_MEMORY = re.compile(
    r"Killed signal terminated program|unable to execute command: Killed|\bError 137\b"
    r"|^(?:.*: )?(?:\d+ )?Killed\b|\] Killed$|LLVM ERROR: out of memory|virtual memory exhausted"
    r"|out of memory allocating|std::bad_alloc|Cannot allocate memory|memory exhausted",
    re.MULTILINE,
)

#: What a compiler prints when it is itself at fault.
_CRASH = re.compile(
    r"internal compiler error|PLEASE submit a bug report|Please submit a full bug report"
    r"|LLVM ERROR:|(?:frontend|linker) command failed due to signal"
    r"|unable to execute command: (?:Segmentation fault|Aborted|Illegal instruction|Bus error)"
    r"|signal terminated program"
)

#: The first line that says what is wrong: of compilers, linkers, shells, Go, Python, make, cmake.
_ERROR = re.compile(
    r"(?:^|[\s:])(?:fatal )?error(?:\[E\d+\])?: |: not found$|: command not found$"
    r"|multiple definition of|undefined reference to|cannot find -l|No such file or directory"
    r"|^CMake Error|^go: (?!downloading )"
    r"|^[\w./-]+\.go:\d+:\d+: |^(?:\w+\.)*\w*(?:Error|Exception): "
    r"|^g?make(?:\[\d+\])?: \*\*\* (?:No rule|No targets)",
    re.IGNORECASE | re.MULTILINE,
)


#: A quoted line of make or a shell on a tool that is not there.
_MISSING = re.compile(
    r" \((?:g?make(?:\[\d+\])?: |(?:\S*/)?(?:ba|da)?sh: (?:line )?(?:\d+: )?)"
    r"(?P<name>[\w.+-]+): (?:No such file or directory|(?:command )?not found)\)"
)


def why(step: str, status: int, lines: Sequence[str] = ()) -> str:
    """``status`` is the exit status of a shell, negative for a signal; a shell and a sandbox say
    128 and the signal's number when it was their child that it ended. ``lines`` are what the step
    printed last."""
    shown = without_folders(step)
    text = "\n".join(lines)
    killed = _signal(status)
    if found := _FULL.search(text):
        return f"the disk became full in the step: {shown}{_quoted(found)}"
    found = _MEMORY.search(text)
    if found or killed == "SIGKILL":
        said = _quoted(found) if found else ""
        return f"killed, most likely for want of memory, in the step: {shown}{said}"
    if found := _CRASH.search(text):
        return f"the compiler crashed in the step: {shown}{_quoted(found)}"
    if killed:
        return f"step killed by {killed}: {shown}"
    said = _quoted(found) if (found := _ERROR.search(text)) else ""
    if tool := _MISSING.fullmatch(said):
        return f"{tool['name']} is not installed, and the step needs it: {shown}{said}"
    return f"step ended with exit code {status}: {shown}{said}"


def because(error: OSError) -> str:
    """Why the files of a build could not be handled."""
    reason = f"{error.strerror}: {error.filename}" if error.filename else str(error)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk became full while its folder was made ready: {reason}"
    return reason


def _quoted(found: re.Match[str]) -> str:
    """The line with the match, as it was printed."""
    text = found.string
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    line = without_folders(text[start : end if end >= 0 else len(text)])
    return f" ({line if len(line) < 160 else line[:157] + '…'})"


def _signal(status: int) -> str | None:
    number = -status if status < 0 else status - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return None


def tail(log: Path, lines: int = TAIL, start: int = 0) -> tuple[str, ...]:
    """The last lines of a log, from the byte ``start`` on."""
    with log.open("rb") as file:
        file.seek(start)
        text = file.read().decode("utf-8", "replace")
    return tuple(text.splitlines()[-lines:])
