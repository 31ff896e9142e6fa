"""The terminal report at its usual widths, with and without colour. What fits on a terminal: tables
cut between columns, the first screen and its bars."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report.example import ab_result, sample_result
from tests.unit.report.parts import as_terminal, changed, printed

from whyfast.model.result import Result
from whyfast.model.variant import Variant
from whyfast.report.document import Cell, Column, Summary, Table, document, section
from whyfast.report.pages.results import result_page
from whyfast.report.render import terminal
from whyfast.report.render.summary_lines import bar_text, fit_screen, shortened
from whyfast.report.render.terminal import fit, render_terminal


def _colored(result: Result, *, verbose: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream, width=120, force_terminal=True, color_system="standard", legacy_windows=False
    )
    render_terminal(result_page(result), console=console, verbose=verbose)
    return stream.getvalue()


def test_at_70_columns_it_stands_beneath() -> None:
    lines = as_terminal(sample_result(), 70, verbose=True).splitlines()
    row = next(i for i, line in enumerate(lines) if line.startswith("clang19-goto  "))
    assert lines[row].split() == ["clang19-goto", "2.14x", "slower", "baseline"]
    assert lines[row + 1].split() == ["[2.10,", "2.19]"]


def test_colour_only_adds_to_the_words() -> None:
    for verbose in (True, False):
        assert "\x1b[31m2.14x slower" in _colored(sample_result(), verbose=verbose)
    assert "\x1b" not in as_terminal(sample_result(), 120)


def test_markup_of_rich_is_text() -> None:
    result = ab_result()
    study = replace(result.question, variants=(Variant("[red]x", ""),))
    assert "[red]x" in as_terminal(changed(result, question=study), 80, verbose=True)


@pytest.mark.parametrize("width", [*range(40, 72, 3), 80, 100, 120])
def test_an_interval_stays_on_one_line(width: int) -> None:
    lines = _prose(sample_result(), width)
    assert not [line for line in lines if line.count("[") != line.count("]")]


def _prose(result: Result, width: int) -> list[str]:
    """The sentences of the answer, under the tables."""
    text = as_terminal(result, width, verbose=True)
    return text[text.index("In figures") :].splitlines()


@pytest.mark.parametrize("width", range(60, 100))
def test_no_cell_is_cut_short(width: int) -> None:
    titles = ("variant", "indirect jumps", "dispatch", "compiler", "trouble")
    row = ("clang19-nocg", "320", "replicated", "clang 19.1.7", "merged computed gotos known")
    table = Table(
        "Jumps", tuple(Column(t) for t in titles), (tuple(Cell(text) for text in row),), 1
    )
    words = printed(document("explain", section("s", "", table)), width).split()
    assert {outcome for cell in row for outcome in cell.split()} <= set(words)


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
def test_a_bar_goes_from_line_to_end(zero: float, end: float, sure: bool, drawn: str) -> None:
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


@pytest.mark.parametrize(
    ("sentences", "kept", "rows"),
    [
        (2, 2, 12),  # 24 lines without 4, two sentences, what to distrust, and 5 about the table
        (20, 8, 6),  # sentences leave room for six rows
    ],
)
def test_what_matters_least_has_no_room(sentences: int, kept: int, rows: int) -> None:
    fitted = fit_screen(_brief(rows=30, said=sentences), lambda _: 1, used=4)
    assert fitted.findings == tuple(f"s{i}" for i in range(kept))
    assert fitted.table is not None
    assert [row[0].text for row in fitted.table.rows] == [f"v{i}" for i in range(30 - rows, 30)]
    assert fitted.missing == 30 - rows


@pytest.mark.parametrize(
    ("rows", "care", "letters", "expected", "lines"),
    [
        # Four lines where rows want the others, and else up to eight.
        (20, 9, 10, f"{'care ' * 5}-v has 4 more.", 4),
        (3, 9, 10, "care " * 9, 8),
        (3, 30, 10, f"{'care ' * 12}-v has 18 more.", 8),
        # The worst is never left out.
        (3, 2, 1, "care -v has 1 more.", 4),
    ],
)
def test_what_to_distrust_takes_the_room_that_is_left(
    rows: int, care: int, letters: int, expected: str, lines: int
) -> None:
    summary = _brief(rows=rows, said=0, care=care)
    fitted = fit_screen(summary, lambda text: len(text) // letters, used=4)
    assert (fitted.care, fitted.care_lines) == (f"Distrust: {expected}".rstrip(), lines)


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


TABLE = Table("t", tuple(Column(t) for t in "abcde"), (tuple(Cell(t) for t in "12345"),))


WIDTHS = (4, 10, 10, 30, 10)


@pytest.mark.parametrize(
    ("room", "parts"),
    [
        (64, ["abcde"]),
        (63, ["abcd", "ae"]),
        (44, ["abc", "ade"]),
        (34, ["abc", "ad", "ae"]),
        (20, ["ab", "ac", "ad", "ae"]),  # a column wider than the room stands alone
    ],
)
def test_as_many_columns_as_fit_stand_side_by_side(room: int, parts: list[str]) -> None:
    tables = fit(TABLE, WIDTHS, room)
    assert ["".join(c.title for c in part.columns) for part in tables] == parts
    # The cells go with their columns.
    cells = dict(zip("abcde", "12345", strict=True))
    for part in tables:
        assert [c.text for c in part.rows[0]] == [cells[c.title] for c in part.columns]


@pytest.mark.parametrize("style", sorted({s for s in terminal._STYLES.values() if s[0] == "#"}))
def test_colours_can_be_read_on_black_and_on_white(style: str) -> None:
    """The contrast ratio of WCAG 2, which wants 3 for large text, is above 3.5 on both."""
    shares = [int(style[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    luminance = sum(w * s for w, s in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    assert (luminance + 0.05) / 0.05 > 3.5
    assert 1.05 / (luminance + 0.05) > 3.5


@pytest.mark.parametrize(("value", "coloured"), [("", True), ("1", False)])
def test_no_color(value: str, coloured: bool) -> None:
    out = io.StringIO()
    environment = {"TERM": "xterm-256color", "NO_COLOR": value}
    console = Console(
        file=out, force_terminal=True, color_system="256", width=120, _environ=environment
    )
    render_terminal(result_page(sample_result()), console=console, verbose=True)
    # rich keeps the codes of a style as it first rendered it: of 16, 256 or all colours.
    assert bool(re.search(r"\x1b\[([\d;]*;)?(38;|[39][0-7]m)", out.getvalue())) == coloured
