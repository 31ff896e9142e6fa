"""Profiles of both sides, from a Valgrind that is a double."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.measure.tools import Answer, Replay, option, said

from whyfast.formats.profiles import SimulatedProfile
from whyfast.measure.count import count_calls
from whyfast.measure.simulate import Cache, Geometry, Valgrind
from whyfast.measure.tools import CannotCount, Finished, ToolRun

GEOMETRY = Geometry(*[Cache("L1i", 32768, 8, 64)] * 3)
VALGRIND = Valgrind("valgrind-3.19.0", {"callgrind": ("valgrind", "--tool=callgrind")}, {"A": "b"})

PROFILE = """\
positions: instr
events: Ir
ob=(1) /x/{0}
fn=(1) main
0x1040 5
cfn=(2) work
calls=3 0x1100
0x1044 60
fn=(2)
0x1100 60
"""


def writes(*files: tuple[str, str]) -> Answer:
    def valgrind(argv: Sequence[str]) -> Finished:
        for pid, text in files:
            out = option(argv, "--callgrind-out-file").replace("%p", pid)
            Path(out).write_text(text.format(argv[-1].strip("./")))
        return said("what the program printed", 3)

    return valgrind


def count(
    replay: Replay, geometry: Geometry | None = GEOMETRY
) -> dict[str, list[SimulatedProfile]]:
    runs = {
        side: ToolRun((f"./{side}",), replay, {"HOME": "/me", "VALGRIND_OPTS": "-v"}, 9.0)
        for side in ("fast", "slow")
    }
    return count_calls(runs, geometry, VALGRIND)


def test_each_side_has_its_profile_with_calls_and_places() -> None:
    replay = Replay({"valgrind": writes(("77", PROFILE))})
    profiles = count(replay)
    for side in ("fast", "slow"):
        (profile,) = profiles[side]
        main, work = (f"/x/{side}", "main"), (f"/x/{side}", "work")
        assert profile.costs == {main: [5], work: [60]}
        assert profile.calls == {(main, work): [3, 60]}
        assert profile.places == {f"/x/{side}": {0x1040: [5], 0x1100: [60]}}
    assert len(replay.calls) == 2
    for call in replay.calls:
        assert call[:2] == ("valgrind", "--tool=callgrind")
        assert {"--dump-instr=yes", "--trace-children=yes", "--demangle=no"} <= set(call)
        assert {"--cache-sim=yes", "--branch-sim=yes", "--D1=32768,8,64"} <= set(call)
    assert replay.environments[0] == {
        "HOME": "/me",
        "PYTHONHASHSEED": "0",
        "LC_ALL": "C",
        "GODEBUG": "asyncpreemptoff=1",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-ERMS,",
        "GOMAXPROCS": "1",
        "A": "b",
    }


def test_caches_and_branches_are_left_out_without_a_geometry() -> None:
    replay = Replay({"valgrind": writes(("77", PROFILE))})
    count(replay, None)
    for call in replay.calls:
        assert {"--cache-sim=no", "--branch-sim=no"} <= set(call)
        assert not any(word.startswith("--D1=") for word in call)


def test_processes_of_one_side_are_in_the_order_of_their_ids() -> None:
    child = PROFILE.replace("0x1040 5", "0x1040 7")
    replay = Replay({"valgrind": writes(("1000", child), ("99", PROFILE), ("5", "\n"))})
    first, second = count(replay)["fast"]
    assert first.costs["/x/fast", "main"] == [5]
    assert second.costs["/x/fast", "main"] == [7]


def test_ctrl_c_ends_what_the_threads_run() -> None:
    def interrupted(argv: Sequence[str]) -> Finished:
        raise KeyboardInterrupt  # as if it came while the threads were waited for

    replay = Replay({"valgrind": interrupted})
    with pytest.raises(KeyboardInterrupt):
        count(replay)
    assert replay.stopped > 0


def _ended_for_an_instruction(argv: Sequence[str]) -> Finished:
    """A profile of what ran until then is there all the same."""
    writes(("77", PROFILE))(argv)
    log = "vex amd64->IR: unhandled instruction bytes: 0x62 0xF1"
    Path(option(argv, "--log-file").replace("%p", "77")).write_text(log)
    return said("", -4)


@pytest.mark.parametrize(
    "valgrind",
    [writes(), writes(("7", "events: Ir\nfn=(3)\n")), _ended_for_an_instruction],
    ids=["no profile", "damaged", "unknown instruction"],
)
def test_why_nothing_was_counted(valgrind: Answer, golden: Hear) -> None:
    with pytest.raises(CannotCount) as raised:
        count(Replay({"valgrind": valgrind}))
    golden(str(raised.value))
