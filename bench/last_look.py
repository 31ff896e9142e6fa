"""What keeping half of the level for the end of a budget does: ``python -m bench.last_look``.

Half widths of the interval for whole runs at the end of a budget, over those of the one that has
the whole level for looks, and how often a difference that is called detectable is found. Then how
often equal programs are called different by a look after each block, by
the last look, and by either; of independent blocks, and of autoregressions. Simulated; takes some
five minutes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bench.intervals import counted_paths, first_beyond
from bench.noises import Rng, draw
from whyfast.judge.decide import ALPHA
from whyfast.judge.eprocess import intervals
from whyfast.judge.looks import KEPT, nine_in_ten, planned_interval
from whyfast.judge.ratios import Ratios
from whyfast.judge.strategies import strategies

BLOCKS, REPEATS = (12, 20, 45, 100), 100
#: Blocks of the series that are watched: some two seconds of runs of 20 ms.
WATCHED = 45
NOISES = ("normal", "t with 2 degrees of freedom", "commands, one turn")
CORRELATIONS = (0.2, 0.5, 0.9)
LOOKS, LAST = ALPHA * (1 - KEPT), ALPHA * KEPT


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.last_look", description=__doc__)
    parser.add_argument("--watched", type=int, default=1000, help="series of each noise")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(1)
    print("| noise | " + " | ".join(f"{n} blocks" for n in BLOCKS) + " |")
    print("| --- " * (len(BLOCKS) + 1) + "|")
    for name in NOISES:
        cells = " | ".join(_width(rng, name, n) for n in BLOCKS)
        print(f"| {name} | {cells} |", flush=True)
    print(f"\n| noise, {WATCHED} blocks | looks at the whole level | looks at half | the last "
          "look | either | no last look |")  # fmt: skip
    print("| --- " * 6 + "|")
    for name, drawn in _watched(rng).items():
        series = [drawn() for _ in range(args.watched)]
        print(f"| {name} | {' | '.join(_errors(series))} |", flush=True)
    return 0


def _width(rng: Rng, name: str, n: int) -> str:
    """Half the width over that with the whole level for looks, medians; and how often a difference
    that one series calls detectable is found by another."""
    series = [draw(rng, name, n) for _ in range(REPEATS)]
    s = strategies(series)
    low, high, _ = intervals(s, np.full(REPEATS, ALPHA))
    before = float(np.median(high - low))
    low, high, apart = intervals(s, np.full(REPEATS, LOOKS))
    own = np.array([planned_interval(r, LAST) for r in series])
    low = np.where(apart, low, np.maximum(low, own[:, 0]))
    high = np.where(apart, high, np.minimum(high, own[:, 1]))
    detectable = (high - low) / 2 * nine_in_ten(n)
    found = np.mean(detectable[:, None] >= np.concatenate([-low, high])[None])
    return f"{float(np.median(high - low)) / before:.2f}, {found:.0%}"


def _watched(rng: Rng) -> Mapping[str, Callable[[], Ratios]]:
    kinds: dict[str, Callable[[], Ratios]] = {
        name: lambda name=name: draw(rng, name, WATCHED)  # type: ignore[misc]
        for name in NOISES
    }
    for r in CORRELATIONS:
        kinds[f"neighbours correlate by {r}"] = lambda r=r: _alike(rng, r)  # type: ignore[misc]
    return kinds


def _alike(rng: Rng, r: float) -> Ratios:
    """A first-order autoregression."""
    x = [float(rng.standard_normal())]
    for z in rng.standard_normal(WATCHED - 1):
        x.append(r * x[-1] + math.sqrt(1 - r * r) * float(z))
    return Ratios(0.01 * np.array([x]))


def _errors(series: Sequence[Ratios]) -> list[str]:
    wealth = np.maximum(*counted_paths(strategies(series), 0.0))
    whole, half = (first_beyond(wealth, alpha) <= WATCHED for alpha in (ALPHA, LOOKS))
    ends = np.array([planned_interval(r, LAST) for r in series])
    last = (ends[:, 0] > 0) | (ends[:, 1] < 0)
    shares = [whole, half, last, half | last]
    return [f"{np.mean(found):.1%}" for found in shares] + [f"{np.mean(np.isinf(ends[:, 0])):.0%}"]


if __name__ == "__main__":
    sys.exit(main())
