"""One function that is called more often, and all that it calls in turn: the reason why many small
functions take longer together."""

from __future__ import annotations

import re
from collections.abc import Sequence

from whyfast.model.why import Cause, Change, Fact, SourcePlace
from whyfast.why.counts import SideCounts
from whyfast.why.functions import FunctionKey, total_change
from whyfast.why.groups import FunctionGroup, family_of
from whyfast.why.internals import quoted
from whyfast.why.view import number

#: How many times as often it must be called, and how many further times at the least.
MORE, FURTHER = 1.5, 10

#: Share of the difference that must be below it, of a group's work that must be, and largest share
#: of it that a single group may have: that one is then the reason.
CARRIES, BELOW, SINGLE = 0.4, 0.8, 0.5

#: The first and last of them for further functions, of which there are so many at most; and times
#: what a function does with all that it calls that the groups below it can do at most.
NEXT, MOST, SUM = (0.1, 0.8), 2, 1.1


#: Functions that nothing of the program calls, and those by which Go changes the stack: Callgrind
#: has the former below others, and below the latter whatever runs next.
OUTERMOST = re.compile(
    r"main|main\.main|\(below main\)"
    r"|runtime\.(main|morestack\w*|newstack|mcall|systemstack\w*|gogo)(\.abi0)?"
)


def called_more(
    groups: Sequence[FunctionGroup], fast: SideCounts, slow: SideCounts, whole: Change
) -> list[Cause]:
    """The outermost functions that are called more often and have much of the difference below
    them, each spread over several groups, from the one that has most on."""
    callees: dict[FunctionKey, set[FunctionKey]] = {}
    callers: dict[FunctionKey, dict[FunctionKey, int]] = {}
    for (caller, callee), cost in slow.inclusive.items():
        if caller != callee and not OUTERMOST.fullmatch(callee.name):
            callees.setdefault(caller, set()).add(callee)
            callers.setdefault(callee, {})[caller] = cost
    further = slow.totals["instructions"] - fast.totals["instructions"]
    inner = [f for f in callees if f in callers and not family_of(f)]
    more = [f for f in inner if further > 0 and _more(f, fast, slow)]
    below = {f: _below(f, fast, slow) for f in more}
    causes: list[Cause] = []
    for carries, single in ((CARRIES, SINGLE), *[NEXT] * MOST):
        found = [f for f in more if below[f] >= carries * further]
        outer = [f for f in found if not any(c in found for c in callers[f])]
        taken = {name for cause in causes for name in cause.items}
        left = [g for g in groups if g.time.difference > 0 and g.name not in taken]
        for function in sorted(outer, key=lambda f: -below[f]):
            inside = _reached(function, callees)
            mine = [g for g in left if _within(g, inside, callers)]
            if sum(g.extra("instructions") for g in mine) > SUM * below[function]:
                continue
            time = total_change([m for g in mine for m in g.members])
            largest = max((g.time.difference for g in mine), default=0.0)
            if time.difference >= carries * whole.difference and largest < single * time.difference:
                causes.append(_cause(function, mine, time, (fast, slow), whole))
                break
    return causes


def _more(function: FunctionKey, fast: SideCounts, slow: SideCounts) -> bool:
    a, b = fast.called[function], slow.called[function]
    # What the other side never calls may have been inlined there, unless it is of a library.
    return b >= MORE * a and b - a >= FURTHER and (a > 0 or bool(function.library))


def _below(function: FunctionKey, fast: SideCounts, slow: SideCounts) -> float:
    """Further instructions of a function with all that it calls."""
    return float(
        sum(
            cost - fast.inclusive[caller, callee]
            for (caller, callee), cost in slow.inclusive.items()
            if callee == function and caller != callee
        )
    )


def _reached(
    function: FunctionKey, callees: dict[FunctionKey, set[FunctionKey]]
) -> set[FunctionKey]:
    reached, ahead = {function}, [function]
    while ahead:
        new = callees.get(ahead.pop(), set()) - reached
        reached |= new
        ahead += new
    return reached


def _within(
    group: FunctionGroup,
    inside: set[FunctionKey],
    callers: dict[FunctionKey, dict[FunctionKey, int]],
) -> bool:
    """Whether most of a group's work is done for functions of the subtree."""
    keys = {m.key for m in group.members}
    rows = [
        (caller, cost)
        for key in keys
        for caller, cost in callers.get(key, {}).items()
        if caller not in keys
    ]
    total = sum(cost for _, cost in rows)
    return bool(total) and sum(cost for c, cost in rows if c in inside) >= BELOW * total


#: ``Entry::Entry(Entry const&)``.
_COPY = re.compile(r"(?:^|::)(\w+)(?:<.*>)?::\1\((?:\w+::)*\1(?:<.*>)? const&\)$")


def _cause(
    function: FunctionKey,
    groups: Sequence[FunctionGroup],
    time: Change,
    sides: tuple[SideCounts, SideCounts],
    whole: Change,
) -> Cause:
    fast, slow = (side.called[function] for side in sides)
    copy = any(_COPY.search(s) for s in sides[1].symbols[function])
    caller = next((c for c in sides[1].callers(function) if c != function), None)
    who = f"`{caller.name}`" if caller and caller.name != "?" else "it"
    text = (
        f"{who} calls {quoted(function.name)} {number(slow)} times ({{fast}}: {number(fast)}), and "
        "all that it calls in turn"
    )
    place = next((g.place for g in groups if g.main.key == function), SourcePlace())
    return Cause(
        "copying" if copy else "more-calls",
        text,
        time.difference / whole.difference,
        time.low / whole.difference,
        time.high / whole.difference,
        tuple(g.name for g in groups),
        "counted",
        SourcePlace(function.name, place.file, place.line, function.library),
        (Fact(f"calls of {function.name}", fast, slow, "", "counted", "Callgrind"),),
    )
