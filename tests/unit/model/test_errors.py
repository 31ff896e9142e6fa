"""Errors as the user reads them."""

from pathlib import Path

from tests.golden_files import Hear

from whyfast.model.errors import StudyError, UserError


def test_where_comes_first(golden: Hear) -> None:
    assert str(UserError("there is nothing")) == "there is nothing"
    golden(str(UserError("there is nothing", where="--only")))
    assert str(UserError("there is nothing", where=Path("a/b"))) == "a/b: there is nothing"


def test_a_mistake_in_a_study_names_line_key_and_what_would_be_right(golden: Hear) -> None:
    error = StudyError(
        "is not a margin", file=Path("study.toml"), line=3, key="study.margin", hint='write "1%"'
    )
    golden(str(error))
    assert (error.where, error.line, error.key) == ("study.toml:3", 3, "study.margin")


def test_line_key_and_hint_may_be_missing(golden: Hear) -> None:
    error = StudyError("is empty", file=Path("study.toml"), line=None, key=None)
    golden(str(error))
