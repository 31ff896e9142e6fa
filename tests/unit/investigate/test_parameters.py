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


NO_NUMBER = "--parameter-scan n: MIN, MAX and STEP must be numbers"
NO_RANGE = "is not a range of at most 100 values"


@pytest.mark.parametrize(
    ("lists", "scans", "message"),
    [
        ([], [("n", "nan", "1", "1")], NO_NUMBER),
        ([], [("n", "1", "nan", "1")], NO_NUMBER),
        ([], [("n", "1", "2", "0")], NO_NUMBER),
        ([], [("n", "one", "2", "1")], NO_NUMBER),
        ([], [("n", "0", "1e999999", "1e-999999")], NO_NUMBER),
        ([], [("n", "inf", "inf", "1")], NO_NUMBER),
        ([], [("n", "1", "2", "-1")], NO_RANGE),
        ([], [("n", "0", "100", "1")], NO_RANGE),
        ([], [("n", "0", "inf", "1")], NO_RANGE),
        ([("n", "1,2")], [("n", "1", "2", "1")], "parameter n: is given twice"),
        ([("m", "1,2")], [], r"no command mentions \{m\}"),
    ],
)
def test_impossible_parameters_are_refused(
    lists: list[tuple[str, ...]], scans: list[tuple[str, ...]], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        expand(["p {n}"], [], lists, scans)


def test_too_many_are_refused() -> None:
    lists = [(v, ",".join("0123456789")) for v in "xyz"]
    with pytest.raises(UserError, match="that makes 1000 commands; at most 100 can be compared"):
        expand(["{x} {y} {z}"], [], lists)
