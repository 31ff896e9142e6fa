"""What ``whyfast search`` says of words that it cannot search with."""

from __future__ import annotations

import pytest

from whyfast.cli.main import main

ENDS = ("--good", "HEAD~1", "--bad", "HEAD")
WITHOUT = "whyfast search --from REV --to REV [--build LINE] -- CMD …"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), f"STUDY: name a study, or a command: {WITHOUT}"),
        (("no-such",), f"'no-such': neither a study nor a command; {WITHOUT} needs no study"),
    ],
)
def test_that_it_needs_no_study_is_said(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    assert main(["search", *ENDS, *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    "ends",
    [
        (),
        ("--good", "a"),
        ("--from", "a"),
        ("--good", "a", "--to", "b"),
        ("--good", "a", "--bad", "b", "--to", "c"),
        ("--good", "a", "--bad", "b", "--from", "c", "--to", "d"),
    ],
)
def test_ends_are_two_of_one_kind(
    capsys: pytest.CaptureFixture[str], ends: tuple[str, ...]
) -> None:
    assert main(["search", *ends, "study"]) == 2
    said = capsys.readouterr().err
    assert "--good FAST --bad SLOW" in said
    assert "--from NAME --to NAME" in said
