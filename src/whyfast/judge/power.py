"""What a number of blocks can tell: small samples, the detectable effect, the cost of the margin.

n blocks cannot bring the wealth above 2ⁿ: 9 are needed at 1 %. Of fewer, two weaker statements
remain: all on one side of 1 is 1 chance in 2ⁿ⁻¹, and Student's interval if the noise is normal.

The tables are of the procedure on standard normal blocks (``python -m bench.power --table``); a
comparison's own interval tells by how much its noise is another."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from whyfast.judge.eprocess import log_wealth
from whyfast.judge.ratios import Floats, median
from whyfast.judge.special import t_limit
from whyfast.judge.strategies import CLIP
from whyfast.model.verdict import Outcome, SmallSample

_INF = math.inf

#: The levels (rows) and numbers of blocks (columns) of the tables.
LEVELS = (0.05, 0.01, 1e-4, 1e-6)
BLOCKS = (9, 10, 12, 14, 17, 20, 24, 32, 48, 72, 100, 150, 220, 320, 480)

# fmt: off
#: Half widths of the interval times √n, the median; inf where half of the intervals are unbounded.
HALVES = (
    (4.044, 4.169, 4.259, 4.059, 3.965, 3.864, 3.801, 3.723,
     3.64, 3.567, 3.56, 3.576, 3.53, 3.517, 3.586),
    (5.901, 5.343, 5.171, 5.145, 4.877, 4.715, 4.549, 4.393,
     4.269, 4.129, 4.066, 4.091, 4.063, 3.993, 4.028),
    (_INF, _INF, _INF, _INF, 7.516, 6.953, 6.603, 6.112,
     5.743, 5.56, 5.361, 5.23, 5.268, 5.244, 5.095),
    (_INF, _INF, _INF, _INF, _INF, _INF, 9.41, 8.029,
     7.132, 6.73, 6.563, 6.259, 6.144, 6.236, 6.112),
)

#: By what half a width is multiplied for a difference that is found nine times in ten.
FACTORS = (
    (1.981, 1.938, 1.859, 1.752, 1.658, 1.611, 1.567, 1.512,
     1.462, 1.43, 1.409, 1.396, 1.392, 1.385, 1.378),
    (2.346, 2.358, 2.148, 1.918, 1.693, 1.605, 1.544, 1.48,
     1.419, 1.384, 1.367, 1.351, 1.344, 1.342, 1.338),
    (_INF, _INF, _INF, _INF, 1.616, 1.586, 1.496, 1.406,
     1.342, 1.309, 1.296, 1.284, 1.272, 1.266, 1.271),
    (_INF, _INF, _INF, _INF, _INF, _INF, 1.443, 1.389,
     1.31, 1.274, 1.257, 1.246, 1.238, 1.227, 1.229),
)
# fmt: on

#: With fewer blocks it is mostly chance that widens an interval for correlation, and more of them
#: take that back, so the cost does not allow for it.
_STEADY = 17

#: No cost is given for more blocks than this.
_MOST = 10_000_000


def half_width(n: int, alpha: float) -> float:
    """Half of the interval's width, the median for ``n`` standard normal blocks; or inf."""
    return _between(HALVES, n, alpha) / math.sqrt(n) if n else _INF


def detectable(d: Floats, interval: tuple[float, float], alpha: float) -> float:
    """The smallest |log ratio| that this many such blocks distinguish from 0 nine times in ten,
    from the ``interval`` at level ``alpha``. inf for too few blocks, and where most blocks are
    equal."""
    low, high = interval
    if math.isinf(low) or math.isinf(high) or _deviation(d) == 0:
        return _INF
    return (high - low) / 2 * _between(FACTORS, len(d), alpha)


def seconds_to_margin(
    d: Floats, interval: tuple[float, float], alpha: float, margin: float, seconds_per_block: float
) -> tuple[float, float] | None:
    """Further seconds of measuring until a difference of the margin is distinguished from none: as
    often too long as too short (half the interval is log(1 + margin)), and long enough nine times
    in ten (that times the factor of :func:`detectable`). None when the noise is not known yet."""
    low, high = interval
    n = len(d)
    deviation = _deviation(d)
    if deviation == 0:
        return None
    # An interval may be bounded sooner than half of them are.
    usual = half_width(n, alpha)
    unknown = math.isinf(low) or math.isinf(high) or math.isinf(usual) or low == high
    sigma = 1.4826 * deviation if unknown else (high - low) / 2 / usual
    goal = math.log1p(margin) / sigma
    blocks, half = _widths(alpha)
    # Of fewer blocks than bound anything, as of the fewest that do.
    bounded = n if math.isfinite(usual) else int(blocks[np.isfinite(half)][0])
    factor = _between(FACTORS, max(bounded, _STEADY), alpha)
    further = []
    for widths in (half, half * factor):
        enough = np.nonzero((blocks >= n) & (widths <= goal))[0]
        if len(enough) == 0:
            return None
        further.append((float(blocks[enough[0]]) - n) * seconds_per_block)
    return further[0], further[1]


@lru_cache(maxsize=64)
def _widths(alpha: float) -> tuple[Floats, Floats]:
    """Numbers of blocks, ascending by 1 and then by 1 %, and :func:`half_width` of each."""
    blocks = [1]
    while blocks[-1] < _MOST:
        blocks.append(blocks[-1] + max(1, blocks[-1] // 100))
    return np.array(blocks, dtype=float), np.array([half_width(n, alpha) for n in blocks])


def _deviation(d: Floats) -> float:
    """The median absolute deviation; 0 for fewer than three blocks, which do not tell."""
    return float(median(np.abs(d - median(d)))) if len(d) >= 3 else 0.0


def _between(table: Sequence[Sequence[float]], n: int, alpha: float) -> float:
    """A table's value for any number of blocks and level: in the logarithm of the number and the
    root of the log wealth that refutes, straight between what is tabled and, in the level, beyond.
    inf where ``n`` blocks bound nothing."""
    if n < BLOCKS[0]:
        return _INF
    wealth = [math.sqrt(math.log(2 / level)) for level in LEVELS]
    root = math.sqrt(math.log(2 / alpha))
    level = min(max(bisect_left(wealth, root), 1), len(wealth) - 1) - 1
    beside = min(bisect_right(BLOCKS, n), len(BLOCKS) - 1) - 1
    part = math.log(n / BLOCKS[beside]) / math.log(BLOCKS[beside + 1] / BLOCKS[beside])
    a, b = (
        _straight(row[beside], row[beside + 1], min(part, 1.0)) for row in table[level : level + 2]
    )
    part = (root - wealth[level]) / (wealth[level + 1] - wealth[level])
    return max(_straight(a, b, part), 0.0)


def _straight(a: float, b: float, part: float) -> float:
    """Between a and b, or beyond; inf between two of which one is."""
    if math.isinf(a) or math.isinf(b):
        return a if part <= 0 else (b if part >= 1 else _INF)
    return a + part * (b - a)


#: The least number of blocks for an outcome other than undecided.
FEWEST_BLOCKS = 3


@lru_cache(maxsize=256)
def needed_blocks(alpha: float) -> int:
    """The least number of blocks whose interval at level ``alpha`` is bounded: all on one side."""
    n = 1
    while float(log_wealth(np.full(n, CLIP))[0]) < math.log(2 / alpha):
        n += 1
    return n


def small_sample(d: Floats, alpha: float) -> SmallSample | None:
    """The statements that a small sample ``d`` of log ratios supports; None for no blocks, and for
    :func:`needed_blocks`. The range of n blocks holds the median with probability 1 − 2¹⁻ⁿ
    (Thompson 1936)."""
    n, needed = len(d), needed_blocks(alpha)
    if not 0 < n < needed:
        return None
    low, high = float(np.min(d)), float(np.max(d))
    normal_low, normal_high = -math.inf, math.inf
    if n >= 2:
        half = t_limit(alpha / 2, n - 1) * float(np.std(d, ddof=1)) / math.sqrt(n)
        normal_low, normal_high = float(np.mean(d)) - half, float(np.mean(d)) + half
    outcome: Outcome = "undecided"
    if n >= FEWEST_BLOCKS and min(low, normal_low) > 0:
        outcome = "slower"
    elif n >= FEWEST_BLOCKS and max(high, normal_high) < 0:
        outcome = "faster"
    return SmallSample(
        outcome=outcome,
        low=math.exp(low),
        high=math.exp(high),
        confidence=1 - 2.0 ** (1 - n),
        normal_low=exp_or_inf(normal_low),
        normal_high=exp_or_inf(normal_high),
        needed=needed,
    )


def exp_or_inf(log: float) -> float:
    """The ratio of a log ratio; infinite where it overflows."""
    return math.exp(log) if log < 700 else math.inf
