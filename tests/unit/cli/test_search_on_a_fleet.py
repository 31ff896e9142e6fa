"""Searches for which hosts of a fleet could build nothing ahead."""

from __future__ import annotations

import pytest

from whyfast.cli.main import main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["dispatch", "--axis", "passes", "--scheduler", "127.0.0.1:1"],
            "--scheduler --axis passes: hosts build ahead along commits, toolchains, flags only",
        ),
        (
            ["dispatch", "--incremental", "--hosts", "hosts.toml"],
            "--hosts --incremental: hosts build every candidate clean",
        ),
        (
            ["--scheduler", "127.0.0.1:1", "--", "./run"],
            "a command's checkouts are built here; search by a study",
        ),
    ],
)
def test_it_is_said_before_anything_is_built(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", "--good", "a", "--bad", "b", *words]) == 2
    assert said in capsys.readouterr().err
