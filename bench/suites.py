"""Does the geometric mean use every block? ``python -m bench.suites [--trials 60]``.

A suite of twelve benchmarks, nine with noise of 1 % and three with 6 %, measured as whyfast does
until so many blocks are taken in all, in three ways: settled benchmarks leave and the rounds that
all have count; settled benchmarks rest and every block counts (as it is); all are measured evenly.
Prints the width of the interval of the mean, how often it is undecided, and how often it leaves out
the truth. Simulated; takes some ten minutes.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from whyfast.judge.comparisons import Rounds, judge_suites, rounds_of
from whyfast.judge.decide import judge_family, precise_enough
from whyfast.measure.campaign import BenchmarkRun, next_round
from whyfast.measure.invocation import Invocation
from whyfast.model.sample import Block
from whyfast.model.verdict import Verdict

NOISE = {f"quiet{i}": 0.01 for i in range(9)} | {f"noisy{i}": 0.06 for i in range(3)}
#: The difference on every benchmark, and the blocks taken in all.
DIFFERENCE, BLOCKS, MARGIN = 0.02, 12 * 24, 0.01


class _Nothing:
    """No program is started: values are drawn."""

    loops_vary = True

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        raise NotImplementedError


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.suites", description=__doc__)
    parser.add_argument("--trials", type=int, default=60)
    args = parser.parse_args(argv)
    ways: dict[str, tuple[Callable[[np.random.Generator, random.Random], list[Block]], bool]] = {
        "settled ones leave, full rounds count": (_leaving, False),
        "settled ones rest, every block counts": (_resting, True),
        "all measured evenly": (_evenly, True),
    }
    print("| way | rounds | half width of the mean | undecided | the truth left out | "
          "noisy benchmarks undecided |")  # fmt: skip
    print("| --- " * 6 + "|")
    for way, (taken, every) in ways.items():
        rng, order = np.random.default_rng(1), random.Random(1)
        found, noisy = [], []
        for _ in range(args.trials):
            blocks = taken(rng, order)
            samples = _samples(blocks)
            rounds: Rounds | None = rounds_of(blocks, list(NOISE)) if every else None
            keyed = {(name, "new", "old"): d for name, d in samples.items()}
            found.append(judge_suites(keyed, margin=MARGIN, rounds=rounds)[0].verdict)
            noisy += [_verdict(samples[f"noisy{i}"]).outcome == "undecided" for i in range(3)]
        half = np.median([math.log(v.high / v.low) / 2 for v in found])
        missed = np.mean([not v.low <= math.exp(DIFFERENCE) <= v.high for v in found])
        print(
            f"| {way} | {np.median([v.blocks for v in found]):.0f} | {half:.2%} | "
            f"{np.mean([v.outcome == 'undecided' for v in found]):.0%} | {missed:.1%} | "
            f"{np.mean(noisy):.0%} |",
            flush=True,
        )
    return 0


def _entries() -> list[BenchmarkRun]:
    return [BenchmarkRun(name, _Nothing(), ["old", "new"], ["old"]) for name in NOISE]


def _resting(rng: np.random.Generator, order: random.Random) -> list[Block]:
    entries, settled = _entries(), _Settled()
    blocks: list[Block] = []
    while len(blocks) < BLOCKS and not all(settled(e) for e in entries):
        for passed in next_round(entries, settled, order):
            for entry in passed:
                if len(blocks) < BLOCKS:
                    blocks.append(_take(rng, entry, len(blocks)))
    return blocks


def _leaving(rng: np.random.Generator, order: random.Random) -> list[Block]:
    entries, settled = _entries(), _Settled()
    blocks: list[Block] = []
    while len(blocks) < BLOCKS and (going := [e for e in entries if not settled(e)]):
        for entry in order.sample(going, len(going)):
            if len(blocks) < BLOCKS:
                blocks.append(_take(rng, entry, len(blocks)))
    return blocks


def _evenly(rng: np.random.Generator, order: random.Random) -> list[Block]:
    entries = _entries()
    blocks: list[Block] = []
    for _ in range(BLOCKS // len(entries)):
        for entry in order.sample(entries, len(entries)):
            blocks.append(_take(rng, entry, len(blocks)))
    return blocks


class _Settled:
    """Whether a benchmark is settled; each number of blocks is judged once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], bool] = {}

    def __call__(self, entry: BenchmarkRun) -> bool:
        key = entry.name, len(entry.blocks)
        if key not in self._known:
            d = _samples(entry.blocks).get(entry.name, np.zeros(0))
            self._known[key] = precise_enough(_verdict(d), MARGIN)
        return self._known[key]


def _take(rng: np.random.Generator, entry: BenchmarkRun, at: int) -> Block:
    log_ratio = DIFFERENCE + NOISE[entry.name] * float(rng.standard_normal())
    values = {"old": (1.0,), "new": (math.exp(log_ratio),)}
    order = ("old", "new")
    block = Block(entry.name, at, 0, "s", None, 1, 0, order, (order,), values, float(at), 0.1)
    entry.blocks.append(replace(block))
    return block


def _samples(blocks: Sequence[Block]) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    found: dict[str, list[float]] = {}
    for block in blocks:
        found.setdefault(block.benchmark, []).append(math.log(block.values["new"][0]))
    return {name: np.array(d) for name, d in found.items()}


def _verdict(d: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Verdict:
    return judge_family({("x", "new", "old"): d}, margin=MARGIN)[0]


if __name__ == "__main__":
    sys.exit(main())
