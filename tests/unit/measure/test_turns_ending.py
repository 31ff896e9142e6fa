"""Programs that take turns end, with all that they started, however they are ended."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from tests.unit.measure.conftest import ends
from tests.unit.measure.turn_programs import GOOD, READY, command, enter, playing

from whyfast.measure.process import Child

pytestmark = pytest.mark.usefixtures("nothing_left")


def test_closing_ends_a_good_program_by_itself(tmp_path: Path) -> None:
    left = tmp_path / "left"
    with playing(f"{GOOD}\ntime.sleep(0.05); open({str(left)!r}, 'w').close()") as player:
        player.turn(1)
    assert left.exists()


def test_closing_ends_a_stubborn_program_and_what_it_started(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = os.fork() or os.getpid()\n"
        f"open({str(pids)!r}, 'a').write(f'{{os.getpid()}}\\n')\n"
        f"if child == os.getpid(): {READY}"
        "time.sleep(600)"
    )
    with playing(code):
        while not (pids.exists() and pids.read_text().count("\n") == 2):
            time.sleep(0.005)
    assert all(ends(int(pid)) for pid in pids.read_text().split())


def test_closing_twice_is_once() -> None:
    with playing(GOOD) as player:
        player.close()


def test_an_interrupt_before_the_program_is_ready_ends_it(tmp_path: Path) -> None:
    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    pid = tmp_path / "pid"
    code = (
        f"open({str(pid)!r}, 'w').write(str(os.getpid()))\n"
        "os.kill(os.getppid(), signal.SIGUSR1)\ntime.sleep(600)"
    )
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            enter(command(code))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ends(int(pid.read_text()))


def test_closing_ends_what_a_good_program_left_running(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = f"""
import subprocess
left = subprocess.Popen(["sleep", "600"])
open({str(pid)!r}, "w").write(str(left.pid))
"""
    with playing(code + GOOD) as player:
        player.turn(1)
    assert ends(int(pid.read_text()))


def test_an_interrupt_while_closing_ends_the_program_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    player = enter(command(GOOD))
    waited = Child.wait

    def interrupted(self: Child, timeout: float, **how: bool) -> object:
        if how:
            raise KeyboardInterrupt
        return waited(self, timeout)

    monkeypatch.setattr(Child, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        player.close()
