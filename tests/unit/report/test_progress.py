"""What programs print cannot steer the terminal while a run is watched."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from whyfast.model.sample import RunFailure
from whyfast.report.progress import watching


@pytest.mark.parametrize("live", [False, True])
def test_messages_of_programs_are_made_visible(live: bool) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=100, force_terminal=live, color_system=None)
    with watching("t", 0.01, console) as observer:
        observer.note("\x1b]0;title\x07 done\nwarning: forged")
        observer.failure(RunFailure("b\x9b2J", "v", "it said \x1b[31m", "", ()))
        observer.block("b\x1b[2J", (), 1.0, 2.0)
    printed = stream.getvalue()
    for escape in ("\x1b]", "\x9b", "\x1b[31m", "\x1b[2J"):
        assert escape not in printed
    assert "\\x1b]0;title\\x07 done warning: forged\n" in printed
    assert "v failed on b\\x9b2J: it said \\x1b[31m\n" in printed
