"""What a guest says, whole and torn.

Instructions of one loop from grants of two lengths.
"""

from __future__ import annotations

import pytest

from whyfast.measure.vm.qemu import (
    Answers,
    LoopCount,
    TaskValues,
    Unanswered,
    count_loop,
    parse_transcript,
    read_values,
)

WHOLE = """\
hello - 1
unwritten /proc/sys/net/core/none 2
rounds 100000 200006
file spectre_v2 Mitigation: Retpolines; STIBP: disabled
nofile bpf_jit_harden -2
ready 0 ready 1
answer 0 0.000035569 0x5
answer 0 0.000048769 0x5
exit 0 0
bye - 0
"""


def test_a_whole_transcript() -> None:
    found = parse_transcript(WHOLE)
    assert (found.begun, found.complete, found.per_round) == (True, True, 2.00006)
    assert found.facts == {"spectre_v2": "Mitigation: Retpolines; STIBP: disabled"}
    assert found.refused == ("/proc/sys/net/core/none",)
    assert read_values(found.tasks["0"], 1) == TaskValues((35569,), (48769,), "0x5")


@pytest.mark.parametrize("cut", range(0, len(WHOLE), 7))
def test_torn_anywhere_it_is_never_complete(cut: int) -> None:
    assert not parse_transcript(WHOLE[:cut]).complete


@pytest.mark.parametrize("line", ["rounds 0 5", "rounds \u00b2 5", "exit 0 --1", "exit 0 \u00b2"])
def test_numbers_that_are_none_are_passed_over(line: str) -> None:
    found = parse_transcript(line + "\n")
    assert found.per_round is None
    assert [task.exit for task in found.tasks.values()] in ([], [None])


def test_a_plan_that_was_not_understood_is_not_complete() -> None:
    assert not parse_transcript("hello - 1\nbye - 1\n").complete


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (None, "was not started"),
        (Answers("error no privilege", [], 3), "no privilege"),
        (Answers("ready 1", ["error the chain broke"], 1), "the chain broke"),
        (Answers("ready 1", [], None, late=True), "gave no answer in time"),
        (Answers(None, [], 127), "could not be started; link it statically"),
        (Answers(None, [], -11), r"ended before it said it is ready \(exit code -11\)"),
        (Answers("ready 1", ["0.1 0x1"], 0), "answered 1 turns of 2"),
        (Answers("ready 1", ["0.1 0x1", "0.1 0x2"], 0), "wrong result: 0x1 and 0x2"),
        (Answers("ready 1", ["0.1", "soon"], 0), "answered 'soon' instead of seconds"),
        (Answers("ready 1", ["0.1", "0.0"], 0), "reported 0.0 seconds, which cannot be"),
    ],
)
def test_why_a_task_has_no_values(task: Answers | None, said: str) -> None:
    with pytest.raises(Unanswered, match=said):
        read_values(task, 1)


@pytest.mark.parametrize(
    ("short", "long", "count"),
    [
        # What the grant costs is in both.
        ((20000 + 1700,) * 3, (20000 + 3400,) * 3, LoopCount(17.0, 0.0, 0)),
        # Interrupts only add instructions.
        (
            (21700 + 17862, 21700, 21700),
            (23400, 23400 + 2073, 23400),
            LoopCount(17.0, 2 / 6, 17862),
        ),
    ],
)
def test_instructions_of_a_loop(
    short: tuple[int, ...], long: tuple[int, ...], count: LoopCount
) -> None:
    assert count_loop(TaskValues(short, long, None), 100) == count


def test_a_program_that_does_not_heed_its_loops_is_refused() -> None:
    with pytest.raises(ValueError, match="twice the loops take 500 instructions, after 500"):
        count_loop(TaskValues((500,), (500,), None), 10)
