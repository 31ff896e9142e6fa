"""The course of a search: the posterior by step, and every candidate that was measured."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import median

import numpy as np

from whyfast.report.document import Cell, Plot, Table, right, table
from whyfast.report.names import shown
from whyfast.report.numbers import plain_ratio_text
from whyfast.search.confirm import attempts
from whyfast.search.likelihood import ENDS_NOISE
from whyfast.search.nuisance import robust_noise
from whyfast.search.posterior import Posterior
from whyfast.search.run import SearchResult
from whyfast.search.script_subject import REPEATED
from whyfast.search.view import view

_WITHOUT = "The plot needs JavaScript; the tables say the same."
#: Half of an interval, in standard errors, and the error of a median in those of a mean.
_ERRORS, _OF_MEDIAN = 1.96, 1.2533
#: Gaps less likely than this are left out of the table.
_LEAST = 0.001


def belief_of(result: SearchResult) -> Posterior | None:
    """The posterior in the end, None where it was never known."""
    state = result.state
    return view(state, attempts(state.observations, state.task.known)).belief


def posterior_plot(result: SearchResult) -> Plot | None:
    """The posterior over the places of the step, and under it what was measured."""
    belief = belief_of(result)
    if belief is None:
        return None
    ratios = _ratios(result)
    measured = [
        {
            "at": at,
            "n": n,
            "ratio": math.exp(mid),
            "low": math.exp(low),
            "high": math.exp(high),
            "text": " ".join(_printed(mid, low, high)),
        }
        for at, (mid, low, high, n) in ratios.items()
    ]
    gaps = [
        {"low": low, "high": high, "share": float(share)}
        for low, high, share in zip(belief.bounds, belief.bounds[1:], belief.some, strict=False)
    ]
    where = result.answer.where
    data = {
        "gaps": gaps,
        "measured": measured,
        "skipped": sorted(result.state.skipped),
        "names": {str(c): result.candidates[c].title for c in ratios},
        "steps": [[where.first, where.last]] if where else [],
        "last": len(result.candidates) - 1,
    }
    return Plot("search", data, _WITHOUT)


def posterior_table(result: SearchResult) -> Table | None:
    """Where a step may lie, with its probability, all hypotheses counted."""
    belief = belief_of(result)
    if belief is None:
        return None
    rows = []
    for low, high, share in zip(belief.bounds, belief.bounds[1:], belief.some, strict=False):
        if share >= _LEAST:
            first, last = result.at(low + 1), result.at(high)
            name = shown(last.title)
            if high > low + 1:
                name = f"{shown(first.title)} … {shown(last.title)} ({high - low})"
            rows.append((name, Cell(f"{min(float(share), 1.0):.3f}", number=float(share))))
    return table("Where a step may lie", ("at", *right("probability")), rows)


def measured_table(result: SearchResult) -> Table | None:
    """A row a candidate, in order: the median of its ratios to the good end and what bounds it."""
    title = "Relative to the good end"
    found = [(shown(result.candidates[c].title), *r) for c, r in _ratios(result).items()]
    if exact(result):
        counted = [(name, f"{math.exp(mid):.4g}") for name, mid, *_ in found]
        return table(title, ("candidate", *right("ratio")), counted)
    rows = [(name, n, *_printed(mid, low, high)) for name, mid, low, high, n in found]
    return table(title, ("candidate", *right("blocks", "ratio", "± 2 errors")), rows)


def exact(result: SearchResult) -> bool:
    """Whether the ends never varied, as counts do: then errors are none that were seen."""
    ends = [o.ends for o in result.state.observations]
    return len(ends) >= REPEATED and len(set(ends)) == 1


def _printed(middle: float, low: float, high: float) -> tuple[str, str]:
    """A ratio and its interval, of their logarithms, with the digits that the interval carries."""
    text = plain_ratio_text(math.exp(middle), math.exp(low), math.exp(high))
    return text.value.removesuffix("x"), text.interval


def _ratios(result: SearchResult) -> dict[int, tuple[float, float, float, int]]:
    """Of each candidate the median log ratio to the good end, ends of an interval, and blocks.

    The interval is 1.96 standard errors of a median by the noise of all blocks of the ends: a help
    to the eye, and no verdict.
    """
    seen: defaultdict[int, list[float]] = defaultdict(list)
    for block in result.state.observations:
        for reading in block.readings:
            seen[reading.candidate].append(reading.to_good)
        seen[len(result.candidates) - 1].append(block.ends)
    ends = [o.ends for o in result.state.observations]
    # Of a log ratio of two programs: that of the ends.
    noise = robust_noise(np.array(ends)) * ENDS_NOISE if ends else 0.0
    found = {}
    for candidate, values in sorted(seen.items()):
        middle = median(values)
        half = _ERRORS * noise * (_OF_MEDIAN if len(values) > 2 else 1.0) / math.sqrt(len(values))
        found[candidate] = (middle, middle - half, middle + half, len(values))
    return found
