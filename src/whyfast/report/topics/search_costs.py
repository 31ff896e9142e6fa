"""How the programs of a search compare, by whatever was compared."""

from __future__ import annotations

import math
from collections.abc import Mapping

from whyfast.report.numbers import ratio_text
from whyfast.search.quantity import Quantity

#: What a higher cost is more of, and a lower one; see :func:`whyfast.search.quantity.costs`.
_COUNTED: Mapping[Quantity, tuple[str, str]] = {
    "instructions": ("more instructions", "fewer instructions"),
    "indirect-jumps": ("fewer indirect jumps", "more indirect jumps"),
}


#: Beyond this a ratio is no number any more: it is unbounded.
_LARGEST = 700.0


def compares(quantity: Quantity, estimate: float, low: float, high: float) -> str:
    """A log ratio of costs as the end of a sentence: ``is 1.37x slower [1.35, 1.39]``, or of
    counts, which have no interval, ``has 1.37x more instructions``."""
    if quantity != "time":
        more, fewer = _COUNTED[quantity]
        return f"has {math.exp(abs(estimate)):.4g}x {more if estimate >= 0 else fewer}"
    text = ratio_text(*(math.exp(x) if x < _LARGEST else math.inf for x in (estimate, low, high)))
    return f"is {text.factor} {text.interval}".strip()
