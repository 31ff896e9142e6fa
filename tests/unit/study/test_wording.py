"""How errors spell things."""

from __future__ import annotations

import datetime

import pytest
from tests.golden_files import Hear

from whyfast.study.toml_document import Key, dotted, kind, nearest, quoted, suggestion

KEYS = ("title", "baseline", "margin", "claim")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ((), ""),
        (("variant", "clang19", "cflags"), "variant.clang19.cflags"),
        (("axes", "exclude", 0, "compiler"), "axes.exclude[0].compiler"),
        (("variant", "gcc 12.1"), 'variant."gcc 12.1"'),
        (("", "a"), '"".a'),
    ],
)
def test_dotted(key: Key, expected: str) -> None:
    assert dotted(key) == expected


def test_quoted_shows_control_characters_and_shortens() -> None:
    assert quoted('a"b\x1b') == '"a\\"b\\u001b"'
    assert quoted("µ" * 100) == '"' + "µ" * 59 + '…"'


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", "a string"),
        (1, "a number"),
        (1.5, "a number"),
        (True, "true"),
        ([], "a list"),
        ({}, "a table"),
        (datetime.date(2024, 1, 2), "a date or time"),
    ],
)
def test_kind(value: object, expected: str) -> None:
    assert kind(value) == expected


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


def test_suggestion(golden: Hear) -> None:
    golden(suggestion("margn", KEYS))
    golden(suggestion("xyz", KEYS))
    assert suggestion("xyz", []) is None
    many = [f"long-name-{i}" for i in range(14)]
    assert str(suggestion("?", many)).endswith("long-name-11 and 2 more")
