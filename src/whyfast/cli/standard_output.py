"""Standard output, which may be full or gone."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in main.py: --help imports nothing that it can do without
if TYPE_CHECKING:
    from typing import Any, TextIO

#: Its name in messages.
PLACE = "standard output"


def say(text: str) -> None:
    """Write at once. OSError that names standard output when it takes nothing more, as a full disk
    does; BrokenPipeError when its reader has gone."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, PLACE) from None


def silence() -> None:
    """Drop what could not be written, which Python would try again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Unread:
    """Standard error whose reader may go: what nobody reads is dropped, as progress and notes end
    no work."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


class UnreadErrors:
    """Inside, a reader of standard error that goes (``2>&1 | head -1``) ends nothing."""

    def __enter__(self) -> None:
        self._before = sys.stderr
        sys.stderr = _Unread(self._before)

    def __exit__(self, *error: object) -> None:
        sys.stderr = self._before
