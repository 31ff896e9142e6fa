"""Literal records of what ran, for the tests of rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from whyfast.explain.executed import Executed, Weights
from whyfast.model.why import Change
from whyfast.why.causes import label
from whyfast.why.functions import FunctionKey, FunctionTime
from whyfast.why.groups import FunctionGroup
from whyfast.why.view import GroupView, Rule


def executed(total: float, calls: Mapping[str, float] | None = None, **kinds: object) -> Executed:
    """What ran: of each kind how often, or (how often, in how many places)."""
    weights, static = Weights(), Counter[str]()
    for name, amount in kinds.items():
        kind = re.sub(r"_", " ", name)
        often, places = amount if isinstance(amount, tuple) else (amount, 1)
        weights[kind] = float(often)
        static[kind] = places
    return Executed(total, weights, static, Weights(calls or {}))


def time_of(name: str, fast: float, slow: float, library: str = "") -> FunctionTime:
    difference = slow - fast
    change = Change(fast, slow, difference * 0.9, difference * 1.1)
    return FunctionTime(FunctionKey(library, name), change)


def view(
    fast: Executed,
    slow: Executed,
    *,
    seconds: tuple[float, float] = (0.1, 0.2),
    counted: bool = True,
    quantities: Mapping[str, tuple[float, float]] | None = None,
    members: tuple[str, ...] = ("work",),
    kind: str = "",
) -> GroupView:
    """A view of functions whose first one takes all of the ``seconds`` of both sides."""
    times = [time_of(members[0], *seconds), *(time_of(n, 0.0, 0.0) for n in members[1:])]
    group = FunctionGroup(times, kind, {"fast": fast, "slow": slow}, dict(quantities or {}))
    group.counted.setdefault("instructions", (fast.total, slow.total))
    return GroupView(group, fast, slow, counted)


def key_of(seen: GroupView, labels: Rule = label) -> str:
    """The cause's key, empty where there is none."""
    found = labels(seen)
    return found.key if found else ""
