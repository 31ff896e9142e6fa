"""Verdicts on runs that were recorded one after the other, not interleaved.

Within a run there is a spread between processes, and the interval from it says nothing on what
changed between the runs: temperature, neighbours, a reboot. Reruns of one build (``noise``) show
that, and then each interval is the wider, at either end, of the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from whyfast.judge.coverage import coverage_level
from whyfast.judge.decide import word
from whyfast.judge.influence import carriers
from whyfast.judge.noise import Noise, Spread
from whyfast.judge.processes import Contrast, contrast, log_mean
from whyfast.model.series import Recording, Series
from whyfast.model.verdict import Suite, Verdict, Word

#: At most this share of the verdicts is expected to be wrong. Larger than for interleaved blocks:
#: runs are few, and drift, not this level, bounds what they can tell.
RUN_ALPHA = 0.05

ONE_PROCESS = "cannot be judged: one process a file shows no spread between processes"
UNKNOWN_PROCESSES = (
    "cannot be judged: the file does not say which values came from the same process"
)
NO_SPREAD = "cannot be judged: all processes have the very same value"
FEW_CARRY = "a few processes carry its mean; the interval is widened to hold it"
NOT_IN_NOISE = "not in the --noise runs: the noise of a typical benchmark is used"


@dataclass(frozen=True)
class RunsCompared:
    """One comparison before its level is known: the estimate and what bounds it."""

    benchmark: str | None
    variant: str
    baseline: str
    point: float
    within: Contrast | None
    between: Contrast | None
    processes: int
    notes: tuple[str, ...] = ()

    def interval(self, level: float) -> tuple[float, float]:
        """The union of the intervals that there are; unbounded when there is none."""
        ends = [c.interval(level) for c in (self.within, self.between) if c is not None]
        if not ends:
            return -math.inf, math.inf
        return min(low for low, _ in ends), max(high for _, high in ends)

    def p_value(self) -> float:
        """The largest of the p-values that there are; 1 when there is none."""
        return max((c.p_value() for c in (self.within, self.between) if c), default=1.0)


@dataclass(frozen=True)
class RunVerdicts:
    """``verdicts`` one a benchmark and head, ``suites`` one a head with several benchmarks."""

    verdicts: tuple[Verdict, ...]
    suites: tuple[Suite, ...]


def compare_runs(
    base: Recording,
    heads: Sequence[Recording],
    benchmarks: Sequence[str],
    *,
    margin: float,
    noise: Noise | None = None,
    alpha: float = RUN_ALPHA,
) -> RunVerdicts:
    """Verdicts a benchmark and head, and the geometric mean of each head when there are several.

    ``benchmarks`` are compared where both base and head have them; every one counts in the mean.
    """
    found = [
        _judge(name, head, base, noise)
        for head in heads
        for name in benchmarks
        if name in head.series and name in base.series
    ]
    suites = []
    for head in heads:
        mine = [j for j in found if j.variant == head.name]
        if len(mine) > 1:
            suites.append((_suite(mine, noise), mine))
    level = coverage_level([j.interval for j in found], margin, alpha)
    suite_level = coverage_level([s.interval for s, _ in suites], margin, alpha)
    judged = []
    for suite, mine in suites:
        verdict = _verdict(suite, suite_level, margin)
        without = _without_each(mine, noise, suite_level, margin)
        influence = {name: math.exp(r) for name, (r, _) in without.items()}
        judged.append(Suite(verdict, influence, carriers(verdict, without, margin)))
    return RunVerdicts(tuple(_verdict(j, level, margin) for j in found), tuple(judged))


def e_value_of(p: float) -> float:
    """Natural logarithm of the e-value 1/(2·√p), a calibrator of p-values (Vovk & Wang 2021)."""
    return -math.log(2) - math.log(max(p, 1e-300)) / 2


def _judge(name: str, head: Recording, base: Recording, noise: Noise | None) -> RunsCompared:
    x, y = head.series[name], base.series[name]
    point = log_mean(x) - log_mean(y)
    within = contrast(x, y)
    notes = []
    if within is None:
        notes.append(_reason(x, y))
    elif abs(within.point - within.location) > 2 * within.error:
        notes.append(FEW_CARRY)
    spread = None
    if noise is not None:
        spread = noise.benchmarks.get(name)
        if spread is None and noise.typical is not None:
            spread = noise.typical
            notes.append(NOT_IN_NOISE)
        if spread is not None and within is None:
            notes = notes[1:]  # the reruns tell what the processes could not
    return RunsCompared(
        name,
        head.name,
        base.name,
        point,
        within,
        _between(point, spread),
        min(len(x.processes), len(y.processes)),
        tuple(notes),
    )


def _reason(x: Series, y: Series) -> str:
    if len(x.processes) > 1 and len(y.processes) > 1:
        return NO_SPREAD
    return ONE_PROCESS if x.process_known and y.process_known else UNKNOWN_PROCESSES


def _between(point: float, spread: Spread | None) -> Contrast | None:
    return None if spread is None else Contrast(point, point, spread.error, spread.freedom)


def _suite(mine: Sequence[RunsCompared], noise: Noise | None) -> RunsCompared:
    """The mean of the benchmarks' log ratios. Within the runs their errors are taken as
    independent, which processes started one after the other are and drift is not."""
    number = len(mine)
    point = math.fsum(j.point for j in mine) / number
    within = None
    parts = [j.within for j in mine if j.within is not None]
    if len(parts) == number:
        variances = [c.error**2 for c in parts]
        freedom = math.fsum(variances) ** 2 / math.fsum(
            v**2 / c.freedom for v, c in zip(variances, parts, strict=True)
        )
        location = math.fsum(c.location for c in parts) / number
        error = math.sqrt(math.fsum(variances)) / number
        within = Contrast(point, location, error, freedom)
    spread = None if noise is None else noise.suite([j.benchmark or "" for j in mine])
    between = _between(point, spread)
    notes: tuple[str, ...] = ()
    if noise is not None and spread is None and within is not None:
        notes = ("the --noise runs lack some of its benchmarks, so drift is not in its interval",)
    elif within is None and between is None:
        notes = tuple(dict.fromkeys(note for j in mine if j.within is None for note in j.notes))
    first = mine[0]
    processes = min(j.processes for j in mine)
    return RunsCompared(
        None, first.variant, first.baseline, point, within, between, processes, notes
    )


def _verdict(judged: RunsCompared, level: float, margin: float) -> Verdict:
    low, high = judged.interval(level)
    said = word(low, high, margin)
    bounded = math.isfinite(high - low)
    return Verdict(
        variant=judged.variant,
        baseline=judged.baseline,
        benchmark=judged.benchmark,
        word=said,
        ratio=math.exp(judged.point),
        low=_exp(low),
        high=_exp(high),
        confidence=1 - level,
        log_e=e_value_of(judged.p_value()),
        blocks=judged.processes,
        detectable=_exp((high - low) / 2) if said == "undecided" and bounded else None,
        notes=judged.notes,
    )


def _exp(x: float) -> float:
    return 0.0 if x == -math.inf else math.inf if x > 700 else math.exp(x)


def _without_each(
    mine: Sequence[RunsCompared], noise: Noise | None, level: float, margin: float
) -> dict[str, tuple[float, Word]]:
    """For each benchmark, the log of the geometric mean without it and the verdict on that."""
    found = {}
    for left_out in mine:
        rest = _suite([j for j in mine if j is not left_out], noise)
        found[left_out.benchmark or ""] = (rest.point, word(*rest.interval(level), margin))
    return found
