"""How often a fix of placement is judged rightly: ``python -m bench.fix_trials``.

Simulated studies of several variants, as many blocks as linked as in layouts: how often equal
spreads over layouts are called different, and how often a fix that leaves a tenth of the spread of
what it fixes is called removed or reduced. The other variants spread as much as what is fixed.
Takes about a minute.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence

import numpy as np

from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.placement import judge_fixes
from whyfast.model.sample import Block
from whyfast.model.verdict import FixOutcome

SPREAD, NOISE, LAYOUTS, MARGIN = 0.02, 0.002, 24, 0.01
STUDIES = 200
VARIANTS = (3, 4, 5)


def main() -> int:
    print(f"spread {SPREAD:.1%}, noise {NOISE:.1%}, {LAYOUTS} layouts, {STUDIES} studies each")
    for number in VARIANTS:
        for title, left in (("equal", 1.0), ("a tenth left", 0.1)):
            spreads = [SPREAD, SPREAD * left, *[SPREAD] * (number - 2)]
            words = Counter(judged(spreads, seed) for seed in range(STUDIES))
            print(f"{number} variants, {title}: {dict(words)}")
    return 0


def judged(spreads: Sequence[float], seed: int) -> FixOutcome:
    """What is said of the second variant as a fix of the first."""
    names = [f"v{i}" for i in range(len(spreads))]
    rng = np.random.default_rng(seed)
    (fix,) = judge_fixes(
        ComparisonPlan(
            [_block(names, spreads, index, rng) for index in range(2 * LAYOUTS)],
            ["calls"],
            [],
            MARGIN,
            names,
        ),
        {names[1]: names[0]},
    )
    return fix.outcome


def _block(
    names: Sequence[str], spreads: Sequence[float], index: int, rng: np.random.Generator
) -> Block:
    """One turn of every variant; every other block in layouts of its own."""
    varied = index % 2 == 1
    values = {
        name: (math.exp(rng.normal(0, NOISE) + (rng.normal(0, s) if varied else 0.0)),)
        for name, s in zip(names, spreads, strict=True)
    }
    layouts = dict.fromkeys(names, index) if varied else {}
    order = tuple(names)
    return Block(
        "calls", index, 0, "s", None, 1, 0, order, (order,), values, 0.0, 1.0, layouts=layouts
    )


if __name__ == "__main__":
    sys.exit(main())
