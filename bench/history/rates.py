"""False findings of ``whyfast history`` on noise without any change, and what it finds of changes.

    python -m bench.history.rates [--series 1000] [--shortest 5] [--longest 1000] [--table NAME …]

Each series is judged by itself, or in suites of 10 and 50. Noise has a standard deviation of 1, or
about that, on the scale of logarithms.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bench.history.noises import NOISES
from whyfast.history.changes import Pruned, single_chance
from whyfast.history.detect import find_outliers, judged

Floats = NDArray[np.float64]

POINTS = (5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100, 200, 500, 1000, 3000)
SUITES = (10, 50)
STEPS = (2.0, 3.0, 4.0, 6.0, 8.0)
#: At most so many points are drawn for one cell of a table.
_MOST = 400_000


def main() -> None:
    """Print the tables."""
    tables: dict[str, Callable[[argparse.Namespace], None]] = {
        "false": false_steps,
        "others": other_findings,
        "suites": suites,
        "steps": found_steps,
        "wild": wild_points,
        "drifts": found_drifts,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=1000)
    parser.add_argument("--shortest", type=int, default=5)
    parser.add_argument("--longest", type=int, default=1000)
    parser.add_argument("--table", choices=tables, nargs="+", default=list(tables))
    args = parser.parse_args()
    for name in args.table:
        tables[name](args)


def false_steps(args: argparse.Namespace) -> None:
    """Share of series with a step, by noise and number of points."""
    print("\nSeries without change that are given a step, per cent\n")
    _row("points", *NOISES)
    for points in (p for p in POINTS if args.shortest <= p <= args.longest):
        cells = []
        for draw in NOISES.values():
            y = draw(np.random.default_rng(1), (_count(args, points), points))
            cells.append(np.mean([bool(steps(p)) for p in alone(y)]))
        _row(points, *(f"{100 * share:.1f}" for share in cells))


def other_findings(args: argparse.Namespace) -> None:
    """Share of series with a drift, and with an outlier."""
    for what, has in (("a drift", _drifts), ("an outlier", _outliers)):
        print(f"\nSeries without change that are given {what}, per cent\n")
        _row("points", *NOISES)
        for points in (p for p in POINTS if args.shortest <= p <= args.longest):
            cells = []
            for draw in NOISES.values():
                y = draw(np.random.default_rng(1), (_count(args, points), points))
                found = [has(p, row) for p, row in zip(alone(y), y, strict=True)]
                cells.append(np.mean(found))
            _row(points, *(f"{100 * share:.1f}" for share in cells))


def suites(args: argparse.Namespace) -> None:
    """Share of series with a step that are judged in suites, of one noise and of many."""
    print("\nSeries without change in suites that are given a step, per cent\n")
    kinds = [(n, s) for n in ("normal", "t3") for s in ("one size", "many sizes")]
    _row("points", "series", *(f"{n}, {s}" for n, s in kinds))
    for points in (5, 6, 7, 9, 12, 20, 50):
        for series in SUITES:
            cells = []
            for name, sizes in kinds:
                rng = np.random.default_rng(3)
                found = []
                for _ in range(max(1, args.series // series)):
                    y = NOISES[name](rng, (series, points))
                    # Standard deviations that differ by a factor of 2 from the middle, often.
                    spread = 0.7 * rng.standard_normal((series, 1)) if sizes != "one size" else 0.0
                    together = judged(list(y * np.exp(spread)), [0.0] * series)
                    found += [bool(steps(p)) for p in together]
                cells.append(f"{100 * np.mean(found):.1f}")
            _row(points, series, *cells)


def found_steps(args: argparse.Namespace) -> None:
    """Share of series whose one step, in the middle, is found within a point, and no other."""
    print("\nFound, of series with one step in the middle of so many times the noise, per cent\n")
    _row("points", "series", *(f"{size:g} times" for size in STEPS))
    for points in (6, 9, 12, 20, 30, 50, 100):
        for series in (1, *SUITES):
            cells = []
            for size in STEPS:
                rng = np.random.default_rng(2)
                found = []
                for _ in range(max(1, min(args.series, 400) // series)):
                    y = rng.standard_normal((series, points))
                    y[:, points // 2 :] += size
                    for pruned in judged(list(y), [0.0] * series):
                        at = steps(pruned)
                        found.append(len(at) == 1 and abs(at[0] - points // 2) <= 1)
                cells.append(f"{100 * np.mean(found):.0f}")
            _row(points, series, *cells)


def wild_points(args: argparse.Namespace) -> None:
    """A point 70 times the noise off, beside a step: what is said of both."""
    print("\nA step with a wild point beside it, per cent: both are found, and nothing else\n")
    sizes = (4.0, 6.0, 10.0)
    _row("points", *(f"{size:g} times" for size in sizes))
    for points in (12, 24, 27, 60):
        cells = []
        for size in sizes:
            y = np.random.default_rng(4).standard_normal((min(args.series, 400), points))
            y[:, points // 2 :] += size
            wild = points // 2 - 1 + np.arange(len(y)) % 3
            y[np.arange(len(y)), wild] += 70.0
            found = []
            for pruned, row, at in zip(alone(y), y, wild, strict=True):
                cut = steps(pruned)
                near = len(cut) == 1 and abs(cut[0] - points // 2) <= 1
                found.append(near and _outliers_at(pruned, row) == [at])
            cells.append(f"{100 * np.mean(found):.0f}")
        _row(points, *cells)


def found_drifts(args: argparse.Namespace) -> None:
    """Series that drift throughout: one drift and no step, and any step."""
    print("\nA drift of so many times the noise in all, per cent: one drift, no step / a step\n")
    sizes = (5.0, 10.0, 20.0, 40.0)
    _row("points", *(f"{size:g} times" for size in sizes))
    for points in (10, 20, 30, 60, 200):
        cells = []
        for size in sizes:
            y = np.random.default_rng(5).standard_normal((min(args.series, 400), points))
            found = alone(y + size * np.arange(points) / points)
            one = np.mean([len(p.pieces) == 1 and p.pieces[0].slope != 0 for p in found])
            stair = np.mean([bool(steps(p)) for p in found])
            cells.append(f"{100 * one:.0f} / {100 * stair:.0f}")
        _row(points, *cells)


def alone(y: Floats) -> list[Pruned]:
    """Each series judged by itself."""
    return [judged([row], [0.0])[0] for row in y]


def steps(pruned: Pruned) -> list[int]:
    """The first points of new levels."""
    pairs = zip(pruned.pieces, pruned.pieces[1:], strict=False)
    return [b.start for a, b in pairs if pruned.judge.jump(a, b) >= pruned.judge.needed]


def _drifts(pruned: Pruned, y: Floats) -> bool:
    return any(p.slope for p in pruned.pieces)


def _outliers(pruned: Pruned, y: Floats) -> bool:
    return bool(_outliers_at(pruned, y))


def _outliers_at(pruned: Pruned, y: Floats) -> list[int]:
    level = np.concatenate([p.values() for p in pruned.pieces])
    return find_outliers(y - level, pruned, single_chance(len(y)))


def _count(args: argparse.Namespace, points: int) -> int:
    return int(max(100, min(args.series, _MOST // points)))


def _row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |")
    if not str(cells[0]).isdigit():
        print("|" + " --- |" * len(cells))


if __name__ == "__main__":
    main()
