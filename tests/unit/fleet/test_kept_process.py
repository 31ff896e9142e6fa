"""A process that is started again when it ends, and ends when it is to."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.fleet.launch import KeptProcess

#: Only a hang takes so long, seconds.
DEADLINE = 60.0


class Kept:
    """One, and what is told of it."""

    def __init__(self, script: str, again: float = 0.01) -> None:
        self.told: queue.SimpleQueue[str] = queue.SimpleQueue()
        self.heard: queue.SimpleQueue[str] = queue.SimpleQueue()
        words = ("sh", "-c", script)
        self.process = KeptProcess("ash", lambda: words, self.told.put, self.heard.put, again)

    def end(self, seconds: float = DEADLINE) -> None:
        self.process.let_end()
        self.process.await_end(time.monotonic() + seconds)


@pytest.fixture
def kept() -> Iterator[list[Kept]]:
    made: list[Kept] = []
    yield made
    for one in made:
        one.end(0.0)


def test_it_is_started_again_ever_later_and_its_last_line_told(
    kept: list[Kept], golden: Hear
) -> None:
    kept.append(one := Kept("echo first >&2; echo 'no such host' >&2; exit 3", 0.6))
    said = [one.told.get(timeout=DEADLINE) for _ in range(2)]
    golden(*said)
    assert one.process.ended_once.is_set()
    assert [one.heard.get(timeout=DEADLINE) for _ in range(2)] == ["first", "no such host"]


def test_a_signal_is_told_by_its_name(kept: list[Kept], golden: Hear) -> None:
    kept.append(one := Kept("kill -9 $$"))
    golden(one.told.get(timeout=DEADLINE))


def test_what_cannot_be_started_is_told(kept: list[Kept], tmp_path: Path, golden: Hear) -> None:
    one = Kept("")
    kept.append(one)
    other: queue.SimpleQueue[str] = queue.SimpleQueue()
    process = KeptProcess("elm", lambda: [str(tmp_path / "no")], other.put)
    said = other.get(timeout=DEADLINE)
    process.let_end()
    golden(said)


def test_it_ends_when_its_standard_input_does_and_nothing_is_told(
    kept: list[Kept], tmp_path: Path
) -> None:
    kept.append(one := Kept(f"echo up >&2; cat; touch {tmp_path}/ended"))
    assert one.heard.get(timeout=DEADLINE) == "up"
    one.end()
    assert (tmp_path / "ended").exists()
    assert one.told.empty()


def test_one_that_does_not_is_told_to_with_all_that_it_started(
    kept: list[Kept], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whyfast.fleet.launch.TOLD", 0.1)
    kept.append(one := Kept("trap '' TERM; sleep 1000 & echo $! >&2; wait; sleep 1000"))
    child = int(one.heard.get(timeout=DEADLINE))
    one.end(0.0)
    deadline = time.monotonic() + DEADLINE
    while running(child):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def running(pid: int) -> bool:
    """Whether there is such a process that is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
