"""Commands and their parameters, spelled out."""

from __future__ import annotations

import pytest

from whyfast.investigate.ab_run import expand
from whyfast.model.errors import UserError


def lines(*scan: str) -> list[str]:
    return [c.line for c in expand(["p {n}"], [], [], [("n", *scan)])]


def test_every_combination_in_order() -> None:
    found = expand(["a {x} {y}", "b {y}"], ["first"], [("x", "1,2"), ("y", "u,v")])
    assert [(c.name, c.line) for c in found] == [
        ("first", "a 1 u"),
        ("a 1 v", "a 1 v"),
        ("a 2 u", "a 2 u"),
        ("a 2 v", "a 2 v"),
        ("b u", "b u"),
        ("b v", "b v"),
    ]


def test_a_line_that_comes_again_is_numbered() -> None:
    assert [c.name for c in expand(["p", "p", "p"], [])] == ["p", "p (2)", "p (3)"]


def test_scans_count_in_decimals() -> None:
    assert lines("0.1", "0.3", "0.1") == ["p 0.1", "p 0.2", "p 0.3"]
    assert lines("3", "1", "-1") == ["p 3", "p 2", "p 1"]
    assert lines("5", "5", "1") == ["p 5"]


def test_scans_write_no_exponents() -> None:
    assert lines("1e2", "3e2", "1e2") == ["p 100", "p 200", "p 300"]


@pytest.mark.parametrize(
    "scan",
    [
        ("nan", "1", "1"),
        ("1", "nan", "1"),
        ("1", "2", "0"),
        ("one", "2", "1"),
        ("0", "1e999999", "1e-999999"),
        ("inf", "inf", "1"),
    ],
)
def test_what_is_no_number_is_refused(scan: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match="--parameter-scan n: MIN, MAX and STEP must be numbers"):
        lines(*scan)


@pytest.mark.parametrize("scan", [("1", "2", "-1"), ("0", "100", "1"), ("0", "inf", "1")])
def test_what_is_no_range_is_refused(scan: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match="is not a range of at most 100 values"):
        lines(*scan)


def test_a_parameter_is_given_once() -> None:
    with pytest.raises(UserError, match="parameter n: is given twice"):
        expand(["p {n}"], [], [("n", "1,2")], [("n", "1", "2", "1")])


def test_a_parameter_that_nothing_mentions_is_refused() -> None:
    with pytest.raises(UserError, match=r"no command mentions \{m\}"):
        expand(["p {n}"], [], [("m", "1,2")])


def test_too_many_are_refused() -> None:
    lists = [(v, ",".join("0123456789")) for v in "xyz"]
    with pytest.raises(UserError, match="that makes 1000 commands; at most 100 can be compared"):
        expand(["{x} {y} {z}"], [], lists)
