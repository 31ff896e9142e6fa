"""What a run did beyond a shorter one: start-up and warming up are in both, and go."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from whyfast.model.counters import FunctionCost, Profile


def beyond(longer: Profile, shorter: Profile) -> Profile:
    """The profile of what only the longer run did, function by function.

    No count is below 0: leaving may cost a few instructions less after a longer run.
    """
    known: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for function in shorter.functions:
        known[function.object, function.name].update(function.costs)
    functions = []
    for function in longer.functions:
        costs = _minus(function.costs, known[function.object, function.name])
        if any(costs.values()):
            functions.append(FunctionCost(function.name, function.object, costs))
    totals = _minus(longer.totals, shorter.totals)
    return replace(longer, functions=tuple(functions), totals=totals)


def _minus(costs: Mapping[str, float], less: Mapping[str, float]) -> dict[str, float]:
    return {event: max(0.0, cost - less.get(event, 0.0)) for event, cost in costs.items()}
