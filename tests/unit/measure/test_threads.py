"""Threads at work, from a /proc that is made up, and from a program that has some."""

from __future__ import annotations

import itertools
import os
import random
import sys
from pathlib import Path

import pytest

from whyfast.measure.commands import CommandRunner, probe_run
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.run_queue import ThreadTally, pauses


def thread(proc: Path, pid: int, tid: int, state: str, ran: int, children: str = "") -> None:
    folder = proc / str(pid) / "task" / str(tid)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stat").write_text(f"{tid} (a) b) {state} 1 2 3 4 5 6 7 8 9 10 30 12 13\n")
    (folder / "schedstat").write_text(f"{ran} 5 7\n")
    (folder / "children").write_text(children)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    return tmp_path


def looked(proc: Path, times: int = 1, least: int = 1) -> ThreadTally:
    tally = ThreadTally(str(proc), least)
    for _ in range(times):
        tally.look(10)
    return tally


def test_threads_count_that_have_run_since_the_last_look(proc: Path) -> None:
    thread(proc, 10, 10, "S", 1000)
    thread(proc, 10, 11, "S", 0)
    thread(proc, 10, 12, "S", 0)
    tally = looked(proc)
    assert tally.at_work == 1
    thread(proc, 10, 10, "S", 1800)
    thread(proc, 10, 11, "S", 190)
    thread(proc, 10, 12, "S", 10)  # woke and slept again
    tally.look(10)
    assert tally.at_work == 2


def test_when_enough_was_seen_one_run_in_ten_is_looked_at(proc: Path) -> None:
    thread(proc, 10, 10, "R", 1000)
    tally = ThreadTally(str(proc), rng=random.Random(1))
    for _ in range(10):
        assert tally.due()
        tally.look(10)
    assert 60 < sum(tally.due() for _ in range(1000)) < 140


def test_a_thread_that_another_one_waits_for_is_alone(proc: Path) -> None:
    thread(proc, 10, 10, "R", 1000)
    tally = looked(proc)
    thread(proc, 10, 10, "S", 1010)
    thread(proc, 10, 11, "R", 1000)
    tally.look(10)
    thread(proc, 10, 11, "R", 2000)
    tally.look(10)
    assert tally.at_work == 1


def test_a_starved_thread_counts_as_it_waits_for_a_cpu(proc: Path) -> None:
    thread(proc, 10, 10, "R", 1000)
    thread(proc, 10, 11, "R", 0)
    assert looked(proc, 1, least=2).at_work == 1  # a parent that has just started its child?
    assert looked(proc, 2, least=2).at_work == 2


def test_a_shell_that_waits_for_its_child_is_no_second_thread(proc: Path) -> None:
    thread(proc, 10, 10, "S", 500, children="20 ")
    thread(proc, 20, 20, "R", 500)
    assert looked(proc, 10).at_work == 1


def test_children_at_work_together_do(proc: Path) -> None:
    thread(proc, 10, 10, "S", 500, children="20 21 ")
    thread(proc, 20, 20, "R", 500)
    thread(proc, 21, 21, "R", 500)
    assert looked(proc, 2).at_work == 2


def test_two_that_are_ready_together_once_in_a_while_are_one(proc: Path) -> None:
    thread(proc, 10, 10, "S", 500, children="20")
    thread(proc, 20, 20, "R", 500)
    tally = looked(proc, 37)
    thread(proc, 10, 10, "R", 500, children="20")
    for _ in range(3):
        tally.look(10)
    assert tally.at_work == 1
    tally.look(10)
    tally.look(10)
    assert tally.at_work == 2  # 5 of 42


def test_dense_looks_at_the_start_are_little_time(proc: Path) -> None:
    thread(proc, 10, 10, "R", 500, children="20")  # starved beside the child that it started
    thread(proc, 20, 20, "R", 500)
    tally = ThreadTally(str(proc))
    for after in (0.004, 0.008, 0.016):
        tally.look(10, after)
    thread(proc, 10, 10, "S", 500, children="20")
    for _ in range(6):
        tally.look(10, 0.1)
    assert tally.at_work == 1


def test_without_times_of_the_scheduler_those_of_the_process_are_taken(proc: Path) -> None:
    thread(proc, 10, 10, "S", 1)
    thread(proc, 10, 11, "S", 1)
    for file in proc.glob("*/task/*/schedstat"):
        file.unlink()
    tally = looked(proc)
    for stat in proc.glob("*/task/*/stat"):
        stat.write_text(stat.read_text().replace(" 30 12 ", " 45 12 "))
    tally.look(10)
    assert tally.at_work == 2


def test_a_process_that_has_ended_counts_for_nothing(proc: Path) -> None:
    assert looked(proc).at_work == 1


def test_looks_grow_rarer_up_to_a_limit() -> None:
    drawn = list(itertools.islice(pauses(random.Random(1)), 400))
    assert max(drawn[:1]) <= 0.008
    assert max(drawn) <= 0.2
    assert 0.09 < sum(drawn[100:]) / 300 < 0.11


#: Two threads that hash for as long as a look may take to come, or one.
HASHING = """
import hashlib, sys, threading, time
end = time.monotonic() + 0.6
def work():
    while time.monotonic() < end:
        hashlib.sha256(b"x" * 2_000_000).digest()
every = [threading.Thread(target=work) for _ in range(int(sys.argv[1]))]
for one in every: one.start()
for one in every: one.join()
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_two_threads_are_seen_also_on_one_cpu() -> None:
    command = (sys.executable, "-c", HASHING, "2")
    runner = CommandRunner(LaunchArguments({"a": command}, dict(os.environ), 30.0))
    invocation = runner.enter("a", cpu=min(os.sched_getaffinity(0)), pad=0)
    invocation.turn(1)
    assert invocation.threads == 2


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_the_first_run_tells_threads() -> None:
    commands = {str(n): (sys.executable, "-c", HASHING, str(n)) for n in (1, 2)}
    arguments = LaunchArguments(commands, dict(os.environ), 30.0)
    assert probe_run(arguments, "1", True).threads == 1
    assert probe_run(arguments, "2", True).threads == 2
