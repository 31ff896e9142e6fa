"""Locks between processes, released by the kernel when their holder dies in whatever way.

The holder of a lock may remove its file; whoever waited for it then takes the new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

#: Seconds between two attempts of a wait that can be cancelled.
PATIENCE = 0.05


@contextlib.contextmanager
def exclusive(
    path: Path,
    waiting: Callable[[], None] | None = None,
    *,
    cancelled: threading.Event | None = None,
) -> Iterator[None]:
    """Hold the lock file ``path`` (made when missing); ``waiting`` is called once before a wait.

    Setting ``cancelled`` ends the wait with InterruptedError; without it only the main thread's
    can be interrupted.
    """
    fd = _lock(path, fcntl.LOCK_NB)
    if fd is None and waiting:
        waiting()
    while fd is None:
        if cancelled is None:
            fd = _lock(path, 0)
        elif cancelled.wait(PATIENCE):
            raise InterruptedError(f"no longer waiting for {path.name}")
        else:
            fd = _lock(path, fcntl.LOCK_NB)
    try:
        yield
    finally:
        os.close(fd)


def next_number(file: Path, first: int = 1) -> int:
    """One more than the last that was given from ``file``, to any process: an order that does not
    depend on a clock, which may be set back. ``first`` is for a file that is not there."""
    with exclusive(file.with_name(f"{file.name}.lock")):
        number = first
        with contextlib.suppress(OSError, ValueError):
            number = int(file.read_text()) + 1
        write_whole(file, str(number))
    return number


def write_whole(file: Path, text: str) -> None:
    """The text in place of what was there; a process that is killed leaves the one or the other.
    The caller holds a lock."""
    new = file.with_name(f"{file.name}.new")
    # Not through a link of that name: the folder may have come from another host.
    new.unlink(missing_ok=True)
    with new.open("x") as out:
        out.write(text)
    new.replace(file)


@contextlib.contextmanager
def exclusive_if_free(path: Path) -> Iterator[bool]:
    """Like :func:`exclusive`, but yields False at once, holding nothing, when another holds it."""
    fd = _lock(path, fcntl.LOCK_NB)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            os.close(fd)


def _lock(path: Path, flags: int) -> int | None:
    """A descriptor that holds the lock; None when another holds it, or removed it meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    with contextlib.ExitStack() as stack:
        stack.callback(os.close, fd)
        with contextlib.suppress(BlockingIOError, FileNotFoundError):
            fcntl.flock(fd, fcntl.LOCK_EX | flags)
            if os.path.samestat(os.fstat(fd), path.stat()):
                stack.pop_all()
                return fd
    return None
