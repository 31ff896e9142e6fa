"""Locks between processes, released by the kernel when their holder dies in whatever way."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

#: Seconds between two attempts at a lock that another holds.
PATIENCE = 0.05


@contextlib.contextmanager
def exclusive(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock file ``path`` (made when missing); ``waiting`` is called once before a wait.

    The holder may remove the file. What ``waiting`` raises ends the attempt.
    """
    fd = _try(path)
    if fd is None:
        if waiting:
            waiting()
        while (fd := _try(path)) is None:
            time.sleep(PATIENCE)
    try:
        yield
    finally:
        os.close(fd)


def _try(path: Path) -> int | None:
    """A descriptor that holds the lock, or None while another does."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held, there = os.fstat(fd), os.stat(path)
        if (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino):
            return fd
    except (BlockingIOError, FileNotFoundError):  # taken, or removed by its last holder
        pass
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)
    return None
