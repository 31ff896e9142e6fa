"""Tables that are too wide are cut between columns."""

from __future__ import annotations

from whyfast.report.document import Cell, Column, Table
from whyfast.report.render.terminal import fit

TABLE = Table(
    "t",
    tuple(Column(t) for t in "abcde"),
    (tuple(Cell(t) for t in "12345"),),
)


def _titles(room: int, widths: tuple[int, ...] = (4, 10, 10, 30, 10)) -> list[str]:
    return ["".join(c.title for c in part.columns) for part in fit(TABLE, widths, room)]


def test_what_fits_is_left_whole() -> None:
    assert fit(TABLE, (4, 10, 10, 30, 10), 64) == (TABLE,)


def test_as_many_columns_as_fit_stand_side_by_side() -> None:
    assert _titles(63) == ["abcd", "ae"]
    assert _titles(44) == ["abc", "ade"]
    assert _titles(34) == ["abc", "ad", "ae"]


def test_a_column_wider_than_the_room_stands_alone() -> None:
    assert _titles(20) == ["ab", "ac", "ad", "ae"]


def test_the_cells_go_with_their_columns() -> None:
    last = fit(TABLE, (4, 10, 10, 30, 10), 63)[1]
    assert [c.text for c in last.rows[0]] == ["1", "5"]
