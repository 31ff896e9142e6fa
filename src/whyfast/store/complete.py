"""Folders that are complete or absent, whatever interrupts their making or deleting.

What is not finished is called ``NAME-unfinished-…``, beside its place; who makes the folder next
deletes it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from whyfast.store.lock import exclusive


def lock_of(folder: Path) -> Path:
    """The lock file of whoever makes or deletes the folder."""
    return folder.with_name(f"{folder.name}.lock")


def make_once(
    folder: Path, there: Callable[[], bool], make: Callable[[], None], waiting: Callable[[], None]
) -> None:
    """``make`` the folder under its lock unless it is ``there``; ``waiting`` is called once where
    another process makes it at the moment."""
    if not there():
        with exclusive(lock_of(folder), waiting):
            if not there():
                make()


@contextlib.contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder to work in; when the block ends well, what it left there as ``made`` becomes
    ``folder``, in place of what was there. The caller holds the lock."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    prefix = f"{folder.name}-unfinished-"
    for remains in folder.parent.glob(f"{prefix}*"):  # of a process that was killed
        with contextlib.suppress(OSError):
            delete(remains)
    work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=prefix))
    try:
        work.chmod(0o755)  # apt downloads as a user of its own
        yield work
        discard(folder)
        (work / "made").rename(folder)
    finally:
        delete(work)


def discard(folder: Path) -> None:
    """Delete a folder whose lock the caller holds; nothing when it is not there.

    It loses its name first, so that nothing half deleted is taken for complete.
    """
    if folder.exists():
        aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f"{folder.name}-unfinished-"))
        folder.rename(aside / "removed")
        delete(aside)


def delete(folder: Path) -> None:
    """Remove it with all that is in it, also folders that are not writable."""

    def retry(function: Callable[..., object], path: str, error: object) -> None:
        os.chmod(os.path.dirname(path), 0o700)
        function(path)

    if folder.exists():
        shutil.rmtree(folder, onerror=retry)
