"""Peak memory of processes that are smaller than this one."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from tests.unit.measure.conftest import STUCK

from whyfast.measure import process

pytestmark = pytest.mark.usefixtures("nothing_left")


def traced(*argv: str) -> tuple[float | None, int | None]:
    """The peak memory that a traced child had, in bytes, and its status."""
    child = process.Child(argv, env=dict(os.environ), traced=True)
    try:
        child.wait(STUCK)
        return child.peak(), child.status
    finally:
        child.kill()


def test_the_peak_memory_of_a_traced_child_is_its_own() -> None:
    allocate = "x = bytearray(%d)"
    small, _ = traced(sys.executable, "-IS", "-c", allocate % 1)
    large, _ = traced(sys.executable, "-IS", "-c", allocate % 20_000_000)
    assert small is not None
    assert large is not None
    assert 19e6 < large - small < 21e6


@pytest.mark.parametrize(
    ("code", "status"),
    [("exit 3", 3), ("trap 'exit 5' USR1; kill -USR1 $$", 5), ("kill -TERM $$", -signal.SIGTERM)],
)
def test_tracing_changes_no_end(code: str, status: int) -> None:
    # Under load a process of a millisecond may end before it is traced.
    work = "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; "
    peak, ended = traced("sh", "-c", work + code)
    assert ended == status
    assert peak is not None
    assert 2e5 < peak < 1e7


@pytest.mark.parametrize(
    ("argument", "error"), [("no-such-program-here", FileNotFoundError), ("a\0b", ValueError)]
)
def test_a_traced_program_that_cannot_start_raises_why(
    argument: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        traced(argument)


def test_a_traced_child_with_children_has_no_peak_of_its_own() -> None:
    assert traced("sh", "-c", "(exit 1); exit 0") == (None, 0)


def test_a_traced_child_stops_and_goes_on_as_others() -> None:
    code = "kill -STOP $$; exit 6"
    child = process.Child(("sh", "-c", code), env=dict(os.environ), traced=True)
    while Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] not in "tT":
        time.sleep(0.01)
    assert child.wait(0.05) is None
    os.kill(child.pid, signal.SIGCONT)
    child.wait(STUCK)
    assert child.status == 6
    assert child.peak() is not None
    child.kill()
