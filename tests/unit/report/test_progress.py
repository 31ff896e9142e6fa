"""What programs print cannot steer the terminal while a run is watched."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report.example import verdict

from whyfast.model.sample import RunFailure
from whyfast.model.verdict import Few
from whyfast.report.progress import so_far, watching


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


def test_a_first_answer_is_there_before_a_verdict_can_be() -> None:
    early = replace(
        verdict("new", "old", "undecided", 1.05, 0.0, math.inf),
        blocks=4,
        few=Few("undecided", 1.02, 1.08, 0.875, 0.99, 1.11, 9),
    )
    assert so_far(early, 0.01) == "1.05x slower, blocks within [1.02, 1.08]"
    assert so_far(replace(early, blocks=1), 0.01) == "1.05x slower, of one block"
    later = replace(early, few=None, low=1.01, high=1.09, word="slower")
    assert so_far(later, 0.01) == "1.05x slower [1.01, 1.09]"


def test_a_failure_says_what_was_printed_last() -> None:
    stream = io.StringIO()
    with watching("t", 0.01, Console(file=stream, width=100)) as observer:
        observer.failure(RunFailure("whole run", "a", "exit code 3", "one\nno such file\n\n", ()))
    assert stream.getvalue() == "  a failed on whole run: exit code 3; it said: no such file\n"


@pytest.mark.parametrize(
    ("runs", "end"),
    [(None, "1 block, 0 of 0 comparisons decided; at most 9.00 s left"), (12, "0 of 12 blocks")],
)
def test_what_is_left_is_told_by_what_ends_it(runs: int | None, end: str) -> None:
    stream = io.StringIO()
    with watching("t", 0.01, Console(file=stream, width=100), runs=runs) as observer:
        observer.block("b", (), 1.0, 10.0)
    assert stream.getvalue().startswith(f"  b: {end.replace('1 block', '0 blocks')}")
    assert ("at most" in stream.getvalue()) == (runs is None)
