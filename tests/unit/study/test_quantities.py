"""Durations and margins."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.study.quantities import parse_duration, parse_margin


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
    ("text", "said"),
    [
        ("3", '"3" is not a duration'),
        ("1m30s", '"1m30s" is not a duration'),
        ("-1s", '"-1s" is not a duration'),
        ("1e3s", '"1e3s" is not a duration'),
        ("٣s", '"٣s" is not a duration'),
        ("5 min", '"5 min" is not a duration: "min" is not a unit'),
        ("1S", '"1S" is not a duration'),
        ("0ms", "must be longer than nothing, and finite"),
        ("9" * 400 + "s", "must be longer than nothing, and finite"),
        (10**400, "must be longer than nothing, and finite"),
        (math.nan, "must be longer than nothing, and finite"),
        (True, "must be a duration, not true"),
        (None, "must be a duration, not a NoneType"),
    ],
)
def test_bad_duration(text: object, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_duration(text)
    assert str(caught.value) == said


@pytest.mark.parametrize(
    ("text", "margin"),
    [("1%", 0.01), ("0.5 %", 0.005), (" 2% ", 0.02), ("99.9%", 0.999), (0.01, 0.01)],
)
def test_margin(text: object, margin: float) -> None:
    assert parse_margin(text) == pytest.approx(margin, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("0.01", '"0.01" is not a percentage'),
        ("1 percent", '"1 percent" is not a percentage'),
        ("100%", "must be more than 0 % and less than 100 %, not 100 %"),
        ("0.0%", "must be more than 0 % and less than 100 %, not 0 %"),
        (1.5, "must be more than 0 % and less than 100 %, not 150 %"),
        (10**400, "must be more than 0 % and less than 100 %, not inf %"),
        (False, "must be a percentage, not false"),
        ({}, "must be a percentage, not a table"),
    ],
)
def test_bad_margin(text: object, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        parse_margin(text)
    assert str(caught.value) == said


@given(st.one_of(st.text(), st.text("0123456789. smhu%-"), st.integers(), st.floats()))
def test_anything_is_a_quantity_or_a_value_error(value: object) -> None:
    for parse, most in ((parse_duration, math.inf), (parse_margin, 1.0)):
        try:
            quantity = parse(value)
        except ValueError:
            continue
        assert 0 < quantity < most
