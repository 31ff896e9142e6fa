"""What the scheduler accounts, from files that are made up and from a process that has ended."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from whyfast.measure.run_queue import (
    OWN,
    Moment,
    Scheduled,
    late,
    moment,
    of_ended,
    scheduled,
    waited_alone,
    without_waiting,
)


def test_nanoseconds_that_a_thread_ran_and_waited(tmp_path: Path) -> None:
    file = tmp_path / "schedstat"
    file.write_text("2500000000 40000000 12\n")
    assert scheduled(str(file)) == Scheduled(ran=2.5, waited=0.04)


@pytest.mark.parametrize("text", ["", "12\n", "x y z\n"])
def test_a_file_that_says_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "schedstat"
    file.write_text(text)
    assert scheduled(str(file)) is None


def test_a_kernel_that_does_not_account_it(tmp_path: Path) -> None:
    assert scheduled(str(tmp_path / "none")) is None


@pytest.mark.skipif(not Path(OWN).exists(), reason="the kernel does not account waiting")
def test_a_process_that_has_ended_and_is_not_reaped() -> None:
    before = scheduled()
    pid = os.posix_spawnp("true", ["true"], {"PATH": os.environ["PATH"]})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    ended = of_ended(pid)
    os.waitpid(pid, 0)
    assert ended is not None
    assert ended.ran > 0
    assert of_ended(pid) is None
    while (after := scheduled()) == before:
        time.sleep(0)
    assert before is not None
    assert after is not None
    assert after.ran > before.ran


@pytest.mark.parametrize(
    ("first", "cpu_time", "waited"),
    [
        (Scheduled(1.0, 0.25), 1.0, 0.25),
        (Scheduled(0.96, 0.25), 1.0, 0.25),
        (Scheduled(0.94, 0.25), 1.0, None),  # another thread or process did a part
        (Scheduled(1.0, 0.75), 1.0, 0.5),  # by another clock
        (Scheduled(1.6, 0.25), 1.6, 0.0),
        (Scheduled(0.0, 0.0), 0.0, 0.0),
        (None, 1.0, None),
    ],
)
def test_only_who_is_alone_at_work_waits_for_others(
    first: Scheduled | None, cpu_time: float, waited: float | None
) -> None:
    assert waited_alone(first, cpu_time, elapsed=1.5) == waited


@pytest.mark.parametrize(
    ("after", "seconds"),
    [
        (Moment(10.5, 2.125, 6, 1), 0.125),  # woken by what it waited for
        (Moment(10.5, 2.0, 6, 1), 0.0),
        (Moment(10.5, 2.125, 6, 2), 0.0),  # interrupted, perhaps before it slept
        (Moment(10.5, 2.125, 5, 1), 0.0),  # it was there already
        (Moment(10.5, 2.125, 7, 1), 0.0),
        (Moment(11.125, 2.125, 6, 1), 0.0),  # woken by time, and then it came
        (Moment(10.5, 2.75, 6, 1), 0.0),  # longer than it was asked for
        (Moment(10.5, None, 6, 1), 0.0),
    ],
)
def test_how_late_a_thread_learns_of_what_it_sleeps_for(after: Moment, seconds: float) -> None:
    assert late(Moment(10.0, 2.0, 5, 1), after, most=1.0) == seconds


def test_a_sleep_is_counted_once() -> None:
    before = moment()
    time.sleep(0.001)
    after = moment()
    assert after.slept - before.slept == 1
    assert after.seconds - before.seconds >= 0.001


def test_what_all_turns_of_all_waited_is_no_part_of_the_values() -> None:
    values = {"a": [1.0, 2.0], "b": [4.0, 5.0]}
    extra = {v: {"waited": (0.0, 0.5), "user": (1.0, 1.5)} for v in "ab"}
    net = {"a": (1.0, 1.5), "b": (4.0, 4.5)}
    assert without_waiting(values, extra) == (net, extra)


def test_where_one_side_is_not_known_to_have_waited_both_keep_their_time() -> None:
    values, extra = {"a": (1.0,), "b": (2.0,)}, {"a": {"waited": (0.5,), "user": (0.5,)}}
    assert without_waiting(values, extra) == (values, {"a": {"user": (0.5,)}})
    assert without_waiting(values, {}) == (values, {})
