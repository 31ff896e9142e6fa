"""Seals a process that talks to a fleet: no message makes it import, write or start anything."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable

#: What results of tasks and errors are unpickled as; the rest of an answer is read elsewhere.
BYTES = frozenset({("builtins", "bytes"), ("builtins", "bytearray")})

_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

#: Of the events of these beginnings, that change files or start programs, all but those that an
#: import raises, and the signal by which a process ends itself.
_CHANGE = ("os.", "shutil.", "subprocess.", "pty.", "tempfile.")
_HARMLESS = frozenset({"os.listdir", "os.scandir", "os.kill"})


class RefusedPickle(TypeError):
    """A pickle wants something to be imported. (Of a traceback that cannot be unpickled, Dask
    passes over a TypeError only.)"""


def seal(classes: Iterable[tuple[str, str]] = BYTES) -> None:
    """From now on, for as long as this process lives, nothing but ``classes`` (module, name) is
    found for any pickle, whatever unpickles it; to change a file or start a program is a
    PermissionError.

    CPython raises an event before each of these, and what hears the events cannot be removed.
    """
    allowed = frozenset(classes)

    def hear(event: str, args: tuple[object, ...]) -> None:
        if event == "pickle.find_class":
            if args not in allowed:
                raise RefusedPickle(f"{args[0]}.{args[1]} in a message is not unpickled")
        elif event == "open":
            if isinstance(args[2], int) and args[2] & _WRITE:
                raise PermissionError(errno.EPERM, "not opened for writing here", str(args[0]))
        elif event.startswith(_CHANGE) and event not in _HARMLESS:
            raise PermissionError(errno.EPERM, f"{event} is not done here")

    sys.addaudithook(hear)
