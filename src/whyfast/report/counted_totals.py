"""What every build did in all benchmarks together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whyfast.model.counted import Counted
from whyfast.model.counters import Source


@dataclass(frozen=True)
class CountTotals:
    """Sums over ``benchmarks``, those that every build with counts at all was counted in.

    ``sums[variant][event]``; an event that is unavailable in one of them is left out. ``left_out``
    are the benchmarks that some build has no counts of.
    """

    source: Source
    tools: tuple[str, ...]
    benchmarks: tuple[str, ...]
    left_out: tuple[str, ...]
    sums: Mapping[str, Mapping[str, float]]

    def ratio(self, event: str, variant: str, baseline: str) -> float | None:
        """Of the variant over the baseline; None where either is not known, or the baseline 0."""
        a, b = (self.sums.get(name, {}).get(event) for name in (variant, baseline))
        return a / b if a is not None and b else None

    def share(self, above: str, below: str, variant: str) -> float | None:
        """One event in another, from 0 to 1."""
        found = self.sums.get(variant, {})
        return found[above] / found[below] if above in found and found.get(below) else None


def totals(counted: Sequence[Counted], source: Source) -> CountTotals | None:
    """None when nothing was counted that way."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    tools: dict[str, None] = {}
    for one in counted:
        values[one.benchmark] = {}
        for counts in one.counts:
            found = {
                c.name: c.value
                for c in counts.counters
                if c.source == source and c.unit == "events" and c.value is not None
            }
            if found:
                values[one.benchmark][counts.variant] = found
                tools.update((c.tool, None) for c in counts.counters if c.source == source)
    variants = list(dict.fromkeys(v for of in values.values() for v in of))
    whole = tuple(name for name, of in values.items() if variants and set(of) == set(variants))
    if not whole:
        return None
    sums = {v: _added([values[name][v] for name in whole]) for v in variants}
    left_out = tuple(name for name in values if name not in whole)
    return CountTotals(source, tuple(tools), whole, left_out, sums)


def function_changes(
    counted: Sequence[Counted], benchmarks: Sequence[str], variant: str, baseline: str, what: str
) -> list[tuple[str, float]]:
    """(function, how much more the variant has of it), the largest change first.

    ``what`` is ``costs`` or ``misses``. Only functions that are hot in some build.
    """
    changes: defaultdict[str, float] = defaultdict(float)
    for one in counted:
        if one.benchmark not in benchmarks or not {variant, baseline} <= set(one.profiled):
            continue
        i, j = one.profiled.index(variant), one.profiled.index(baseline)
        for function in one.hot:
            values = function.costs if what == "costs" else function.misses
            if values:
                name = f"{function.name} ({function.object})" if function.object else function.name
                changes[name] += (values[i] or 0.0) - (values[j] or 0.0)
    ordered = sorted(changes.items(), key=lambda item: (-abs(item[1]), item[0]))
    return [(name, change) for name, change in ordered if change]


def _added(each: Sequence[Mapping[str, float]]) -> dict[str, float]:
    shared = [name for name in each[0] if all(name in one for one in each)]
    return {name: sum(one[name] for one in each) for name in shared}
