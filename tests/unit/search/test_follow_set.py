"""What is left when a set was found, in simulated mixtures with a known answer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tests.golden_files import Hear

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.report.pages.search_set_page import set_headline, set_page
from whyfast.report.render.markdown import render_markdown
from whyfast.search.axes.axis import DifferenceSet
from whyfast.search.by_set import SetResult, search_all
from whyfast.search.ddmin import Differences, Event, Try, ddmin
from whyfast.search.state import AxisCandidate
from whyfast.search.subsets import Subset, Trial

Cost = Callable[[frozenset[str]], float]
NAMES = tuple("abcdefghijkl")
EFFECT = 0.1


def _mixing(asked: list[frozenset[int]] | None = None) -> DifferenceSet:
    def make(work: object, candidate: AxisCandidate, name: str) -> object:
        assert asked is not None
        asked.append(candidate.mixed)
        return work

    good, bad = Variant("fast", "path:cc"), Variant("slow", "path:cc")
    return DifferenceSet(good, bad, NAMES, make)  # type: ignore[arg-type]


def _search(cost: Cost, noise: float = 0.0) -> Callable[[DifferenceSet], SetResult]:
    """Mixtures cost exp(EFFECT · cost), which is given the differences from the bad end."""
    rng = np.random.default_rng(1)

    def search(mixing: DifferenceSet) -> SetResult:
        events: list[Event] = []

        def level(subset: Subset) -> float:
            return EFFECT * cost(frozenset(mixing.differences[d] for d in subset))

        def oracle(wanted: Try) -> Event:
            good, bad, own = (noise * rng.standard_normal(3)).tolist()
            bad += level(frozenset(range(len(mixing.differences))))
            offset = 0.0
            if wanted.subset is not None:
                offset = own + level(wanted.subset) - (good + bad) / 2
            events.append(Trial(bad - good, wanted.subset, offset, wanted.fresh))
            return events[-1]

        answer = ddmin(Differences(len(mixing.differences)), oracle)
        return SetResult(
            *("flags", mixing.good.name, mixing.bad.name, mixing.differences),
            *("instructions", tuple(events), answer),
            reverted=mixing.reverted,
        )

    return search


def _names(result: SetResult) -> list[list[str]]:
    found = [[result.differences[d] for p in result.answer.parts for d in p]]
    return found + (_names(result.further) if result.further else [])


def test_what_is_left_is_searched_until_nothing_is(golden: Hear) -> None:
    weight = {"c": 0.6, "f": 0.2, "k": 0.2}
    found = search_all(_mixing(), _search(lambda s: sum(weight.get(d, 0) for d in s)))
    assert _names(found) == [["c", "f"], ["k"], []]
    further = found.further
    assert further is not None
    assert (further.reverted, len(further.differences)) == (("c", "f"), 10)
    golden(set_headline(found))
    shown = render_markdown(set_page(found))
    assert "With these as at fast, all others together make 20 % of the difference." in shown
    assert (
        "`k` carries what is left: the rest of slow has 1.02x more instructions than fast." in shown
    )
    assert "There is nothing more to find: the rest of slow costs as much as fast" in shown


def test_what_is_left_below_the_margin_is_told(golden: Hear) -> None:
    weight = {"c": 0.95, "k": 0.05}
    found = search_all(_mixing(), _search(lambda s: sum(weight.get(d, 0) for d in s)))
    assert found.further is not None
    golden(set_headline(found.further))


def test_either_of_two_is_found_and_then_the_other() -> None:
    found = search_all(_mixing(), _search(lambda s: float("b" in s or "h" in s)))
    assert (_names(found), found.answer.others) == ([["b"], ["h"], []], True)


def test_of_two_that_need_each_other_nothing_is_left() -> None:
    found = search_all(_mixing(), _search(lambda s: float({"b", "h"} <= s)))
    assert _names(found) == [["b", "h"], []]


def test_what_is_left_is_found_through_noise() -> None:
    weight = {"c": 0.75, "k": 0.25}
    search = _search(lambda s: sum(weight.get(d, 0) for d in s), noise=0.004)
    assert _names(search_all(_mixing(), search)) == [["c"], ["k"], []]


def test_a_mixture_of_what_is_left_has_what_was_found_from_the_good_end() -> None:
    asked: list[frozenset[int]] = []
    left = _mixing(asked).without(frozenset({2, 5})).without(frozenset({0}))
    assert left.differences == tuple("bdeghijkl")
    assert left.reverted == ("c", "f", "a")
    good, bad = left.ends()
    for candidate in (good, bad, AxisCandidate("x", "x", mixed=frozenset({0, 2, 8}))):
        left.make(None, candidate, "x")  # type: ignore[arg-type]
    assert asked == [set(), {1, 3, 4, 6, 7, 8, 9, 10, 11}, {1, 4, 11}]
    assert bad.variant is None
    assert _mixing().ends()[1].variant == left.bad


def test_what_cannot_be_searched_is_told() -> None:
    search = _search(lambda s: float("b" in s))

    def once(mixing: DifferenceSet) -> SetResult:
        if mixing.reverted:
            raise UserError("does not build", where="--bad")
        return search(mixing)

    found = search_all(_mixing(), once)
    assert (found.further, found.answer.parts) == (None, ((1,),))
    shown = render_markdown(set_page(found))
    assert "what is left could not be searched: --bad: does not build" in shown


@pytest.mark.parametrize("share", [1.0, 0.96])
def test_of_all_of_it_no_share_is_told(share: float) -> None:
    weight = {"c": share, "k": 1 - share}
    found = _search(lambda s: sum(weight.get(d, 0) for d in s))(_mixing())
    assert set_headline(found).startswith("`c` carries the difference: ")
