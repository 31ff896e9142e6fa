"""Which of some files are opened meanwhile, by anybody: the kernel notes it (``inotify``), whatever
program it is, and whether or not the file system keeps dates of reading."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

#: From ``<sys/inotify.h>``: the file was opened, as it also is when it is executed; and the flags
#: of a queue that does not wait and that no program inherits. A queue may overflow.
_OPEN, _NO_WAIT, _OVERFLOW = 0x20, os.O_NONBLOCK | os.O_CLOEXEC, 0x4000
#: What stands before the name in each event: watch, mask, cookie, length of the name.
_EVENT = struct.Struct("iIII")


@contextmanager
def watched(files: Mapping[Path, str]) -> Iterator[Callable[[], set[str]]]:
    """The names of those of the ``files`` that were opened since the last call, links followed.
    OSError where they cannot be watched, or where more was opened than the kernel keeps."""
    library = ctypes.CDLL(None, use_errno=True)
    queue = _checked(library.inotify_init1(_NO_WAIT))
    try:
        names = {}
        for file, name in files.items():
            names[_checked(library.inotify_add_watch(queue, os.fsencode(file), _OPEN))] = name

        def opened() -> set[str]:
            found = set[str]()
            with suppress(BlockingIOError):
                while data := os.read(queue, 1 << 16):
                    while data:
                        watch, mask, _, length = _EVENT.unpack_from(data)
                        data = data[_EVENT.size + length :]
                        if mask & _OVERFLOW:
                            raise OSError("too many files were opened to be told")
                        if watch in names and mask & _OPEN:
                            found.add(names[watch])
            return found

        yield opened
    finally:
        os.close(queue)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    return result
