"""A search for a set as a whole, with programs whose cost is known."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from tests.golden_files import Hear
from tests.unit.investigate.doubles import Watcher

from whyfast.model.errors import UserError
from whyfast.report.document import Table
from whyfast.report.pages.search_set_page import dump_set, set_headline, set_page
from whyfast.report.render.markdown import render_markdown
from whyfast.search.by_set import SetResult, SetSubject, run_set
from whyfast.search.ddmin import Differences, Minimal
from whyfast.search.state import AxisCandidate, Quantity
from whyfast.search.subject import CandidateFailed, Layouts, Times
from whyfast.search.subsets import Trial
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

    def settle(self, candidates: Sequence[int]) -> None:
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
    task = Differences(len(NAMES), budget=budget, relinkable=subject.relinkable)
    oracle = SetSubject(subject, candidates, NAMES)
    file = home.data / "searches" / "one.json"
    return run_set(task, oracle, blank, file, home, watcher), subject, watcher


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


def test_the_one_flag_is_told(home: Home, golden: Hear) -> None:
    found, *_ = _search(home)
    assert (found.answer.outcome, found.answer.parts) == ("set", ((5,),))
    golden(set_headline(found))
    shown = render_markdown(set_page(found))
    assert "It is enough: with nothing else from slow, 100 % of the difference is there" in shown
    assert '"schema": "whyfast-search-set/2"' in dump_set(found)


def test_of_objects_the_search_of_their_functions_is_named(home: Home) -> None:
    found, *_ = _search(home)
    named = replace(found, axis="objects", differences=tuple(f"src/{n}.o" for n in range(8)))
    shown = render_markdown(set_page(named))
    assert "Which of its functions: `--axis functions --object src/5.o`." in shown


def test_two_that_interact_are_told_so(home: Home) -> None:
    found, *_ = _search(home, needs=frozenset({2, 6}))
    assert found.answer.parts == ((2,), (6,))
    assert set_headline(found).startswith("`-f2` and `-f6` carry the difference together: ")
    shown = render_markdown(set_page(found))
    assert "`-f2` alone: 0 % of the difference." in shown
    assert "They do not add up: they interact." in shown


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
    with pytest.raises(UserError) as caught:
        _search(home, broken=frozenset({1}))
    golden(str(caught.value))


def test_blocks_that_do_not_suffice(home: Home) -> None:
    found, *_ = _search(home, budget=5)
    assert (found.answer.outcome, len(found.events)) == ("undecided", 5)


def test_mixtures_that_do_not_build_are_told(home: Home) -> None:
    found, *_ = _search(home, broken=frozenset({2}))
    assert found.answer.outcome == "set"
    assert "does not link" in render_markdown(set_page(found))


def test_what_is_found_is_measured_over_layouts_too(home: Home) -> None:
    found, _, _ = _search(home, quantity="time", relinkable=True)
    assert (found.answer.parts, found.answer.tested) == (((5,),), "change")
    shown = render_markdown(set_page(found))
    assert "Over other layouts slow is 1.50x slower" in shown
    assert "Placement alone scatters a program by 0 % (one standard deviation)" in shown
    assert "What was found makes 100 % of that: it is not placement." in shown
    again, none, _ = _search(home, quantity="time", relinkable=True)
    assert (again.answer, none.asked) == (found.answer, [])


def test_placement_is_named(home: Home, golden: Hear) -> None:
    over = frozenset({99})
    found, _, _ = _search(home, quantity="time", relinkable=True, over=over)
    golden(set_headline(found))
    assert found.answer.subsets == 0


def test_what_carries_it_as_linked_alone_is_told(home: Home) -> None:
    found, _, _ = _search(home, quantity="time", relinkable=True, over=frozenset({3}))
    assert (found.answer.parts, found.answer.over_layouts) == (((3,),), True)
    shown = render_markdown(set_page(found))
    assert "What carried it as linked does not over layouts: so layouts were drawn" in shown


def test_no_layout_runs_in_two_blocks_not_even_after_an_interrupt(home: Home) -> None:
    candidates = [AxisCandidate("slow not", "good"), AxisCandidate("slow", "bad")]
    task, file = Differences(len(NAMES), relinkable=True), home.data / "searches" / "two.json"
    blank = SetResult("flags", "fast", "slow", NAMES, "time", (), Minimal("undecided"))
    first = Counted(candidates, relinkable=True, over=frozenset({3}), interrupt=25)
    second = replace(first, interrupt=1000)
    for subject, ends in ((first, pytest.raises(KeyboardInterrupt)), (second, nullcontext())):
        with ends:
            run_set(task, SetSubject(subject, candidates, NAMES), blank, file, home, Watcher())
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
        "all but what was found": {0, 1, 3, 4, 5, 7},
        "all but -f7": set(range(7)),
    }
    events = tuple(Trial(0.3, frozenset(s), 0.1) for s in labels.values())
    page = set_page(replace(found, events=events))
    (blocks,) = [s.blocks for s in page.sections if s.name == "measured"]
    mixtures, legend = (t for t in blocks if isinstance(t, Table))
    assert {row[0].text for row in mixtures.rows} == set(labels)
    assert [row[0].text for row in legend.rows] == [str(n) for n in range(1, 9)]
    assert legend.rows[1][1].text == "-f1"
    summary = page.summary
    assert summary is not None
    assert summary.table is not None
    assert [row[0].text for row in summary.table.rows] == [
        *("-f6", "-f2; -f6", "all but what was found", "all but -f7")
    ]
