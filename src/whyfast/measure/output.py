"""What a child process prints, kept in bounded memory."""

from __future__ import annotations

import os

#: How much of what a failing program printed is shown, in bytes.
OUTPUT_KEPT = 4000

#: How much one stream may hold, in bytes. An anonymous file is memory. A pipe would bound it to the
#: byte, but would wake its reader whenever a program that is being measured prints.
OUTPUT_MOST = 16 << 20


class TooMuchOutput(Exception):
    """More was printed than is kept; the message says so."""

    def __init__(self) -> None:
        super().__init__(f"printed more than {OUTPUT_MOST >> 20} MB on standard output")


class KeptOutput:
    """One stream of a child; ``fd`` is what it writes to.

    ``over``: some has been discarded.
    """

    def __init__(self, name: str) -> None:
        self.fd = os.memfd_create(name)
        self.over = False
        self._before = b""

    def trim(self) -> None:
        """Give back its memory when it is above the limit; the end is kept for a failure report.

        The child goes on behind what it has written: what is before that is then a hole.
        """
        if os.fstat(self.fd).st_blocks * 512 > OUTPUT_MOST:
            self._before = self._last()
            os.ftruncate(self.fd, 0)
            self.over = True

    def text(self) -> str:
        """All of it; TooMuchOutput where some is gone."""
        self.trim()
        if self.over:
            raise TooMuchOutput
        return os.pread(self.fd, os.fstat(self.fd).st_size, 0).decode("utf-8", "replace")

    def tail(self) -> str:
        """The last :data:`OUTPUT_KEPT` bytes."""
        last = self._last()
        if self.over:
            last = (self._before + last.lstrip(b"\0"))[-OUTPUT_KEPT:]
        return last.decode("utf-8", "replace")

    def close(self) -> None:
        """Release the file."""
        os.close(self.fd)

    def _last(self) -> bytes:
        size = os.fstat(self.fd).st_size
        return os.pread(self.fd, OUTPUT_KEPT, max(0, size - OUTPUT_KEPT))
