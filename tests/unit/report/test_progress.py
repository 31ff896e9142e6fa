"""What programs print cannot steer the terminal while a run is watched."""

import io
import math
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.measure.doubles import FakeClock
from tests.unit.report.example import verdict

from whyfast.investigate.services import Observer
from whyfast.model.sample import RunFailure
from whyfast.model.verdict import SmallSample
from whyfast.report.progress import so_far, watching
from whyfast.search.study_subject import WithinSearch


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
        small_sample=SmallSample("undecided", 1.02, 1.08, 0.875, 0.99, 1.11, 9),
    )
    assert so_far(early, 0.01) == "1.05x slower, blocks within [1.02, 1.08]"
    assert so_far(replace(early, blocks=1), 0.01) == "1.05x slower, of one block"
    later = replace(early, small_sample=None, low=1.01, high=1.09, outcome="slower")
    assert so_far(later, 0.01) == "1.05x slower [1.01, 1.09]"


def test_a_failure_says_what_was_printed_last() -> None:
    stream = io.StringIO()
    with watching("t", 0.01, Console(file=stream, width=100)) as observer:
        observer.failure(RunFailure("whole run", "a", "exit code 3", "one\nno such file\n\n", ()))
    assert stream.getvalue() == "  a failed on whole run: exit code 3; last output: no such file\n"


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


def _plain(clock: FakeClock) -> tuple[AbstractContextManager[Observer], io.StringIO]:
    stream = io.StringIO()
    return watching("t", 0.01, Console(file=stream, width=100), clock=clock), stream


def test_without_a_terminal_there_is_a_line_every_ten_seconds_at_most() -> None:
    clock = FakeClock()
    watched, stream = _plain(clock)
    with watched as observer:
        observer.phase("search")
        for number in range(127):
            observer.step(f"block {number}")
            clock.seconds += 0.3
    assert stream.getvalue().splitlines() == [
        "searching …",
        "  block 0",
        "  block 34",
        "  block 68",
        "  block 102",
    ]


def test_each_change_of_phase_and_what_must_be_shown_have_a_line_at_once() -> None:
    clock = FakeClock()
    watched, stream = _plain(clock)
    with watched as observer:
        observer.phase("build")
        observer.step("building a")
        observer.phase("measure")
        observer.phase("measure")
        observer.note("resuming: 4 blocks are already taken")
        observer.step("calibrating whole")
        observer.block("whole", (), 1.0, 10.0)
    assert stream.getvalue().splitlines() == [
        "building …",
        "  building a",
        "measuring …",
        "  resuming: 4 blocks are already taken",
    ]


def test_what_is_said_of_candidates_within_a_search_is_no_more_than_a_step() -> None:
    watched, stream = _plain(FakeClock())
    with watched as observer:
        observer.phase("search")
        within = WithinSearch(observer, lambda number: f"commit {number}")
        within.phase("build")
        within.note("2: step 1 failed")
        within.step("building 3 with gcc")
    assert stream.getvalue().splitlines() == ["searching …", "  commit 2: step 1 failed"]
