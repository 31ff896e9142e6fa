"""Is a difference due to the change or to where the linker placed the code? Which part of the noise
is that of values, processes and layouts, and does a fix remove the last?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist

import numpy as np

from whyfast.judge.comparisons import ComparisonPlan, fitting, rounds_of, suite_ratios
from whyfast.judge.decide import Key, judge_family
from whyfast.judge.processes import set_aside
from whyfast.judge.ratios import (
    Floats,
    Ratios,
    as_linked,
    blocks_by_benchmark,
    median,
    over_layouts,
    over_profiles,
    pair_ratios,
    robust_deviation,
    tamed,
    turn_log_ratios,
)
from whyfast.model.sample import Block
from whyfast.model.verdict import (
    Draw,
    Fix,
    FixOutcome,
    NonStationary,
    Placement,
    PlacementOutcome,
    VarianceComponents,
    Verdict,
)

#: A difference as linked is called placement when what remains over layouts is surely within the
#: margin, or surely below this share of it (in logarithms).
REMAINS = 1 / 3


def judge_placements(compared: ComparisonPlan) -> tuple[Placement, ...]:
    """Placement or change, for each pair: of the suite where there is one, and each benchmark; then
    profile or change. Empty without blocks in drawn layouts or profiles."""
    series = [
        _suite_and_benchmarks(replace(compared, blocks=kind(compared.blocks)))
        for kind in (as_linked, over_layouts, over_profiles)
    ]
    linked, of_linked = series[0], _verdicts(series[0], compared.margin)
    beside = _beside(compared.blocks)
    noise = linked
    if len(beside) < len(as_linked(compared.blocks)):
        noise = _suite_and_benchmarks(replace(compared, blocks=beside))
    found: list[Placement] = []
    kinds: tuple[Draw, ...] = ("layouts", "profiles")
    for varied, over in zip(series[1:], kinds, strict=True):
        of_varied = _verdicts(varied, compared.margin)
        for key, ratios in varied.items():
            if key in linked:
                both = noise.get(key, linked[key]).medians, ratios.medians
                placement = judge_placement(of_linked[key], of_varied[key], *both, compared.margin)
                found.append(replace(placement, over=over))
    return tuple(found)


def _beside(blocks: Sequence[Block]) -> Sequence[Block]:
    """The blocks as linked since others were drawn: earlier ones may have another noise."""
    first: dict[str, int] = {}
    for b in blocks:
        if b.layouts:
            first[b.benchmark] = min(b.index, first.get(b.benchmark, b.index))
    return [b for b in as_linked(blocks) if b.index >= first.get(b.benchmark, 0) - 1]


def _suite_and_benchmarks(compared: ComparisonPlan) -> dict[Key, Ratios]:
    """The ratios of every pair, of the suite first (benchmark None) and then of each benchmark."""
    samples = compared.samples(compared.pairs)
    rounds = rounds_of(compared.blocks, compared.benchmarks)
    series: dict[Key, Ratios] = {}
    for pair in compared.pairs:
        each = {n: samples[n, *pair] for n in compared.benchmarks if (n, *pair) in samples}
        if len(each) == len(compared.benchmarks) > 1:
            series[None, *pair] = suite_ratios(each, fitting(each, rounds))
        series.update({(name, *pair): d for name, d in each.items()})
    return series


def _verdicts(series: Mapping[Key, Ratios], margin: float) -> dict[Key, Verdict]:
    """Benchmarks as one family and suites as another, as in a study."""
    single = {key: d for key, d in series.items() if key[0] is not None}
    suites = {key: d for key, d in series.items() if key[0] is None}
    verdicts = (
        *judge_family(single, margin=margin),
        *judge_family(suites, margin=margin, all_right=True),
    )
    return {(v.benchmark, v.variant, v.baseline): v for v in verdicts}


def placement_outcome(linked: Verdict, varied: Verdict, margin: float) -> PlacementOutcome:
    """The outcome that the two verdicts together support. ``placement``: as linked they differ,
    over layouts not, or by less than a third, and no ratio is in both intervals. ``change``: they
    differ over layouts, and as linked no otherwise. ``both``: they differ over layouts, as linked
    by another amount. ``neither``: no difference, and none that placement adds."""
    decided = ("faster", "slower")
    if linked.outcome == "undecided" or (
        linked.outcome == "same" and varied.outcome == "undecided"
    ):
        return "undecided" if varied.outcome not in decided else "change"
    overlap = linked.low <= varied.high and varied.low <= linked.high
    low, high = added(linked, varied)
    matters = not overlap and (low < 1 / (1 + margin) or high > 1 + margin)
    if varied.outcome in decided:
        return "both" if matters else "change"
    if linked.outcome == "same":
        return "neither"
    if overlap:
        return "undecided"  # one and the same small change may be behind both
    if varied.outcome == "same":
        return "placement" if matters else "neither"
    least = min(abs(math.log(linked.low)), abs(math.log(linked.high)))
    limit = max(math.log1p(margin), REMAINS * least)
    inside = abs(math.log(varied.low or 1e-300)) <= limit and math.log(varied.high) <= limit
    return "placement" if inside else "undecided"


def added(linked: Verdict, varied: Verdict) -> tuple[float, float]:
    """The interval of what placement multiplies the ratio by in the programs as linked: the ratio
    as linked over that over layouts, from the ends of their intervals."""
    low = linked.low / varied.high if varied.high > 0 else 0.0
    high = linked.high / varied.low if varied.low > 0 else math.inf
    return low, high


#: The level of the upper limit of a spread, on one side, as a quantile of the normal distribution.
_LIMIT = NormalDist().inv_cdf(0.95)

#: Fewer blocks bound no variance.
_FEWEST_TO_BOUND = 5

#: A single value, or this share of many, that lies far from the others is the machine's doing; more
#: are another speed, which some layouts have.
_SOLITARY = 0.05


def layout_spread(linked: Floats, varied: Floats) -> tuple[float, float]:
    """Standard deviation of one side's log time from placement alone, and its upper limit at 95 %.

    spread² = (var(varied) − var(linked)) / 2, not below 0, without :func:`_without_solitary`
    values. The limit is of a difference of variances (Zou & Donner 2008) from Bonett's limits
    (2006), which take no normal distribution. NaN with fewer than 3 blocks of either kind; infinity
    below 5."""
    if len(linked) < 3 or len(varied) < 3:
        return math.nan, math.inf
    noise, total = (float(np.var(_without_solitary(d), ddof=1)) for d in (linked, varied))
    spread = math.sqrt(max(0.0, total - noise) / 2)
    if min(len(linked), len(varied)) < _FEWEST_TO_BOUND:
        return spread, math.inf
    (noise, least, _), (total, _, most) = (_variance(d) for d in (linked, varied))
    # By chance the varied blocks may have less noise; that is no sign of a small spread.
    limit = max(0.0, total - noise) + math.hypot(most - total, noise - least)
    return spread, max(spread, math.sqrt(max(0.0, limit) / 2))


def _without_solitary(x: Floats) -> Floats:
    """A value alone beyond four robust standard deviations is moved there; several stay."""
    moved = tamed(x)
    return moved if np.sum(moved != x) <= max(1.0, _SOLITARY * len(x)) else x


def _variance(x: Floats) -> tuple[float, float, float]:
    """The variance of five values or more, its lower and its upper limit, each at 95 % (Bonett
    2006): normal on the logarithm, with the kurtosis that the values have about a trimmed mean."""
    n, variance = len(x), float(np.var(x, ddof=1))
    if variance == 0:
        return 0.0, 0.0, 0.0
    trimmed = int(n / (2 * math.sqrt(n - 4)))
    middle = float(np.mean(np.sort(x)[trimmed : n - trimmed]))
    kurtosis = n * float(np.sum((x - middle) ** 4) / np.sum((x - np.mean(x)) ** 2) ** 2)
    c = n / (n - _LIMIT)
    error = _LIMIT * c * math.sqrt(max(0.0, kurtosis - (n - 3) / n) / (n - 1))
    return variance, c * variance * math.exp(-error), c * variance * math.exp(error)


def judge_placement(
    linked: Verdict, varied: Verdict, linked_d: Floats, varied_d: Floats, margin: float
) -> Placement:
    """Both verdicts combined with the log ratios as linked, beside the varied ones, and varied."""
    low, high = added(linked, varied)
    spread, most = layout_spread(linked_d, varied_d)
    return Placement(
        outcome=placement_outcome(linked, varied, margin),
        linked=linked,
        varied=varied,
        spread=spread,
        spread_high=most,
        layouts=len(varied_d),
        points=tuple(float(x) for x in varied_d),
        added_low=low,
        added_high=high,
    )


# Whether a fix of placement removes the spread over layouts.
#
# A layout moves the time of every variant of a block, each by its own draw, and a block gives only
# ratios. With three variants or more the ratios of all pairs tell how far each of them moves alone
# (Grubbs, On estimating precision of measuring instruments and product variability, JASA 1948).

#: Log ratios of every pair of variants, each of shape (blocks,).
Series = Mapping[tuple[str, str], Floats]

#: A spread is removed when it is surely below this share of what it was.
REMOVED = 1 / 3

#: Fewer blocks of either kind bound nothing.
FEWEST = 8

#: Bootstrap samples, and the share of them on each side of the interval.
SAMPLES, TAIL = 1999, 0.005


def judge_fixes(compared: ComparisonPlan, fixes: Mapping[str, str]) -> tuple[Fix, ...]:
    """What each fix does to the spread over layouts; ``fixes`` maps it to the variant it fixes. Of
    the suite where there is one, then of each benchmark. Empty without blocks in drawn layouts."""
    linked, varied = as_linked(compared.blocks), over_layouts(compared.blocks)
    variants = compared.variants
    known = {f: o for f, o in fixes.items() if f in variants and o in variants}
    if not varied or not known:
        return ()
    kinds = [
        {n: _series(kind, n, variants, compared.warming.get(n, 0)) for n in compared.benchmarks}
        for kind in (linked, varied)
    ]
    names: list[str | None] = [*compared.benchmarks]
    if len(names) > 1:
        names.insert(0, None)
    return tuple(
        _fix(fix, original, name, variants, compared.margin, *(_of(each, name) for each in kinds))
        for name in names
        for fix, original in known.items()
    )


def alone(variances: Floats, k: int) -> Floats:
    """The variance of each variant's log time apart from what moves all alike, from those of the
    log ratios of all pairs of ``k`` ≥ 3 variants in the order of ``itertools.combinations``, along
    the last axis: by least squares (its sum − all / (k − 1)) / (k − 2). By chance it may be
    negative."""
    part = np.array([[float(v in pair) for pair in combinations(range(k), 2)] for v in range(k)])
    return np.asarray(
        (variances @ part.T - variances.sum(axis=-1, keepdims=True) / (k - 1)) / (k - 2)
    )


def _series(blocks: Sequence[Block], benchmark: str, variants: Sequence[str], skip: int) -> Series:
    """Without solitary values. Robust variances of different pairs do not add up."""
    whole = [b for b in blocks if b.benchmark == benchmark and set(variants) <= b.values.keys()]
    pairs = [*combinations(variants, 2)]
    ratios = pair_ratios(whole, pairs, skip)
    if not whole:
        return {pair: np.zeros(0) for pair in pairs}
    return {pair: _without_solitary(ratios[pair].medians) for pair in pairs}


def _of(each: Mapping[str, Series], benchmark: str | None) -> Series:
    """Of a benchmark, or of None: the mean over all, round by round."""
    if benchmark is not None:
        return each[benchmark]
    pairs = next(iter(each.values()))
    return {pair: suite_ratios({n: s[pair] for n, s in each.items()}).medians for pair in pairs}


def _fix(
    fix: str,
    original: str,
    benchmark: str | None,
    variants: Sequence[str],
    margin: float,
    linked: Series,
    varied: Series,
) -> Fix:
    layouts = len(next(iter(varied.values()), ()))
    if len(variants) < 3 or min(layouts, len(next(iter(linked.values()), ()))) < FEWEST:
        nan = math.nan
        return Fix(fix, original, benchmark, "undecided", nan, nan, nan, nan, layouts)
    k, sides = len(variants), (variants.index(fix), variants.index(original))
    d, e = np.array([*linked.values()]), np.array([*varied.values()])
    # What blocks in layouts vary more than those as linked.
    variances = (alone(np.var(e, axis=1, ddof=1), k) - alone(np.var(d, axis=1, ddof=1), k))[
        [*sides]
    ]
    rng = np.random.default_rng(layouts)  # the same blocks are judged the same
    drawn = alone(_resampled(e, rng), k) - alone(_resampled(d, rng), k)
    with_fix, without = (np.maximum(0.0, drawn[:, side]) for side in sides)
    with np.errstate(divide="ignore", invalid="ignore"):
        # Nothing to remove and nothing left is no change.
        share = np.where(
            without > 0, np.sqrt(with_fix / without), np.where(with_fix > 0, np.inf, 1)
        )
    low, high = (_quantile(share, tail) for tail in (TAIL, 1 - TAIL))
    outcome: FixOutcome = "larger" if low > 1 else "undecided"
    if all(_quantile(x, 1 - TAIL) < math.log1p(margin) ** 2 for x in (without, with_fix)):
        outcome = "none"
    elif high < 1:
        outcome = "removed" if high <= REMOVED else "reduced"
    spread, spread_without = (math.sqrt(max(0.0, float(x))) for x in variances)
    return Fix(fix, original, benchmark, outcome, spread, spread_without, low, high, layouts)


def _resampled(d: Floats, rng: np.random.Generator) -> Floats:
    """Variances (samples, pairs) in bootstrap samples of the blocks, the same for all pairs."""
    number = d.shape[1]
    chosen = rng.integers(0, number, (SAMPLES, number))
    return np.stack([np.var(pair[chosen], axis=1, ddof=1) for pair in d], axis=1)


def _quantile(x: Floats, share: float) -> float:
    return float(np.quantile(x, share, method="inverted_cdf"))


#: Fewer blocks than this tell nothing about levels.
FEWEST_FOR_LEVELS = 5


def judge_levels(
    compared: ComparisonPlan, baseline: str, non_stationary: Sequence[NonStationary]
) -> tuple[VarianceComponents, ...]:
    """The variance components of each comparison with ``baseline``. ``non_stationary``: the result
    of :func:`whyfast.judge.processes.judge_stationarity`."""
    drifting = {u.benchmark for u in non_stationary if u.lasts}
    warming = set_aside(non_stationary)
    components = (
        levels(
            blocks, variant, baseline, non_stationary=warming.get(name, 0), drifts=name in drifting
        )
        for name, blocks in blocks_by_benchmark(compared.blocks, compared.benchmarks).items()
        for variant in compared.variants
        if variant != baseline
    )
    return tuple(c for c in components if c is not None)


def levels(
    blocks: Sequence[Block],
    variant: str,
    baseline: str,
    *,
    non_stationary: int = 0,
    drifts: bool = False,
) -> VarianceComponents | None:
    """The variance components of one comparison on one benchmark: values, processes, layouts,
    nested as in Kalibera & Jones (ISMM 2013), of log ratios; from odd and even turns, and
    :func:`layout_spread`. None with too few blocks."""
    both = [b for b in blocks if variant in b.values and baseline in b.values]
    linked, varied = as_linked(both), over_layouts(both)
    first = linked or varied
    if len(first) < FEWEST_FOR_LEVELS:
        return None
    turns = [turn_log_ratios(b, variant, baseline, non_stationary) for b in first]
    split = np.array([median(t[::2]) - median(t[1::2]) for t in turns if len(t) > 1])
    within = robust_deviation(split) ** 2 / 4
    as_were = np.array([median(t) for t in turns])
    total = robust_deviation(as_were) ** 2
    layout = None
    if linked and len(varied) >= FEWEST_FOR_LEVELS:
        medians = [median(turn_log_ratios(b, variant, baseline, non_stationary)) for b in varied]
        start = len(as_were) - len(_beside(both)) if linked else 0
        layout = math.sqrt(2) * layout_spread(as_were[start:], np.array(medians))[0]
    return VarianceComponents(
        variant=variant,
        baseline=baseline,
        benchmark=first[0].benchmark,
        value=float(median([robust_deviation(t) for t in turns])),
        process=math.sqrt(max(0.0, total - within)),
        layout=layout,
        turns=int(median([len(b.values[variant]) for b in first])),
        non_stationary=non_stationary,
        drifts=drifts,
    )
