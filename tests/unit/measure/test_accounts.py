"""What the scheduler accounts, from files that are made up and from a process that has ended.

Threads at work, from a /proc that is made up, and from a program that has some."""

import itertools
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from whyfast.measure import accounts
from whyfast.measure.commands import CommandRunner, probe_run
from whyfast.measure.invocation import LaunchArguments


def test_nanoseconds_that_a_thread_ran_and_waited(tmp_path: Path) -> None:
    file = tmp_path / "schedstat"
    file.write_text("2500000000 40000000 12\n")
    assert accounts.scheduled(str(file)) == accounts.Scheduled(ran=2.5, waited=0.04)


@pytest.mark.parametrize("text", ["", "12\n", "x y z\n"])
def test_a_file_that_says_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "schedstat"
    file.write_text(text)
    assert accounts.scheduled(str(file)) is None


def test_a_kernel_that_does_not_account_it(tmp_path: Path) -> None:
    assert accounts.scheduled(str(tmp_path / "none")) is None


@pytest.mark.skipif(not Path(accounts.OWN).exists(), reason="the kernel does not account waiting")
def test_a_process_that_has_ended_and_is_not_reaped() -> None:
    before = accounts.scheduled()
    pid = os.posix_spawnp("true", ["true"], {"PATH": os.environ["PATH"]})
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    ended = accounts.scheduled(f"/proc/{pid}/schedstat")
    os.waitpid(pid, 0)
    assert ended is not None
    assert ended.ran > 0
    assert accounts.scheduled(f"/proc/{pid}/schedstat") is None
    while (after := accounts.scheduled()) == before:
        time.sleep(0)
    assert before is not None
    assert after is not None
    assert after.ran > before.ran


@pytest.mark.parametrize(
    ("first", "cpu_time", "waited"),
    [
        (accounts.Scheduled(1.0, 0.25), 1.0, 0.25),
        (accounts.Scheduled(0.96, 0.25), 1.0, 0.25),
        (accounts.Scheduled(0.94, 0.25), 1.0, None),  # another thread or process did a part
        (accounts.Scheduled(1.0, 0.75), 1.0, 0.5),  # by another clock
        (accounts.Scheduled(1.6, 0.25), 1.6, 0.0),
        (accounts.Scheduled(0.0, 0.0), 0.0, 0.0),
        (None, 1.0, None),
    ],
)
def test_only_who_is_alone_at_work_waits_for_others(
    first: accounts.Scheduled | None, cpu_time: float, waited: float | None
) -> None:
    assert accounts.waited_alone(first, cpu_time, elapsed=1.5) == waited


@pytest.mark.parametrize(
    ("after", "seconds"),
    [
        (accounts.Moment(10.5, 2.125, 6, 1), 0.125),  # woken by what it waited for
        (accounts.Moment(10.5, 2.0, 6, 1), 0.0),
        (accounts.Moment(10.5, 2.125, 6, 2), 0.0),  # interrupted, perhaps before it slept
        (accounts.Moment(10.5, 2.125, 5, 1), 0.0),  # it was there already
        (accounts.Moment(10.5, 2.125, 7, 1), 0.0),
        (accounts.Moment(11.125, 2.125, 6, 1), 0.0),  # woken by time, and then it came
        (accounts.Moment(10.5, 2.75, 6, 1), 0.0),  # longer than it was asked for
        (accounts.Moment(10.5, None, 6, 1), 0.0),
    ],
)
def test_how_late_a_thread_learns_of_what_it_sleeps_for(
    after: accounts.Moment, seconds: float
) -> None:
    assert accounts.late(accounts.Moment(10.0, 2.0, 5, 1), after, most=1.0) == seconds


def test_a_sleep_is_counted_once() -> None:
    before = accounts.moment()
    time.sleep(0.001)
    after = accounts.moment()
    assert after.slept - before.slept == 1
    assert after.seconds - before.seconds >= 0.001


def test_what_all_turns_of_all_waited_is_no_part_of_the_values() -> None:
    values = {"a": [1.0, 2.0], "b": [4.0, 5.0]}
    extra = {v: {"waited": (0.0, 0.5), "user": (1.0, 1.5)} for v in "ab"}
    net = {"a": (1.0, 1.5), "b": (4.0, 4.5)}
    assert accounts.without_waiting(values, extra) == (net, extra)


def test_where_one_side_is_not_known_to_have_waited_both_keep_their_time() -> None:
    values, extra = {"a": (1.0,), "b": (2.0,)}, {"a": {"waited": (0.5,), "user": (0.5,)}}
    assert accounts.without_waiting(values, extra) == (values, {"a": {"user": (0.5,)}})
    assert accounts.without_waiting(values, {}) == (values, {})


def thread(proc: Path, pid: int, tid: int, state: str, ran: int, children: str = "") -> None:
    folder = proc / str(pid) / "task" / str(tid)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stat").write_text(f"{tid} (a) b) {state} 1 2 3 4 5 6 7 8 9 10 30 12 13\n")
    (folder / "schedstat").write_text(f"{ran} 5 7\n")
    (folder / "children").write_text(children)


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    return tmp_path


def looked(proc: Path, times: int = 1, least: int = 1) -> accounts.ThreadTally:
    tally = accounts.ThreadTally(str(proc), least)
    for _ in range(times):
        tally.look(10)
    return tally


#: Looks, each at threads as (process, thread, state, time that it ran, children).
AT_WORK: dict[str, tuple[list[Any], int]] = {
    "new ones": ([[(10, 10, "S", 1000), (10, 11, "S", 0)]], 1),
    "that have run since the last look": (
        [
            [(10, 10, "S", 1000), (10, 11, "S", 0), (10, 12, "S", 0)],
            # The third woke and slept again.
            [(10, 10, "S", 1800), (10, 11, "S", 190), (10, 12, "S", 10)],
        ],
        2,
    ),
    "that another one waits for": (
        [[(10, 10, "R", 1000)], [(10, 10, "S", 1010), (10, 11, "R", 1000)], [(10, 11, "R", 2000)]],
        1,
    ),
    "the child of a shell": ([[(10, 10, "S", 500, "20 "), (20, 20, "R", 500)], *[[]] * 9], 1),
    "children together": (
        [[(10, 10, "S", 500, "20 21 "), (20, 20, "R", 500), (21, 21, "R", 500)], []],
        2,
    ),
    "of a process that has ended": ([[]], 1),
}


@pytest.mark.parametrize(("looks", "number"), AT_WORK.values(), ids=AT_WORK)
def test_threads_at_work(proc: Path, looks: list[Any], number: int) -> None:
    tally = accounts.ThreadTally(str(proc), least=1)
    for threads in looks:
        for values in threads:
            thread(proc, *values)
        tally.look(10)
    assert tally.at_work == number


def test_when_enough_was_seen_one_run_in_ten_is_looked_at(proc: Path) -> None:
    thread(proc, 10, 10, "R", 1000)
    tally = accounts.ThreadTally(str(proc), rng=random.Random(1))
    for _ in range(10):
        assert tally.due()
        tally.look(10)
    assert 60 < sum(tally.due() for _ in range(1000)) < 140


def test_a_starved_thread_counts_as_it_waits_for_a_cpu(proc: Path) -> None:
    thread(proc, 10, 10, "R", 1000)
    thread(proc, 10, 11, "R", 0)
    assert looked(proc, 1, least=2).at_work == 1  # a parent that has just started its child?
    assert looked(proc, 2, least=2).at_work == 2


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
    tally = accounts.ThreadTally(str(proc))
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


def test_looks_grow_rarer_up_to_a_limit() -> None:
    drawn = list(itertools.islice(accounts.pauses(random.Random(1)), 400))
    assert max(drawn[:1]) <= 0.008
    assert max(drawn) <= 0.2
    assert 0.09 < sum(drawn[100:]) / 300 < 0.11


#: Two threads that hash for as long as a look may take to come, or one.
HASHING = """
import hashlib, sys, threading, time
def work():  # ten times what starting takes, however busy the machine is
    while time.thread_time() < 0.3:
        hashlib.sha256(b"x" * 2_000_000).digest()
every = [threading.Thread(target=work) for _ in range(int(sys.argv[1]))]
for thread in every: thread.start()
for thread in every: thread.join()
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
