"""Results made and changed by the names of the fields of their parts."""

import io
from dataclasses import fields, replace
from typing import Any

from rich.console import Console

from whyfast.model.result import Found, Judged, Recorded, Result
from whyfast.model.study import Question
from whyfast.report.answer import Answer, answer_of
from whyfast.report.document import Document, Table
from whyfast.report.pages.results import result_page
from whyfast.report.render.html import render_html
from whyfast.report.render.markdown import render_markdown
from whyfast.report.render.terminal import render_terminal


def result_of(question: Question, **given: Any) -> Result:
    """A result of that question, with the fields ``given`` and all others empty."""
    empty = Result(question, Recorded("r", 0.0), Judged("binaries"), Found())  # type: ignore[arg-type]
    return changed(empty, **given)


def changed(result: Result, **new: Any) -> Result:
    """``new`` by the names of the fields of the result's parts; ``question`` is one of its own."""
    if "question" in new:
        result = replace(result, question=new.pop("question"))
    for name in ("recorded", "judged", "found"):
        part: Any = getattr(result, name)
        mine = {f.name: new.pop(f.name) for f in fields(part) if f.name in new}
        result = replace(result, **{name: replace(part, **mine)})
    assert not new, f"no part of a result has {', '.join(new)}"
    return result


def answer_from(question: Question, **given: Any) -> Answer:
    """The answer of :func:`result_of`."""
    return answer_of(result_of(question, **given))


def texts(table: Table | None) -> list[list[str]]:
    """The texts of the cells of a table, row by row."""
    return [[cell.text for cell in row] for row in (table.rows if table else ())]


def as_html(result: Result) -> str:
    return render_html(result_page(result))


def as_markdown(result: Result, *, verbose: bool = False) -> str:
    return render_markdown(result_page(result), verbose=verbose)


def as_terminal(result: Result, width: int, *, verbose: bool = False) -> str:
    """What the terminal shows of a result."""
    return printed(result_page(result), width, verbose=verbose)


def printed(page: Document, width: int, *, verbose: bool = False) -> str:
    """What a terminal of that width shows, without colour."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, color_system=None, legacy_windows=False)
    render_terminal(page, console=console, verbose=verbose)
    return stream.getvalue()
