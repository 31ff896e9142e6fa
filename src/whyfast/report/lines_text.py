"""What one more of a parameter costs, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.model.slope import Coefficient, Line
from whyfast.report.names import count, listed, shown
from whyfast.report.numbers import UNBOUNDED, ratio_text


def line_sentences(lines: Sequence[Line]) -> list[str]:
    """A sentence for each linear family: the slope of every variant, the first against the
    others."""
    return [
        _sentence([one for one in lines if one.family == family])
        for family in dict.fromkeys(one.family for one in lines if one.linear)
    ]


def _sentence(lines: Sequence[Line]) -> str:
    first = lines[0]
    costs = [
        f"{format_estimate(one.slope)} with {shown(one.variant)}{_factor(one)}" for one in lines
    ]
    most = first.points[-1].at
    passes = "1 pass" if first.passes == 1 else f"{first.passes} passes"
    return (
        f"One more {first.name} costs {listed(costs)} (slope from {first.points[0].at} to "
        f"{count(most, first.name)}, median of {passes})."
    )


def _factor(line: Line) -> str:
    r = line.slope_ratio
    if r is None or r.low is None or r.high is None:
        return ""
    if min(r.low, r.value) <= 0 or r.low <= 1 <= r.high:
        return ""
    return f" ({ratio_text(r.value, r.low, r.high).factor})"


def format_estimate(estimate: Coefficient) -> str:
    """A time with its interval in one unit: ``0.763 ns [0.751, 0.778]``; it may be negative."""
    known = [x for x in (estimate.low, estimate.value, estimate.high) if x is not None]
    unit, size = _unit(max(abs(x) for x in known))
    decimals = _decimals(estimate, size)
    ends = [
        UNBOUNDED if end is None else _number(end / size, decimals)
        for end in (estimate.low, estimate.high)
    ]
    return f"{_number(estimate.value / size, decimals)} {unit} [{ends[0]}, {ends[1]}]"


def _unit(seconds: float) -> tuple[str, float]:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return unit, size
    return "ns", 1e-9


def _decimals(estimate: Coefficient, size: float) -> int:
    """Three digits, and more while the ends of the interval would not differ."""
    value = abs(estimate.value) / size
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    if estimate.low is not None and estimate.high is not None:
        while 0 < (estimate.high - estimate.low) / size < 10.0**-decimals and decimals < 4:
            decimals += 1
    return decimals


def _number(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}".replace("-", "−")
