"""Statements about many machines, on simulated ones: ``python -m bench.machines``.

Each machine has a true log ratio of its own and blocks of some noise about it. Printed are: how far
the standard error that its interval gives is from the true one; how often the pooled interval and
that of a further machine leave the truth out, for several numbers of machines, standard deviations
between them and distributions of what they do; and how often any difference between equal machines
is named, by intervals and by comparing the words of verdicts. Simulated; a minute.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.noises import KINDS, draw
from whyfast.judge.decide import ALPHA, Key, Sample, judge_family, precise_enough
from whyfast.judge.machines import random_effects, standard_error
from whyfast.judge.ratios import Ratios
from whyfast.model.verdict import Verdict

Floats = NDArray[np.float64]
Rng = np.random.Generator

MARGIN = 0.01
#: Blocks of a machine, and the looks of one that stops as soon as its verdict is precise.
BLOCKS = (12, 20, 40, 100)
LOOKS = (12, 16, 24, 36, 54, 80, 120)
#: The true log ratio where measuring stops by what is seen.
EFFECT = math.log(1.02)
SERIES, TRIALS = 600, 4000
AT_ONCE = 100
MACHINES = (5, 8, 15, 40)
#: Standard deviations between machines; the noise of a block is about 0.01.
TAUS = (0.0, 0.002, 0.01, 0.05)


@dataclass(frozen=True)
class Machines:
    """Of simulated machines, one entry each: by how much the estimate misses the true log ratio,
    and the standard error that the interval gives."""

    misses: Floats
    errors: Floats


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.machines", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help="of each pooled mean")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(20)
    known = {name: [*(fixed(rng, name, n) for n in BLOCKS), stopped(rng, name)] for name in KINDS}
    print("The standard error from the interval, over the standard deviation of the estimate\n")
    heads = [*(f"{n} blocks" for n in BLOCKS), "stopped when precise"]
    _row("noise", *heads)
    _row(*["---"] * (len(heads) + 1))
    for name, sets in known.items():
        _row(name, *(f"{_ratio(m):.2f}" for m in sets))
    every = [m for sets in known.values() for m in sets]
    normal = known["normal"]
    print(f"\nThe pooled interval at {1 - ALPHA:.0%}, {args.trials} means each: leaves the mean "
          "out (a further machine's interval leaves that machine out)\n")  # fmt: skip
    heads = [f"{k} machines" for k in MACHINES]
    _row("machines differ", "by", "noise", *heads)
    _row(*["---"] * (len(heads) + 3))
    for tau in TAUS:
        for shape, effect in EFFECTS.items() if tau else [("not at all", EFFECTS["normally"])]:
            for noise, machines in (("normal", normal), ("all kinds mixed", every)):
                cells = [pooled(rng, machines, (k, tau, effect), args.trials) for k in MACHINES]
                _row(shape, f"{tau:.1%}", noise, *cells)
    print("\nFour equal machines, ten comparisons each, 300 times: any difference named\n")
    _row("noise", "by intervals", "by unequal words")
    _row("---", "---", "---")
    for name in ("normal", "20 turns, interrupted"):
        _row(name, *(f"{share:.1%}" for share in false_differences(rng, name, 300)))
    return 0


def _row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


#: What machines do, of mean 0 and standard deviation 1.
EFFECTS: Mapping[str, Callable[[Rng, int], Floats]] = {
    "normally": lambda rng, k: rng.standard_normal(k),
    "t with 3 degrees of freedom": lambda rng, k: rng.standard_t(3, k) / math.sqrt(3),
    # One kind of machine in five is another.
    "one kind in five": lambda rng, k: np.where(rng.random(k) < 0.2, 2.0, -0.5),
}


def fixed(rng: Rng, noise: str, n: int) -> Machines:
    """Machines that take ``n`` blocks each, of a true log ratio of 0."""
    series = [draw(rng, noise, n) for _ in range(SERIES)]
    return _machines(_verdicts(series), 0.0)


def stopped(rng: Rng, noise: str) -> Machines:
    """Machines that stop at the first look at which the verdict is precise."""
    left = [draw(rng, noise, LOOKS[-1]).shifted(EFFECT) for _ in range(SERIES)]
    done: list[Verdict] = []
    for n in LOOKS:
        verdicts = _verdicts([r.first(n) for r in left])
        ends = [n == LOOKS[-1] or precise_enough(v, MARGIN) for v in verdicts]
        done += [v for v, end in zip(verdicts, ends, strict=True) if end]
        left = [r for r, end in zip(left, ends, strict=True) if not end]
    return _machines(done, EFFECT)


def _verdicts(series: Sequence[Ratios]) -> list[Verdict]:
    """Each as the only one of its family: at the level ALPHA."""
    found: list[Verdict] = []
    for at in range(0, len(series), AT_ONCE):
        some: dict[Key, Sample] = {
            (str(i), "b", "a"): r for i, r in enumerate(series[at : at + AT_ONCE])
        }
        found += judge_family(some, margin=MARGIN, alpha=ALPHA * len(some), all_right=True)
    return found


def _machines(verdicts: Sequence[Verdict], truth: float) -> Machines:
    """Without those whose blocks bound nothing, of which nothing is pooled."""
    pairs = [(math.log(v.ratio) - truth, standard_error(v)) for v in verdicts]
    known = [(miss, error) for miss, error in pairs if error is not None]
    return Machines(np.array([m for m, _ in known]), np.array([e for _, e in known]))


def _ratio(m: Machines) -> float:
    return (
        float(np.sqrt(np.mean(m.errors**2) / np.mean(m.misses**2))) if len(m.errors) else math.nan
    )


def pooled(
    rng: Rng,
    machines: Sequence[Machines],
    population: tuple[int, float, Callable[[Rng, int], Floats]],
    trials: int,
) -> str:
    """How often the pooled interval, and that of a further machine, leaves the truth out."""
    k, tau, effect = population
    misses = np.concatenate([m.misses for m in machines])
    errors = np.concatenate([m.errors for m in machines])
    wrong = further = 0
    for _ in range(trials):
        chosen = rng.integers(0, len(misses), k)
        found = random_effects(
            (tau * effect(rng, k) + misses[chosen]).tolist(), errors[chosen].tolist()
        )
        low, high = found.interval(ALPHA)
        wrong += not low <= 0 <= high
        low, high = found.expected(ALPHA)
        further += not low <= tau * float(effect(rng, 1)[0]) <= high
    return f"{wrong / trials:.1%} ({further / trials:.1%})"


def false_differences(rng: Rng, noise: str, times: int) -> tuple[float, float]:
    """Shares of fleets of equal machines in which some difference is named: where intervals at a
    common level do not overlap, and where one machine says slower and another does not."""
    k, comparisons, n = 4, 10, 40
    level = ALPHA / (k * comparisons)
    apart = unequal = 0
    for _ in range(times):
        effect = EFFECT / 2  # where the noise leaves some machines undecided
        series: dict[Key, Sample] = {
            (f"{c} {m}", "b", "a"): draw(rng, noise, n).shifted(effect)
            for c in range(comparisons)
            for m in range(k)
        }
        joint = judge_family(series, margin=MARGIN, alpha=level * len(series), all_right=True)
        own = judge_family(series, margin=MARGIN)
        by_comparison = [joint[c * k : (c + 1) * k] for c in range(comparisons)]
        apart += any(max(v.low for v in vs) > min(v.high for v in vs) for vs in by_comparison)
        words = [{v.outcome for v in own[c * k : (c + 1) * k]} for c in range(comparisons)]
        unequal += any(len(w) > 1 for w in words)
    return apart / times, unequal / times


if __name__ == "__main__":
    sys.exit(main())
