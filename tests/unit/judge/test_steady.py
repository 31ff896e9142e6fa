"""From which value on a process is steady, and what is said of those that are not."""

import math

import numpy as np
import pytest

from whyfast.judge.steady import FEWEST, FIRST_STEADY, Steadiness, settled, steadiness
from whyfast.model.sample import SECOND, Recording, Series


def process(*levels: tuple[int, float], noise: float = 0.01, seed: int = 1) -> list[float]:
    """So many values at each level."""
    rng = np.random.default_rng(seed)
    logs = np.concatenate([np.full(n, math.log(level)) for n, level in levels])
    return [float(v) for v in np.exp(logs + rng.normal(0, noise, len(logs)))]


@pytest.mark.parametrize(
    ("levels", "kind", "start"),
    [
        ([(300, 1.0)], "steady", 0),
        ([(30, 1.5), (270, 1.0)], "warms up", 30),
        ([(10, 3.0), (40, 1.3), (250, 1.0)], "warms up", 50),
        ([(150, 1.0), (150, 1.2)], "slows down", 150),
        ([(280, 1.0), (20, 1.3)], "unsteady", None),
        ([(100, 1.0), (40, 1.3), (160, 1.0)], "warms up", 140),
        ([(150, 1.0), (150, 1.03)], "steady", 0),  # within the tolerance
        ([(2600, 1.0), (24, 1.5), (376, 1.0)], "steady", 0),  # less than 1 %
        ([(2980, 1.0), (20, 1.5)], "steady", 0),
        ([(16, 1.5), (2984, 1.0)], "warms up", 16),
        ([(1000, 1.0), (20, 1.3), (20, 1.6), (1960, 1.0)], "warms up", 1040),  # of two levels
    ],
)
def test_levels_of_a_process(levels: list[tuple[int, float]], kind: str, start: int | None) -> None:
    found = steadiness(process(*levels))
    assert found is not None
    assert found.kind == kind
    assert found.start == (pytest.approx(start, abs=3) if start is not None else None)


def test_the_ratio_is_that_of_the_level_before() -> None:
    found = steadiness(process((100, 1.5), (200, 1.0)))
    assert found is not None
    assert found.ratio == pytest.approx(1.5, rel=0.01)


def test_long_processes_are_taken_in_bins() -> None:
    found = steadiness(process((500, 1.2), (2500, 1.0), noise=0.03))
    assert found is not None
    assert found.start == pytest.approx(500, abs=8)


def test_outliers_are_no_levels() -> None:
    values = process((300, 1.0))
    for at in (0, 120, 295):
        values[at] *= 50
    assert steadiness(values) == Steadiness(0)


def test_few_values_show_nothing() -> None:
    assert steadiness([1.0] * (FEWEST - 1)) is None
    assert steadiness([1.0] * FEWEST) == Steadiness(0)


def recording(*processes: list[float], tool: str = "jmh", higher: bool = False) -> Recording:
    unit = "ops/s" if higher else SECOND
    series = Series("sum", unit, tuple(map(tuple, processes)), higher=higher)
    return Recording("head", "head.json", tool, {"sum": series})


def test_warm_up_is_set_aside_process_by_process() -> None:
    found = settled(recording(process((30, 2.0), (170, 1.0)), process((200, 1.0), seed=2)))
    first, second = found.recording.series["sum"].processes
    assert len(first) == pytest.approx(170, abs=3)
    assert len(second) == 200
    beside = found.recording.series[f"sum {FIRST_STEADY}"]
    assert [p[0] for p in beside.processes] == [pytest.approx(31, abs=3), 1]
    (note,) = found.confounds
    assert (note.severity, note.variants) == ("note", ("head",))


def test_an_unsteady_process_keeps_its_values_and_is_named() -> None:
    found = settled(recording(process((190, 1.0), (10, 1.5)), process((100, 1.0), (100, 1.2))))
    first, second = found.recording.series["sum"].processes
    assert len(first) == 200
    assert len(second) == pytest.approx(100, abs=3)
    assert [c.severity for c in found.confounds] == ["warning", "warning"]
    assert "never become steady" in found.confounds[0].text
    assert "1.2x slower" in found.confounds[1].text


def test_of_rates_less_is_slower() -> None:
    found = settled(recording(process((100, 1.0), (100, 0.8)), higher=True))
    assert "slower" in found.confounds[0].text


def test_other_formats_and_few_values_are_as_they_are() -> None:
    for given in (recording([1.0, 2.0]), recording(process((30, 2.0), (170, 1.0)), tool="mitata")):
        assert settled(given).recording == given
