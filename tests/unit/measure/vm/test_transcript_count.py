"""Instructions of one loop from grants of two lengths."""

from __future__ import annotations

import pytest

from whyfast.measure.vm.transcript import LoopCount, TaskValues, count_loop


def test_what_the_grant_costs_is_in_both_and_goes() -> None:
    values = TaskValues((20000 + 1700,) * 3, (20000 + 3400,) * 3, None)
    assert count_loop(values, 100) == LoopCount(17.0, 0.0, 0)


def test_interrupts_only_add_and_are_set_aside() -> None:
    values = TaskValues((21700 + 17862, 21700, 21700), (23400, 23400 + 2073, 23400), None)
    assert count_loop(values, 100) == LoopCount(17.0, 2 / 6, 17862)


def test_a_program_that_does_not_heed_its_loops_is_refused() -> None:
    with pytest.raises(ValueError, match="twice the loops take 500 instructions, after 500"):
        count_loop(TaskValues((500,), (500,), None), 10)
