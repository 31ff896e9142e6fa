"""The interval's width and coverage on simulated blocks: ``python -m bench.intervals``.

For several noises and numbers of blocks: the median half width in units of σ/√n (beside it a t
interval at the same level, for a number of blocks fixed in advance), and how often an interval that
is looked at after every block ever misses the truth. Simulated; takes about two minutes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from whyfast.judge.decide import ALPHA
from whyfast.judge.eprocess import confidence_interval, log_e_value, scales

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]

NOISES: dict[str, Noise] = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "t with 2 degrees of freedom": lambda rng, n: rng.standard_t(2, n) / 1.22,
    "two modes": lambda rng, n: rng.choice([-1.0, 1.0], n) + 0.1 * rng.standard_normal(n),
}
BLOCKS = (9, 12, 20, 40, 100, 300)
REPEATS = 60
WATCHED = 1000
LOOKS = 80


def main() -> int:
    rng = np.random.default_rng(1)
    print(f"confidence {1 - ALPHA:.0%}; half width / (σ/√n), median of {REPEATS}; t in brackets\n")
    print("| noise | " + " | ".join(f"{n} blocks" for n in BLOCKS) + " | ever wrong |")
    print("| --- " * (len(BLOCKS) + 2) + "|")
    for name, noise in NOISES.items():
        cells = [_width(noise, rng, n) for n in BLOCKS]
        missed = sum(_ever_wrong(noise(rng, LOOKS)) for _ in range(WATCHED))
        cells.append(f"{missed} of {WATCHED}, looking at every block up to {LOOKS}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    return 0


def _width(noise: Noise, rng: np.random.Generator, n: int) -> str:
    ours, theirs = [], []
    for _ in range(REPEATS):
        d = noise(rng, n)
        low, high = confidence_interval(d, ALPHA)
        ours.append((high - low) / 2 * math.sqrt(n))
        theirs.append(float(stats.t.ppf(1 - ALPHA / 2, n - 1)) * float(np.std(d, ddof=1)))
    return f"{np.median(ours):.2f} ({np.median(theirs):.2f})"


def _ever_wrong(d: Floats) -> bool:
    scale = scales(d)
    limit = -math.log(ALPHA)
    return any(log_e_value(d[:n], 0.0, scale[:n]) >= limit for n in range(1, len(d) + 1))


if __name__ == "__main__":
    sys.exit(main())
