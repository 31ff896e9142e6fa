"""Ways to do the same, within each variant."""

import pytest
from tests.unit.judge.test_loop_times import blocks

from whyfast.judge.lines import way_costs
from whyfast.model.study import Ways

WAYS = Ways("A call", {"tuple": "t", "array": "v"})


def test_each_way_has_its_cost_and_what_it_gains_on_the_first() -> None:
    slow = blocks([4.0, 4.2, 3.8, 4.0, 4.1, 3.9, 4.0, 4.3, 4.0], benchmark="t")
    fast = blocks([2.0, 2.1, 1.9, 2.0, 2.0, 2.0, 2.0, 2.1, 2.0], benchmark="v")
    costs = way_costs(WAYS, [*slow, *fast], ["a", "b"])
    assert costs.keys() == {("tuple", "a"), ("array", "a")}  # b was not measured
    assert costs["tuple", "a"].gain is None
    array = costs["array", "a"]
    assert array.time.seconds == 2.0
    assert array.gain == pytest.approx(2.0)
    # Of nine ratios, all.
    assert array.low == pytest.approx(1.95)
    assert array.high == pytest.approx(2.05)


def test_without_the_first_way_there_is_no_gain() -> None:
    costs = way_costs(WAYS, blocks([2.0, 2.1], benchmark="v"), ["a"])
    assert costs["array", "a"].gain is None
