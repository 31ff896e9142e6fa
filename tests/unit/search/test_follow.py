"""What is behind a first answer: merged branches, and further steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.golden_files import Hear
from tests.unit.search.worlds import Range

from whyfast.model.errors import UserError
from whyfast.report.pages.search_page import search_page
from whyfast.report.render.markdown import render_markdown
from whyfast.search.engine import Done
from whyfast.search.requests import Ways, deepest, follow, merged_by
from whyfast.search.run import SearchResult, begun
from whyfast.search.state import AxisCandidate, Task


def _range(*names: str) -> tuple[AxisCandidate, ...]:
    return tuple(AxisCandidate(name, name) for name in names)


def _search(levels: dict[str, float]) -> object:
    """Searches ranges of candidates with these levels."""

    def one(candidates: Sequence[AxisCandidate], backwards: bool = False) -> SearchResult:
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


def _ways(levels: dict[str, float], everything: bool = False, **branches: object) -> Ways:
    return Ways(_search(levels), lambda c: branches.get(c.name), everything)  # type: ignore[arg-type,return-value]


def test_a_culprit_that_is_no_merge_is_all_there_is() -> None:
    ways = _ways(LEVELS)
    result = follow(ways.search(MAIN, False), ways)
    assert result.further == ()
    assert deepest(result) is result
    assert merged_by(result) == ()


def test_branches_in_branches_are_searched() -> None:
    outer, inner = _range("b0", "b1", "b2", "b3"), _range("c0", "c1", "c2")
    levels = {**LEVELS, "b0": 0.0, "b1": 0.0, "b2": 0.03, "b3": 0.03}
    levels |= {"c0": 0.0, "c1": 0.0, "c2": 0.03}
    ways = _ways(levels, m9=outer, b2=inner)
    result = follow(ways.search(MAIN, False), ways)
    found = deepest(result)
    assert found.answer.where is not None
    assert found.candidates[found.answer.where.first].name == "c2"
    assert [m.name for m in merged_by(result)] == ["m9", "b2"]


def test_the_merge_of_an_improvement_is_searched_from_its_newest_commit_on() -> None:
    branch = _range("b0", "b1", "b2")
    levels = {f"m{i}": 0.03 * (i < 9) for i in range(16)} | {"b0": 0.03, "b1": 0.0, "b2": 0.0}
    ways = _ways(levels, m9=branch)
    result = follow(ways.search(MAIN[::-1], True), ways)
    found = deepest(result)
    assert [c.name for c in found.candidates] == ["b2", "b1", "b0"]
    assert found.answer.where is not None
    assert found.at(found.answer.where.first).name == "b1"
    assert [m.name for m in merged_by(result)] == ["m9"]


def test_a_branch_that_does_not_show_it_leaves_the_merge_as_the_culprit() -> None:
    levels = {**LEVELS, "b0": 0.0, "b1": 0.0, "b2": 0.0}
    ways = _ways(levels, m9=_range("b0", "b1", "b2"))
    result = follow(ways.search(MAIN, False), ways)
    (branch,) = result.further
    assert branch.answer.outcome == "none"
    assert deepest(result) is result


def test_a_branch_that_cannot_be_searched_is_told(golden: Hear) -> None:
    ways = _ways(LEVELS, m9=_range("b0", "unbuildable"))
    result = follow(ways.search(MAIN, False), ways)
    assert result.further == ()
    golden(*result.notes)


def test_a_second_step_is_searched_on_demand() -> None:
    levels = {f"m{i}": 0.04 * (i >= 4) + 0.02 * (i >= 12) for i in range(16)}
    ways = _ways(levels)
    assert follow(ways.search(MAIN, False), ways).further == ()
    result = follow(ways.search(MAIN, False), _ways(levels, everything=True))
    found = set()
    for one in (result, *result.further):
        if one.answer.outcome == "culprit":
            assert one.answer.where is not None
            found.add(one.candidates[one.answer.where.first].name)
    assert found == {"m4", "m12"}
    assert {one.why for one in result.further} == {"remainder"}


def test_what_repaired_some_of_it_is_searched_backwards() -> None:
    levels = {f"m{i}": 0.06 * (i >= 4) - 0.03 * (i >= 12) for i in range(16)}
    result = follow(_ways(levels).search(MAIN, False), _ways(levels, everything=True))
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
