"""Durations and margins."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import Hear

from whyfast.study.toml_table import parse_duration, parse_margin


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90.0),
        ("3m", 180.0),
        ("1h", 3600.0),
        ("1ms", 0.001),
        ("500us", 0.0005),
        ("500 µs", 0.0005),
        ("1.5s", 1.5),
        (" .5 s ", 0.5),
        (2, 2.0),
        (0.25, 0.25),
    ],
)
def test_duration(text: object, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "3",
        "1m30s",
        "-1s",
        "1e3s",
        "٣s",
        "5 min",
        "1S",
        "0ms",
        "9" * 400 + "s",
        10**400,
        math.nan,
        True,
        None,
    ],
)
def test_bad_duration(text: object, golden: Hear) -> None:
    with pytest.raises(ValueError) as caught:
        parse_duration(text)
    golden(str(caught.value))


@pytest.mark.parametrize(
    ("text", "margin"),
    [("1%", 0.01), ("0.5 %", 0.005), (" 2% ", 0.02), ("99.9%", 0.999), (0.01, 0.01)],
)
def test_margin(text: object, margin: float) -> None:
    assert parse_margin(text) == pytest.approx(margin, rel=1e-12)


@pytest.mark.parametrize("text", ["0.01", "1 percent", "100%", "0.0%", 1.5, 10**400, False, {}])
def test_bad_margin(text: object, golden: Hear) -> None:
    with pytest.raises(ValueError) as caught:
        parse_margin(text)
    golden(str(caught.value))


@given(st.one_of(st.text(), st.text("0123456789. smhu%-"), st.integers(), st.floats()))
def test_anything_is_a_quantity_or_a_value_error(value: object) -> None:
    for parse, most in ((parse_duration, math.inf), (parse_margin, 1.0)):
        try:
            quantity = parse(value)
        except ValueError:
            continue
        assert 0 < quantity < most
