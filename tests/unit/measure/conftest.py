"""Real child processes, and the certainty that a test leaves none behind."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from whyfast.toolchain.watcher import WATCHER

#: Seconds after which a test that would hang fails instead.
STUCK = 30.0


def children() -> set[int]:
    """Processes that this one started and has not reaped, zombies included."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[1]) == os.getpid():
                found.add(int(entry.name))
    return found


def ends(pid: int) -> bool:
    """Wait for the end of a process, by whoever it is reaped."""
    deadline = time.monotonic() + STUCK
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.01)
    return False


def open_files() -> int:
    """Descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Fails a test after which a child process or an open descriptor is left."""
    WATCHER.start()  # which keeps its descriptors
    before, files = children(), open_files()
    yield
    assert children() <= before
    assert open_files() <= files  # what others left may be collected meanwhile


@pytest.fixture
def environment() -> dict[str, str]:
    return dict(os.environ)
