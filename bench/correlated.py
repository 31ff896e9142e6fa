"""Blocks of equal programs that are like their neighbours: ``python -m bench.correlated``.

Kinds of noise, each with a correlation r of neighbouring blocks, and the orders drawn as whyfast
draws them. How often equal programs are ever called different, by somebody who looks after each of
100 blocks, and how many blocks a difference takes; without the allowance for correlation, with that
of version 0.1, and with the present one. Then the least error of any test that is as quick.
Simulated: the figures depend on no machine. docs/math/correlated.md says what they show.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bench.intervals import counted_paths, first_beyond, sigma, wealth_paths
from whyfast.judge.correlation import is_clear, lag_ones
from whyfast.judge.decide import ALPHA
from whyfast.judge.ratios import Ratios, turn_ratios
from whyfast.judge.strategies import Strategies, strategies

Floats = NDArray[np.float64]
Rng = np.random.Generator

BLOCKS, AT_ONCE = 100, 100
CORRELATIONS = (0.0, 0.5, 0.9)
#: Differences to find, in robust standard deviations of the blocks' medians.
EFFECTS = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.correlated", description=__doc__)
    parser.add_argument("--trials", type=int, default=1000, help="series of each kind")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(1)
    _head("noise", "r", "turns", "called different: no allowance", "0.1", "now",
          "warned of after 100", "blocks to find 1 σ: no allowance", "0.1", "now")  # fmt: skip
    for name, (noise, turns) in NOISES.items():
        for r in CORRELATIONS:
            series = [turn_ratios(*noise(rng, r, turns)) for _ in range(args.trials)]
            spread = sigma(Ratios(np.concatenate([s.logs for s in series], axis=1)))
            alarms = [f"{np.mean(np.isfinite(x)):.1%}" for x in _stops(series)]
            warned = np.mean(is_clear(lag_ones(np.array([s.medians for s in series]).T), BLOCKS))
            slower = [s.shifted(spread) for s in series[: args.trials // 4]]
            found = [_median(x) for x in _stops(slower)]
            _row(name, r, turns, *alarms, f"{warned:.0%}", *found)
    print()
    _head("independent blocks, difference", "blocks to find it: no allowance", "0.1", "now",
          "in 9 of 10: no allowance", "0.1", "now")  # fmt: skip
    for effect in EFFECTS:
        stops = _stops([Ratios(effect + rng.standard_normal((1, BLOCKS)))
                        for _ in range(args.trials)])  # fmt: skip
        _row(f"{effect:g} σ", *map(_median, stops), *(_median(x, 0.9) for x in stops))
    print()
    _head("least error of a test that finds", *(f"r = {r}" for r in (0.3, 0.5, 0.7, 0.9)))
    for effect, n in ((1.0, 20), (1.5, 11), (2.0, 9), (3.0, 9)):
        least = [_least_error(rng, effect, n, r) for r in (0.3, 0.5, 0.7, 0.9)]
        _row(f"{effect:g} σ in {n} blocks, every other time", *(f"{x:.2%}" for x in least))
    return 0


def _row(*cells: object) -> None:
    print("| " + " | ".join(str(c) for c in cells) + " |", flush=True)


def _head(*cells: str) -> None:
    _row(*cells)
    print("| --- " * len(cells) + "|")


def _median(stops: Floats, share: float = 0.5) -> str:
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
    """Whether the variant runs second, turn by turn, as :func:`whyfast.measure.block.draw` has it."""
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


def _loudness(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """How large the noise of single processes is wanders."""
    size = np.exp(_autoregression(rng, r, BLOCKS)[:, None])
    a, b = _values(rng, turns, 1.0)
    return size * a, size * b


def _side(rng: Rng, r: float, turns: int) -> tuple[Floats, Floats]:
    """Something that outlives a block slows down or speeds up the variant."""
    a, b = _values(rng, turns, 0.1)
    return a + _autoregression(rng, r, BLOCKS)[:, None], b


Noise = Callable[[Rng, float, int], tuple[Floats, Floats]]
NOISES: Mapping[str, tuple[Noise, int]] = {
    "machine, whole runs": (_machine, 1),
    "machine, turns": (_machine, 10),
    "second in a turn, whole runs": (_turn, 1),
    "second in a turn, turns": (_turn, 10),
    "started second": (_start, 10),
    "size of the noise": (_loudness, 1),
    "one side": (_side, 1),
    "one side, turns": (_side, 10),
}


def _stops(series: Sequence[Ratios]) -> list[Floats]:
    """After how many blocks 0 is first refuted: without the allowance, with the former, now."""
    stops: list[list[Floats]] = [[], [], []]
    for at in range(0, len(series), AT_ONCE):
        s = strategies(series[at : at + AT_ONCE])
        for found, paths in zip(stops, (wealth_paths, _former_paths, counted_paths), strict=True):
            found.append(first_beyond(np.maximum(*paths(s, 0.0)), ALPHA))
    return [np.concatenate(found) for found in stops]


def _former_paths(s: Strategies, theta: float) -> tuple[Floats, Floats]:
    """What counted in version 0.1: a ratio of likelihoods at their maxima over all correlations, of
    which r > 0 had a tenth of the weight of none."""
    above, below = wealth_paths(s, theta)
    d = s.x[:, -1] - theta
    for n in range(6, BLOCKS + 1):
        for wealth, side in ((above, 1), (below, -1)):
            wealth[n - 1] = _former(side * d[:n], wealth[n - 1])
    return above, below


def _former(d: Floats, wealth: Floats) -> Floats:
    n = len(d)
    r = np.array([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95])[:, None]
    center = np.median(d, axis=0)
    away = np.abs(d - center)
    unit = np.maximum(1.4826 * np.median(away, axis=0), np.quantile(away, 0.8, axis=0) / 1.2816)
    z = np.clip((d - center) / unit, -2, 2)
    ends, lagged = z[0] + z[-1], np.sum(z[1:] * z[:-1], axis=0)
    squares = np.sum(z * z, axis=0)
    bend = (1 - r) * ((1 - r) * n + 2 * r)
    peak = ((1 - r) * z.sum(axis=0) + r * ends) / ((1 - r) * n + 2 * r)
    least = squares + r**2 * (squares - z[0] ** 2 - z[-1] ** 2) - 2 * r * lagged - bend * peak**2
    least = np.maximum(least, 1e-9)
    free = np.log1p(-(r**2)) / 2 - np.where(r > 0, math.log(10), 0.0)
    best = np.max(free - n / 2 * np.log(least), axis=0)

    def ratio(at: Floats) -> Floats:
        left = least + bend * np.minimum(at - peak, 0.0) ** 2
        return np.asarray(best - np.max(free - n / 2 * np.log(left), axis=0))

    usual = np.sqrt(least[0] * math.expm1(2 * 8.0 / n) / bend[0])
    share = np.minimum(ratio(peak[0] - usual) / 8.0, 1.0)
    own = ratio(-center / unit)
    counts = np.minimum(wealth, np.maximum((wealth + 2) * share, own))
    return np.asarray(np.where(own < math.log(200), counts, wealth))


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
