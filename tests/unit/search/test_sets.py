"""Searches in sets: programs whose cost is known, and the remaining difference."""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from tests.golden_files import Hear, refusal
from tests.unit.investigate.doubles import Watcher

from whyfast.model.errors import UserError
from whyfast.model.variant import Variant
from whyfast.report.document import Sentences, Table
from whyfast.report.pages.search_page import dump_search, search_page
from whyfast.report.pages.search_set_page import set_headline
from whyfast.search.axes import DifferenceSet
from whyfast.search.ddmin import Event, Minimal, Try, ddmin
from whyfast.search.requests import search_all
from whyfast.search.results import SearchFile, SetResult
from whyfast.search.run import run_set
from whyfast.search.state import AxisCandidate, Quantity, Task
from whyfast.search.subject import CandidateFailed, Layouts, Times
from whyfast.search.view import Subset, Trial
from whyfast.store.home import Home

NAMES = tuple(f"-f{n}" for n in range(8))


@dataclass
class Counted:
    """A program costs 100, or 150 with all of ``needs`` from the bad end; over layouts with all of
    ``over``."""

    candidates: list[AxisCandidate]
    needs: frozenset[int] = frozenset({5})
    over: frozenset[int] = frozenset({5})
    broken: frozenset[int] = frozenset()
    relinkable: bool = False
    interrupt: int = 1000
    asked: list[frozenset[int]] = field(default_factory=list)
    ran: list[tuple[str, int]] = field(default_factory=list)

    def build(self, candidate: int) -> None:
        """Nothing is built."""

    def rebuild_clean(self, candidates: Sequence[int]) -> None:
        """Nothing is built."""

    def prefetch(self, candidates: Iterable[int]) -> None:
        """Nothing is built."""

    def block(
        self, candidates: Sequence[int], *, number: int, layouts: Layouts | None
    ) -> list[Times]:
        if len(self.asked) >= self.interrupt:
            raise KeyboardInterrupt
        for candidate in candidates:
            if candidate in self.broken:
                raise CandidateFailed(candidate, "does not link")
        self.asked.append(self.candidates[candidates[-1]].mixed)
        self.ran.extend((self.candidates[c].name, n) for c, n in (layouts or {}).items())
        needs = self.over if layouts else self.needs
        return [{c: np.array([self._cost(c, needs)]) for c in candidates}]

    def _cost(self, candidate: int, needs: frozenset[int]) -> float:
        mixed = frozenset(range(8)) if candidate == 1 else self.candidates[candidate].mixed
        return 150.0 if needs <= mixed else 100.0


def _search(
    home: Home, *, quantity: Quantity = "instructions", budget: int | None = None, **world: object
) -> tuple[SetResult, Counted, Watcher]:
    candidates = [AxisCandidate("slow not", "good"), AxisCandidate("slow", "bad")]
    subject = Counted(candidates, **world)  # type: ignore[arg-type]
    blank = SetResult("flags", "fast", "slow", NAMES, quantity, (), Minimal("undecided"))
    watcher = Watcher()
    task = Task(len(NAMES), budget=budget, relinkable=subject.relinkable)
    file = SearchFile(home.data / "searches" / "one.json", NAMES)
    return run_set(task, subject, candidates, blank, file, home, watcher), subject, watcher


def _sentences(found: SetResult) -> list[str]:
    page = search_page(found)
    blocks = [b for s in page.sections for b in s.blocks if isinstance(b, Sentences)]
    return [set_headline(found), *(item.text for block in blocks for item in block.items)]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


def test_the_one_flag_is_told(home: Home, golden: Hear) -> None:
    found, *_ = _search(home)
    assert (found.answer.outcome, found.answer.parts) == ("set", ((5,),))
    golden(*_sentences(found))
    assert json.loads(dump_search(found))["schema"] == "whyfast-search-set/2"


def test_the_functions_of_a_culprit_object_are_the_next_search(home: Home) -> None:
    found, *_ = _search(home)
    named = replace(found, axis="objects", differences=tuple(f"src/{n}.o" for n in range(8)))
    assert any("`--axis functions --object src/5.o`" in text for text in _sentences(named))


def test_two_that_interact(home: Home, golden: Hear) -> None:
    found, *_ = _search(home, needs=frozenset({2, 6}))
    assert (found.answer.parts, found.answer.together) == (((2,), (6,)), "interplay")
    golden(*_sentences(found))


def test_a_search_goes_on_after_an_interrupt(home: Home, golden: Hear) -> None:
    with pytest.raises(KeyboardInterrupt):
        _search(home, interrupt=7)
    found, again, watcher = _search(home)
    golden(watcher.heard[0])
    whole, alone, _ = _search(Home(home.cache, home.data / "other"))
    assert found.events == whole.events
    assert len(again.asked) == len(alone.asked) - 7
    _, none, _ = _search(home)
    assert none.asked == []


def test_ends_that_are_alike_or_swapped(home: Home, golden: Hear) -> None:
    found, *_ = _search(home, needs=frozenset({99}))
    golden(set_headline(found))


def test_an_end_that_cannot_be_measured_is_named(home: Home, golden: Hear) -> None:
    golden(refusal(UserError, lambda: _search(home, broken=frozenset({1}))))


def test_blocks_that_do_not_suffice(home: Home) -> None:
    found, *_ = _search(home, budget=5)
    assert (found.answer.outcome, len(found.events)) == ("undecided", 5)


def test_mixtures_that_do_not_build_are_told(home: Home) -> None:
    found, *_ = _search(home, broken=frozenset({2}))
    assert found.answer.outcome == "set"
    assert any(text.endswith(": does not link") for text in _sentences(found))


@pytest.mark.parametrize(
    ("over", "parts", "over_layouts"),
    [({5}, ((5,),), False), ({3}, ((3,),), True), ({99}, (), False)],
)
def test_culprits_are_measured_over_layouts_too(
    home: Home, golden: Hear, over: set[int], parts: tuple[tuple[int]], over_layouts: bool
) -> None:
    world = {"quantity": "time", "relinkable": True, "over": frozenset(over)}
    found, _, _ = _search(home, **world)  # type: ignore[arg-type]
    answer = found.answer
    assert (answer.outcome == "placement", answer.tested == "placement") == (not parts, not parts)
    assert (answer.parts, answer.over_layouts) == (parts, over_layouts)
    assert bool(answer.subsets) == bool(parts)
    golden(*_sentences(found))
    again, none, _ = _search(home, **world)  # type: ignore[arg-type]
    assert (again.answer, none.asked) == (answer, [])


def test_no_layout_runs_in_two_blocks_not_even_after_an_interrupt(home: Home) -> None:
    candidates = [AxisCandidate("slow not", "good"), AxisCandidate("slow", "bad")]
    task = Task(len(NAMES), relinkable=True)
    file = SearchFile(home.data / "searches" / "two.json", NAMES)
    blank = SetResult("flags", "fast", "slow", NAMES, "time", (), Minimal("undecided"))
    first = Counted(candidates, relinkable=True, over=frozenset({3}), interrupt=25)
    second = replace(first, interrupt=1000)
    for subject, ends in ((first, pytest.raises(KeyboardInterrupt)), (second, nullcontext())):
        with ends:
            run_set(task, subject, candidates, blank, file, home, Watcher())
    assert any(name == "3" for name, _ in first.ran)
    assert len(set(first.ran)) == len(first.ran)
    assert [n for name, n in first.ran if name == "slow"] == list(range(1, len(first.ran) + 1))[
        : sum(name == "slow" for name, _ in first.ran)
    ]


def test_no_two_mixtures_have_one_label(home: Home) -> None:
    found, *_ = _search(home, needs=frozenset({2, 6}))
    labels = {
        "-f6": {6},
        "-f2; -f6": {2, 6},
        "2–3, 7": {1, 2, 6},
        "2, 4, 7": {1, 3, 6},
        "1, 3–5": {0, 2, 3, 4},
        "all but the culprits": {0, 1, 3, 4, 5, 7},
        "all but -f7": set(range(7)),
    }
    events = tuple(Trial(0.3, frozenset(s), 0.1) for s in labels.values())
    page = search_page(replace(found, events=events))
    (blocks,) = [s.blocks for s in page.sections if s.name == "measured"]
    mixtures, legend = (t for t in blocks if isinstance(t, Table))
    assert {row[0].text for row in mixtures.rows} == set(labels)
    assert [row[0].text for row in legend.rows] == [str(n) for n in range(1, 9)]
    assert legend.rows[1][1].text == "-f1"
    summary = page.summary
    assert summary is not None
    assert summary.table is not None
    assert [row[0].text for row in summary.table.rows] == [
        *("-f6", "-f2; -f6", "all but the culprits", "all but -f7")
    ]


#: The remaining difference, in simulated mixtures with a known answer.
Cost = Callable[[frozenset[str]], float]
LETTERS = tuple("abcdefghijkl")
EFFECT = 0.1


def _mixing(asked: list[frozenset[int]] | None = None) -> DifferenceSet:
    def make(work: object, candidate: AxisCandidate, name: str) -> object:
        assert asked is not None
        asked.append(candidate.mixed)
        return work

    good, bad = Variant("fast", "path:cc"), Variant("slow", "path:cc")
    return DifferenceSet(good, bad, LETTERS, make)  # type: ignore[arg-type]


def _oracle_search(cost: Cost, noise: float = 0.0) -> Callable[[DifferenceSet], SetResult]:
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

        answer = ddmin(Task(len(mixing.differences)), oracle)
        return SetResult(
            *("flags", mixing.good.name, mixing.bad.name, mixing.differences),
            *("instructions", tuple(events), answer),
            reverted=mixing.reverted,
        )

    return search


def _weighted(weight: dict[str, float]) -> Cost:
    return lambda s: sum(weight.get(d, 0) for d in s)


def _names(result: SetResult) -> list[list[str]]:
    found = [[result.differences[d] for p in result.answer.parts for d in p]]
    return found + (_names(result.further) if result.further else [])


def test_the_remaining_difference_is_searched_until_none_is(golden: Hear) -> None:
    weight = {"c": 0.6, "f": 0.2, "k": 0.2}
    found = search_all(_mixing(), _oracle_search(_weighted(weight)))
    assert _names(found) == [["c", "f"], ["k"], []]
    further = found.further
    assert further is not None
    assert (further.reverted, len(further.differences)) == (("c", "f"), 10)
    golden(*_sentences(found))


def test_a_remaining_difference_below_the_margin(golden: Hear) -> None:
    weight = {"c": 0.95, "k": 0.05}
    found = search_all(_mixing(), _oracle_search(_weighted(weight)))
    assert found.further is not None
    golden(set_headline(found.further))


@pytest.mark.parametrize(
    ("cost", "noise", "parts", "others"),
    [
        (lambda s: float("b" in s or "h" in s), 0.0, [["b"], ["h"], []], True),
        (lambda s: float({"b", "h"} <= s), 0.0, [["b", "h"], []], False),
        (_weighted({"c": 0.75, "k": 0.25}), 0.004, [["c"], ["k"], []], False),
    ],
    ids=["either of two", "two that need each other", "through noise"],
)
def test_what_is_found_one_after_the_other(
    cost: Cost, noise: float, parts: list[list[str]], others: bool
) -> None:
    result = search_all(_mixing(), _oracle_search(cost, noise))
    assert (_names(result), result.answer.others) == (parts, others)


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


def test_a_further_search_that_fails_is_a_note() -> None:
    search = _oracle_search(lambda s: float("b" in s))

    def once(mixing: DifferenceSet) -> SetResult:
        if mixing.reverted:
            raise UserError("does not build", where="--bad")
        return search(mixing)

    found = search_all(_mixing(), once)
    assert (found.further, found.answer.parts) == (None, ((1,),))
    assert found.note.endswith("--bad: does not build")
    assert any(text.endswith("--bad: does not build.") for text in _sentences(found))


@pytest.mark.parametrize("share", [1.0, 0.96])
def test_no_share_is_named_for_the_whole_difference(share: float) -> None:
    weight = {"c": share, "k": 1 - share}
    found = _oracle_search(_weighted(weight))(_mixing())
    assert set_headline(found).startswith("`c` carries the difference: ")
