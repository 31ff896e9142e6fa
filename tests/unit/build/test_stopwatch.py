"""How long a build takes, on a clock that somebody sets meanwhile."""

from __future__ import annotations

import time

import pytest

from whyfast.build.run import Stopwatch


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_a_step_of_the_wall_clock_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    wall, steady = iter([1000.0, 1000.0 + step]), iter([50.0, 62.5])
    monkeypatch.setattr(time, "time", lambda: next(wall))
    monkeypatch.setattr(time, "monotonic", lambda: next(steady))
    watch = Stopwatch()
    assert (watch.started, watch.seconds()) == (1000.0, 12.5)
