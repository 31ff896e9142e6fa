"""Results made and changed by the names of the fields of their parts."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from whyfast.model.question import Question
from whyfast.model.result import Found, Judged, Recorded, Result
from whyfast.report.answer import compose_answer
from whyfast.report.answer_text import Answer


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
    return compose_answer(result_of(question, **given))
