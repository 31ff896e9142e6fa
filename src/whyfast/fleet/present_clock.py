"""The time that a host was there: a budget is for measuring, not for waiting."""

from __future__ import annotations

from whyfast.measure.clock import Clock


class PresentClock:
    """``base``, standing still while the host is away."""

    def __init__(self, base: Clock) -> None:
        self._base = base
        self._lost = 0.0
        self._left: float | None = None

    def now(self) -> float:
        return self._base.now()

    def monotonic(self) -> float:
        return (self._base.monotonic() if self._left is None else self._left) - self._lost

    def away(self) -> None:
        """From now on."""
        if self._left is None:
            self._left = self._base.monotonic()

    def back(self) -> None:
        """It runs again."""
        if self._left is not None:
            self._lost += self._base.monotonic() - self._left
            self._left = None
