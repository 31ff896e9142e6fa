"""How far two runs of one build lie apart where no reruns show it.

Two files without reruns say nothing on what changed between them: the machine's temperature, its
neighbours, a reboot, memory laid out otherwise. What is known is how far runs of one build lay
apart elsewhere (the bounds below, from public reruns and nightly runs: docs/math/runs.md), and how
far the benchmarks of this very pair lie apart, most of which a change seldom moves by much. The log
ratio of a benchmark is taken as t-distributed with

    variance = SE² + (SHARE·sd)² + a²

where SE is its standard error within the runs, sd the standard deviation between processes, and a,
the drift of this pair, is what makes the median benchmark as far from the pair's median as the t
distribution says, within the bounds of its kind; on a machine whose processes spread far, the upper
bound is the higher.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from whyfast.judge.processes import Contrast
from whyfast.judge.quantiles import median

Floats = NDArray[np.float64]

#: Drift grows with the noise of a benchmark: this share of its standard deviation between
#: processes.
SHARE = 0.2

#: Fewer benchmarks than this do not show the drift of their pair: the upper bound is taken.
FEWEST = 5

#: Processes of a quiet machine spread by less than this (the median benchmark: 0.4 to 1.9 % in the
#: public runs). One whose processes spread by more has other work, whose drift may be so many times
#: as large as what is beyond, and up to so much: under a load of 13 on two CPUs whole sessions were
#: up to three times slower. Too few benchmarks to show it are given once what is beyond.
QUIET, BUSY, MOST_BUSY = 0.02, 10.0, 1.0

#: A run's drift that its benchmarks share, as a share of a: the geometric mean does not lose it.
SHARED = 0.5

#: Degrees of freedom of the t distribution: drift has heavier tails than normal.
FREEDOM = 8.0


@dataclass(frozen=True)
class DriftBounds:
    """Bounds of a, and the degrees of freedom of its t distribution."""

    low: float
    high: float
    freedom: float


#: Several processes a benchmark and file.
PROCESSES = DriftBounds(0.003, 0.014, FREEDOM)
#: One process a benchmark and file, whose layout and moment are in every value.
ONE_PROCESS = DriftBounds(0.015, 0.025, 6.0)


@dataclass(frozen=True)
class Ratio:
    """A benchmark's log ratio before drift is allowed for.

    ``error`` and ``freedom`` are of the standard error within the runs; ``deviation`` is the
    standard deviation between processes. Where a file has one process, location and error are
    those of the values inside of it, 0 and inf where there is one value, and the deviation is
    :data:`SHARE` of theirs, as values spread more than processes.
    """

    point: float
    location: float
    error: float
    freedom: float
    deviation: float
    kind: DriftBounds


def with_drift(ratios: Sequence[Ratio]) -> tuple[list[Contrast], list[float]]:
    """A contrast each that allows for drift, and the a that was taken for each."""
    scales = {kind: _scale([r for r in ratios if r.kind == kind], kind) for kind in _kinds(ratios)}
    taken = [scales[r.kind] for r in ratios]
    return [_contrast(r, a) for r, a in zip(ratios, taken, strict=True)], taken


def other_work(ratios: Sequence[Ratio]) -> float:
    """By how much the processes of the median benchmark spread more than on a quiet machine."""
    deviations = [r.deviation for r in ratios]
    return max(float(median(deviations)) - QUIET, 0.0) if deviations else 0.0


def _kinds(ratios: Sequence[Ratio]) -> dict[DriftBounds, None]:
    return dict.fromkeys(r.kind for r in ratios)


def _contrast(ratio: Ratio, a: float) -> Contrast:
    """Welch–Satterthwaite degrees of freedom, as the two variances are known unequally well."""
    within, between = ratio.error**2, (SHARE * ratio.deviation) ** 2 + a**2
    total = within + between
    freedom = total**2 / (within**2 / ratio.freedom + between**2 / ratio.kind.freedom)
    return Contrast(ratio.point, ratio.location, math.sqrt(total), freedom)


def _scale(ratios: Sequence[Ratio], kind: DriftBounds) -> float:
    """a by bisection: the median of |d − median d| / √(SE² + (SHARE·sd)² + a²) falls in a."""
    busy = other_work(ratios)
    if len(ratios) < FEWEST:
        return kind.high + min(busy, MOST_BUSY)
    most = kind.high + min(BUSY * busy, MOST_BUSY)
    points = np.array([r.point for r in ratios])
    known = np.array([r.error**2 + (SHARE * r.deviation) ** 2 for r in ratios])
    # Other work slows a whole run, so there the median's own distance is no sign of a change.
    apart = np.abs(points - (0.0 if busy > 0 else median(points)))
    wanted = float(special.stdtrit(kind.freedom, 0.75))

    def too_far(a: float) -> bool:
        return float(median(apart / np.sqrt(known + a * a))) > wanted

    low, high = kind.low, most
    if not too_far(low):
        return low
    if too_far(high):
        return high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if too_far(middle) else (low, middle)
    return high
