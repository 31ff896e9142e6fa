"""Minimal sets of differences, in simulated mixtures with a known answer."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from whyfast.search.ddmin import Event, Failed, Minimal, Try, ddmin, next_try
from whyfast.search.state import Task
from whyfast.search.view import Subset, Trial, carries, level

Level = Callable[[Subset], float]
EVERY = frozenset(range(100))
FOUR = 0.03 / 4  # the effect is four standard deviations of a measurement


@dataclass
class Mixtures:
    """``level(subset)`` with noise; ``broken(subset)``: it cannot be built. Over layouts the level
    is ``over(subset)``, and each program has the luck of its layout, of ``spread``."""

    level: Level
    seed: int = 1
    effect: float = 0.03
    broken: Callable[[Subset], bool] = lambda s: False
    over: Level | None = None
    spread: float = 0.0
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def __call__(self, wanted: Try) -> Event:
        good, bad, own = (FOUR * np.sqrt(2 / 3) * self.rng.standard_normal(3)).tolist()
        level = self.level
        if wanted.layouts:
            assert self.over is not None
            level = self.over
            luck = self.spread * self.effect * self.rng.standard_normal(3)
            good, bad, own = good + luck[0], bad + luck[1], own + luck[2]
        bad += self.effect * (level(EVERY) if wanted.layouts else 1)
        event: Event = Trial(bad - good, layouts=wanted.layouts)
        if wanted.subset is not None:
            own += self.effect * level(wanted.subset)
            offset = own - (good + bad) / 2
            event = Trial(bad - good, wanted.subset, offset, wanted.fresh, wanted.layouts)
            if self.broken(wanted.subset):
                event = Failed(wanted.subset)
        self.events.append(event)
        return event


def _needs(*parts: int) -> Level:
    return lambda s: float(set(parts) <= s)


def _luck(subset: Subset) -> float:
    if len(subset) in (0, 30):
        return float(len(subset) == 30)
    return float(np.random.default_rng([7, *sorted(subset)]).integers(0, 2))


@pytest.mark.parametrize(
    ("count", "world", "expected"),
    [
        (40, Mixtures(_needs(17)), ("set", ((17,),), False)),
        (12, Mixtures(lambda s: 0.5 * (3 in s) + 0.5 * (9 in s)), ("set", ((3,), (9,)), False)),
        (20, Mixtures(lambda s: float(3 in s or 9 in s)), ("set", ((3,),), True)),
        (30, Mixtures(lambda s: float(len(s) == 30)), ("mixed", (), False)),
        (30, Mixtures(_luck), ("mixed", (), False)),
        (
            40,
            Mixtures(_needs(17), broken=lambda s: (16 in s) != (17 in s)),
            ("set", ((16, 17),), False),
        ),
        (1, Mixtures(_needs(0)), ("set", ((0,),), False)),
    ],
    ids=["one", "two add up", "either", "only all", "any mixture", "inseparable", "no other"],
)
def test_the_parts_that_carry_the_difference(
    count: int, world: Mixtures, expected: tuple[str, tuple[object, ...], bool]
) -> None:
    answer = ddmin(Task(count), world)
    assert (answer.outcome, answer.parts, answer.others) == expected
    assert answer.together != "interplay"
    if answer.parts:
        assert answer.whole is not None
        assert answer.whole[0] == pytest.approx(1, abs=0.2)
    assert answer.subsets < (16 if answer.parts == ((17,),) else 100)


def test_two_flags_that_need_each_other_are_an_interplay() -> None:
    answer = ddmin(Task(40), Mixtures(_needs(5, 30)))
    assert (answer.outcome, answer.parts, answer.together) == ("set", ((5,), (30,)), "interplay")
    assert [a for a, _ in answer.alone] == pytest.approx([0, 0], abs=0.3)


@pytest.mark.parametrize(("effect", "word"), [(0.0, "none"), (-0.03, "swapped")])
def test_without_a_difference_nothing_is_mixed(effect: float, word: str) -> None:
    answer = ddmin(Task(40), Mixtures(_needs(17), effect=effect))
    assert (answer.outcome, answer.subsets) == (word, 0)


def test_ends_that_differed_by_chance_alone_end_it_too() -> None:
    rng = np.random.default_rng(4)
    lucky = [0.03, 0.031, 0.029, 0.03, 0.032, 0.03]
    taken = 0

    def oracle(wanted: Try) -> Trial:
        nonlocal taken
        ends = lucky[taken] if taken < len(lucky) else 0.01 * float(rng.standard_normal())
        taken += 1
        if wanted.subset is None:
            return Trial(ends)
        return Trial(ends, wanted.subset, 0.01 * float(rng.standard_normal()), wanted.fresh)

    found = ddmin(Task(8, budget=400), oracle)
    assert found.outcome == "none"
    assert found.subsets > 0


def test_a_search_goes_on_from_its_events() -> None:
    task, mixtures = Task(20), Mixtures(_needs(4, 11))
    whole = ddmin(task, mixtures)
    events = mixtures.events
    for taken in range(0, len(events), 3):
        wanted = next_try(task, events[:taken])
        assert isinstance(wanted, Try)
        assert wanted.subset == events[taken].subset
    assert next_try(task, events) == whole
    assert isinstance(whole, Minimal)


def test_a_subset_like_the_bad_end_carries_and_one_like_the_good_end_does_not() -> None:
    mixtures = Mixtures(_needs(1))
    taken = [mixtures(Try(frozenset(s))) for s in ({1}, {2}) for _ in range(4)]
    trials = [t for t in taken if isinstance(t, Trial)]
    assert carries(trials, frozenset({1}), 0.01) > 0.95
    assert carries(trials, frozenset({2}), 0.01) < 0.05
    assert carries(trials, frozenset({3}), 0.01) == pytest.approx(0.5)
    assert level(trials, frozenset({2}))[0] == pytest.approx(0, abs=0.4)
    assert level(trials, frozenset({3}))[1] == float("inf")


@pytest.mark.parametrize(
    ("count", "over", "spread", "expected"),
    [
        (40, lambda s: 0.0, 0.3, ("placement", (), "placement", False)),
        # As linked 17 is fast by luck and hides what 30 does.
        (40, _needs(30), 0.2, ("set", ((30,),), "change", True)),
        (20, lambda s: 0.5 * _needs(3)(s), 0.1, ("set", ((3,),), "partly", True)),
    ],
    ids=["placement", "others carry it", "layouts change it"],
)
def test_layouts_decide(
    count: int, over: Level, spread: float, expected: tuple[object, ...]
) -> None:
    answer = ddmin(Task(count, relinkable=True), Mixtures(_needs(17), over=over, spread=spread))
    assert (answer.outcome, answer.parts, answer.tested, answer.over_layouts) == expected
    assert answer.parts or not answer.subsets


def test_parts_found_as_linked_are_measured_over_layouts_and_it_resumes_there() -> None:
    task = Task(40, relinkable=True)
    world = Mixtures(_needs(17), over=_needs(17), spread=0.3)
    answer = ddmin(task, world)
    assert (answer.outcome, answer.parts, answer.tested) == ("set", ((17,),), "change")
    assert answer.varied is not None
    assert answer.varied[0] == pytest.approx(1, abs=0.3)
    assert not answer.over_layouts
    assert next_try(task, world.events) == answer
    first = [isinstance(e, Trial) and e.layouts and e.fresh for e in world.events].index(True)
    assert next_try(task, world.events[:first]) == Try(frozenset({17}), fresh=True, layouts=True)
