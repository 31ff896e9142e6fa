"""Verdicts on runs that were recorded one after the other, not interleaved.

The spread between processes says nothing on what changed between the runs. Reruns of one build
(``noise``) show that, and each end of an interval is the wider of the two. With fewer than
:data:`MANY_RERUNS`, what runs of one build usually differ by (:mod:`whyfast.judge.noise`) stands
in."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from whyfast.judge import noise as prior
from whyfast.judge.comparisons import carriers
from whyfast.judge.decide import coverage_level, exact_verdict, outcome_of
from whyfast.judge.power import exp_or_inf
from whyfast.judge.ratios import Floats
from whyfast.model.sample import Recording, Series
from whyfast.model.verdict import Outcome, Suite, Verdict


@dataclass(frozen=True)
class Member:
    """A benchmark of the mean: its log ratio, what bounds it within the runs (None where nothing
    does), with drift allowed for, and the drift ``a`` of its pair."""

    benchmark: str
    point: float
    within: prior.Contrast | None
    drifted: prior.Contrast
    drift: float


class Mean:
    """Sums over members, from which the mean of all and of all but one follow in constant time.
    Within the runs, errors of benchmarks are taken as independent, which processes started one
    after the other are. Of drift, the share SHARED is the whole run's and does not average out."""

    def __init__(
        self, members: Sequence[Member], noise: prior.Noise | None, *, prior: bool
    ) -> None:
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

    def of_all(self) -> tuple[float, tuple[prior.Contrast, ...]]:
        """The mean log ratio, and the contrasts whose union is its interval."""
        return self._mean(self._total, len(self.members), self._lacks, None)

    def without(self, i: int) -> tuple[float, tuple[prior.Contrast, ...]]:
        """The same without member ``i``."""
        member = self.members[i]
        lacks = self._lacks - (member.within is None)
        return self._mean(
            self._total - self._rows[i], len(self.members) - 1, lacks, member.benchmark
        )

    def _mean(
        self, total: Floats, number: int, lacks: int, left_out: str | None
    ) -> tuple[float, tuple[prior.Contrast, ...]]:
        point, *rest = (float(x) for x in total)
        parts = []
        if self._prior:
            shared = (prior.SHARED * rest[6] / number) ** 2
            parts.append(_contrast(point, rest[3:6], number, shared))
        elif not lacks:
            parts.append(_contrast(point, rest[:3], number, 0.0))
        if self._noise is not None:
            spread = self._noise.spread(left_out)
            if spread is not None:
                mean = point / number
                parts.append(prior.Contrast(mean, mean, spread.error, spread.freedom))
        return point / number, tuple(parts)


def _row(member: Member) -> tuple[float, ...]:
    within = member.within
    inner = (0.0, 0.0, 0.0) if within is None else _sums(within, within.error**2)
    variance = max(member.drifted.error**2 - (prior.SHARED * member.drift) ** 2, 1e-30)
    return (member.point, *inner, *_sums(member.drifted, variance), member.drift)


def _sums(contrast: prior.Contrast, variance: float) -> tuple[float, float, float]:
    return contrast.location, variance, variance**2 / contrast.freedom


def _contrast(point: float, sums: Sequence[float], number: int, shared: float) -> prior.Contrast:
    """Welch–Satterthwaite over the members and what they share."""
    location, variance, squares = sums
    independent = max(variance, 0.0) / number**2
    total = independent + shared
    below = max(squares, 0.0) / number**4 + shared**2 / prior.FREEDOM
    freedom = total**2 / below if below > 0 else math.inf
    return prior.Contrast(point / number, location / number, math.sqrt(total), freedom)


#: At most this share of the verdicts is expected to be wrong. Larger than for interleaved blocks:
#: runs are few, and drift, not this level, bounds what they can tell.
RUN_ALPHA = 0.05

#: Fewer reruns than this do not replace what runs of one build are known to differ by.
MANY_RERUNS = 5
ONE_PROCESS = (
    "one process in a file shows no spread between processes: judged by the usual difference "
    "between such files of one build"
)
UNKNOWN_PROCESSES = (
    "the file does not say which values came from the same process: judged as one process"
)
NO_SPREAD = "all processes have the same value"
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
    parts: tuple[prior.Contrast, ...]
    processes: int
    notes: tuple[str, ...] = ()

    def least_level(self, margin: float) -> float:
        """The strictest level at which the interval excludes 0 or is within the margin; 1: none."""
        levels = [part.least_levels(margin) for part in self.parts]
        return min(max(apart for apart, _ in levels), max(within for _, within in levels))


def interval_of(parts: Sequence[prior.Contrast], level: float) -> tuple[float, float]:
    """The union of the intervals."""
    ends = [part.interval(level) for part in parts]
    return min(low for low, _ in ends), max(high for _, high in ends)


@dataclass(frozen=True)
class RunVerdicts:
    """``verdicts`` by head and benchmark, ``suites`` by head where it has several benchmarks.
    ``drifts`` has, for each head, the standard deviation of drift that was allowed for a
    benchmark."""

    verdicts: tuple[Verdict, ...]
    suites: tuple[Suite, ...]
    drifts: tuple[float, ...] = ()


@dataclass(frozen=True)
class _HeadCompared:
    """A head against the base: each benchmark, and their mean and suite when there are several."""

    judged: list[RunsCompared]
    drift: float
    suite: tuple[Mean, RunsCompared] | None


def compare_runs(
    base: Recording,
    heads: Sequence[Recording],
    benchmarks: Sequence[str],
    *,
    margin: float,
    noise: prior.Noise | None = None,
) -> RunVerdicts:
    """Verdicts by head and benchmark, and on the geometric mean of each head with several.
    ``benchmarks`` are compared where both base and head have them; every one counts in the mean."""
    compared = [
        _compared(
            head, base, [n for n in benchmarks if n in head.series and n in base.series], noise
        )
        for head in heads
    ]
    singles = [single for c in compared for single in c.judged]
    means = [c.suite for c in compared if c.suite is not None]
    level = coverage_level([single.least_level(margin) for single in singles], RUN_ALPHA)
    suite_level = coverage_level([suite.least_level(margin) for _, suite in means], RUN_ALPHA)
    suites = []
    for mean, suite in means:
        verdict = _verdict(suite, suite_level, margin)
        without: dict[str, tuple[float, Outcome]] = {}
        for i, member in enumerate(mean.members):
            point, parts = mean.without(i)
            interval = interval_of(parts, suite_level)
            without[member.benchmark] = point, outcome_of(*interval, margin)
        influence = {name: math.exp(point) for name, (point, _) in without.items()}
        suites.append(Suite(verdict, influence, carriers(verdict, without, margin)))
    return RunVerdicts(
        tuple(_verdict(single, level, margin) for single in singles),
        tuple(suites),
        tuple(c.drift for c in compared),
    )


def _compared(
    head: Recording, base: Recording, names: Sequence[str], noise: prior.Noise | None
) -> _HeadCompared:
    pairs = [(head.series[name], base.series[name]) for name in names]
    known = [_ratio(x, y) for x, y in pairs]
    ratios = [ratio for ratio, _, _ in known]
    drifted, drifts = prior.with_drift(ratios)
    # On a busy machine, sessions differ by more than a few reruns have shown.
    allowed = noise is None or noise.runs < MANY_RERUNS or prior.other_work(ratios) > 0
    judged = []
    for name, (x, y), (ratio, within, notes), bound in zip(
        names, pairs, known, drifted, strict=True
    ):
        parts, source = _parts(name, within, bound, noise, allowed)
        if noise is not None:  # reruns show what the processes could not
            notes = tuple(note for note in notes if note in (FEW_CARRY, FEW_VALUES_CARRY))
        processes = min(len(x.processes), len(y.processes))
        notes += (source,) if source else ()
        judged.append(
            RunsCompared(name, head.name, base.name, ratio.point, parts, processes, notes)
        )
    drift = sorted(drifts)[len(drifts) // 2] if drifts else 0.0
    if len(names) < 2:
        return _HeadCompared(judged, drift, None)
    members = [
        Member(name, ratio.point, within, d, a)
        for name, (ratio, within, _), d, a in zip(names, known, drifted, drifts, strict=True)
    ]
    # Reruns that share no benchmark with these files do not bound their mean.
    shares = noise is not None and noise.suite(names) is not None
    mean = Mean(members, noise, prior=allowed or not shares)
    return _HeadCompared(judged, drift, (mean, _suite(mean, judged, noise)))


def _ratio(x: Series, y: Series) -> tuple[prior.Ratio, prior.Contrast | None, tuple[str, ...]]:
    within = prior.contrast(x, y)
    if within is not None:
        return within, within, (FEW_CARRY,) if _is_carried(within) else ()
    point = prior.log_mean(x) - prior.log_mean(y)
    if len(x.processes) > 1 and len(y.processes) > 1:
        return prior.Ratio(point, point, 0.0, math.inf, 0.0, prior.PROCESSES), None, (NO_SPREAD,)
    reason = ONE_PROCESS if x.process_known and y.process_known else UNKNOWN_PROCESSES
    values = prior.contrast(x, y, inside=True)
    if values is None:
        return prior.Ratio(point, point, 0.0, math.inf, 0.0, prior.ONE_PROCESS), None, (reason,)
    return values, None, (reason, FEW_VALUES_CARRY) if _is_carried(values) else (reason,)


def _is_carried(ratio: prior.Ratio) -> bool:
    """Whether the ratio of the means lies elsewhere than that of most."""
    return abs(ratio.point - ratio.location) > 2 * ratio.error


def _parts(
    name: str,
    within: prior.Contrast | None,
    drifted: prior.Contrast,
    noise: prior.Noise | None,
    allowed: bool,
) -> tuple[tuple[prior.Contrast, ...], str]:
    if noise is None:
        return (drifted,), ""
    spread, note = noise.benchmarks.get(name), ""
    if spread is None:
        spread, note = noise.typical, NOT_IN_NOISE if noise.typical is not None else ""
    if spread is None:
        return (drifted,), note
    between = prior.Contrast(drifted.point, drifted.point, spread.error, spread.freedom)
    if allowed:
        return (drifted, between), note
    return ((between,) if within is None else (within, between)), note


def _suite(mean: Mean, judged: Sequence[RunsCompared], noise: prior.Noise | None) -> RunsCompared:
    point, parts = mean.of_all()
    notes: tuple[str, ...] = ()
    if noise is not None and mean.shared < len(judged):
        drift = "their drift is taken for all" if mean.shared else "their drift is not its drift"
        notes = (f"the --noise runs share {mean.shared} of its {len(judged)} benchmarks: {drift}",)
    processes = min(j.processes for j in judged)
    return replace(
        judged[0], benchmark=None, point=point, parts=parts, processes=processes, notes=notes
    )


def e_value_of(p: float) -> float:
    """Natural logarithm of the e-value 1/(2·√p), a calibrator of p-values (Vovk & Wang 2021)."""
    return -math.log(2) - math.log(max(p, 1e-300)) / 2


def _verdict(judged: RunsCompared, level: float, margin: float) -> Verdict:
    low, high = interval_of(judged.parts, level)
    outcome = outcome_of(low, high, margin)
    bounded = math.isfinite(high - low)
    return Verdict(
        variant=judged.variant,
        baseline=judged.baseline,
        benchmark=judged.benchmark,
        outcome=outcome,
        ratio=math.exp(judged.point),
        low=exp_or_inf(low),
        high=exp_or_inf(high),
        confidence=1 - level,
        log_e=e_value_of(max(part.p_value() for part in judged.parts)),
        blocks=judged.processes,
        detectable=exp_or_inf((high - low) / 2) if outcome == "undecided" and bounded else None,
        notes=judged.notes,
    )


@dataclass(frozen=True)
class RunMetrics:
    """``verdicts`` by the name of their series; ``incomparable`` says which have no ratio."""

    verdicts: tuple[Verdict, ...]
    incomparable: tuple[str, ...]


def compare_metrics(base: Recording, heads: Sequence[Recording], margin: float) -> RunMetrics:
    """Each quantity that base and a head have, as the files have it; ``faster`` means better.
    Without any spread it is exact; 0 against 0 is the same, 0 against anything else has no ratio.
    Others are judged unit by unit, as times are."""
    verdicts: list[Verdict] = []
    incomparable = []
    for head in heads:
        noisy: defaultdict[str, list[str]] = defaultdict(list)
        by_name: dict[str, Verdict] = {}
        for name, x in head.series.items():
            y = base.series.get(name)
            if y is None or y.unit != x.unit:
                continue
            zeros = [[v == 0 for p in s.processes for v in p] for s in (x, y)]
            if all(map(all, zeros)):
                by_name[name] = _exact(name, head, base, 1.0, margin)
            elif any(map(any, zeros)):
                incomparable.append(f"{name} is 0 in {(head if any(zeros[0]) else base).name}")
            elif _constant(x) and _constant(y):
                ratio = x.processes[0][0] / y.processes[0][0]
                by_name[name] = _exact(name, head, base, ratio, margin)
            else:
                noisy[x.unit].append(name)
        for names in noisy.values():
            judged = compare_runs(base, [head], names, margin=margin).verdicts
            by_name |= {
                v.benchmark: _amounts(v, head.series[v.benchmark].higher)
                for v in judged
                if v.benchmark is not None
            }
        verdicts += [by_name[name] for name in head.series if name in by_name]
    return RunMetrics(tuple(verdicts), tuple(incomparable))


def mean_amount(series: Series) -> float:
    """The mean over processes, of what is better when higher too, as the files have it."""
    mean = float(prior.process_means(series).mean())
    return 1 / mean if series.higher and mean else mean


def _constant(series: Series) -> bool:
    means = prior.process_means(series)
    return float(means.max()) == float(means.min())


def _exact(name: str, head: Recording, base: Recording, ratio: float, margin: float) -> Verdict:
    """Nothing is uncertain where every value is alike. ``ratio`` is of the costs."""
    blocks = min(len(r.series[name].processes) for r in (head, base))
    verdict = exact_verdict((name, head.name, base.name), ratio, ratio, margin, blocks=blocks)
    return _amounts(verdict, head.series[name].higher)


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
