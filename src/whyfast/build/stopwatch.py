"""How long a build takes."""

from __future__ import annotations

import time


class Stopwatch:
    """Runs from when it is made. ``started`` is wall time, for people; how long it has run is told
    by a clock that nobody sets."""

    def __init__(self) -> None:
        self.started = time.time()
        self._began = time.monotonic()

    def seconds(self) -> float:
        """Since it was made."""
        return time.monotonic() - self._began
