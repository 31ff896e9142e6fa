"""The clock seam: real time outside, a scripted one in tests."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Wall time."""

    def now(self) -> float:
        """Seconds since the epoch."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""


class SystemClock:
    """The operating system's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()
