"""Sides that are forked from one process, by the driver of ``whyfast timeit``."""

import os
import sys
from pathlib import Path

import pytest

import whyfast.turns
from whyfast.measure.forks import ForkRunner
from whyfast.measure.invocation import InvocationFailed, LaunchArguments

pytestmark = pytest.mark.usefixtures("nothing_left")

DRIVER = str(Path(whyfast.turns.__file__).parent / "timeit" / "driver.py")


def runner(**statements: str) -> ForkRunner:
    """Of sides with these setups; the same interpreter for all."""
    start = (sys.executable, DRIVER)
    commands = {
        name: (*start, "measure", "wall", setup, "statement", "x = 1")
        for name, setup in statements.items()
    }
    shared = dict.fromkeys(commands, len(start))
    return ForkRunner(LaunchArguments(commands, dict(os.environ), 20.0, shared=shared))


def tells(file: Path) -> str:
    """A setup that writes the parent's number, its own, and the hash of a text."""
    return (
        "import os\n"
        f"with open({str(file)!r}, 'a') as f: f.write("
        "'%d %d %d\\n' % (os.getppid(), os.getpid(), hash('a')))"
    )


def test_sides_of_a_block_have_one_origin_and_every_block_another(tmp_path: Path) -> None:
    file = tmp_path / "told"
    forks = runner(a=tells(file), b=tells(file))
    for order in ("ab", "ba"):
        alive = [forks.enter(name, cpu=None, pad=9) for name in order]
        assert all(player.turn(100).seconds > 0 for player in alive for _ in range(2))
        assert [player.threads for player in alive] == [1, 1]
        assert all(player.peak_memory for player in alive)
        for player in alive:
            player.close()
            player.close()
    told = [line.split() for line in file.read_text().splitlines()]
    origins, processes, hashes = zip(*told, strict=True)
    assert origins[0] == origins[1] != origins[2] == origins[3]
    assert hashes[0] == hashes[1] != hashes[2] == hashes[3]
    assert len(set(processes)) == 4


def test_the_place_of_a_side_among_the_words_of_its_program_is_drawn(tmp_path: Path) -> None:
    file = tmp_path / "places"
    own = f"import sys\nwith open({str(file)!r}, 'a') as f: f.write(sys.argv[8][-1])"
    forks = runner(a=f"{own} # a", b=f"{own} # b")
    for pad in range(6):
        forks.enter("a", cpu=None, pad=pad).close()
    assert set(file.read_text()) == {"a", "b"}


def test_memory_is_that_of_each_side() -> None:
    forks = runner(small="", large="x = bytearray(2 * 10**8)")
    small, large = (forks.enter(name, cpu=None, pad=0) for name in ("small", "large"))
    peaks = [player.peak_memory or 0.0 for player in (small, large)]
    large.close()
    small.close()
    assert peaks[0] < 10**8 < 2 * 10**8 < peaks[1]


@pytest.mark.parametrize(
    ("setup", "reason"),
    [
        ("import os; os._exit(3)", "ended early (exit code 3)"),
        ("import os; os.kill(os.getpid(), 9)", "ended early (killed by SIGKILL)"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
@pytest.mark.parametrize("order", ["good bad", "bad"])
def test_a_side_that_does_not_come_up(setup: str, reason: str, order: str) -> None:
    forks = runner(good="", bad=setup)
    *others, last = order.split()
    alive = [forks.enter(name, cpu=None, pad=0) for name in others]
    with pytest.raises(InvocationFailed) as caught:
        forks.enter(last, cpu=None, pad=0)
    assert caught.value.reason == reason
    for player in alive:
        player.close()


def test_a_side_that_dies_in_its_turn_while_another_lives() -> None:
    forks = runner(good="", bad="import os, threading\nthreading.Timer(0.2, os.abort).start()")
    good, bad = (forks.enter(name, cpu=None, pad=0) for name in ("good", "bad"))
    with pytest.raises(InvocationFailed, match="killed by SIGABRT"):
        [bad.turn(1000) for _ in range(10**6)]
    good.close()


def test_a_program_that_is_not_there_leaves_no_descriptor_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    forks = ForkRunner(LaunchArguments({"a": ("/nowhere", "x")}, {}, 1.0, shared={"a": 1}))
    with pytest.raises(InvocationFailed, match="could not be started"):
        forks.enter("a", cpu=None, pad=0)
    assert len(os.listdir("/proc/self/fd")) == before
