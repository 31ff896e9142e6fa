"""Which benchmarks carry a geometric mean."""

from __future__ import annotations

import math
from collections.abc import Mapping

from whyfast.model.verdict import Carrier, Verdict, Word


def carriers(
    suite: Verdict, without: Mapping[str, tuple[float, Word]], margin: float
) -> tuple[Carrier, ...]:
    """The benchmarks whose removal moves the suite's log ratio by more than a third of it, or
    changes the verdict; the most influential first.

    ``without`` has the log ratio and the verdict of the suite without each benchmark. Of a suite
    that is near 1, every benchmark is a large part: moves of less than a third of ``margin`` are
    passed over, and changes of the verdict that come of moves below a tenth of it, where an
    interval only grazes a limit.
    """
    whole, limit = math.log(suite.ratio), math.log1p(margin)
    found = []
    for benchmark, (ratio, said) in without.items():
        moved = abs(ratio - whole)
        much = moved > max(abs(whole), limit) / 3
        if much or (said != suite.word and moved > limit / 10):
            share = (whole - ratio) / whole if whole else math.inf
            found.append((moved, Carrier(benchmark, share, math.exp(ratio), said)))
    found.sort(key=lambda pair: -pair[0])
    return tuple(carrier for _, carrier in found)
