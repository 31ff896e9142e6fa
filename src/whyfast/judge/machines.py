"""A comparison on several machines: whether results differ, their mean, and confounds.

All intervals of log ratios, over a family and all machines, are at α/m, m their number
(Bonferroni), so that with probability 1 − α each holds its true log ratio. Where two do not overlap
the ratios differ by a factor within [l₁ − h₂, h₁ − l₂], however many pairs were compared
(docs/math/machines.md)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from whyfast.judge import decide
from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.confounds import confound, differing, grouped, sides, warnings_first
from whyfast.judge.power import exp_or_inf, half_width, needed_blocks
from whyfast.judge.processes import set_aside
from whyfast.judge.ratios import Floats, deciding
from whyfast.judge.special import t_limit, t_tail
from whyfast.model.build import Build
from whyfast.model.result import MachineDifference, NeededBlocks, Pooled, Result
from whyfast.model.verdict import Confound, Verdict


def judge_between(results: Mapping[str, Result]) -> tuple[MachineDifference, ...]:
    """The comparisons whose results differ between machines, suites first; ``results`` by machine.
    Two families, as in a study: geometric means, and single benchmarks."""
    if len(results) < 2:
        return ()
    margin = next(iter(results.values())).question.margin
    suites, benchmarks = _levels(results)
    verdicts = {
        name: verdicts_at(result, suites=suites, benchmarks=benchmarks)
        for name, result in results.items()
    }
    by_key = _by_key(results, verdicts)
    differences = (_difference(key, by_machine, margin) for key, by_machine in by_key.items())
    return tuple(sorted((d for d in differences if d), key=lambda d: d.benchmark is not None))


def blocks_to_tell(results: Mapping[str, Result]) -> NeededBlocks:
    """From how many blocks on an interval is bounded at the level of the differences."""
    return NeededBlocks(*map(needed_blocks, _levels(results)))


def _levels(results: Mapping[str, Result]) -> tuple[float, float]:
    """Of suites, and of single benchmarks: α over the number of intervals."""
    suites = sum(len(r.judged.suites) for r in results.values())
    benchmarks = sum(len(r.judged.verdicts) for r in results.values())
    return decide.ALPHA / max(1, suites), decide.ALPHA / max(1, benchmarks)


def means_alike(results: Mapping[str, Result]) -> dict[tuple[str, str], frozenset[str]]:
    """For each pair (variant, baseline) with a geometric mean the machines where it is over the
    same benchmarks as on most machines: means over others are other quantities."""
    over: dict[tuple[str, str], dict[frozenset[str | None], list[str]]] = {}
    for name, result in results.items():
        for suite in result.judged.suites:
            pair = suite.verdict.variant, suite.verdict.baseline
            single = (v for v in result.judged.verdicts if (v.variant, v.baseline) == pair)
            sets = over.setdefault(pair, {})
            sets.setdefault(frozenset(v.benchmark for v in single), []).append(name)
    most = {pair: max(sets.values(), key=len) for pair, sets in over.items()}
    return {pair: frozenset(names) for pair, names in most.items()}


def verdicts_at(result: Result, *, suites: float, benchmarks: float) -> Iterator[Verdict]:
    """The verdicts of a result once more, those of suites first, each interval at the level given
    and none at another for the number of them. Exact counts stay as they are."""
    judged, question, recorded = result.judged, result.question, result.recorded
    if judged.about == "counts":
        yield from judged.verdicts
        return
    plan = ComparisonPlan(
        blocks=deciding(recorded.blocks),
        benchmarks=[b.name for b in question.benchmarks],
        pairs=list(dict.fromkeys((v.variant, v.baseline) for v in judged.verdicts)),
        margin=question.margin,
        warming=set_aside(judged.non_stationary),
        lacking={(f.benchmark, f.variant) for f in recorded.lacking},
    )
    samples = plan.samples(plan.pairs)
    calibrations = recorded.calibrations
    # The family divides what it is given by its number.
    alpha = suites * len(judged.suites)
    means = plan.suites(plan.pairs, samples, alpha=alpha, influence=False) if judged.suites else ()
    yield from decide.correct_cold_start(
        [s.verdict for s in means], question.benchmarks, calibrations
    )
    each = decide.judge_family(
        dict(samples.items()),
        margin=question.margin,
        alpha=benchmarks * len(samples),
        all_right=True,
    )
    yield from decide.correct_cold_start(each, question.benchmarks, calibrations)


class _Place(NamedTuple):
    """A machine's interval of the log ratio, and its estimate."""

    machine: str
    low: float
    high: float
    log: float


def _difference(
    key: decide.Key, by_machine: Mapping[str, Verdict], margin: float
) -> MachineDifference | None:
    """None where all intervals overlap, or what lies between them cannot matter."""
    places = [
        _Place(
            name, math.log(v.low) if v.low > 0 else -math.inf, math.log(v.high), math.log(v.ratio)
        )
        for name, v in by_machine.items()
        if 0 < v.ratio < math.inf
    ]
    if not places:
        return None
    groups = _groups(places)
    between: list[str] = []
    if len(groups) < 2:
        lowest, highest = min(places, key=lambda p: p.high), max(places, key=lambda p: p.low)
        if highest.low <= lowest.high:
            return None
        groups = [[lowest], [highest]]
        between = [p.machine for p in places if p not in (lowest, highest)]
    first, last = groups[0], groups[-1]
    low = min(p.low for p in last) - max(p.high for p in first)
    high = max(p.high for p in last) - min(p.low for p in first)
    if high <= math.log1p(margin):
        return None
    return MachineDifference(
        variant=key[1],
        baseline=key[2],
        benchmark=key[0],
        groups=tuple(tuple(p.machine for p in group) for group in groups),
        between=tuple(between),
        ratio=math.exp(fmean(p.log for p in last) - fmean(p.log for p in first)),
        low=math.exp(low),
        high=exp_or_inf(high),
        confidence=1 - decide.ALPHA,
    )


def _groups(places: Sequence[_Place]) -> list[list[_Place]]:
    """Parted wherever all intervals on one side lie wholly below all on the other."""
    ordered = sorted(places, key=lambda p: (p.log, p.machine))
    below = list(accumulate((p.high for p in ordered), max))
    above = list(accumulate((p.low for p in reversed(ordered)), min))[::-1]
    groups: list[list[_Place]] = []
    for i, place in enumerate(ordered):
        if i == 0 or below[i - 1] < above[i]:
            groups.append([])
        groups[-1].append(place)
    return groups


# The mean over machines like these: random effects.
#
# Machine i has the log ratio θᵢ, drawn from a population of mean μ and standard deviation τ; its
# estimate yᵢ errs by sᵢ. τ² is that of Paule & Mandel (1982): where Σ wᵢ (yᵢ − μ)² = k − 1 with the
# weights wᵢ = 1/(sᵢ² + τ²). The interval of μ is that of Hartung & Knapp (2001) and Sidik & Jonkman
# (2002), Student's with k − 1 degrees of freedom, its factor not below 1 (Röver, Knapp & Friede
# 2015). A further machine's log ratio is bounded as Higgins, Thompson & Spiegelhalter (2009) do,
# with k − 2. docs/math/machines.md derives sᵢ; python -m bench.machines simulates all of it.

#: Fewer machines are not pooled: they do not show how far machines lie apart.
FEWEST = 5

#: No estimate is better than this: of what has no noise at all τ alone says how machines differ.
_LEAST_ERROR = 1e-7
_STEPS = 60


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
        half = t_limit(level / 2, degrees) * error
        return self.mean - half, self.mean + half

    def least_level(self, margin: float) -> float:
        """The strictest level at which a word other than undecided is supported."""
        limit = math.log1p(margin)
        away = max(abs(self.mean), limit - abs(self.mean))
        return 2 * t_tail(away / self.error, self.machines - 1)


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
    weights = 1 / (variances + tau2)
    total = float(weights.sum())
    mean = float((weights * y).sum()) / total
    return float((weights * (y - mean) ** 2).sum()), mean, total


def standard_error(verdict: Verdict) -> float | None:
    """Of the log ratio, from the interval; None where its blocks do not bound it. The interval of n
    normal blocks of deviation σ has half the width σ·h(n, α), h of
    :func:`whyfast.judge.power.half_width`, so the error of their mean is half/(h·√n); whatever
    widens the interval widens it alike."""
    if not (verdict.low > 0 and verdict.high < math.inf):
        return None
    half = (math.log(verdict.high) - math.log(verdict.low)) / 2
    if verdict.confidence >= 1:  # exact counts
        return half
    usual = half_width(verdict.blocks, 1 - verdict.confidence)
    # An interval may be bounded sooner than half of them are.
    return half / usual / math.sqrt(verdict.blocks) if math.isfinite(usual) else None


def pool_machines(results: Mapping[str, Result]) -> tuple[Pooled, ...]:
    """Pooled over machines, where :data:`FEWEST` or more have a comparison; suites first. Suites
    are at α/m, m their number, benchmarks at :func:`whyfast.judge.decide.coverage_level`."""
    if len(results) < FEWEST:
        return ()
    margin = next(iter(results.values())).question.margin
    by_key = _by_key(
        results,
        {
            name: [*(s.verdict for s in r.judged.suites), *r.judged.verdicts]
            for name, r in results.items()
        },
    )
    effects: dict[decide.Key, tuple[RandomEffects, tuple[str, ...]]] = {}
    for key, by_machine in by_key.items():
        errors = {name: standard_error(v) for name, v in by_machine.items()}
        known = {name: error for name, error in errors.items() if error is not None}
        if len(known) >= FEWEST:
            logs = [math.log(by_machine[name].ratio) for name in known]
            left_out = tuple(name for name in by_machine if name not in known)
            effects[key] = random_effects(logs, list(known.values())), left_out
    suites = [key for key in effects if key[0] is None]
    single = [key for key in effects if key[0] is not None]
    of_suites = decide.ALPHA / max(1, len(suites))
    of_single = decide.coverage_level(
        [effects[key][0].least_level(margin) for key in single], decide.ALPHA
    )
    return (
        *(_pooled(key, *effects[key], of_suites, margin) for key in suites),
        *(_pooled(key, *effects[key], of_single, margin) for key in single),
    )


def _by_key(
    results: Mapping[str, Result], verdicts: Mapping[str, Iterable[Verdict]]
) -> dict[decide.Key, dict[str, Verdict]]:
    """The verdicts of each comparison by machine; of means, those that are over the same."""
    by_key: dict[decide.Key, dict[str, Verdict]] = defaultdict(dict)
    alike = means_alike(results)
    for name, each in verdicts.items():
        for v in each:
            if v.benchmark is not None or name in alike[v.variant, v.baseline]:
                by_key[v.benchmark, v.variant, v.baseline][name] = v
    return by_key


def _pooled(
    key: decide.Key, effects: RandomEffects, left_out: tuple[str, ...], level: float, margin: float
) -> Pooled:
    low, high = effects.interval(level)
    expected = effects.expected(level)
    return Pooled(
        variant=key[1],
        baseline=key[2],
        benchmark=key[0],
        outcome=decide.outcome_of(low, high, margin),
        ratio=math.exp(effects.mean),
        low=exp_or_inf(low),
        high=exp_or_inf(high),
        confidence=1 - level,
        tau=effects.tau,
        expect_low=exp_or_inf(expected[0]),
        expect_high=exp_or_inf(expected[1]),
        machines=effects.machines,
        left_out=left_out,
    )


#: At most this many variants are named in one sentence.
_NAMED = 4


def fleet_confounds(results: Mapping[str, Result]) -> tuple[Confound, ...]:
    """What differs between machines beside themselves, warnings first; ``results`` by machine."""
    compilers: dict[str, dict[str, str]] = defaultdict(dict)
    forms: dict[str, dict[str, str]] = defaultdict(dict)
    virtual, versions = {}, {}
    for machine, r in results.items():
        for toolchain in r.recorded.toolchains:
            compilers[toolchain.name][machine] = toolchain.version
        for e in r.found.evidence:
            if e.dispatch is not None and e.dispatch.form != "unknown":
                forms[e.variant][machine] = f"{e.dispatch.style} {e.dispatch.form}"
        environments = [s.environment for s in r.recorded.sessions]
        guest = any(e.get("hypervisor") for e in environments)
        virtual[machine] = "in a virtual machine" if guest else "without virtualisation"
        if environments and environments[-1].get("whyfast") is not None:
            versions[machine] = str(environments[-1]["whyfast"])
    builds = [b for r in results.values() for b in r.recorded.builds if isinstance(b, Build)]
    sources = _with_several((b.variant, _source(b)) for b in builds)
    programs = _with_several((b.variant, b.program_sha256) for b in builds)
    subjects = {
        m: "over drawn layouts" if r.judged.about == "change" else "of programs as linked"
        for m, r in results.items()
    }
    incomplete = [m for m, r in results.items() if not r.recorded.complete]
    means = {
        m: frozenset(v.benchmark for v in r.judged.verdicts)
        for m, r in results.items()
        if r.judged.suites
    }
    sizes = {m: f"{len(names)} benchmarks" for m, names in means.items()}
    confounds = [
        *(
            c
            for n, values in compilers.items()
            for c in differing("machine-compiler", values, (), n)
        ),
        *_of_variants("machine-source", sources),
        *_of_variants("machine-program", programs),
        *(c for v, each in forms.items() for c in differing("machine-dispatch", each, (v,), v)),
        *differing("machine-layouts", subjects),
        *([confound("machine-incomplete", names=", ".join(incomplete))] if incomplete else ()),
        *(
            [confound("machine-mean", sides=sides(grouped(sizes)))]
            if len(set(means.values())) > 1
            else ()
        ),
        *differing("machine-virtual", virtual),
        *differing("machine-whyfast", versions),
    ]
    return warnings_first(confounds)


def _of_variants(kind: str, variants: Sequence[str]) -> Iterator[Confound]:
    more = [f"{len(variants) - _NAMED} more"] if len(variants) > _NAMED else []
    if variants:
        yield confound(kind, variants, names=", ".join([*variants[:_NAMED], *more]))


def _source(build: Build) -> str:
    """The digest of its source; empty where it is not recorded."""
    source: Any = build.provenance.get("source")
    digest = source.get("digest") if isinstance(source, Mapping) else None
    return digest if isinstance(digest, str) else ""


def _with_several(values: Iterable[tuple[str, str]]) -> list[str]:
    """The variants with different values; an empty one is not known."""
    known: dict[str, set[str]] = {}
    for variant, value in values:
        known.setdefault(variant, set()).update({value} - {""})
    return [variant for variant, digests in known.items() if len(digests) > 1]
