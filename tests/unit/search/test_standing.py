"""How a search stands, as lines."""

from __future__ import annotations

from tests.unit.search.worlds import Range, step_at

from whyfast.search.engine import begin
from whyfast.search.run import BARS, posterior_lines
from whyfast.search.state import AxisCandidate, Task

CANDIDATES = tuple(AxisCandidate(str(i), f"change {i}") for i in range(17))


def test_before_the_noise_is_known_there_is_nothing_but_a_count() -> None:
    assert posterior_lines(begin(Task(16)), CANDIDATES) == ("0 blocks, 0 built",)


def test_the_posterior_has_its_peak_at_the_step() -> None:
    state, _ = Range(step_at(12, 16, 0.03), noise=0.001).search(Task(16))
    line, taken, likely, *_ = posterior_lines(state, CANDIDATES)
    bars = line.removeprefix("good │").removesuffix("│ bad")
    assert len(bars) == 16
    assert bars.index(BARS[-1]) == 11
    assert taken.startswith(f"{len(state.observations)} blocks, ")
    assert likely.endswith(": change 12")
