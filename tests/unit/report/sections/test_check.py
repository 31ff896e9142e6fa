"""What ``check`` says of a benchmark that is undecided."""

import math

import pytest
from tests.unit.report.example import verdict

from whyfast.report.sections.check import undecided_text


@pytest.mark.parametrize(
    ("ends", "seconds", "text"),
    [
        ((0.98, 1.04), 9.2, "± 3 %, needs about 10 s"),
        ((0.98, 1.04), 725.0, "± 3 %, needs about 12 min 5 s"),
        ((0.98, 1.04), 3600.0, "± 3 %, needs about 1 h"),
        ((0.98, 1.04), 120_000.0, "± 3 %, needs over 60 min"),
        ((0.98, 1.04), math.inf, "± 3 %"),
        ((0.0, math.inf), 30.0, "too few blocks, needs about 30 s"),
    ],
)
def test_an_undecided_benchmark_says_how_far_off_it_is_and_how_long_it_takes(
    ends: tuple[float, float], seconds: float, text: str
) -> None:
    assert undecided_text(verdict("head", "base", "undecided", 1.01, *ends), seconds) == text
