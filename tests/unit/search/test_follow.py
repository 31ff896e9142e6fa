"""What is behind a first answer: merged branches, and further steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.golden_files import Hear
from tests.unit.search.worlds import Range

from whyfast.model.errors import UserError
from whyfast.report.pages.search_page import search_page
from whyfast.report.render.markdown import render_markdown
from whyfast.search.axes.axis import CandidateRange
from whyfast.search.engine import Done
from whyfast.search.requests import follow
from whyfast.search.results import SearchResult, begun, deepest, merged_by
from whyfast.search.state import AxisCandidate, Task


def _range(*names: str) -> tuple[AxisCandidate, ...]:
    return tuple(AxisCandidate(name, name) for name in names)


def _search(
    levels: dict[str, float],
) -> Callable[[Sequence[AxisCandidate], bool], SearchResult]:
    """Searches ranges of candidates with these levels."""

    def one(candidates: Sequence[AxisCandidate], backwards: bool) -> SearchResult:
        if any(c.name == "unbuildable" for c in (candidates[0], candidates[-1])):
            raise UserError("the bad end cannot be measured", where="--bad")
        world = Range([levels[c.name] for c in candidates], noise=0.001, seed=3)
        task = Task(len(candidates) - 1)
        state, done = world.search(task)
        assert isinstance(done, Done)
        blank = begun("commits", candidates, task, backwards=backwards)
        return replace(blank, state=state, answer=done.answer)

    return one


MAIN = _range(*(f"m{i}" for i in range(16)))
LEVELS = {f"m{i}": 0.03 * (i >= 9) for i in range(16)}


def _followed(
    levels: dict[str, float],
    candidates: tuple[AxisCandidate, ...] = MAIN,
    *,
    backwards: bool = False,
    everything: bool = False,
    **branches: tuple[AxisCandidate, ...],
) -> SearchResult:
    axis = CandidateRange(candidates, backwards=backwards, branch=lambda c: branches.get(c.name))
    return follow(axis, _search(levels), everything=everything)


def test_a_culprit_that_is_no_merge_is_all_there_is() -> None:
    result = _followed(LEVELS)
    assert result.further == ()
    assert deepest(result) is result
    assert merged_by(result) == ()


def test_branches_in_branches_are_searched() -> None:
    outer, inner = _range("b0", "b1", "b2", "b3"), _range("c0", "c1", "c2")
    levels = {**LEVELS, "b0": 0.0, "b1": 0.0, "b2": 0.03, "b3": 0.03}
    levels |= {"c0": 0.0, "c1": 0.0, "c2": 0.03}
    result = _followed(levels, m9=outer, b2=inner)
    found = deepest(result)
    assert found.answer.where is not None
    assert found.candidates[found.answer.where.first].name == "c2"
    assert [m.name for m in merged_by(result)] == ["m9", "b2"]


def test_the_merge_of_an_improvement_is_searched_from_its_newest_commit_on() -> None:
    branch = _range("b0", "b1", "b2")
    levels = {f"m{i}": 0.03 * (i < 9) for i in range(16)} | {"b0": 0.03, "b1": 0.0, "b2": 0.0}
    result = _followed(levels, MAIN[::-1], backwards=True, m9=branch)
    found = deepest(result)
    assert [c.name for c in found.candidates] == ["b2", "b1", "b0"]
    assert found.answer.where is not None
    assert found.at(found.answer.where.first).name == "b1"
    assert [m.name for m in merged_by(result)] == ["m9"]


def test_a_branch_that_does_not_show_it_leaves_the_merge_as_the_culprit() -> None:
    levels = {**LEVELS, "b0": 0.0, "b1": 0.0, "b2": 0.0}
    result = _followed(levels, m9=_range("b0", "b1", "b2"))
    (branch,) = result.further
    assert branch.answer.outcome == "none"
    assert deepest(result) is result


def test_a_branch_that_cannot_be_searched_is_told(golden: Hear) -> None:
    result = _followed(LEVELS, m9=_range("b0", "unbuildable"))
    assert result.further == ()
    golden(*result.notes)


def test_a_second_step_is_searched_on_demand() -> None:
    levels = {f"m{i}": 0.04 * (i >= 4) + 0.02 * (i >= 12) for i in range(16)}
    assert _followed(levels).further == ()
    result = _followed(levels, everything=True)
    found = set()
    for one in (result, *result.further):
        if one.answer.outcome == "culprit":
            assert one.answer.where is not None
            found.add(one.candidates[one.answer.where.first].name)
    assert found == {"m4", "m12"}
    assert {one.why for one in result.further} == {"remainder"}


def test_what_repaired_some_of_it_is_searched_backwards() -> None:
    levels = {f"m{i}": 0.06 * (i >= 4) - 0.03 * (i >= 12) for i in range(16)}
    result = _followed(levels, everything=True)
    assert result.answer.where is not None
    assert result.candidates[result.answer.where.first].name == "m4"
    *remainders, repair = result.further
    assert [r.why for r in remainders] == ["remainder"] * len(remainders)
    assert remainders[-1].answer.outcome == "swapped"
    assert (repair.why, repair.answer.outcome) == ("repair", "culprit")
    assert repair.answer.where is not None
    assert repair.candidates[repair.answer.where.parent].name == "m12"
    said = render_markdown(search_page(result))
    assert "m12 repaired some of it: m11 is 1.03" in said
    assert "swapped" not in said
