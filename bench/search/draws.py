"""What is claimed of programs whose layouts scatter: each layout in one block, and few in many.

    python -m bench.search.draws [--series 1000] [--searches 100] [--seed 1]

Layouts scatter the log time of a program with standard deviation 1, normally or as either of two;
blocks have noise of 0.15 of that. A claim: the interval of the ends leaves out "no difference".
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np

from bench.search.parts import Mixtures
from bench.search.placed import lucky, pair_of, spread
from bench.search.scenes import EFFECT
from bench.search.world import ONE, Draw
from whyfast.search.ddmin import ddmin
from whyfast.search.state import Task
from whyfast.search.view import ALPHA, Subset, surely_above

NOISE = 0.15
#: (layouts of each end, blocks); each layout in one block where they are as many.
SERIES = ((12, 12), (24, 24), (48, 48), (100, 100), (12, 50), (12, 200), (24, 200))
DRAWS: dict[str, Draw] = {"normal": spread(1.0), "either": lucky(2.0, 0.5)}
#: True differences, in scatters of one program.
EFFECTS = (0.0, 1.0, 2.0, 4.0)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="bench.search.draws")
    parser.add_argument("--series", type=int, default=1000)
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print("| layouts, blocks | scatter | " + " | ".join(f"{e:g}" for e in EFFECTS) + " |")
    print("| --- " * (2 + len(EFFECTS)) + "|")
    for layouts, blocks in SERIES:
        for name in DRAWS:
            shares = [claims(layouts, blocks, name, e, args.series, args.seed) for e in EFFECTS]
            cells = " | ".join(f"{s:.1%}" for s in shares)
            print(f"| {layouts}, {blocks} | {name} | {cells} |", flush=True)
    print("\n| sets: scatter | as linked | over layouts | answers | blocks |")
    print("| --- " * 5 + "|")
    for name in DRAWS:
        for true in (0.0, 2.0):
            print(searches(name, true, args.searches, args.seed), flush=True)


def claims(layouts: int, blocks: int, name: str, effect: float, series: int, seed: int) -> float:
    """The share of series in which a difference is claimed after the last block, either way round;
    with an effect, that the bad end is slower."""
    claimed = 0
    for i in range(series):
        rng = np.random.default_rng([seed, layouts, blocks, i])
        good, bad = (DRAWS[name](rng, layouts) for _ in range(2))
        if layouts != blocks:
            good, bad = (of[rng.integers(layouts, size=blocks)] for of in (good, bad))
        noise = NOISE * np.sqrt(2) * rng.standard_normal(blocks)
        ends = (effect + bad - good + noise).tolist()
        claimed += surely_above(ends, ALPHA)
        claimed += not effect and surely_above([-x for x in ends], ALPHA)
    return claimed / series


def searches(name: str, true: float, count: int, seed: int) -> str:
    """Searches for one of four flags, of which as linked one carries a difference of about two
    scatters; ``true`` of it, in scatters, is there over layouts."""
    answers, blocks = Counter[str](), []
    # Noise of one measurement is the unit of ``Mixtures``.
    scatter = ONE / NOISE
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        part = int(rng.integers(4))
        lucky_pair = pair_of(rng, DRAWS[name], 2.0) if not true else (0.0, 0.0)
        gap = true + lucky_pair[1] - lucky_pair[0]

        def level(subset: Subset, part: int = part) -> float:
            return float(part in subset)

        world = Mixtures(
            rng,
            level,
            scatter * gap,
            differ=True,
            share=true / gap,
            layout=lambda r, n: scatter * DRAWS[name](r, n),
            unit=EFFECT / (2 * scatter),
        )
        found = ddmin(Task(4, budget=1000, relinkable=True), world)
        answers[found.outcome] += 1
        blocks.append(found.blocks)
    told = ", ".join(f"{n} {word}" for word, n in answers.most_common())
    return f"| {name} | 2 | {true:g} | {told} | {np.mean(blocks):.0f}, at most {max(blocks)} |"


if __name__ == "__main__":
    main()
