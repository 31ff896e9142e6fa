"""What ``check`` says of a benchmark that is undecided."""

import math

import pytest
from tests.unit.report.example import verdict

from whyfast.model.code import ChangeKind, FunctionChange
from whyfast.report.sections.changed_code import change_sentence
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


@pytest.mark.parametrize(
    ("kind", "sizes", "diff", "text"),
    [
        ("added", (0, 9), (), "`f` is new"),
        ("removed", (9, 0), (), "`f` is gone"),
        ("changed", (9, 12), (), "`f` went from 9 to 12 bytes"),
        ("changed", (9, 9), ("-a",), "`f` has other instructions (9 bytes)"),
        ("changed", (0, 0), ("-a",), "`f` has changed"),
        ("changed", (0, 0), (), "`f` refers to data that differs"),
        ("changed", (9, 12), ("-a",), "`f` now calls `g`"),
    ],
)
def test_what_became_of_a_function(
    kind: ChangeKind, sizes: tuple[int, int], diff: tuple[str, ...], text: str
) -> None:
    calls = ("g",) if "calls" in text else ()
    assert change_sentence(FunctionChange("f", kind, sizes, True, calls, diff=diff)) == text
