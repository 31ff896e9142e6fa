"""Suggestions for mistyped names."""

from __future__ import annotations

import pytest

from whyfast.study.suggest import nearest, suggestion

KEYS = ("title", "baseline", "margin", "claim")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("margn", "margin"),
        ("Baseline", "baseline"),
        ("MARGIN", "margin"),
        ("xyz", None),
        ("", None),
    ],
)
def test_nearest(name: str, expected: str | None) -> None:
    assert nearest(name, KEYS) == expected


def test_nearest_keeps_the_case_of_the_valid_name() -> None:
    assert nearest("o2", ["O2", "O3"]) == "O2"


def test_suggestion() -> None:
    assert suggestion("margn", KEYS) == 'did you mean "margin"?'
    assert suggestion("xyz", KEYS) == "valid: title, baseline, margin, claim"
    assert suggestion("xyz", []) is None
    many = [f"long-name-{i}" for i in range(14)]
    assert str(suggestion("?", many)).endswith("long-name-11 and 2 more")
