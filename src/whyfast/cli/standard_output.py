"""Standard output, which may be full or gone."""

from __future__ import annotations

import os
import sys

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
