"""Documents from what is at hand, and as JSON."""

import json

from whyfast.report.document import (
    NOTHING,
    Cell,
    Group,
    Plot,
    document,
    group,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.render.html import dump_document


def test_a_table_of_what_is_at_hand() -> None:
    made = table("t", ("name", *right("size")), [("a", 7), (None, Cell("x", "y"))])
    assert made is not None
    assert [(c.title, c.align) for c in made.columns] == [("name", "left"), ("size", "right")]
    assert made.rows == ((Cell("a"), Cell("7", number=7)), (NOTHING, Cell("x", "y")))
    assert table("t", ("name",), []) is None


def test_a_column_without_a_title_is_left_out_with_its_cells() -> None:
    made = table("t", ("a", None, "b"), [(1, 2, 3)], fixed=2, drops={"b": 1}, by_machine=True)
    assert made is not None
    assert [(c.title, c.drop) for c in made.columns] == [("a", 0), ("b", 1)]
    assert (made.rows, made.fixed) == (((Cell("1", number=1), Cell("3", number=3)),), 1)
    assert made.by_machine
    narrower = made.narrower()
    assert narrower is not None
    assert (narrower.rows, narrower.narrower()) == (((Cell("1", number=1),),), None)


def test_what_is_empty_is_left_out() -> None:
    assert section("s", "S", None, sentences([])) is None
    assert group("g", None) is None
    page = document("report", None, section("s", "S", sentences(["said"])), None, headline="h")
    assert [s.name for s in page.sections] == ["s"]


def test_a_group_of_one_table_is_the_table() -> None:
    made = table("t", ("a",), [("1",)])
    assert group("g", made) is made
    assert isinstance(group("g", made, sentences(["said"])), Group)


def test_a_document_as_json() -> None:
    made = table("t", ("name", *right("size")), [("a", 7)])
    inner = group("g", sentences(["said"]), Plot("raw", {"x": [1.5]}, "none"))
    page = document("builds", section("s", "S", made, inner, importance="detail"), headline="h")
    data = json.loads(dump_document(page))["data"]
    assert (data["kind"], data["headline"]) == ("builds", "h")
    (found,) = data["sections"]
    assert (found["name"], found["importance"]) == ("s", "detail")
    shown, folded = found["blocks"]
    assert (shown["block"], shown["columns"][1]["align"]) == ("table", "right")
    assert shown["rows"] == [
        [
            {"text": "a", "detail": "", "outcome": None, "number": None},
            {"text": "7", "detail": "", "outcome": None, "number": 7},
        ]
    ]
    assert [b["block"] for b in folded["blocks"]] == ["sentences", "plot"]
    assert folded["blocks"][1]["data"] == {"x": [1.5]}
