"""Blocks of equal programs that are like their neighbours: ``python -m bench.correlated``.

Kinds of noise, each with a correlation r of neighbouring blocks, and the orders drawn as whyfast
draws them. First how often equal programs are ever called different by somebody who looks after
each of 100 blocks, with the discount for correlation and without it; then how often the verdict at
which measuring stops is wrong, with and without going on while a verdict assumes independence; what
both cost where blocks are independent; and the least error of any test that is as quick.
Simulated: the figures depend on no machine. docs/math/correlated.md says what they show.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bench.intervals import counted_paths, first_beyond, sigma, wealth_paths
from whyfast.judge.correlation import is_clear, lag_ones
from whyfast.judge.decide import judge_each, precise_enough
from whyfast.judge.looks import Looks
from whyfast.judge.ratios import Ratios, turn_ratios
from whyfast.judge.strategies import strategies
from whyfast.model.verdict import Verdict

Floats = NDArray[np.float64]
Rng = np.random.Generator

BLOCKS, AT_ONCE = 100, 100
CORRELATIONS = (0.0, 0.5, 0.9)
MARGIN = 0.01


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.correlated", description=__doc__)
    parser.add_argument("--trials", type=int, default=1000, help="series of each kind")
    parser.add_argument("--noise", default="", help="the first table alone, of noises called so")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(1)
    if args.noise:
        _ever(rng, args.trials, args.noise)
        return 0
    for table in (_ever, _stopped, _price, _bound):
        table(rng, args.trials)
        print(flush=True)
    return 0


def _ever(rng: Rng, trials: int, only: str = "") -> None:
    _head("noise", "r", "ever called different", "without the discount", "warned of after 100",
          "blocks to find 1 σ", "without the discount")  # fmt: skip
    for name, (noise, turns) in NOISES.items():
        if only not in name:
            continue
        for r in CORRELATIONS:
            series = [turn_ratios(*noise(rng, r, turns)) for _ in range(trials)]
            spread = sigma(Ratios(np.concatenate([s.logs for s in series], axis=1)))
            alarms = [f"{np.mean(np.isfinite(x)):.1%}" for x in _stops(series)]
            warned = np.mean(is_clear(lag_ones(np.array([s.medians for s in series]).T), BLOCKS))
            slower = [s.shifted(spread) for s in series[: trials // 4]]
            _row(name, r, *alarms, f"{warned:.0%}", *map(_quantile, _stops(slower)))


def _stopped(rng: Rng, trials: int) -> None:
    _head("noise of whole runs", "r", "σ over the margin", "wrong when measuring stops",
          "of these, assuming independence", "if a verdict may assume independence",
          "blocks, mean", "if it may")  # fmt: skip
    for name in ("machine, whole runs", "one side, whole runs"):
        for r in CORRELATIONS:
            d = np.array([turn_ratios(*NOISES[name][0](rng, r, 1)).medians
                          for _ in range(trials // 2)])  # fmt: skip
            for size in (0.5, 1.0, 2.0):
                now, before = _ends(size * MARGIN * d / sigma(Ratios(d.reshape(1, -1))))
                assuming = np.mean([v.assumes_independence for v in now])
                blocks = [f"{np.mean([v.blocks for v in ends]):.0f}" for ends in (now, before)]
                _row(name, r, size, _wrong(now), f"{assuming:.1%}", _wrong(before), *blocks)


def _price(rng: Rng, trials: int) -> None:
    _head("independent blocks, σ = margin, difference", "blocks to a verdict, median",
          "without the discount", "in 9 of 10", "without the discount",
          "blocks until measuring stops", "if a verdict may assume independence")  # fmt: skip
    for effect in (0.5, 1.0, 1.5, 2.0, 3.0, 5.0):
        d = effect + rng.standard_normal((trials, BLOCKS))
        stops = _stops([Ratios(row[None]) for row in d])
        blocks = [np.median([v.blocks for v in ends]) for ends in _ends(MARGIN * d[: trials // 5])]
        quantiles = [_quantile(x, share) for share in (0.5, 0.9) for x in stops]
        _row(f"{effect:g} σ", *quantiles, *(f"{x:.0f}" for x in blocks))


def _bound(rng: Rng, _: int) -> None:
    _head("least error of a test that finds", *(f"r = {r}" for r in (0.3, 0.5, 0.7, 0.9)))
    for effect, n in ((1.0, 20), (1.5, 11), (2.0, 9), (3.0, 9)):
        least = [_least_error(rng, effect, n, r) for r in (0.3, 0.5, 0.7, 0.9)]
        _row(f"{effect:g} σ in {n} blocks, every other time", *(f"{x:.2%}" for x in least))


def _row(*cells: object) -> None:
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def _head(*cells: str) -> None:
    _row(*cells)
    print("| --- " * len(cells) + "|")


def _quantile(stops: Floats, share: float = 0.5) -> str:
    at = float(np.quantile(stops, share, method="lower"))
    return f"{at:.0f}" if math.isfinite(at) else "more"


# The noise of one series: log times of variant and baseline, shape (blocks, turns) each.


def _autoregression(rng: Rng, r: float, n: int) -> Floats:
    """Standard normal values, each correlated by ``r`` with the next."""
    steps = math.sqrt(1 - r * r) * rng.standard_normal(n)
    x = np.empty(n)
    x[0] = rng.standard_normal()
    for i in range(1, n):
        x[i] = r * x[i - 1] + steps[i]
    return x


def _second(rng: Rng, turns: int) -> NDArray[np.bool_]:
    """Whether the variant runs second, turn by turn, as whyfast.measure.block draws it."""
    return rng.random((BLOCKS, turns)) < 0.5


def _values(rng: Rng, turns: int, size: float) -> tuple[Floats, Floats]:
    """Noise of single processes and of single values: independent."""
    both = [rng.standard_normal((BLOCKS, 1)) + rng.standard_normal((BLOCKS, turns))
            for _ in range(2)]  # fmt: skip
    return size * both[0], size * both[1]


def _machine(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """The machine is now slower and now faster, also while a block runs."""
    moments = _autoregression(rng, r ** (1 / (2 * turns)), BLOCKS * turns * 2)
    in_order = moments.reshape(BLOCKS, turns, 2)
    second = _second(rng, turns)
    a, b = _values(rng, turns, 0.1)
    return (
        a + np.where(second, in_order[..., 1], in_order[..., 0]),
        b + np.where(second, in_order[..., 0], in_order[..., 1]),
    )


def _turn(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """Whoever runs second is slower, by 2 on average, in neighbouring blocks by about the same."""
    late = 2 + _autoregression(rng, r, BLOCKS)[:, None]
    second = _second(rng, turns)
    a, b = _values(rng, turns, 0.1)
    return a + np.where(second, late, 0.0), b + np.where(second, 0.0, late)


def _start(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """The process that is started second is slower in all of its turns."""
    late = _autoregression(rng, r, BLOCKS)[:, None]
    second = _second(rng, 1)
    a, b = _values(rng, turns, 0.1)
    return a + np.where(second, late, 0.0), b + np.where(second, 0.0, late)


def _left_behind(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """A process that follows the last one of its own side is quicker, by what wanders."""
    gain = 2 + _autoregression(rng, r, BLOCKS)
    second = _second(rng, 1)[:, 0]
    before = np.append(rng.random() < 0.5, second[:-1])  # the variant ran last
    a, b = _values(rng, turns, 0.1)
    a -= np.where(~second & before, gain, 0.0)[:, None]
    b -= np.where(second & ~before, gain, 0.0)[:, None]
    return a, b


def _loudness(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """How large the noise of single processes is wanders."""
    size = np.exp(_autoregression(rng, r, BLOCKS)[:, None])
    a, b = _values(rng, turns, 1.0)
    return size * a, size * b


def _side(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """Something that outlives a block slows down or speeds up the variant, on a machine that is now
    slower and now faster."""
    a, b = _values(rng, turns, 0.1)
    machine = 3 * rng.standard_normal((BLOCKS, 1))
    return a + machine + _autoregression(rng, r, BLOCKS)[:, None], b + machine


def _noisier(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """The same on a machine that is always as fast, so that the time of both sides tells the sign
    of their difference; no assumption of the test holds."""
    a, b = _values(rng, turns, 0.1)
    return a + _autoregression(rng, r, BLOCKS)[:, None], b


Noise = Callable[[Rng, float, int], tuple[Floats, Floats]]
#: Each with the turns of a block.
NOISES: Mapping[str, tuple[Noise, int]] = {
    "machine, whole runs": (_machine, 1),
    "machine, turns": (_machine, 10),
    "second in a turn, whole runs": (_turn, 1),
    "second in a turn, turns": (_turn, 10),
    "started second, turns": (_start, 10),
    "after its own side, whole runs": (_left_behind, 1),
    "size of the noise, whole runs": (_loudness, 1),
    "one side, whole runs": (_side, 1),
    "one side, turns": (_side, 10),
    "one side, all else quiet": (_noisier, 1),
}


def _stops(series: Sequence[Ratios]) -> list[Floats]:
    """After how many blocks 0 is first refuted, with the discount and without it."""
    stops: list[list[Floats]] = [[], []]
    for at in range(0, len(series), AT_ONCE):
        s = strategies(series[at : at + AT_ONCE])
        for found, paths in zip(stops, (counted_paths, wealth_paths), strict=True):
            found.append(first_beyond(np.maximum(*paths(s, 0.0))))
    return [np.concatenate(found) for found in stops]


def _ends(d: Floats) -> tuple[list[Verdict], list[Verdict]]:
    """The verdicts at which measuring stops, or after the last block, of series of shape (m, n);
    and at which it would stop if a verdict that assumes independence sufficed."""
    m, most = d.shape
    now: dict[int, Verdict] = {}
    before: dict[int, Verdict] = {}
    n, looks = 9, Looks()
    while len(now) < m:
        there = [i for i in range(m) if i not in now]
        verdicts = judge_each({(str(i), "new", "old"): d[i, :n] for i in there}, margin=MARGIN)
        for i, verdict in zip(there, verdicts, strict=True):
            if n == most or precise_enough(replace(verdict, assumes_independence=False), MARGIN):
                before.setdefault(i, verdict)
            if n == most or precise_enough(verdict, MARGIN):
                now[i] = verdict
        n = min(most, n + (1 if n < looks.each else max(1, round(looks.growth * n))))
    return list(now.values()), list(before.values())


def _wrong(verdicts: Sequence[Verdict]) -> str:
    return f"{np.mean([v.outcome in ('faster', 'slower') for v in verdicts]):.1%}"


def _least_error(rng: Rng, effect: float, n: int, r: float, draws: int = 20_000) -> float:
    """How often the test of Neyman and Pearson (1933) that finds a shift ``effect`` of ``n``
    independent standard normal blocks every other time, calls blocks of a first-order
    autoregression about 0 different, in both directions together. Their variance is the one, of a
    few, that passes most easily for a shift. No test as quick errs less."""
    x = effect + rng.standard_normal((draws, n))
    squares = (1 - r * r) * x[:, 0] ** 2 + np.sum((x[:, 1:] - r * x[:, :-1]) ** 2, axis=1)
    shifted = -np.sum((x - effect) ** 2, axis=1) / 2
    errors = []
    for variance in float(np.mean(squares)) / n * np.array([0.6, 0.8, 1.0, 1.25, 1.6]):
        correlated = -squares / (2 * variance) - n / 2 * math.log(variance) + math.log1p(-r * r) / 2
        ratio = shifted - correlated
        # The error is the mean of 1/ratio where the test says "shifted", under the shift.
        errors.append(float(np.mean(np.exp(-ratio) * (ratio >= np.median(ratio)))))
    return 2 * max(errors)


if __name__ == "__main__":
    sys.exit(main())
