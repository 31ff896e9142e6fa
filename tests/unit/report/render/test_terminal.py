"""The terminal report at its usual widths, with and without colour."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report.example import ab_result, sample_result
from tests.unit.report.parts import as_terminal, changed, printed

from whyfast.model.result import Result
from whyfast.model.variant import Variant
from whyfast.report.document import Cell, Column, Table, document, section
from whyfast.report.pages.results import result_page
from whyfast.report.render.terminal import render_terminal


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


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("verbose", [False, True])
def test_no_line_is_wider_than_the_terminal(width: int, verbose: bool) -> None:
    text = as_terminal(sample_result(), width, verbose=verbose)
    assert max(len(line) for line in text.splitlines()) <= width


def test_colour_only_adds_to_the_words() -> None:
    for verbose in (True, False):
        assert "\x1b[31m2.14x slower" in _colored(sample_result(), verbose=verbose)
    assert "\x1b" not in as_terminal(sample_result(), 120)


def test_markup_of_rich_is_text() -> None:
    result = ab_result()
    study = replace(result.question, variants=(Variant("[red]x", ""),))
    assert "[red]x" in as_terminal(changed(result, question=study), 80, verbose=True)


def test_verbose_adds_benchmarks_builds_and_phases() -> None:
    plain, verbose = (as_terminal(sample_result(), 120, verbose=v) for v in (False, True))
    for heading in ("clang19-tail against clang18-goto", "Builds, with", "Time spent"):
        assert heading not in plain
        assert heading in verbose
    assert "All details: -v" in plain
    assert "All details: -v" not in verbose


def test_few_benchmarks_have_their_lines_at_once() -> None:
    result = sample_result()
    pair = ("clang19-goto", "clang18-goto")
    verdicts = tuple(v for v in result.judged.verdicts if (v.variant, v.baseline) == pair)
    lines = as_terminal(changed(result, verdicts=verdicts), 100, verbose=True).splitlines()
    place = lines.index("clang19-goto against clang18-goto")
    assert lines[place + 1] == (
        "sieve:  clang18-goto 1.00 ms -> clang19-goto 2.14 ms: 2.13x slower [2.09, 2.19]"
    )
    assert lines[place + 7] == "geometric mean: 2.14x slower [2.10, 2.19]"
    assert "Each benchmark: with -v." not in lines


@pytest.mark.parametrize("width", range(36, 121))
def test_an_interval_stays_on_one_line(width: int) -> None:
    lines = _prose(sample_result(), width)
    assert not [line for line in lines if line.count("[") != line.count("]")]


def _prose(result: Result, width: int) -> list[str]:
    """The sentences of the answer, under the tables."""
    text = as_terminal(result, width, verbose=True)
    return text[text.index("In figures") :].splitlines()


def test_an_interval_keeps_an_ordinary_space() -> None:
    text = as_terminal(ab_result(), 80)
    assert "'sleep 0.11' is 1.10x slower than 'sleep 0.10' [1.09, 1.11]." in text.splitlines()


@pytest.mark.parametrize("width", range(60, 100))
def test_no_cell_is_cut_short(width: int) -> None:
    titles = ("variant", "indirect jumps", "dispatch", "compiler", "trouble")
    row = ("clang19-nocg", "320", "replicated", "clang 19.1.7", "merged computed gotos known")
    table = Table(
        "Jumps", tuple(Column(t) for t in titles), (tuple(Cell(text) for text in row),), 1
    )
    words = printed(document("explain", "", "", section("s", "", table)), width).split()
    assert {outcome for cell in row for outcome in cell.split()} <= set(words)
