"""Which verdict to quote for a pair of variants."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from whyfast.model.verdict import Suite, Verdict, Word

_OPPOSITE: dict[Word, Word] = {
    "faster": "slower",
    "slower": "faster",
    "same": "same",
    "undecided": "undecided",
}


def reversed_verdict(verdict: Verdict) -> Verdict:
    """The same comparison read from the other side."""
    return replace(
        verdict,
        variant=verdict.baseline,
        baseline=verdict.variant,
        word=_OPPOSITE[verdict.word],
        ratio=1 / verdict.ratio if verdict.ratio else math.inf,
        low=0.0 if math.isinf(verdict.high) else 1 / verdict.high,
        high=math.inf if verdict.low <= 0 else 1 / verdict.low,
    )


class Comparisons:
    """The overall verdict of each pair: its suite, or its only benchmark where there is none."""

    def __init__(self, verdicts: Iterable[Verdict], suites: Iterable[Suite]) -> None:
        single: defaultdict[tuple[str, str], list[Verdict]] = defaultdict(list)
        for verdict in verdicts:
            single[verdict.variant, verdict.baseline].append(verdict)
        self._overall = {pair: found[0] for pair, found in single.items() if len(found) == 1}
        for suite in suites:
            self._overall[suite.verdict.variant, suite.verdict.baseline] = suite.verdict

    def of(self, variant: str, baseline: str) -> Verdict | None:
        """The overall verdict on ``variant`` against ``baseline``, whichever way it was judged."""
        found = self._overall.get((variant, baseline))
        if found is not None:
            return found
        other = self._overall.get((baseline, variant))
        return None if other is None else reversed_verdict(other)

    def __bool__(self) -> bool:
        return bool(self._overall)
