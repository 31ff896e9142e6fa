"""Errors as the user reads them."""

from __future__ import annotations

from pathlib import Path

from whyfast.model.errors import StudyError, UserError


def test_where_comes_first() -> None:
    assert str(UserError("there is nothing")) == "there is nothing"
    assert str(UserError("there is nothing", where="--only")) == "--only: there is nothing"
    assert str(UserError("there is nothing", where=Path("a/b"))) == "a/b: there is nothing"


def test_a_mistake_in_a_study_names_line_key_and_what_would_be_right() -> None:
    error = StudyError(
        "is not a margin", file=Path("study.toml"), line=3, key="study.margin", hint='write "1%"'
    )
    assert str(error) == 'study.toml:3: study.margin: is not a margin; write "1%"'
    assert (error.where, error.line, error.key) == ("study.toml:3", 3, "study.margin")


def test_line_key_and_hint_may_be_missing() -> None:
    error = StudyError("is empty", file=Path("study.toml"), line=None, key=None)
    assert str(error) == "study.toml: is empty"
