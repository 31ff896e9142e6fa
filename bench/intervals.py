"""The interval's width and coverage on simulated blocks: ``python -m bench.intervals``.

For several noises: the median half width in units of σ/√n, σ the standard deviation of the normal
distribution with the same quartiles; beside it that of the medians of turns alone, and a t interval
at the same level, for a number of blocks fixed in advance. Then how many blocks a difference takes,
and how often somebody who looks after every block ever sees the truth left out: of no difference,
and of a shift. Simulated; takes some ten minutes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bench.noises import KINDS, draw
from whyfast.judge.correlation import likelihood
from whyfast.judge.decide import ALPHA
from whyfast.judge.eprocess import LAMBDAS, WEIGHTS, intervals
from whyfast.judge.ratios import Ratios
from whyfast.judge.strategies import Strategies, strategies

Floats = NDArray[np.float64]

BLOCKS = (9, 12, 20, 40, 100, 300)
REPEATS = 200
#: Series that are watched, and how long.
WATCHED, LOOKS = 3000, 100
#: The difference to find, in standard deviations of the medians.
EFFECT = 0.5
AT_ONCE = 250


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.intervals", description=__doc__)
    parser.add_argument("--watched", type=int, default=WATCHED, help="series of each noise")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(1)
    print(f"Half widths at {1 - ALPHA:.0%} in units of σ/√n, medians of {REPEATS}; in brackets "
          "with the medians of turns alone, and Student's t\n")  # fmt: skip
    print("| noise | " + " | ".join(f"{n} blocks" for n in BLOCKS) + " |")
    print("| --- " * (len(BLOCKS) + 1) + "|")
    for name in KINDS:
        cells = [_width(rng, name, n) for n in BLOCKS]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    print(f"\n{args.watched} series of each noise, looked at after each of {LOOKS} blocks, "
          f"α = {ALPHA:.0%}\n")  # fmt: skip
    print("| noise | false alarms | interval ever wrong, shift of 30 % | blocks to find "
          f"{EFFECT:g} σ | with medians alone |")  # fmt: skip
    print("| --- " * 5 + "|")
    for name in KINDS:
        print(f"| {name} | " + " | ".join(_watched(rng, name, args.watched)) + " |", flush=True)
    return 0


def medians_alone(r: Ratios) -> Ratios:
    """Blocks of which nothing but the median of the turns' ratios is known."""
    return Ratios(r.medians[None])


def sigma(r: Ratios) -> float:
    """Robust standard deviation of the medians."""
    d = r.medians
    return float(stats.iqr(d) / 1.349)


def _width(rng: np.random.Generator, name: str, n: int) -> str:
    unit = sigma(draw(rng, name, 20_000)) / math.sqrt(n)
    series = [draw(rng, name, n) for _ in range(REPEATS)]
    found = []
    for kind in (series, [medians_alone(r) for r in series]):
        low, high, _ = intervals(strategies(kind), np.full(REPEATS, ALPHA))
        found.append(float(np.median(high - low)) / 2 / unit)
    t = float(stats.t.ppf(1 - ALPHA / 2, n - 1))
    student = np.median([t * np.std(r.medians, ddof=1) / math.sqrt(n) / unit for r in series])
    return f"{found[0]:.2f} ({found[1]:.2f}, {student:.2f})"


def _watched(rng: np.random.Generator, name: str, watched: int) -> list[str]:
    effect = EFFECT * sigma(draw(rng, name, 20_000))
    alarms = wrong = 0
    found: list[Floats] = [np.zeros(0), np.zeros(0)]
    for start in range(0, watched, AT_ONCE):
        series = [draw(rng, name, LOOKS) for _ in range(min(AT_ONCE, watched - start))]
        alarms += int(np.sum(first_alarm(series, 0.0) <= LOOKS))
        wrong += int(np.sum(first_alarm([r.shifted(0.3) for r in series], 0.3) <= LOOKS))
        for i, kind in enumerate((series, [medians_alone(r) for r in series])):
            slower = [r.shifted(effect) for r in kind]
            found[i] = np.concatenate([found[i], first_alarm(slower, 0.0)])
    blocks = ["more" if math.isinf(x) else f"{x:.0f}" for x in map(np.median, found)]
    return [f"{alarms / watched:.2%}", f"{wrong / watched:.2%}", *blocks]


def first_alarm(series: Sequence[Ratios], theta: float, alpha: float = ALPHA) -> Floats:
    """The first number of blocks after which ``theta`` is refuted, of each series; inf if never."""
    s = strategies(series)
    return first_beyond(np.maximum(*counted_paths(s, theta)), alpha)


def first_beyond(wealth: Floats, alpha: float = ALPHA) -> Floats:
    """The first number of blocks at which log wealth, shape (n, series), refutes; inf if never."""
    refuted = wealth >= math.log(2 / alpha)
    return np.where(refuted.any(axis=0), refuted.argmax(axis=0) + 1.0, math.inf)


def counted_paths(s: Strategies, theta: float) -> tuple[Floats, Floats]:
    """What of :func:`wealth_paths` counts: what :func:`whyfast.judge.eprocess.counted` says of the
    first n blocks, for all n at once."""
    at = np.full(s.x.shape[2], theta)
    above, below = wealth_paths(s, theta)
    for n in range(1, len(s.x) + 1):
        blocks = likelihood(s.x[:n, -1])
        above[n - 1] = blocks.discounted(above[n - 1], at, 1)
        below[n - 1] = blocks.discounted(below[n - 1], at, -1)
    return above, below


def wealth_paths(s: Strategies, theta: float) -> tuple[Floats, Floats]:
    """log wealth after each block against values below and above ``theta``, shape (n, series): what
    :func:`whyfast.judge.eprocess.evidence` says of the first n blocks, for all n at once.

    Strategies know of a block what was known before it, so that those of the first n blocks are the
    first n of all, and their wealth after each block a running sum.
    """
    psi = s.scores(np.full(s.x.shape[2], theta))
    sides = []
    for side in (1, -1):
        paths = [
            np.cumsum(np.log1p(np.tanh(bet * side * psi)), axis=0) + math.log(weight)
            for bet, weight in zip(LAMBDAS, WEIGHTS, strict=True)
        ]
        shared = np.logaddexp.reduce(paths, axis=0) + np.log(s.share)[:, None]
        sides.append(np.logaddexp.reduce(shared, axis=1))
    return sides[0], sides[1]


if __name__ == "__main__":
    sys.exit(main())
