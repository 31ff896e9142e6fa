"""Files and folders on disk: digests, free room, locks between processes, atomic replacement."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path


def sha256_of(file: Path) -> str:
    """The SHA-256 of the file's bytes, in hexadecimal. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def lacking(folder: Path, need: int) -> str | None:
    """In words why ``need`` bytes do not fit below ``folder`` (which may not exist yet), or None.
    What cannot be asked is taken to have room."""
    free = free_space(folder)
    if free is None or free >= need:
        return None
    return f"{folder} has {readable(free)} free and about {readable(need)} are needed"


def free_space(folder: Path) -> int | None:
    """Free bytes of the disk of a folder, which may not exist yet; None where it cannot be told."""
    try:
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def used(folder: Path) -> int:
    """Bytes of all files below ``folder``; files that cannot be read count nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            if not path.is_symlink() and path.is_file():
                total += path.stat().st_size
        except OSError:
            continue
    return total


def readable(size: float) -> str:
    """``1.3 GB``, ``270 MB``, ``12 kB``."""
    if size >= 0.9995e9:
        return f"{size / 1e9:.1f} GB"
    return f"{size / 1e6:.0f} MB" if size >= 0.9995e6 else f"{size / 1e3:.0f} kB"


# Locks between processes, which the kernel releases however their holder dies.
#
# The holder of a lock may remove its file; whoever waited for it then takes the new one.

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
    Setting ``cancelled`` ends the wait with InterruptedError; without it only the main thread's can
    be interrupted."""
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


def write_whole(file: Path, content: str | bytes, *, durable: bool = False) -> None:
    """The content in place of what was there; a process that is killed leaves the one or the other,
    and an exception no other file. ``durable``: a power failure, too. OSError."""
    # A name that nobody can know: the folder may have come from another host, with a link in it.
    new = file.with_name(f".{os.urandom(8).hex()}.new")
    try:
        with new.open("xb") as out:
            out.write(content.encode() if isinstance(content, str) else content)
            if durable:
                out.flush()
                os.fsync(out.fileno())
        new.replace(file)
    except BaseException:  # KeyboardInterrupt, too, leaves no file behind
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        raise
    if durable:
        fd = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


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


# Folders that are complete or absent, whatever interrupts their creation or deletion.
#
# An unfinished folder is called ``NAME-unfinished-…``, beside its place; the next process that
# makes the folder deletes it.


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
    """Delete a folder whose lock the caller holds; nothing when it is not there. It loses its name
    first, so that nothing half deleted is taken for complete."""
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
