"""Commands whose whole process is the value."""

import os
import resource
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear
from tests.unit.measure.conftest import STUCK, ends

from whyfast.measure.accounts import OWN
from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import Invocation, InvocationFailed, LaunchArguments
from whyfast.measure.process import Child, on_cpu, usable_cpus

pytestmark = pytest.mark.usefixtures("nothing_left")

USAGE = {
    *("user", "system", "maxrss", "minor_faults", "major_faults"),
    *("voluntary_switches", "involuntary_switches"),
    *(("waited",) if Path(OWN).exists() else ()),
}


def _player(
    *command: str, timeout: float = STUCK, cpu: int | None = None, pad: int = 0, **more: Any
) -> Invocation:
    arguments = LaunchArguments({"v": command}, dict(os.environ), timeout, **more)
    return CommandRunner(arguments).enter("v", cpu=cpu, pad=pad)


def _more_than_here() -> int:
    """Bytes that make a child's peak memory higher than that of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + 50_000_000


def _fails(player: Invocation) -> InvocationFailed:
    with pytest.raises(InvocationFailed) as caught:
        player.turn(1)
    return caught.value


def test_a_turn_is_a_whole_run_with_what_the_kernel_accounted() -> None:
    size = _more_than_here()
    code = f"x = bytearray({size}); sum(range(2_000_000))"
    reading = _player(sys.executable, "-S", "-c", code).turn(1)
    assert reading.check is None
    assert set(reading.extra) == USAGE
    assert reading.extra["user"] > 0
    assert size < reading.extra["maxrss"] < 1.5 * size  # bytes
    assert reading.extra["minor_faults"] > 100


def test_the_time_is_that_of_the_whole_run_and_of_all_loops() -> None:
    player = _player("sleep", "0.05")  # which never sleeps for less
    assert player.turn(1).seconds >= 0.05
    assert player.turn(3).seconds >= 0.15


@pytest.mark.skipif(not Path(OWN).exists(), reason="the kernel does not account waiting")
def test_how_long_a_run_waited_for_its_cpu() -> None:
    cpu = max(usable_cpus())
    with on_cpu(cpu):
        other = Child(("sh", "-c", "while :; do :; done"), env=dict(os.environ))
    try:
        work = (sys.executable, "-S", "-c", "sum(range(3_000_000))")
        sample = _player(*work, cpu=cpu).turn(1)
        extra = sample.extra
        assert extra["waited"] > 0
        assert sample.seconds - extra["waited"] >= extra["user"] + extra["system"]
        assert "waited" in _player(*work, cpu=cpu).turn(2).extra
        several = _player("sh", "-c", '"$@"; exit 0', "sh", *work, cpu=cpu).turn(1)
        assert "waited" not in several.extra  # the shell is not what works
    finally:
        other.kill()


def test_loops_are_runs_one_after_the_other(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = f"x = bytearray({_more_than_here()}); open({str(log)!r}, 'a').write('ran\\n')"
    player = _player(sys.executable, "-S", "-c", code)
    one = player.turn(1)
    three = player.turn(3)
    assert log.read_text() == "ran\n" * 4
    assert three.extra["minor_faults"] > 2 * one.extra["minor_faults"]  # added up
    assert three.extra["maxrss"] < 2 * one.extra["maxrss"]  # the highest


def test_peak_memory_that_is_only_that_of_this_process_is_not_reported() -> None:
    extra = _player("true").turn(2).extra
    assert set(extra) == (USAGE - {"maxrss"}) | {"maxrss_below"}
    assert 0 < extra["maxrss_below"] <= _more_than_here()


def test_runs_for_peak_memory_tell_it_also_of_small_programs() -> None:
    extra = _player(sys.executable, "-IS", "-c", "", traced=True).turn(2).extra
    assert 1e6 < extra["maxrss"] < 3e7


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("exit 3", "exit code 3"),
        ("kill -SEGV $$", "killed by SIGSEGV"),
        ("kill -KILL $$", "killed by SIGKILL"),
    ],
)
def test_a_command_that_fails(code: str, reason: str) -> None:
    failed = _fails(_player("sh", "-c", f"echo no luck >&2; {code}"))
    assert failed.reason == reason
    assert failed.output == "no luck"
    assert failed.command == ("sh", "-c", f"echo no luck >&2; {code}")
    assert _player("sh", "-c", code, ignore_failure=True).turn(1).seconds > 0


def test_a_command_that_cannot_be_started(golden: Hear) -> None:
    failed = _fails(_player("/does/not/exist", "x"))
    golden(failed.reason)
    assert failed.command == ("/does/not/exist", "x")


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = f"trap '' TERM; echo waiting; sleep 600 & echo $! $$ > '{pids}'; wait"
    failed = _fails(_player("sh", "-c", code, timeout=1.0, check="never"))
    assert failed.reason == "still running after 1 s"
    assert failed.output == "waiting"
    assert all(ends(int(pid)) for pid in pids.read_text().split())


def test_the_result_is_what_it_prints() -> None:
    player = _player("sh", "-c", "echo; echo ' 42 '; echo noise >&2", check="42")
    assert player.turn(2).check == "42"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("echo 43", "wrong result: '43', expected '42'"),
        ("true", "wrong result: '', expected '42'"),
        ("echo 42; echo 42", "wrong result: '42\\n42', expected '42'"),
        ("seq -s x 1000", "wrong result: "),
    ],
)
def test_a_wrong_result(code: str, reason: str) -> None:
    failed = _fails(_player("sh", "-c", code, check="42"))
    assert failed.reason.startswith(reason)
    assert len(failed.reason) < 130


def test_a_failing_command_has_no_result() -> None:
    assert _fails(_player("sh", "-c", "echo 42; exit 1", check="42")).reason == "exit code 1"


def test_input_comes_from_a_file_or_is_empty(tmp_path: Path, golden: Hear) -> None:
    data = tmp_path / "data"
    data.write_text("hello\n")
    assert _player("cat", check="hello", stdin=str(data)).turn(3).check == "hello"
    assert _player("cat", check="").turn(1).check == ""
    failed = _fails(_player("cat", stdin=str(tmp_path / "none")))
    golden(failed.reason)


def test_what_is_printed_is_thrown_away_unless_it_is_the_result() -> None:
    code = "test /dev/stdout -ef /dev/null"
    assert _player("sh", "-c", code).turn(1).seconds > 0
    assert _fails(_player("sh", "-c", code, check="")).reason == "exit code 1"


def test_a_command_runs_where_and_with_what_environment_it_was_told() -> None:
    cpu = max(os.sched_getaffinity(0))
    code = "import os; print(sorted(os.sched_getaffinity(0)), len(os.environ['WHYFAST_PAD']))"
    player = _player(sys.executable, "-S", "-c", code, cpu=cpu, pad=33, check=f"[{cpu}] 33")
    assert player.turn(1).check == f"[{cpu}] 33"


def test_preparation_runs_before_each_and_is_not_accounted(tmp_path: Path, golden: Hear) -> None:
    log = tmp_path / "log"
    busy = f"x = bytearray({_more_than_here()}); open({str(log)!r}, 'a').write('prepared ')"
    reading = _player(
        *("sh", "-c", f"echo run >> '{log}'"), prepare=(sys.executable, "-S", "-c", busy)
    ).turn(2)
    golden(log.read_text())
    assert "maxrss" not in reading.extra


@pytest.mark.parametrize(
    ("prepare", "reason"),
    [
        (("sh", "-c", "exit 4"), "--prepare: exit code 4"),
        (("/does/not/exist",), "--prepare: could not be started: No such file or directory"),
        (("sleep", "600"), "--prepare: still running"),
    ],
)
def test_failing_preparation_fails(tmp_path: Path, prepare: tuple[str, ...], reason: str) -> None:
    timeout = 0.3 if "sleep" in prepare else STUCK
    failed = _fails(_player("touch", f"{tmp_path}/ran", prepare=prepare, timeout=timeout))
    assert (failed.reason, failed.command) == (reason, prepare)
    assert not (tmp_path / "ran").exists()


def test_a_player_can_go_on_after_closing_since_nothing_was_alive() -> None:
    player = _player("echo", "42", check="42")
    player.close()
    player.close()
    assert player.turn(1).check == "42"


def test_a_result_without_end_is_a_failure_at_once(golden: Hear) -> None:
    failure = _fails(_player("yes", timeout=1e12, check="1"))
    golden(failure.reason)
    assert failure.output.endswith("y\ny")


def test_a_command_may_print_what_nobody_reads() -> None:
    much = "head -c 50000000 /dev/zero; head -c 50000000 /dev/zero >&2"
    assert _player("sh", "-c", much).turn(1).seconds > 0
