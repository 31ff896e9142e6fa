"""Child processes, one at a time.

Running programs to their end for what they print."""

import errno
import math
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.unit.measure.conftest import STUCK, ends, open_files

from whyfast.measure import process
from whyfast.measure.accounts import scheduled
from whyfast.measure.tools import Finished, Launcher, program_names

pytestmark = pytest.mark.usefixtures("nothing_left")

Start = Callable[..., process.Child]


@pytest.fixture
def start(nothing_left: None) -> Iterator[Start]:
    """``start(code)``: a shell as a child, ended after the test."""
    started: list[process.Child] = []

    def run(code: str, **more: Any) -> process.Child:
        child = process.Child(("sh", "-c", code), env=dict(os.environ), **more)
        started.append(child)
        return child

    yield run
    for child in started:
        child.kill()


@pytest.mark.parametrize(("code", "status"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", -9)])
def test_the_status_of_an_ended_child_is_the_same(start: Start, code: str, status: int) -> None:
    child = start(code)
    assert child.status is None
    usage = child.wait(1e12)  # longer than the kernel can express
    assert usage is not None
    assert child.wait(STUCK) == child.wait(0.0) == usage
    child.kill()
    child.kill()
    assert child.status == status


def test_a_child_that_still_runs(start: Start) -> None:
    child = start("sleep 600")
    assert child.wait(0.0) is None
    assert child.wait(0.02) is None
    assert child.status is None
    assert os.getpgid(child.pid) == child.pid != os.getpgrp()
    child.kill()
    assert child.status == -signal.SIGKILL


def test_killing_ends_the_whole_group(start: Start, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    child = start(f"sleep 600 & sleep 600 & echo $! > '{pids}'; wait")
    while not pids.exists() or not pids.read_text():
        assert child.wait(0.005) is None
    child.kill()
    assert ends(int(pids.read_text()))
    assert ends(child.pid)


def test_what_was_printed(start: Start) -> None:
    child = start(r"echo one; echo two >&2; printf 'a\377b\n'")
    child.wait(STUCK)
    assert child.stdout() == "one\na�b\n"  # bytes that are no text are replaced
    assert child.output_tail() == "one\na�b\ntwo"
    child.kill()
    assert child.stdout() == child.output_tail() == ""  # the files are gone


def test_only_the_end_of_long_output_is_kept_for_reports(start: Start) -> None:
    child = start("seq 100000; echo bad >&2")
    child.wait(STUCK)
    assert child.stdout().startswith("1\n2\n")
    tail = child.output_tail()
    assert tail.endswith("\n99999\n100000\nbad")
    assert process.OUTPUT_KEPT - 10 <= len(tail) <= process.OUTPUT_KEPT + 10


def _memory(child: process.Child) -> int:
    """Bytes that its standard output and error hold."""
    streams = (child._stdout, child._stderr)
    return sum(os.fstat(s.fd).st_blocks * 512 for s in streams if s is not None)


def test_what_is_printed_without_end_is_discarded_and_its_end_kept(start: Start) -> None:
    much = f"head -c {5 * process.OUTPUT_MOST} /dev/zero | tr '\\0' x; echo"
    child = start(f"{much}; ({much}) >&2; echo last >&2; echo end")
    assert child.wait(STUCK) is not None
    assert child.status == 0
    assert _memory(child) <= 2 * process.OUTPUT_MOST
    with pytest.raises(process.TooMuchOutput, match="printed more than 16 MB on standard output"):
        child.stdout()
    tail = child.output_tail()
    assert tail.endswith("x\nlast")
    assert "x\nend\nx" in tail
    assert "\0" not in tail


def test_a_program_goes_on_printing_behind_what_is_discarded(start: Start, tmp_path: Path) -> None:
    go = tmp_path / "go"
    code = f"head -c {2 * process.OUTPUT_MOST} /dev/zero; mkfifo {go}; read x <{go}; echo after"
    child = start(code)
    while not go.exists():
        child.wait(0.005)
    go.write_text("\n")
    assert child.wait(STUCK) is not None
    assert child.output_tail().strip("\0") == "after"
    assert _memory(child) <= process.OUTPUT_MOST


def test_a_program_that_prints_without_end_when_wanted_whole_fails(start: Start) -> None:
    child = start("yes", stdout="whole")
    with pytest.raises(process.TooMuchOutput):
        child.wait(1e12)
    child.kill()
    assert child.status == -signal.SIGKILL


def test_as_much_as_is_kept_is_whole(start: Start) -> None:
    child = start(f"head -c {process.OUTPUT_MOST - 4096} /dev/zero", stdout="whole")
    assert child.wait(STUCK) is not None
    assert len(child.stdout()) == process.OUTPUT_MOST - 4096


def test_output_that_nobody_wants_is_not_kept(start: Start) -> None:
    child = start("echo one; test /dev/stdout -ef /dev/null", stdout="discarded")
    child.wait(STUCK)
    assert (child.status, child.stdout()) == (0, "")


def test_a_child_starts_with_clean_descriptors_and_signals(start: Start) -> None:
    descriptor = os.open("/dev/zero", os.O_RDONLY)
    try:
        child = start("ls -l /proc/self/fd; grep SigIgn /proc/self/status")
        child.wait(STUCK)
    finally:
        os.close(descriptor)
    *files, ignored = child.stdout().splitlines()
    assert not any("/dev/zero" in line for line in files)
    assert sum("whyfast-std" in line for line in files) == 2  # its own output, and no duplicates
    assert not int(ignored.split()[1], 16) & (1 << (signal.SIGPIPE - 1))


@pytest.mark.parametrize("argv", [("/does/not/exist",), ("does-not-exist-anywhere",)])
def test_a_program_that_is_not_there_leaves_nothing_open(argv: tuple[str, ...]) -> None:
    before = open_files()
    with pytest.raises(FileNotFoundError):
        process.Child(argv, env=dict(os.environ))
    assert open_files() <= before


def test_descriptors_are_passed_on_request() -> None:
    read, write = os.pipe()
    code = f"import os; os.write({write}, b'hello')"
    child = process.Child(
        (sys.executable, "-S", "-c", code), env=dict(os.environ), pass_fds=(write,)
    )
    os.close(write)
    assert os.read(read, 100) == b"hello"
    os.close(read)
    child.kill()


def test_a_child_is_timed_from_its_start_to_its_end_alone(start: Start) -> None:
    before = time.perf_counter()
    child = start("read line", stdin="/dev/null")
    assert math.isnan(child.seconds)
    child.wait(STUCK)
    known = child.seconds
    assert 0 < known <= time.perf_counter() - before
    child.kill()
    assert child.seconds == known


def test_no_child_has_ended_before_its_work(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whyfast.measure.process.late", lambda *_: 1e6)
    child = start("i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done")
    usage = child.wait(STUCK)
    assert usage is not None
    if scheduled() is not None:
        assert child.seconds >= usage.user + usage.system > 0


def test_a_child_is_pinned_and_this_thread_may_keep_away_from_it(start: Start) -> None:
    before = os.sched_getaffinity(0)
    assert process.usable_cpus() == tuple(sorted(before))
    cpu = max(before)
    show = "grep Cpus_allowed_list /proc/self/status"
    with process.away_from(cpu):
        assert os.sched_getaffinity(0) == (before - {cpu} or before)
        pinned = start(show, cpu=cpu)
        assert os.sched_getaffinity(0) == (before - {cpu} or before)
    with process.on_cpu(cpu):
        inside = start(show)
    for child in (pinned, inside):
        child.wait(STUCK)
        assert child.stdout().split()[1] == str(cpu)
    with pytest.raises(ZeroDivisionError), process.on_cpu(cpu):
        raise ZeroDivisionError
    with process.away_from(None), process.on_cpu(None):
        assert os.sched_getaffinity(0) == before
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "exit code 0"),
        (3, "exit code 3"),
        (-9, "killed by SIGKILL"),
        (-11, "killed by SIGSEGV"),
        (-63, "killed by signal 63"),
    ],
)
def test_describe_status(status: int, words: str) -> None:
    assert process.describe_status(status) == words


class _Polled:
    """Gives nothing for ``silent`` calls, and remembers how long each would have waited."""

    def __init__(self, silent: int) -> None:
        self.waits: list[float] = []
        self._silent = silent

    def poll(self, timeout: float, /) -> list[tuple[int, int]]:
        self.waits.append(timeout)
        return [(7, 1)] if len(self.waits) > self._silent else []


def test_no_wait_is_so_long_that_a_signal_just_before_it_goes_unheard() -> None:
    polled = _Polled(silent=3)
    assert process.wait_for(cast(select.poll, polled), 600.0) == {7}
    assert polled.waits == [1000.0] * 4
    polled = _Polled(silent=9)
    assert process.wait_for(cast(select.poll, polled), 0.25) == set()
    (waited,) = polled.waits
    assert 0 < waited <= 250


def test_a_signal_while_a_process_starts_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    spawn = os.posix_spawnp
    started: list[int] = []

    def interrupted(*args: Any, **more: Any) -> int:
        started.append(spawn(*args, **more))
        raise KeyboardInterrupt  # before the number can be noted

    monkeypatch.setattr(os, "posix_spawnp", interrupted)
    with pytest.raises(KeyboardInterrupt):
        process.Child(("sleep", "600"), env=dict(os.environ))
    os.waitpid(started[0], 0)


def test_what_an_ended_child_left_is_killed_when_asked(start: Start, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    child = start(f"sleep 600 & echo $! > '{pids}'; exit 3")
    assert child.wait(STUCK, whole_group=True) is not None
    assert child.status == 3
    assert ends(int(pids.read_text()))


def test_a_folder_in_path_that_may_not_be_entered_does_not_hide_that_there_is_no_such_program(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def forbidden(*args: object, **more: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", args[0])

    monkeypatch.setattr(os, "posix_spawnp", forbidden)  # what it says of root's PATH to others
    monkeypatch.setenv("PATH", f"/root/nowhere:{tmp_path}")
    with pytest.raises(FileNotFoundError, match="No such file or directory"):
        process.Child(("no-such-program",), env=dict(os.environ))
    script = tmp_path / "there"
    script.touch(0o755)
    for name in ("there", str(tmp_path / "no-such-program")):
        with pytest.raises(PermissionError):
            process.Child((name,), env=dict(os.environ))


@pytest.mark.parametrize(
    ("code", "finished"),
    [
        ("echo out; echo err >&2; exit 3", Finished(3, "out\n", "out\nerr")),
        (f"head -c {2 * process.OUTPUT_MOST} /dev/zero; exit 4", Finished(4, "", "", whole=False)),
    ],
)
def test_a_launched_program_runs_to_its_end(code: str, finished: Finished) -> None:
    done = Launcher().run(["sh", "-c", code], env=dict(os.environ), timeout=STUCK)
    assert replace(done, output=done.output.strip("\0")) == finished


def test_what_another_thread_runs_is_killed_with_what_it_started(tmp_path: Path) -> None:
    launcher, started = Launcher(), tmp_path / "started"
    line = ["sh", "-c", f"sleep 60 & echo $! >{started}; wait"]
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(launcher.run, line, env=dict(os.environ), timeout=STUCK)
        while not (started.exists() and started.read_text().endswith("\n")):
            time.sleep(0.01)
        launcher.stop()
        assert job.result().status == -signal.SIGKILL
    assert ends(int(started.read_text()))
    launcher.stop()  # nothing is left to be killed


def test_the_program_behind_a_shell_is_one_of_its_words(tmp_path: Path) -> None:
    (tmp_path / "parse").touch()
    (tmp_path / "link").symlink_to("parse")
    words = (str(tmp_path / "link"), "file.md")
    assert program_names(*words) == {"link", "parse"}
    assert {"sh", "link", "parse", "file.md"} <= program_names("sh", "-c", 'exec "$0"', *words)
