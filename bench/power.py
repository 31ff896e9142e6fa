"""What blocks can tell, simulated: ``python -m bench.power [--table]``.

With ``--table`` the constants of ``whyfast/judge/power.py``: half widths of intervals of standard
normal blocks, and by what a half width is multiplied to be found nine times in ten. Without it the
check of what reports say: how often a difference that is called detectable is found, and by when
one of the margin. Takes some five minutes, three with ``--table``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.noises import KINDS, draw
from whyfast.judge.decide import ALPHA
from whyfast.judge.eprocess import intervals
from whyfast.judge.power import BLOCKS, LEVELS, detectable, seconds_to_margin
from whyfast.judge.ratios import Ratios
from whyfast.judge.strategies import strategies

Floats = NDArray[np.float64]

#: Simulated comparisons, and those worked on at once.
SERIES, AT_ONCE = 4000, 250


def ends(series: Sequence[Ratios], alpha: float) -> tuple[Floats, Floats]:
    """The intervals of comparisons with equally many blocks."""
    lows, highs = [], []
    for at in range(0, len(series), AT_ONCE):
        s = strategies(series[at : at + AT_ONCE])
        low, high = intervals(s, np.full(s.x.shape[2], alpha))[:2]
        lows.append(low)
        highs.append(high)
    return np.concatenate(lows), np.concatenate(highs)


def constants(rng: np.random.Generator) -> tuple[list[list[float]], list[list[float]]]:
    """Half widths times √n, and the factors for nine times in ten; a row a level."""
    series = [Ratios(x[None]) for x in rng.standard_normal((SERIES, BLOCKS[-1]))]
    halves: list[list[float]] = [[] for _ in LEVELS]
    factors: list[list[float]] = [[] for _ in LEVELS]
    for n in BLOCKS:
        own = [r.first(n) for r in series]
        for i, alpha in enumerate(LEVELS):
            low, high = ends(own, alpha)
            half = (high - low) / 2
            known = bool(np.isfinite(np.median(half)))
            halves[i].append(round(float(np.median(half)) * math.sqrt(n), 3) if known else math.inf)
            factors[i].append(_factor(half, np.concatenate([-low, high])) if known else math.inf)
    return halves, factors


def _factor(half: Floats, needed: Floats) -> float:
    """The q with P(q · half ≥ needed) = 0.9, the two from different series: ``needed`` is the shift
    at which a series would have been found."""
    low, high, ordered = 0.5, 9.0, np.sort(half)
    for _ in range(40):
        q = (low + high) / 2
        reached = 1 - float(np.mean(np.searchsorted(ordered * q, needed))) / len(ordered)
        low, high = (q, high) if reached < 0.9 else (low, q)
    return round(high, 3)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.power", description=__doc__)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(1)
    if args.table:
        for name, rows in zip(("HALVES", "FACTORS"), constants(rng), strict=True):
            print(f"{name} = (")
            for row in rows:
                print(
                    "    (" + ", ".join("_INF" if math.isinf(x) else f"{x:g}" for x in row) + "),"
                )
            print(")")
        return 0
    print("| noise | blocks | found, of those called detectable | the margin told within "
          "seconds_to_margin | within seconds_to_margin_90 |")  # fmt: skip
    print("| --- " * 5 + "|")
    for name in KINDS:
        for n in (12, 20, 50, 100):
            print("| " + " | ".join([name, str(n), *_check(rng, name, n)]) + " |", flush=True)
    return 0


def _check(rng: np.random.Generator, name: str, n: int, trials: int = 500) -> list[str]:
    series = [draw(rng, name, n) for _ in range(2 * trials)]
    low, high = ends(series, ALPHA)
    said = np.array(
        [
            detectable(r.medians, (a, b), ALPHA)
            for r, a, b in zip(series[:trials], low, high, strict=False)
        ]
    )
    found = float(np.mean(said >= -low[trials:]))
    # A margin that the n blocks cannot tell yet: what the estimates then ask for.
    margin = float(np.expm1(np.median(high - low) / 2 * 0.6))
    told = [0, 0]
    for r, a, b in zip(series[:trials], low, high, strict=False):
        wanted = seconds_to_margin(r.medians, (a, b), ALPHA, margin, 1.0)
        if wanted is None:
            continue
        most = n + math.ceil(wanted[1])
        further = draw(rng, name, most).shifted(math.log1p(margin))
        at = _first(further, n, most)
        told[0] += at <= n + wanted[0]
        told[1] += at <= n + wanted[1]
    return [f"{found:.0%}", f"{told[0] / trials:.0%}", f"{told[1] / trials:.0%}"]


def _first(r: Ratios, start: int, most: int) -> float:
    """The first number of blocks at which the difference is told, looking every 4 %."""
    n = start
    while n <= most:
        low, high = ends([r.first(n)], ALPHA)
        if low[0] > 0 or high[0] < 0:
            return n
        n += max(1, n // 25)
    return math.inf


if __name__ == "__main__":
    sys.exit(main())
