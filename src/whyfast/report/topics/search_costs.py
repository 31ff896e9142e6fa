"""How the programs of a search compare, by whatever was compared."""

from __future__ import annotations

import math
from collections.abc import Mapping

from whyfast.report.numbers import ratio_text
from whyfast.search.answer import Interval
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
        return f"has {_shown(estimate)}x {more if estimate >= 0 else fewer}"
    text = ratio_text(*(math.exp(x) if x < _LARGEST else math.inf for x in (estimate, low, high)))
    return f"is {text.factor} {text.interval}".strip()


def alike(quantity: Quantity, ends: Interval | None, good: str, bad: str) -> str:
    """That the ends do not differ by what matters, as a clause: with their ratio, and where it is
    surely none of 1, that it is less than the margin."""
    as_much = "takes as long" if quantity == "time" else "costs as much"
    if ends is None:
        return f"{bad} {as_much} as {good}"
    if not math.isfinite(ends.low + ends.high):
        ratio = math.exp(ends.estimate)
        return f"{bad} {as_much} as {good} (it is about {ratio_text(ratio, ratio, ratio).factor})"
    if quantity != "time" and _shown(ends.estimate) == "1":
        return f"{bad} {as_much} as {good}"
    said = compares(quantity, ends.estimate, ends.low, ends.high)
    if surely_unlike(quantity, ends):
        return f"{bad} {said} than {good}, less than the margin"
    return f"{bad} {as_much} as {good} (it {said})"


def surely_unlike(quantity: Quantity, ends: Interval | None) -> bool:
    """Whether there is a difference, be it too small to matter."""
    if ends is None or not math.isfinite(ends.low + ends.high):
        return False
    if quantity != "time" and _shown(ends.estimate) == "1":
        return False
    return not ends.low <= 0 <= ends.high


def _shown(estimate: float) -> str:
    """The factor between two counts."""
    return f"{math.exp(abs(estimate)):.4g}"
