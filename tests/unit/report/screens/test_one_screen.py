"""Every command answers on one screen: its lines at 80 columns, and how many there are."""

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report.example import sample_result, verdict
from tests.unit.report.pages.test_search_page import EVIDENCE, _searched
from tests.unit.report.parts import as_terminal
from tests.unit.report.screens.rendered import checked, commands, fits, program, recordings, shown
from tests.unit.search.worlds import step_at

from whyfast.history.detect import detect
from whyfast.model.history import PointSeries, Timeline
from whyfast.report.document import Document
from whyfast.report.pages.code_page import (
    ProgramDispatch,
    code_page,
    programs_headline,
    programs_summary,
)
from whyfast.report.pages.history_page import history_page
from whyfast.report.pages.results import check_page, result_page
from whyfast.report.pages.search_page import search_page
from whyfast.report.render.terminal import render_terminal

LONG = "python3 -X dev -W error -c 'import json; json.loads(text_of_a_large_file)' --size"
MANY = tuple(f"benchmark_{i:02}" for i in range(40))
NOISE = (1.004, 0.991, 1.012, 0.998, 1.003, 0.985, 1.009, 1.001, 0.994, 1.007)


def _ab(number: int, name: str = "run") -> Document:
    names = [f"{name} {i}" for i in range(number)]
    times = {n: 0.1 * (1 + i / 10) for i, n in enumerate(names)}
    verdicts = [
        verdict(
            n, names[0], "slower", 1 + i / 10, 0.99 + i / 10, 1.01 + i / 10, benchmark="whole run"
        )
        for i, n in enumerate(names[1:], 1)
    ]
    return result_page(commands(names, verdicts, times))


def _history(steps: int, flat: int) -> Document:
    def series(name: str, factor: float, at: int) -> PointSeries:
        return PointSeries(
            name, tuple(e * (factor if i >= at else 1.0) for i, e in enumerate(NOISE))
        )

    many = [series(f"series {i}", 1.5 + i / 10, 4 if i < 20 else 6) for i in range(steps)]
    points = tuple(f"v{i}" for i in range(10))
    return history_page(
        detect(Timeline(points, (*many, *(series(f"s{i}", 1.0, 5) for i in range(flat)))))
    )


def _search(number: int) -> Document:
    found = _searched(step_at(number // 2, number, 0.03))
    return search_page(replace(found, evidence=EVIDENCE))


def _explain(functions: int) -> Document:
    a, b = program("old", functions, 300), program("new", functions, 400)
    looked = [ProgramDispatch(a), ProgramDispatch(b)]
    summary = programs_summary(looked, None, (), ())
    return code_page(headline=programs_headline(looked), summary=summary)


Pages = dict[str, Callable[[], Document]]
PAGES: Pages = {
    "run": lambda: result_page(sample_result()),
    "ab of two": lambda: _ab(2),
    "ab of many": lambda: _ab(40),
    "ab of long commands": lambda: _ab(9, LONG),
    "compare two": lambda: result_page(recordings(("main", "pr"), MANY)),
    "compare many": lambda: result_page(recordings([f"file-{i}" for i in range(30)], MANY)),
    "compare one benchmark": lambda: result_page(recordings(("main", "pr"), MANY[:1])),
    "check": lambda: check_page(checked(MANY)),
    "check of nothing": lambda: check_page(checked(MANY, same=True)),
    "history": lambda: _history(30, 10),
    "history of little": lambda: _history(1, 0),
    "search": lambda: _search(16),
    "search of many": lambda: _search(2000),
    "explain": lambda: _explain(3),
    "explain of many": lambda: _explain(300),
}


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("page", PAGES)
def test_the_answer_is_one_screen(page: str, width: int) -> None:
    lines = shown(PAGES[page](), width)
    assert fits(lines, width), "\n".join(lines)
    assert "details: -v, or --html FILE." in lines[-1]


@pytest.mark.parametrize(
    "page", [name for name in PAGES if name.startswith(("run", "ab", "check"))]
)
def test_an_interval_is_printed_once(page: str) -> None:
    text = "\n".join(shown(PAGES[page](), 80)).split("Distrust")[0]
    rows = [outcome for line in text.splitlines() for outcome in line.split("  ") if "[" in outcome]
    assert len(rows) == len(set(rows))


def test_wide_terminals_have_every_baseline() -> None:
    assert "against clang19-goto" not in as_terminal(sample_result(), 80)
    assert "against clang19-goto" in as_terminal(sample_result(), 120)


@pytest.mark.parametrize(
    ("verbose", "line"),
    [
        (False, b"clang19-goto              6  merged      2.14x slower [2.10, 2.19]\n"),
        (True, b"gcc12-tail"),
    ],
)
def test_a_terminal_without_unicode_has_no_bars(verbose: bool, line: bytes) -> None:
    buffer = io.BytesIO()
    console = Console(file=io.TextIOWrapper(buffer, encoding="ascii"), width=80, color_system=None)
    render_terminal(result_page(sample_result()), console=console, verbose=verbose)
    console.file.flush()
    assert line in re.sub(rb" +\n", b"\n", buffer.getvalue())


FEW = ("a", "b", "c")
SMALL: Pages = {
    "ab of three": lambda: _ab(3),
    "compare few": lambda: result_page(recordings(("main", "pr"), FEW)),
    "compare three": lambda: result_page(recordings(("main", "pr", "fork"), FEW)),
    "check few": lambda: check_page(checked(FEW)),
}
