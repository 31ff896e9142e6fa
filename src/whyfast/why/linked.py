"""Causes that belong together: what follows from another cause is counted to that one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from whyfast.model.why import Cause, Item
from whyfast.why.groups import FunctionGroup
from whyfast.why.internals import quoted
from whyfast.why.kernel import MEMORY, PURPOSES
from whyfast.why.program_rules import GOROUTINES
from whyfast.why.view import number

#: Share of the difference from which a cause is named in the first sentence.
NAMED = 0.1

#: Causes that are of a whole program, not of a function.
_WHOLE = ("sanitizer", "debug-build", "x87", "garbage-collection", "hardening")


def joined(causes: Sequence[Cause]) -> list[Cause]:
    """One cause of a kind in one place: its parts in user and kernel time together."""
    result: dict[tuple[str, str], Cause] = {}
    for cause in causes:
        whole = cause.key in PURPOSES or cause.key in _WHOLE
        slot = (cause.key, "" if whole else cause.place.function)
        known = result.get(slot)
        if known is None:
            result[slot] = cause
            continue
        larger, smaller = (known, cause) if known.share >= cause.share else (cause, known)
        result[slot] = _together(larger, [smaller], larger.sentence)
    return list(result.values())


def _together(first: Cause, others: Sequence[Cause], sentence: str) -> Cause:
    """The first cause with the shares, items and facts of the others."""
    every = [first, *others]
    return replace(
        first, sentence=sentence, share=sum(c.share for c in every),
        low=sum(c.low for c in every), high=sum(c.high for c in every),
        items=tuple(i for c in every for i in c.items),
        facts=tuple(f for c in every for f in c.facts),
    )  # fmt: skip


def linked(causes: Sequence[Cause], items: Sequence[Item]) -> list[Cause]:
    """The causes in the order of their shares, consequences with what they follow from."""
    result = sorted(causes, key=lambda c: -c.share)
    for rule in (_relocated, _started, _larger_data, _stacked, _scheduled):
        result = sorted(rule(result, items), key=lambda c: -c.share)
    return result


def _relocated(causes: list[Cause], items: Sequence[Item]) -> list[Cause]:
    """Page faults with the start-up where nothing but the loader does more: it writes to pages when
    it relocates them."""
    start = _first(causes, lambda c: c.key == "start-up" and c.share >= NAMED)
    faults = _first(causes, lambda c: c.key == "page-faults")
    others = sum(
        i.share for i in items if i.part == "user" and i.share > 0 and i.name != "start-up"
    )
    if start is None or faults is None or others > start.share / 2:
        return causes
    text = f"{start.sentence}, and {faults.sentence.removeprefix('it ')}"
    return _replaced(causes, start, [faults], text)


#: Further processes from which on what the loader does is theirs.
STARTED = 3


def _started(causes: list[Cause], _items: Sequence[Item]) -> list[Cause]:
    """What is done before ``main`` with the further processes that begin there."""
    processes = _first(causes, lambda c: c.key == "processes" and _further(c) >= STARTED)
    start = _first(causes, lambda c: c.key == "start-up")
    if processes is None or start is None:
        return causes
    text = f"{processes.sentence}; each loads and links its libraries"
    return _replaced(causes, processes, [start], text)


def _further(cause: Cause) -> float:
    return max(((f.slow or 0) - (f.fast or 0) for f in cause.facts), default=0.0)


#: Page faults of the slow side for one of the fast side from which on its data is larger.
LARGER = 1.3


def _larger_data(causes: list[Cause], _items: Sequence[Item]) -> list[Cause]:
    """Functions that do the same work and miss the cache more, with the pages that their larger
    data takes and gives back."""
    missing = [c for c in causes if c.key == "cache-misses"]
    memory = [
        c for c in causes
        if c.key == "page-faults" or (c.key == "system-calls" and {*c.items} <= {*MEMORY})
    ]  # fmt: skip
    faults = [f for c in memory for f in c.facts if f.name == "page faults"]
    share = sum(c.share for c in missing)
    if share < NAMED or not faults or share < sum(c.share for c in memory) / 2:
        return causes
    if (faults[0].slow or 0) < LARGER * (faults[0].fast or 0):
        return causes
    number_of = f"{faults[0].slow:,.0f} pages instead of {faults[0].fast or 0:,.0f}"
    text = f"{missing[0].sentence}; its data takes {number_of}"
    return _replaced(causes, missing[0], [*missing[1:], *memory], text)


#: What Go's runtime does around each system call.
_AROUND = re.compile(
    r"runtime\.(re)?(enter|exit)syscall\w*|(internal/runtime/)?syscall(/linux)?\.\w+"
)


def _stacked(causes: list[Cause], _items: Sequence[Item]) -> list[Cause]:
    """Pages and memory of new goroutines with what starts them: each has a stack of its own."""
    started = _first(causes, lambda c: any(f.name == GOROUTINES for f in c.facts))
    if started is None or started.share < NAMED:
        return causes
    memory = [c for c in causes if c.key in ("page-faults", "allocation")]
    return _replaced(causes, started, memory, started.sentence) if memory else causes


def _scheduled(causes: list[Cause], _items: Sequence[Item]) -> list[Cause]:
    """What Go's scheduler does about calls that block, with these calls: it hands the goroutines
    of the thread to another one, which it wakes."""
    wakes = [
        c
        for c in causes
        if (c.key == "locks" and "`runtime." in c.sentence) or c.items == ("threads",)
    ]
    calls = _first(causes, lambda c: c.key in ("system-calls", "io-wait"))
    if not wakes or calls is None or _further(calls) < max(map(_further, wakes)) / 2:
        return causes
    around = [c for c in causes if c.key == "more-calls" and _AROUND.fullmatch(c.place.function)]
    text = f"{calls.sentence}; Go's scheduler wakes other threads meanwhile"
    return _replaced(causes, calls, [*wakes, *around], text)


#: How many times the instructions of a loop and the calls from it must be, to belong together.
MORE_OFTEN = 2.0


def with_loops(causes: Sequence[Cause], groups: Sequence[FunctionGroup]) -> list[Cause]:
    """What functions do for a loop that calls them on both sides, with that loop where it executes
    more iterations: a longer chain compares more keys."""
    result = list(causes)
    for loop in [c for c in result if c.key == "more-work"]:
        callers, called, direct = {loop.place.function}, list[Cause](), None
        if _ratio(groups, loop) < MORE_OFTEN:
            continue
        while (found := _called_by(callers, groups, result)) is not None:
            group, cause = found
            direct = direct or group
            called.append(cause)
            callers |= {m.key.name for m in group.members}
            result = [c for c in result if c is not cause]
        if direct is not None:
            fast, slow = direct.counted["calls"]
            name = quoted(direct.main.key.name)
            what = f"calls {name} {number(slow)} instead of {number(fast)} times"
            result = _replaced(result, loop, called, f"{loop.sentence}, and {what}")
    return result


def with_inner(causes: Sequence[Cause], groups: Sequence[FunctionGroup]) -> list[Cause]:
    """A function that is called about as often as the one that calls it, or by each call of it as
    often on both sides, with that one, where both are only called more often: ``pow`` of the C
    library with what computes it."""
    by_name = {g.name: g for g in groups}
    result = list(causes)
    for cause in causes:
        inner = by_name.get(cause.items[0]) if cause.key == "more-calls" and cause.items else None
        above = inner.callers.get("slow", [])[:1] if inner else []
        outer = next((by_name[k.name] for k in above if k.name in by_name), None)
        if inner is None or outer is None or not _follows(inner, outer):
            continue
        first = _first(result, lambda c, o=outer: c.items[:1] == (o.name,))  # type: ignore[misc]
        if first is not None and first.key == "more-calls":
            mine = [c for c in result if c.items[:1] == cause.items[:1]]
            result = _replaced(result, first, mine, first.sentence)
    return result


def _follows(inner: FunctionGroup, outer: FunctionGroup) -> bool:
    """Whether it is called more often because another one is."""
    times = [g.ratio("calls") or 0.0 for g in (inner, outer)]
    alike = times[0] > 0 and abs(times[0] - times[1]) < 0.1 * times[0]
    return alike or outer.extra("calls") >= inner.extra("calls") / 1.1


def _called_by(
    callers: Set[str], groups: Sequence[FunctionGroup], causes: Sequence[Cause]
) -> tuple[FunctionGroup, Cause] | None:
    """A group that these functions call several times as often on the slow side, with the cause
    that is only of that."""
    for group in groups:
        user = group.users[0].name if group.users else ""
        cause = _first(causes, lambda c, g=group: c.items == (g.name,))  # type: ignore[misc]
        often = group.ratio("calls")
        if user not in callers or cause is None or often is None or often < MORE_OFTEN:
            continue
        if group.kind in ("string-work", "copying") or cause.key == "more-calls":
            return group, cause
    return None


def _ratio(groups: Sequence[FunctionGroup], cause: Cause) -> float:
    """How many times the instructions of a cause's function the slow side executes."""
    group = next((g for g in groups if (g.name,) == cause.items), None)
    return (group.ratio("instructions") if group else None) or 0.0


def _first(causes: Sequence[Cause], fits: Callable[[Cause], bool]) -> Cause | None:
    return next((c for c in causes if fits(c)), None)


def _replaced(
    causes: Sequence[Cause], first: Cause, others: Sequence[Cause], sentence: str
) -> list[Cause]:
    gone = {id(c) for c in (first, *others)}
    return [_together(first, others, sentence), *(c for c in causes if id(c) not in gone)]
