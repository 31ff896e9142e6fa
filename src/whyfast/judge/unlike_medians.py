"""Medians of single times that lie elsewhere than the ratio beside them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from whyfast.model.sample import Block
from whyfast.model.verdict import Confound, Verdict

#: By at least this factor, so that a reader wonders.
_FACTOR = 1.25


def unlike_medians(verdicts: Sequence[Verdict], blocks: Iterable[Block]) -> tuple[Confound, ...]:
    """One note on the pair whose medians are furthest from its ratio, and outside of its interval.

    A ratio is of turns beside each other. Where some runs are held up and others are not, as on a
    busy machine, the median over all runs falls now among these and now among those.
    """
    times: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for block in blocks:
        for variant, values in block.values.items():
            times[block.benchmark, variant].extend(v / block.loops for v in values)
    worst: tuple[float, Verdict, float] | None = None
    for verdict in verdicts:
        head = times.get((verdict.benchmark or "", verdict.variant), [])
        base = times.get((verdict.benchmark or "", verdict.baseline), [])
        if not head or not base or verdict.ratio <= 0 or min(median(head), median(base)) <= 0:
            continue
        apart = median(head) / median(base)
        far = abs(math.log(apart / verdict.ratio))
        inside = verdict.low <= apart <= verdict.high
        if not inside and far > math.log(_FACTOR) and (worst is None or far > worst[0]):
            worst = far, verdict, apart
    if worst is None:
        return ()
    _, verdict, apart = worst
    return (
        Confound(
            "unlike-medians",
            f"single times of {verdict.benchmark} are uneven: the medians of {verdict.variant} and "
            f"{verdict.baseline} lie {max(apart, 1 / apart):.2f}x apart, turns beside each other "
            f"{max(verdict.ratio, 1 / verdict.ratio):.2f}x; the verdict is of the latter",
            "note",
            (verdict.variant, verdict.baseline),
        ),
    )
