"""What is measured ends with whyfast, also when that is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.unit.measure.conftest import STUCK, ends

from whyfast.measure.process import Child
from whyfast.toolchain.watcher import WATCHER

STARTS = {
    "a command": """
import os, sys, time
from whyfast.measure.process import Child
ended = Child(("true",), env=dict(os.environ))
assert ended.wait(30.0)
command = ("sh", "-c", "sleep 600 & echo $! $$ >" + sys.argv[1] + "; wait")
child = Child(command, env=dict(os.environ))
time.sleep(600)
""",
    "a turn program that is never ready": """
import os, sys
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.turns import TurnRunner
command = ("sh", "-c", "sleep 600 & echo $! $$ >" + sys.argv[1] + "; wait")
runner = TurnRunner(LaunchArguments({"v": command}, dict(os.environ), 600.0))
runner.enter("v", cpu=None, pad=0)
""",
    "a command that has left its session": """
import os, sys, time
from whyfast.measure.process import Child
command = ("setsid", "sh", "-c", "setsid sleep 600 & echo $! $$ >" + sys.argv[1] + "; wait")
child = Child(command, env=dict(os.environ))
time.sleep(600)
""",
    "a step of a build": """
import os, sys
from pathlib import Path
from whyfast.build.steps import Steps
step = "setsid sleep 600 & echo $! $$ >" + sys.argv[1] + "; wait"
Steps().run(step, Path("/"), dict(os.environ), 2)
""",
}


@pytest.mark.parametrize("code", STARTS.values(), ids=STARTS)
def test_a_kill_of_whyfast_ends_what_it_measures(tmp_path: Path, code: str) -> None:
    pids = tmp_path / "pids"
    with subprocess.Popen([sys.executable, "-c", code, str(pids)]) as whyfast:
        deadline = time.monotonic() + STUCK
        while not pids.exists() or not pids.read_text().endswith("\n"):
            assert time.monotonic() < deadline
            time.sleep(0.005)
        time.sleep(0.05)  # a kill between the start of a process and the next line is not tested
        running = [int(pid) for pid in pids.read_text().split()]
        try:
            whyfast.kill()
            assert all(ends(pid) for pid in running)
        finally:
            for pid in running:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue


def test_a_program_that_ends_takes_along_what_it_has_left_in_other_sessions(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    left_behind = f"setsid sh -c 'echo $$ >{pids}; exec sleep 600' &"
    command = ("sh", "-c", f"{left_behind} while ! [ -s {pids} ]; do sleep 0.01; done")
    with subprocess.Popen(["sleep", "600"]) as bystander:
        try:
            child = Child(command, env=dict(os.environ))
            assert child.wait(STUCK)
            WATCHER.left()
            child.kill()
            assert (WATCHER.left(), WATCHER.left()) == (1, 0)
            (left,) = (int(pid) for pid in pids.read_text().split())
            assert ends(left)
            assert bystander.poll() is None
        finally:
            bystander.kill()


def test_what_ends_with_its_process_group_is_not_told_as_left_behind() -> None:
    child = Child(("sh", "-c", "sleep 600 & sleep 600 & wait"), env=dict(os.environ))
    WATCHER.left()
    child.kill()
    assert WATCHER.left() == 0
