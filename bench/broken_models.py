"""What is said where the model of blocks is broken: ``python -m bench.broken_models``.

Disturbances that hit the variant alone, variants with a slow mode, and processes that warm up or
slow down. Simulated; takes some four minutes. For blocks that are like their neighbours see
bench.correlated.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.intervals import first_alarm
from whyfast.judge.decide import judge_family, precise_enough
from whyfast.judge.looks import Looks
from whyfast.judge.processes import SURE, non_stationary, split
from whyfast.judge.ratios import Ratios
from whyfast.model.sample import Block
from whyfast.model.verdict import Verdict

Floats = NDArray[np.float64]
Rng = np.random.Generator

BLOCKS = 100
AT_ONCE = 250


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.broken_models", description=__doc__)
    parser.add_argument("--trials", type=int, default=1000, help="of each kind")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(1)
    for table in (_one_sided, _lopsided, _modes, _unsteady):
        table(rng, args.trials)
        print(flush=True)
    return 0


def _row(*cells: object) -> None:
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def _head(title: str, *cells: str) -> None:
    print(f"**{title}**\n")
    _row(*cells)
    print("| --- " * len(cells) + "|")


def _ever_refuted(d: Floats) -> float:
    """How often 0 is ever refuted, of series of shape (blocks, series)."""
    stops = [
        first_alarm([Ratios(x[None]) for x in d[:, at : at + AT_ONCE].T], 0.0)
        for at in range(0, d.shape[1], AT_ONCE)
    ]
    return float(np.mean(np.isfinite(np.concatenate(stops))))


def _one_sided(rng: Rng, trials: int) -> None:
    _head(
        f"Disturbances of the variant alone, by 30 %, looked at after each of {BLOCKS}; the "
        "typical process is not slower",
        "share of processes", "interval ever leaves out 1",
    )  # fmt: skip
    for share in (0.0, 0.05, 0.1, 0.2, 0.3):
        d = 0.01 * rng.standard_normal((BLOCKS, trials))
        d += math.log(1.3) * (rng.random((BLOCKS, trials)) < share)
        _row(f"{share:.0%}", f"{_ever_refuted(d):.1%}")


def _lopsided(rng: Rng, trials: int) -> None:
    most = 200
    _head(
        "Processes of the variant that are 30 % slower, noise 1 %, margin 1 %: when `ab` stops, "
        f"or after {most} blocks",
        "share of processes", "“same”", "of these, slow processes are named beside it",
        "“same” is withheld for them", "slower", "undecided", "blocks, median",
    )  # fmt: skip
    for share in (0.0, 0.05, 0.1, 0.2, 0.4):
        words: Counter[str] = Counter()
        blocks = []
        for _ in range(trials // 5):
            slow = rng.random(most) < share
            noise = 0.01 / math.sqrt(2) * rng.standard_normal((2, most))
            a, b = noise[0] + math.log(1.3) * slow, noise[1]
            verdict = _stopped(Ratios((a - b)[None], None, a + b))
            blocks.append(verdict.blocks)
            words[verdict.outcome] += 1
            side = verdict.asymmetric_outliers
            words["beside"] += verdict.outcome == "same" and side is not None
            words["withheld"] += (
                verdict.outcome == "undecided" and side is not None and side.p_value <= SURE
            )
        n = trials // 5
        beside = f"{words['beside'] / words['same']:.0%}" if words["same"] else "–"
        rest = words["undecided"] - words["withheld"]
        _row(
            f"{share:.0%}", f"{words['same'] / n:.0%}", beside, f"{words['withheld'] / n:.0%}",
            f"{words['slower'] / n:.0%}", f"{rest / n:.0%}", f"{np.median(blocks):.0f}",
        )  # fmt: skip


def _stopped(r: Ratios) -> Verdict:
    """The verdict at which measuring would have stopped, looking as whyfast does."""
    n, looks = 1, Looks()
    while True:
        (verdict,) = judge_family({("x", "new", "old"): r.first(n)}, margin=0.01)
        if n >= len(r) or precise_enough(verdict, 0.01):
            return verdict
        n = min(len(r), n + (1 if n < looks.each else max(1, round(looks.growth * n))))


def _modes(rng: Rng, trials: int) -> None:
    sizes = (20, 50, 150)
    _head(
        "Two modes, of one number a process",
        "processes", *(f"of {n} found to have modes" for n in sizes),
    )  # fmt: skip
    kinds: Mapping[str, Callable[[int], Floats]] = {
        "normal noise, one speed": rng.standard_normal,
        "noise of t with 3 degrees of freedom": lambda n: rng.standard_t(3, n),
        "exponential noise": lambda n: rng.exponential(1.0, n),
        "5 % are slower by 10 σ": lambda n: rng.standard_normal(n) + 10 * (rng.random(n) < 0.05),
        "10 % are slower by 10 σ": lambda n: rng.standard_normal(n) + 10 * (rng.random(n) < 0.1),
        "half are slower by 10 σ": lambda n: rng.standard_normal(n) + 10 * (rng.random(n) < 0.5),
    }
    for name, draw in kinds.items():
        found = [
            sum(len(split(0.01 * draw(n), 0.001)) > 1 for _ in range(trials)) / trials
            for n in sizes
        ]
        _row(name, *(f"{x:.1%}" for x in found))


def _unsteady(rng: Rng, trials: int) -> None:
    shapes: Mapping[str, Callable[[Floats], Any]] = {
        "steady": lambda t: 0 * t,
        "steady, spikes of 50 % in one turn of ten": lambda t: 0.4 * (rng.random(len(t)) < 0.1),
        "each turn 1 % slower than the last": lambda t: 0.01 * t,
        "5 % slower from the tenth turn on": lambda t: 0.05 * (t >= 10),
        "50 % slower in the first two turns": lambda t: 0.4 * (t < 2),
        "warming up for ever: 30 %, by half every 14 turns": lambda t: 0.26 * np.exp(-t / 20),
    }
    sizes = ((10, 3), (10, 30), (40, 10), (40, 30))
    _head(
        "What is said of processes whose turns vary by 1 %",
        "turns", *(f"{n} blocks of {turns} turns" for n, turns in sizes),
    )  # fmt: skip
    for name, shape in shapes.items():
        cells = []
        for number, turns in sizes:
            kinds = Counter(_kind(rng, number, turns, shape) for _ in range(trials // 10))
            kind, count = kinds.most_common(1)[0]
            cells.append(f"{kind} {count / (trials // 10):.0%}")
        _row(name, *cells)


def _kind(rng: Rng, number: int, turns: int, shape: Callable[[Floats], Any]) -> str:
    at = np.arange(float(turns))
    times = [np.exp(shape(at) + 0.01 * rng.standard_normal(turns)) for _ in range(number)]
    blocks = [
        Block(
            "x", i, 0, "s", None, 1, 0, ("b",), (("b",),) * turns,
            {"b": tuple(x.tolist())}, float(i), 0.1,
        )
        for i, x in enumerate(times)
    ]  # fmt: skip
    found = non_stationary(blocks, ["b"])
    return " and ".join(u.kind for u in found) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
