"""A function that is called more often, with all that it calls in turn."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.why.records import executed, view

from whyfast.model.why import Change
from whyfast.why.counts import SideCounts
from whyfast.why.functions import FunctionKey
from whyfast.why.groups import FunctionGroup
from whyfast.why.subtrees import called_more

WHOLE = Change(0.1, 0.4, 0.29, 0.31)  # 0.3 s more
MAIN, COMPILE = FunctionKey("", "main"), FunctionKey("", "compile")
PARSE, SCAN, COPY = (FunctionKey("", name) for name in ("parse", "scan", "copy"))
WORDS, QUOTE, SPACE = (FunctionKey("", name) for name in ("words", "quote", "space"))
MOST = (("parse", 0.08), ("scan", 0.08), ("copy", 0.05))


def groups(*seconds: tuple[str, float]) -> list[FunctionGroup]:
    once = executed(1e6)
    return [view(once, once, seconds=(0.0, s), members=(n,)).group for n, s in seconds]


def side(times: int) -> SideCounts:
    """``main`` compiles that many times; compiling parses, scans and copies, ten times each."""
    counts = SideCounts()
    rows = ((MAIN, COMPILE, 1, 300), *((COMPILE, k, 10, 100) for k in (PARSE, SCAN, COPY)))
    for caller, callee, calls, cost in rows:
        counts.called[callee] += calls * times
        counts.calls[caller, callee] = calls * times
        counts.inclusive[caller, callee] = cost * times
    counts.totals["instructions"] = 300 * times
    return counts


SPREAD = groups(("parse", 0.1), ("scan", 0.1), ("copy", 0.08))


def test_the_outermost_function_that_is_called_more_often_has_what_is_below_it() -> None:
    [cause] = called_more(SPREAD, side(2), side(500), WHOLE)
    assert (cause.key, cause.place.function) == ("more-calls", "compile")
    assert cause.items == ("parse", "scan", "copy")
    assert round(cause.share, 2) == 0.93
    assert [(f.fast, f.slow) for f in cause.facts] == [(2, 500)]


def test_a_second_function_that_is_called_more_often_stands_beside_the_first() -> None:
    """As errors that are put into words beside what is asked again and again."""
    sides = side(2), side(500)
    for counts, times in zip(sides, (1, 400), strict=True):
        for callee, calls, cost in (
            (WORDS, times, 100),
            (QUOTE, 4 * times, 40),
            (SPACE, times, 40),
        ):
            caller = MAIN if callee == WORDS else WORDS
            counts.called[callee] = calls
            counts.calls[caller, callee] = calls
            counts.inclusive[caller, callee] = cost * times
        counts.totals["instructions"] += 100 * times
    first, second = called_more(groups(*MOST, ("quote", 0.03), ("space", 0.02)), *sides, WHOLE)
    assert [c.place.function for c in (first, second)] == ["compile", "words"]
    assert (second.items, round(second.share, 2)) == (("quote", "space"), 0.17)


def test_a_function_has_no_more_below_it_than_it_does_with_all_that_it_calls() -> None:
    more = [replace(g, counted={"instructions": (0.0, 100_000.0)}) for g in SPREAD]
    assert called_more(more, side(2), side(500), WHOLE) == []


@pytest.mark.parametrize(
    ("caller", "callee"), [("schedule", "main"), ("main", "morestack_noctxt.abi0")]
)
def test_what_changes_stacks_is_no_reason(caller: str, callee: str) -> None:
    """As Callgrind has Go's ``main`` below a scheduler, and what runs next below ``morestack``."""
    sides = side(2), side(500)
    above, below = (FunctionKey("", f"runtime.{name}") for name in (caller, callee))
    for counts, times in zip(sides, (1, 400), strict=True):
        counts.called[below] = times
        counts.calls[above, below] = times
        counts.inclusive[above, below] = 900 * times
        counts.inclusive[below, COMPILE] = 300 * times
    [cause] = called_more(SPREAD, *sides, WHOLE)
    assert cause.place.function == "compile"


def test_one_function_that_carries_most_is_its_own_reason() -> None:
    assert called_more(groups(("parse", 0.2), ("scan", 0.05)), side(2), side(500), WHOLE) == []


def test_as_many_calls_are_no_reason() -> None:
    assert called_more(SPREAD, side(500), side(510), WHOLE) == []


def test_a_function_that_the_other_side_never_calls_may_be_inlined_there() -> None:
    fast = side(500)
    fast.called.clear()
    assert called_more(SPREAD, fast, side(500), WHOLE) == []


def test_what_others_use_as_well_is_not_below_it() -> None:
    slow = side(500)
    for key in (PARSE, SCAN, COPY):
        slow.inclusive[MAIN, key] = 900_000
    assert called_more(SPREAD, side(2), slow, WHOLE) == []


def test_copies_of_an_object_are_copying() -> None:
    slow = side(500)
    slow.symbols[COMPILE].add("shop::Entry::Entry(shop::Entry const&)")
    [cause] = called_more(SPREAD, side(2), slow, WHOLE)
    assert cause.key == "copying"
