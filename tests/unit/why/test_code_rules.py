"""Rules about the code of functions: when what differs there is no reason."""

from __future__ import annotations

import pytest
from tests.unit.why.records import executed, key_of, view


def test_loops_with_as_many_places_are_not_unrolled_on_either_side() -> None:
    fast = executed(1e8, load=(3e7, 4), store=(3e7, 2), branch=(1e7, 3))
    slow = executed(5e8, load=(2e8, 4), store=(3e7, 2), branch=(1e8, 9))
    assert key_of(view(fast, slow)) == "more-work"


def test_a_call_through_a_pointer_in_a_loop_is_why_it_is_not_vectorised() -> None:
    fast = executed(1e8, vector_16=(5e7, 8))
    slow = executed(4e8, vector_4=(1e8, 8), indirect_call=(2e7, 1))
    assert key_of(view(fast, slow, seconds=(0.03, 0.1))) == "devirtualisation"


@pytest.mark.parametrize("code", [{"indirect_call": (7.2e7, 1)}, {}], ids=["pointer", "direct"])
def test_what_the_fast_side_does_not_do_at_all_was_not_inlined_there(
    code: dict[str, tuple[float, int]],
) -> None:
    """Observers of 12 million prices, six each, of which one side has none."""
    calls = {"calls": (1.0, 7.2e7)}
    slow = executed(9e8, {} if code else {"seen": 7.2e7}, **code)
    names = ("seen", "main")
    assert key_of(view(executed(8e7), slow, members=names, quantities=calls)) == "more-calls"
    assert key_of(view(executed(2e8), slow, members=names, quantities=calls)) != "more-calls"


def test_a_search_that_goes_through_more_is_no_want_of_registers() -> None:
    fast = executed(1e7, stack_load=(1e6, 4))
    slow = executed(3e8, stack_load=(9e7, 13), stack_store=(4e7, 14))
    assert key_of(view(fast, slow, seconds=(0.004, 0.11))) == "more-work"


def test_vectors_beside_much_more_other_work_are_not_lost() -> None:
    """A slower hash before the same search of a table, whose vectors both sides have."""
    fast = executed(1e8, vector_16=(2e7, 8), load=2e7)
    slow = executed(3.8e8, vector_16=(2e7, 8), load=9e7)
    assert key_of(view(fast, slow)) == "more-work"


def test_few_checks_among_many_further_branches_are_not_the_reason() -> None:
    fast = executed(1e8, branch=(2e7, 3))
    slow = executed(3e8, branch=(1e8, 9), check=(2.3e7, 2))  # 29 % of the further branches
    assert key_of(view(fast, slow)) == "more-work"


def test_samples_elsewhere_in_the_same_code_are_no_vectors_lost() -> None:
    fast = executed(0.03, vector_16=(0.01, 8), load=(0.01, 6))
    slow = executed(1.0, vector_16=(0.01, 8), load=(0.9, 7))
    assert key_of(view(fast, slow, counted=False, seconds=(0.03, 1.0))) == ""
    slow = executed(1.0, vector_16=(0.01, 2), load=(0.9, 7))
    assert key_of(view(fast, slow, counted=False, seconds=(0.03, 1.0))) == "vectorisation"


def test_too_few_calls_to_matter_are_no_lost_inlining() -> None:
    # 1,800 calls of what executes a hundred thousand instructions each.
    slow = executed(2.5e8, {"sum": 1.8e3})
    assert key_of(view(executed(1e8), slow, members=("sum", "work"))) == "more-work"
