"""Standard output, which may be full or gone."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO, cast

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
        with self._forgiving():
            return self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._forgiving():
            self._stream.flush()

    @contextlib.contextmanager
    def _forgiving(self) -> Iterator[None]:
        try:
            yield
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextlib.contextmanager
def unread_errors() -> Iterator[None]:
    """Inside, a reader of standard error that goes (``2>&1 | head -1``) ends nothing."""
    before = sys.stderr
    sys.stderr = cast(TextIO, _Unread(before))
    try:
        yield
    finally:
        sys.stderr = before
