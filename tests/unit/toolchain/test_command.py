"""Programs that answer a question."""

from __future__ import annotations

import subprocess

import pytest

from whyfast.toolchain.provider import first_line, run


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["sh", "-c", "echo ' one '; echo two"], "one"),
        (["sh", "-c", "echo one; exit 1"], ""),
        (["sh", "-c", "echo one >&2"], ""),
        (["sh", "-c", "cat; echo end of input"], "end of input"),
        (["/does/not/exist"], ""),
    ],
)
def test_first_line(argv: list[str], line: str) -> None:
    assert first_line(argv) == line


def test_messages_are_in_english_unless_an_environment_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    say = ["/bin/sh", "-c", "echo $LC_ALL$OWN"]
    assert run(say).stdout == "C\n"
    assert run(say, env={"OWN": "mine"}).stdout == "mine\n"


def test_what_does_not_end_is_ended() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run(["sleep", "60"], timeout=0.01)
