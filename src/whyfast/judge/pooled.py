"""What is expected of machines like these: a random-effects mean over machines.

Machine i has the log ratio θᵢ, drawn from a population of mean μ and standard deviation τ, and its
estimate yᵢ errs by sᵢ. τ² is that of Paule & Mandel (1982): where Σ wᵢ (yᵢ − μ)² = k − 1 with the
weights wᵢ = 1/(sᵢ² + τ²). The interval of μ is that of Hartung & Knapp (2001) and Sidik & Jonkman
(2002), Student's with k − 1 degrees of freedom, its factor not below 1 (Röver, Knapp & Friede
2015). A further machine's log ratio is bounded as Higgins, Thompson & Spiegelhalter (2009) do, with
k − 2. docs/MATH.md derives sᵢ; python -m bench.machines simulates all of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from whyfast.judge.between_machines import means_alike
from whyfast.judge.coverage import coverage_level
from whyfast.judge.decide import ALPHA, word
from whyfast.judge.power import half_width
from whyfast.model.merged import Pooled
from whyfast.model.result import Result
from whyfast.model.verdict import Verdict

Floats = NDArray[np.float64]

#: Below so many machines nothing is pooled: how far machines lie apart is not known from fewer.
FEWEST = 5

#: No estimate is better than this: of what has no noise at all τ alone says how machines differ.
_LEAST_ERROR = 1e-7
_STEPS = 60

#: Benchmark (None: the suite), variant, baseline.
Key = tuple[str | None, str, str]


@dataclass(frozen=True)
class RandomEffects:
    """``mean`` of log ratios with its standard error, and ``tau`` between ``machines``."""

    mean: float
    error: float
    tau: float
    machines: int

    def interval(self, level: float) -> tuple[float, float]:
        """Of the mean, at that level."""
        return self._around(self.error, self.machines - 1, level)

    def expected(self, level: float) -> tuple[float, float]:
        """Where the log ratio of a further machine lies, at that level."""
        return self._around(math.hypot(self.tau, self.error), self.machines - 2, level)

    def _around(self, error: float, degrees: int, level: float) -> tuple[float, float]:
        half = float(special.stdtrit(degrees, 1 - level / 2)) * error
        return self.mean - half, self.mean + half

    def least_level(self, margin: float) -> float:
        """The strictest level at which a word other than undecided is supported."""
        limit = math.log1p(margin)
        away = max(abs(self.mean), limit - abs(self.mean))
        return 2 * float(special.stdtr(self.machines - 1, -away / self.error))


def random_effects(logs: Sequence[float], errors: Sequence[float]) -> RandomEffects:
    """Of estimates (log ratios) and their standard errors, one a machine; two or more."""
    y: Floats = np.asarray(logs, dtype=np.float64)
    variances: Floats = np.maximum(np.asarray(errors, dtype=np.float64), _LEAST_ERROR) ** 2
    excess = len(y) - 1
    tau2 = 0.0
    if _scatter(y, variances, 0.0)[0] > excess:
        low, high = 0.0, float(np.ptp(y)) ** 2 + 1e-30
        while _scatter(y, variances, high)[0] > excess:
            high *= 2
        for _ in range(_STEPS):
            tau2 = (low + high) / 2
            low, high = (tau2, high) if _scatter(y, variances, tau2)[0] > excess else (low, tau2)
    scatter, mean, total = _scatter(y, variances, tau2)
    factor = max(1.0, scatter / excess)
    return RandomEffects(mean, math.sqrt(factor / total), math.sqrt(tau2), len(y))


def _scatter(y: Floats, variances: Floats, tau2: float) -> tuple[float, float, float]:
    """Σ w (y − μ)², μ and Σ w."""
    weights = 1 / (variances + tau2)
    total = float(weights.sum())
    mean = float((weights * y).sum()) / total
    return float((weights * (y - mean) ** 2).sum()), mean, total


def standard_error(verdict: Verdict) -> float | None:
    """Of the log ratio, from the interval; None where its blocks do not bound it.

    The interval of n normal blocks of standard deviation σ has half the width σ·h(n, α), h of
    :func:`whyfast.judge.power.half_width`; so σ̂ = half / h, and the error of their mean σ̂/√n.
    Whatever widens the interval (noise that is not normal, blocks that follow one another,
    statistics that disagree) widens the error alike.
    """
    if not (verdict.low > 0 and verdict.high < math.inf):
        return None
    half = (math.log(verdict.high) - math.log(verdict.low)) / 2
    if verdict.confidence >= 1:  # exact counts
        return half
    usual = half_width(verdict.blocks, 1 - verdict.confidence)
    # An interval may be bounded sooner than half of them are.
    return half / usual / math.sqrt(verdict.blocks) if math.isfinite(usual) else None


def pool_machines(results: Mapping[str, Result]) -> tuple[Pooled, ...]:
    """Pooled over the machines that have a comparison, where these are :data:`FEWEST` or more; the
    suites first. ``results`` by machine.

    Suites are all at level α/m, m their number; of benchmarks, the share of intervals that miss
    among those with a verdict is held at α, see :func:`whyfast.judge.coverage.coverage_level`.
    """
    if len(results) < FEWEST:
        return ()
    margin = next(iter(results.values())).question.margin
    found: tuple[Pooled, ...] = ()
    for suites in (True, False):
        effects = dict(_effects(_by_key(results, suites=suites)))
        if suites:
            level = ALPHA / max(1, len(effects))
        else:
            level = coverage_level([e.least_level(margin) for e, _ in effects.values()], ALPHA)
        found += tuple(_pooled(key, *one, level, margin) for key, one in effects.items())
    return found


def _by_key(results: Mapping[str, Result], *, suites: bool) -> dict[Key, dict[str, Verdict]]:
    found: dict[Key, dict[str, Verdict]] = defaultdict(dict)
    alike = means_alike(results)
    for name, result in results.items():
        judged = result.judged
        for v in (s.verdict for s in judged.suites) if suites else judged.verdicts:
            if not suites or name in alike[v.variant, v.baseline]:
                found[v.benchmark, v.variant, v.baseline][name] = v
    return found


def _effects(
    by_key: Mapping[Key, Mapping[str, Verdict]],
) -> Iterator[tuple[Key, tuple[RandomEffects, tuple[str, ...]]]]:
    for key, by_machine in by_key.items():
        errors = {name: standard_error(v) for name, v in by_machine.items()}
        known = {name: error for name, error in errors.items() if error is not None}
        if len(known) >= FEWEST:
            logs = [math.log(by_machine[name].ratio) for name in known]
            left_out = tuple(name for name in by_machine if name not in known)
            yield key, (random_effects(logs, list(known.values())), left_out)


def _pooled(
    key: Key, effects: RandomEffects, left_out: tuple[str, ...], level: float, margin: float
) -> Pooled:
    low, high = effects.interval(level)
    expected = effects.expected(level)
    return Pooled(
        variant=key[1],
        baseline=key[2],
        benchmark=key[0],
        word=word(low, high, margin),
        ratio=math.exp(effects.mean),
        low=_ratio(low),
        high=_ratio(high),
        confidence=1 - level,
        tau=effects.tau,
        expect_low=_ratio(expected[0]),
        expect_high=_ratio(expected[1]),
        machines=effects.machines,
        left_out=left_out,
    )


def _ratio(log: float) -> float:
    return math.exp(log) if log < 700 else math.inf
