"""The answer on one screen: every line of it."""

from __future__ import annotations

import io

from rich.console import Console
from tests.unit.report.example import sample_result
from tests.unit.report.parts import as_terminal

from whyfast.report.pages.results import result_page
from whyfast.report.render.terminal import render_terminal


def test_each_fact_is_said_once() -> None:
    text = as_terminal(sample_result(), 80)
    assert text.count("2.14x slower") == 1
    assert " ".join(text.split()).count("merged dispatch is") == 1


def test_wide_terminals_have_every_baseline() -> None:
    assert "against clang19-goto" not in as_terminal(sample_result(), 80)
    assert "against clang19-goto" in as_terminal(sample_result(), 120)


def test_without_unicode_there_are_no_bars() -> None:
    buffer = io.BytesIO()
    console = Console(file=io.TextIOWrapper(buffer, encoding="ascii"), width=80, color_system=None)
    render_terminal(result_page(sample_result()), console=console)
    console.file.flush()
    assert b"clang19-goto              6  merged      2.14x slower [2.10, 2.19]\n" in (
        b"\n".join(line.rstrip() for line in buffer.getvalue().split(b"\n"))
    )
