"""Verdicts on runs that were recorded one after the other, not interleaved.

Within a run there is a spread between processes, and the interval from it says nothing on what
changed between the runs: temperature, neighbours, a reboot. Reruns of one build (``noise``) show
that, and then each interval is the wider, at either end, of the two. Without reruns, or with fewer
than :data:`MANY_RERUNS`, what runs of one build are known to differ by (:mod:`whyfast.judge.noise`)
stands in for them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whyfast.judge import noise as prior
from whyfast.judge.decide import coverage_level, outcome_of
from whyfast.judge.noise import (
    FREEDOM,
    SHARED,
    Contrast,
    Noise,
    Ratio,
    Spread,
    contrast,
    deviation,
    inside,
    log_mean,
    other_work,
    process_means,
    with_drift,
)
from whyfast.judge.suite import carriers
from whyfast.model.series import Recording, Series
from whyfast.model.verdict import Outcome, Suite, Verdict

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Member:
    """A benchmark of the mean: its log ratio, what bounds it within the runs (None where nothing
    does), with drift allowed for, and the drift ``a`` of its pair."""

    benchmark: str
    point: float
    within: Contrast | None
    drifted: Contrast
    drift: float


class Mean:
    """Sums over members, from which the mean of all and of all but one follow in constant time.

    Within the runs, errors of benchmarks are taken as independent, which processes started one
    after the other are. Of drift, the share SHARED is the whole run's and does not average out.
    """

    def __init__(self, members: Sequence[Member], noise: Noise | None, *, prior: bool) -> None:
        self.members = members
        self._prior = prior
        self._noise = None if noise is None else noise.suite([m.benchmark for m in members])
        # point; within: location, variance, its square over the freedom; the same with drift; a.
        self._rows = np.array([_row(m) for m in members])
        self._total = np.array([math.fsum(column) for column in self._rows.T])
        self._lacks = sum(m.within is None for m in members)

    @property
    def shared(self) -> int:
        """How many of the members the reruns have."""
        return 0 if self._noise is None else self._noise.number

    def of_all(self) -> tuple[float, tuple[Contrast, ...]]:
        """The mean log ratio, and the contrasts whose union is its interval."""
        return self._mean(self._total, len(self.members), self._lacks, None)

    def without(self, i: int) -> tuple[float, tuple[Contrast, ...]]:
        """The same without member ``i``."""
        member = self.members[i]
        lacks = self._lacks - (member.within is None)
        return self._mean(
            self._total - self._rows[i], len(self.members) - 1, lacks, member.benchmark
        )

    def _mean(
        self, total: Floats, number: int, lacks: int, left_out: str | None
    ) -> tuple[float, tuple[Contrast, ...]]:
        point, *rest = (float(x) for x in total)
        parts = []
        if self._prior:
            shared = (SHARED * rest[6] / number) ** 2
            parts.append(_contrast(point, rest[3:6], number, shared))
        elif not lacks:
            parts.append(_contrast(point, rest[:3], number, 0.0))
        if self._noise is not None:
            spread = self._noise.spread(left_out)
            if spread is not None:
                mean = point / number
                parts.append(Contrast(mean, mean, spread.error, spread.freedom))
        return point / number, tuple(parts)


def _row(member: Member) -> tuple[float, ...]:
    within = member.within
    inner = (0.0, 0.0, 0.0) if within is None else _sums(within, within.error**2)
    own = max(member.drifted.error**2 - (SHARED * member.drift) ** 2, 1e-30)
    return (member.point, *inner, *_sums(member.drifted, own), member.drift)


def _sums(contrast: Contrast, variance: float) -> tuple[float, float, float]:
    return contrast.location, variance, variance**2 / contrast.freedom


def _contrast(point: float, sums: Sequence[float], number: int, shared: float) -> Contrast:
    """Welch–Satterthwaite over the members and what they share."""
    location, variance, squares = sums
    own = max(variance, 0.0) / number**2
    total = own + shared
    below = max(squares, 0.0) / number**4 + shared**2 / FREEDOM
    freedom = total**2 / below if below > 0 else math.inf
    return Contrast(point / number, location / number, math.sqrt(total), freedom)


#: At most this share of the verdicts is expected to be wrong. Larger than for interleaved blocks:
#: runs are few, and drift, not this level, bounds what they can tell.
RUN_ALPHA = 0.05

#: Fewer reruns than this do not replace what runs of one build are known to differ by.
MANY_RERUNS = 5
ONE_PROCESS = (
    "one process a file shows no spread between processes: judged by what such files of one build "
    "differ by elsewhere"
)
UNKNOWN_PROCESSES = (
    "the file does not say which values came from the same process: judged as one process"
)
NO_SPREAD = "all processes have the very same value"
FEW_CARRY = "a few processes carry its mean; the interval is widened to hold it"
FEW_VALUES_CARRY = "a few values carry its mean; the interval is widened to hold it"
NOT_IN_NOISE = "not in the --noise runs: the noise of a typical benchmark is used"


@dataclass(frozen=True)
class RunsCompared:
    """One comparison before its level is known: the estimate and what bounds it."""

    benchmark: str | None
    variant: str
    baseline: str
    point: float
    parts: tuple[Contrast, ...]
    processes: int
    notes: tuple[str, ...] = ()

    def interval(self, level: float) -> tuple[float, float]:
        """The union of the parts' intervals."""
        ends = [part.interval(level) for part in self.parts]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def least_level(self, margin: float) -> float:
        """The strictest level at which the interval gives a verdict; 1 when none does."""
        return least_level(self.parts, margin)

    def p_value(self) -> float:
        """The largest of the parts' p-values."""
        return max(part.p_value() for part in self.parts)


def least_level(parts: Iterable[Contrast], margin: float) -> float:
    """The strictest level at which the union of the intervals excludes 0 or lies within the
    margin; all parts have the same point estimate."""
    levels = [part.least_levels(margin) for part in parts]
    return min(max(apart for apart, _ in levels), max(inside for _, inside in levels))


@dataclass(frozen=True)
class RunVerdicts:
    """``verdicts`` one a benchmark and head, ``suites`` one a head with several benchmarks.

    ``drifts`` has, for each head, the standard deviation of drift that was allowed for a benchmark.
    """

    verdicts: tuple[Verdict, ...]
    suites: tuple[Suite, ...]
    drifts: tuple[float, ...] = ()


@dataclass(frozen=True)
class _HeadCompared:
    """A head against the base: benchmark by benchmark, and their mean when there are several."""

    head: str
    judged: list[RunsCompared]
    mean: Mean | None
    suite: RunsCompared | None
    drift: float


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
    pairs = [
        _compared(
            head, base, [n for n in benchmarks if n in head.series and n in base.series], noise
        )
        for head in heads
    ]
    found = [j for pair in pairs for j in pair.judged]
    suites = [pair.suite for pair in pairs if pair.suite is not None]
    level = coverage_level([j.least_level(margin) for j in found], alpha)
    suite_level = coverage_level([s.least_level(margin) for s in suites], alpha)
    judged = []
    for pair in pairs:
        if pair.suite is None or pair.mean is None:
            continue
        verdict = _verdict(pair.suite, suite_level, margin)
        without = _without_each(pair.mean, suite_level, margin)
        influence = {name: math.exp(r) for name, (r, _) in without.items()}
        judged.append(Suite(verdict, influence, carriers(verdict, without, margin)))
    return RunVerdicts(
        tuple(_verdict(j, level, margin) for j in found),
        tuple(judged),
        tuple(pair.drift for pair in pairs),
    )


def _compared(
    head: Recording, base: Recording, names: Sequence[str], noise: Noise | None
) -> _HeadCompared:
    ratios, withins, notes = [], [], []
    for name in names:
        ratio, within, said = _ratio(head.series[name], base.series[name])
        ratios.append(ratio)
        withins.append(within)
        notes.append(said)
    drifted, drifts = with_drift(ratios)
    # On a busy machine sessions come that no few reruns have shown.
    allowed = noise is None or noise.runs < MANY_RERUNS or other_work(ratios) > 0
    judged = []
    for i, name in enumerate(names):
        parts, source = _parts(name, withins[i], drifted[i], noise, allowed)
        x, y = head.series[name], base.series[name]
        judged.append(
            RunsCompared(
                name,
                head.name,
                base.name,
                ratios[i].point,
                parts,
                min(len(x.processes), len(y.processes)),
                _notes(notes[i], source, noise),
            )
        )
    drift = sorted(drifts)[len(drifts) // 2] if drifts else 0.0
    if len(names) < 2:
        return _HeadCompared(head.name, judged, None, None, drift)
    members = [
        Member(name, r.point, w, d, a)
        for name, r, w, d, a in zip(names, ratios, withins, drifted, drifts, strict=True)
    ]
    # Reruns that share nothing with these files say nothing on their mean.
    known = noise is not None and noise.suite(names) is not None
    mean = Mean(members, noise, prior=allowed or not known)
    return _HeadCompared(head.name, judged, mean, _suite(mean, judged, noise), drift)


def _ratio(x: Series, y: Series) -> tuple[Ratio, Contrast | None, tuple[str, ...]]:
    """What the values say, without what is between the runs."""
    point = log_mean(x) - log_mean(y)
    within = contrast(x, y)
    several = len(x.processes) > 1 and len(y.processes) > 1
    if within is None:
        kind, reason = prior.PROCESSES if several else prior.ONE_PROCESS, _reason(x, y)
        values = None if several else inside(x, y)
        if values is None:
            return Ratio(point, point, 0.0, math.inf, 0.0, kind), None, (reason,)
        apart = abs(point - values.location) > 2 * values.error
        ratio = Ratio(
            point,
            values.location,
            values.error,
            values.freedom,
            prior.SHARE * values.deviation,
            kind,
        )
        return ratio, None, (reason, FEW_VALUES_CARRY) if apart else (reason,)
    few = abs(within.point - within.location) > 2 * within.error
    ratio = Ratio(
        point, within.location, within.error, within.freedom, deviation(x, y), prior.PROCESSES
    )
    return ratio, within, (FEW_CARRY,) if few else ()


def _parts(
    name: str, within: Contrast | None, drifted: Contrast, noise: Noise | None, allowed: bool
) -> tuple[tuple[Contrast, ...], str]:
    """What bounds a benchmark, and a note on where its noise came from."""
    if noise is None:
        return (drifted,), ""
    spread, note = noise.benchmarks.get(name), ""
    if spread is None:
        spread, note = noise.typical, NOT_IN_NOISE if noise.typical is not None else ""
    between = _between(drifted.point, spread)
    if between is None:
        return (drifted,), note
    parts = (drifted, between) if allowed else (between,) if within is None else (within, between)
    return parts, note


def _notes(own: tuple[str, ...], said: str, noise: Noise | None) -> tuple[str, ...]:
    """Reruns tell what the processes could not; then it is not said of these."""
    kept = (
        own
        if noise is None
        else tuple(note for note in own if note in (FEW_CARRY, FEW_VALUES_CARRY))
    )
    return (*kept, said) if said else kept


def _reason(x: Series, y: Series) -> str:
    if len(x.processes) > 1 and len(y.processes) > 1:
        return NO_SPREAD
    return ONE_PROCESS if x.process_known and y.process_known else UNKNOWN_PROCESSES


def _between(point: float, spread: Spread | None) -> Contrast | None:
    return None if spread is None else Contrast(point, point, spread.error, spread.freedom)


def _suite(mean: Mean, judged: Sequence[RunsCompared], noise: Noise | None) -> RunsCompared:
    point, parts = mean.of_all()
    notes: tuple[str, ...] = ()
    number = len(judged)
    if noise is not None and mean.shared < number:
        notes = (
            f"the --noise runs share {mean.shared} of its {number} benchmarks: "
            + ("their drift is taken for all" if mean.shared else "their drift is not its drift"),
        )
    processes = min(j.processes for j in judged)
    first = judged[0]
    return RunsCompared(None, first.variant, first.baseline, point, parts, processes, notes)


def e_value_of(p: float) -> float:
    """Natural logarithm of the e-value 1/(2·√p), a calibrator of p-values (Vovk & Wang 2021)."""
    return -math.log(2) - math.log(max(p, 1e-300)) / 2


def _verdict(judged: RunsCompared, level: float, margin: float) -> Verdict:
    low, high = judged.interval(level)
    said = outcome_of(low, high, margin)
    bounded = math.isfinite(high - low)
    return Verdict(
        variant=judged.variant,
        baseline=judged.baseline,
        benchmark=judged.benchmark,
        outcome=said,
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


def _without_each(mean: Mean, level: float, margin: float) -> dict[str, tuple[float, Outcome]]:
    """For each benchmark, the log of the geometric mean without it and the verdict on that."""
    found = {}
    for i, member in enumerate(mean.members):
        point, parts = mean.without(i)
        ends = [part.interval(level) for part in parts]
        low, high = min(low for low, _ in ends), max(high for _, high in ends)
        found[member.benchmark] = (point, outcome_of(low, high, margin))
    return found


@dataclass(frozen=True)
class RunMetrics:
    """``verdicts`` with the series' name as their metric; ``incomparable`` says in words which have
    no ratio."""

    verdicts: tuple[Verdict, ...]
    incomparable: tuple[str, ...]


def compare_metrics(base: Recording, heads: Sequence[Recording], margin: float) -> RunMetrics:
    """Each quantity that base and a head have.

    A quantity without any spread on either side is exact: its ratio is certain. 0 against 0 is the
    same, and 0 against anything else has no ratio. Others are judged unit by unit, as times are. A
    ratio is of the amounts as the files have them; ``faster`` means better.
    """
    verdicts: list[Verdict] = []
    incomparable = []
    for head in heads:
        noisy: defaultdict[str, list[str]] = defaultdict(list)
        found: dict[str, Verdict] = {}
        for name, x in head.series.items():
            y = base.series.get(name)
            if y is None or y.unit != x.unit:
                continue
            zeros = [all(v == 0 for p in s.processes for v in p) for s in (x, y)]
            some = [any(v == 0 for p in s.processes for v in p) for s in (x, y)]
            if all(zeros):
                found[name] = _exact(name, head, base, 0.0, margin, x.higher)
            elif any(some):
                incomparable.append(f"{name} is 0 in {(head if some[0] else base).name}")
            elif _constant(x) and _constant(y):
                log = math.log(x.processes[0][0]) - math.log(y.processes[0][0])
                found[name] = _exact(name, head, base, log, margin, x.higher)
            else:
                noisy[x.unit].append(name)
        for names in noisy.values():
            judged = compare_runs(base, [head], names, margin=margin).verdicts
            found |= {
                v.benchmark: _amounts(v, head.series[v.benchmark].higher)
                for v in judged
                if v.benchmark is not None
            }
        verdicts += [found[name] for name in head.series if name in found]
    return RunMetrics(tuple(verdicts), tuple(incomparable))


def mean_amount(series: Series) -> float:
    """The mean over processes, of what is better when higher too, as the files have it."""
    mean = float(process_means(series).mean())
    return 1 / mean if series.higher and mean else mean


def _constant(series: Series) -> bool:
    means = process_means(series)
    return float(means.max()) == float(means.min())


def _exact(
    name: str, head: Recording, base: Recording, log: float, margin: float, higher: bool
) -> Verdict:
    """``log`` is of the costs. Nothing is uncertain about a quantity that every value has alike."""
    ratio = math.exp(log)
    verdict = Verdict(
        variant=head.name,
        baseline=base.name,
        benchmark=name,
        outcome=outcome_of(log, log, margin),
        ratio=ratio,
        low=ratio,
        high=ratio,
        confidence=1.0,
        log_e=0.0,
        blocks=min(len(r.series[name].processes) for r in (head, base)),
    )
    return _amounts(verdict, higher)


def _amounts(verdict: Verdict, higher: bool) -> Verdict:
    """The ratio of the amounts, of which ``higher`` ones were compared as reciprocals."""
    name = verdict.benchmark or ""
    if not higher:
        return replace(verdict, metric=name)
    return replace(
        verdict,
        metric=name,
        ratio=1 / verdict.ratio,
        low=1 / verdict.high if math.isfinite(verdict.high) else 0.0,
        high=1 / verdict.low if verdict.low > 0 else math.inf,
    )
