"""What fits on a terminal: tables cut between columns, the first screen and its bars."""

from __future__ import annotations

import pytest

from whyfast.report.document import Cell, Column, Summary, Table
from whyfast.report.render.summary_lines import bar_text, fit_screen, shortened
from whyfast.report.render.terminal import fit


@pytest.mark.parametrize(
    ("zero", "end", "sure", "drawn"),
    [
        (0.0, 0.0, True, "│      "),
        (0.0, 1.0, True, "│██████"),
        (0.5, 1.0, True, "   │███"),
        (0.5, 0.0, True, "███│   "),
        (0.5, 0.25, True, " ▐█│   "),
        (0.5, 0.6, True, "   │▌  "),
        (0.5, 0.5, True, "   │   "),
        (1.0, 0.0, True, "██████│"),
        (0.0, 0.5, False, "│░░░   "),
    ],
)
def test_a_bar_reaches_from_its_line_to_its_end(
    zero: float, end: float, sure: bool, drawn: str
) -> None:
    assert bar_text(zero, end, 7, sure) == drawn


def _brief(rows: int, said: int, care: int = 1) -> Summary:
    cells = tuple((Cell(f"v{i}"),) for i in range(rows))
    table = Table("caption", (Column("variant"),), cells)
    # The last rows matter most.
    ranks = tuple(range(rows))[::-1]
    return Summary(tuple(f"s{i}" for i in range(said)), table, ranks, ("care",) * care, "more")


def test_all_is_shown_where_there_is_room() -> None:
    summary = _brief(rows=5, said=2)
    fitted = fit_screen(summary, lambda _: 1, used=4)
    assert (fitted.findings, fitted.table, fitted.missing) == (summary.findings, summary.table, 0)


def test_what_matters_least_has_no_room() -> None:
    fitted = fit_screen(_brief(rows=30, said=2), lambda _: 1, used=4)
    assert fitted.table is not None
    # 24 lines without 4, two sentences, what to distrust, and 5 about the table.
    assert [row[0].text for row in fitted.table.rows] == [f"v{i}" for i in range(18, 30)]
    assert fitted.missing == 18


def test_sentences_leave_room_for_six_rows() -> None:
    fitted = fit_screen(_brief(rows=30, said=20), lambda _: 1, used=4)
    assert fitted.findings == tuple(f"s{i}" for i in range(8))
    assert fitted.table is not None
    assert len(fitted.table.rows) == 6


def _tens(text: str) -> int:
    """Ten letters are a line."""
    return len(text) // 10


def test_what_to_distrust_is_cut_at_four_lines_where_rows_want_the_others() -> None:
    fitted = fit_screen(_brief(rows=20, said=0, care=9), _tens, used=4)
    assert fitted.care == "Distrust: care care care care care -v has 4 more."
    assert fitted.care_lines == 4


def test_what_to_distrust_takes_the_room_that_is_left_up_to_eight_lines() -> None:
    fitted = fit_screen(_brief(rows=3, said=0, care=9), _tens, used=4)
    assert fitted.care == f"Distrust: {' '.join(['care'] * 9)}"
    fitted = fit_screen(_brief(rows=3, said=0, care=30), _tens, used=4)
    assert fitted.care == f"Distrust: {' '.join(['care'] * 12)} -v has 18 more."
    assert fitted.care_lines == 8


def test_of_what_to_distrust_the_worst_is_never_left_out() -> None:
    fitted = fit_screen(_brief(rows=3, said=0, care=2), lambda _: 5, used=4)
    assert fitted.care == "Distrust: care -v has 1 more."


@pytest.mark.parametrize(
    ("texts", "cut"),
    [
        (["short", "one that is far too long"], ["short", "one t…long"]),
        (["run --fast -n 1 a", "run --fast -n 2 a"], ["run -… 1 a", "run -… 2 a"]),
        (["run --fast -n 1 abcdef", "run --fast -n 2 abcdef"], ["…1 abcdef", "…2 abcdef"]),
        (["0123456789"], ["0123456789"]),
    ],
)
def test_names_are_cut_where_they_stay_apart(texts: list[str], cut: list[str]) -> None:
    assert shortened(texts, 10) == cut


def test_of_names_of_cpp_and_rust_the_arguments_give_way_first() -> None:
    tree = "std::_Rb_tree<std::string, std::pair<int, int>, std::less<std::string> >"
    names = [
        f"{tree}::_M_erase(std::_Rb_tree_node<std::pair<int, int> >*)",
        f"{tree}::begin()",
        "<hashbrown::RawTable<T,A> as Drop>::drop",
        "main",
    ]
    assert shortened(names, 40) == [
        "std::_Rb_tree<…>::_M_erase(…)",
        "std::_Rb_tree<…>::begin()",
        "<hashbrown::RawTable<T,A> as Drop>::drop",
        "main",
    ]
    # Where they alone tell two apart they stay.
    pair = ["std::vector<int>::push_back(int)", "std::vector<long>::push_back(long)"]
    assert len(set(shortened(pair, 30))) == 2


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
