"""Time and memory of ``whyfast history`` by the number of points.

python -m bench.history.growth [--longest 100000]
"""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np
from numpy.typing import NDArray

from whyfast.history.detect import detect
from whyfast.model.history import PointSeries, Timeline

Floats = NDArray[np.float64]


def main() -> None:
    """Print a row a kind and length: no change, wandering noise, and a step each 500 points."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--longest", type=int, default=100_000)
    longest = parser.parse_args().longest
    print("| series | points | s | MB | steps | outliers | drifts |\n|" + " --- |" * 7)
    for kind in ("noise", "wandering", "steps"):
        for points in (n for n in (1000, 3000, 10_000, 30_000, 100_000) if n <= longest):
            y = _series(kind, points)
            names = tuple(str(i) for i in range(points))
            timeline = Timeline(names, (PointSeries(kind, tuple(np.exp(y).tolist())),))
            start = time.perf_counter()
            (found,) = detect(timeline).series
            seconds = time.perf_counter() - start
            tracemalloc.start()
            detect(timeline)
            most = tracemalloc.get_traced_memory()[1] / 1e6
            tracemalloc.stop()
            counts = f"{len(found.shifts)} | {len(found.outliers)} | {len(found.drifts)}"
            print(f"| {kind} | {points} | {seconds:.2f} | {most:.0f} | {counts} |", flush=True)


def _series(kind: str, points: int) -> Floats:
    rng = np.random.default_rng(1)
    y: Floats = 0.02 * rng.standard_t(3, points)
    if kind == "wandering":
        y = y + np.cumsum(0.001 * rng.standard_normal(points))
    if kind == "steps":
        y = y + np.repeat(rng.normal(0.0, 0.1, points // 500 + 1), 500)[:points]
    return y


if __name__ == "__main__":
    main()
