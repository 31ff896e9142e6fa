"""From a timeline to its steps, drifts and outliers, by series and over all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np

from whyfast.history import changes, evidence
from whyfast.history.findings import drift_findings, findings
from whyfast.judge.ratios import Floats
from whyfast.model.errors import UserError
from whyfast.model.history import (
    Drift,
    History,
    Outlier,
    PointSeries,
    SeriesHistory,
    Shift,
    Timeline,
)

#: From this many points on, the tail of the noise is taken from the points themselves.
_TAILED = 20

#: The tail is one point in this many, ...
_ONE_IN = 10

#: ... but at least this many points.
_FEWEST = 5


def find_outliers(residuals: Floats, pruned: changes.Pruned, chance: float) -> list[int]:
    """The points beyond :func:`reach`, unless most points of their piece are."""
    far = np.abs(residuals) > reach(residuals, pruned, chance)
    for piece in pruned.pieces:
        if 2 * int(far[piece.start : piece.end].sum()) >= piece.points:
            far[piece.start : piece.end] = False
    return np.flatnonzero(far).tolist()


def reach(residuals: Floats, pruned: changes.Pruned, chance: float) -> float:
    """The distance from its level, in logarithms, that noise exceeds with ``chance`` only. That of
    normal noise without outliers; or, if it is larger, that of an exponential tail fitted by the
    median to the distances beyond the ninth decile, or to the five largest."""
    near = residuals[np.abs(residuals) <= changes.OUTLIER * pruned.judge.scale]
    aside = len(residuals) - len(near)
    freedom = max(pruned.freedom - aside, 1.0)
    prior = pruned.prior
    square = float(near @ near) + prior.variance * prior.freedom
    sd = max(math.sqrt(square / freedom), prior.least)
    normal = sd * math.sqrt(changes.threshold(chance, freedom))
    if len(residuals) < _TAILED:
        return normal
    distances = np.sort(np.abs(residuals))[::-1]
    count = max(len(distances) // _ONE_IN, _FEWEST)
    edge = float(distances[count])
    scale = float(np.median(distances[:count] - edge)) / math.log(2.0)
    return max(normal, edge + scale * math.log(count / (len(distances) * chance)))


# The suite as a whole: its geometric mean and its median as series of their own.

#: Fewer series are no suite.
FEWEST_SERIES = 3

#: The most rounds of centring points and series in turn, and the change at which they end.
_ROUNDS, _STILL = 50, 1e-9


def suite_series(series: Sequence[PointSeries]) -> tuple[PointSeries, ...]:
    """The geometric mean and the median over ``series``, point by point, relative to their middle
    point; nothing for fewer than ``FEWEST_SERIES``. Series may lack points: a two-way fit of points
    and series (Tukey's median polish, and the same with means)."""
    if len(series) < FEWEST_SERIES:
        return ()
    logs = np.array(
        [[math.nan if v is None else _sign(s) * math.log(v) for v in s.values] for s in series]
    )
    lacking = np.isfinite(logs).sum(axis=0) < FEWEST_SERIES
    machine = series[0].machine
    on = f" on {machine}" if machine else ""
    middles = []
    for name, middle in (("geometric mean", np.nanmean), ("median", np.nanmedian)):
        points = iter(np.exp(_by_point(logs[:, ~lacking], middle)).tolist())
        values = tuple(None if lacks else next(points) for lacks in lacking)
        middles.append(PointSeries(f"{name} of {len(series)} series{on}", values, machine=machine))
    return tuple(middles)


def _by_point(logs: Floats, middle: Callable[..., Floats]) -> Floats:
    """The effect of each point on all series; ``logs`` of shape (series, points), NaN: missing."""
    rest = logs[np.isfinite(logs).any(axis=1)]
    total = np.zeros(logs.shape[1])
    for _ in range(_ROUNDS):
        rest = rest - middle(rest, axis=1)[:, None]
        moved = middle(rest, axis=0)
        rest = rest - moved
        total = total + moved
        if not np.abs(moved).max(initial=0.0) > _STILL:
            break
    return total


#: The chance that the interval of one shift misses it, two-sided.
_MISSED = 0.01

#: How often the prior of the noise is estimated from residuals.
_LOOKS = 2
_WEEK = 7 * 86400.0


def detect(timeline: Timeline) -> History:
    """All steps, drifts and outliers. UserError when no series has enough points."""
    long_enough = [s for s in timeline.series if _length(s) >= changes.FEWEST]
    if not long_enough:
        most = max((_length(s) for s in timeline.series), default=0)
        raise UserError(
            f"too few points: {most} in the longest series; a step needs at least {changes.FEWEST}"
        )
    histories: list[SeriesHistory] = []
    whole: list[SeriesHistory] = []
    for machine in timeline.machines:
        members = [s for s in long_enough if s.machine == machine]
        histories += _together(members, timeline.when)
        whole += [h for s in suite_series(members) for h in _together([s], timeline.when)]
    return History(
        timeline, tuple(histories), findings(histories), drift_findings(histories), tuple(whole)
    )


def _together(
    series: Sequence[PointSeries], when: Sequence[float | None]
) -> tuple[SeriesHistory, ...]:
    """The histories of series with a shared prior of their noise."""
    members = [s for s in series if _length(s) >= changes.FEWEST]
    values = [np.array([v for v in s.values if v is not None]) for s in members]
    logs = [_sign(s) * np.log(v) for s, v in zip(members, values, strict=True)]
    floors = [
        evidence.rounding_noise(v, s.resolution) for s, v in zip(members, values, strict=True)
    ]
    return tuple(map(partial(_history, when), members, logs, judged(logs, floors)))


def _sign(series: PointSeries) -> float:
    """-1 for rates: their reciprocals are costs."""
    return -1.0 if series.higher else 1.0


def judged(logs: Sequence[Floats], floors: Sequence[float]) -> list[changes.Pruned]:
    """The pieces of each series; ``floors`` is the least noise of each. The shared prior of their
    noise comes from differences of neighbours at first, many of which are changes in short series;
    then from the residuals of the candidates."""
    least = np.maximum(floors, evidence.LEAST)
    noise_of = np.maximum([evidence.difference_noise(y) for y in logs], least)
    freedom = np.array([evidence.quartile_freedom(len(y)) for y in logs])
    prior = evidence.shared_prior(noise_of, freedom)
    scales = np.maximum(_blended(noise_of, freedom, prior), least)
    candidates = _candidates(logs, scales)
    for _ in range(_LOOKS if prior.freedom else 0):
        left = [changes.left_over(*known) for known in zip(logs, candidates, scales, strict=True)]
        noise, known = (np.array(column) for column in zip(*left, strict=True))
        prior = evidence.shared_prior(np.maximum(noise, least), known)
        scales = np.maximum(_blended(noise_of, freedom, prior), least)
        candidates = _candidates(logs, scales)
    return [
        changes.prune(
            y, starts, float(scale), replace(prior, least=float(low)), changes.single_chance(len(y))
        )
        for y, starts, scale, low in zip(logs, candidates, scales, least, strict=True)
    ]


def _blended(noise: Floats, freedom: Floats, prior: evidence.Prior) -> Floats:
    """Standard deviations from the differences of each series and the prior."""
    square = noise**2 * freedom + prior.variance * prior.freedom
    return np.asarray(np.sqrt(square / (freedom + prior.freedom)))


def _candidates(logs: Sequence[Floats], scales: Floats) -> list[list[int]]:
    """The segments of each series; series of equal length are cut together."""
    candidates: dict[int, list[int]] = {}
    for length in {len(y) for y in logs}:
        which = [i for i, y in enumerate(logs) if len(y) == length]
        cut = changes.segment(np.array([logs[i] / scales[i] for i in which]))
        candidates.update(zip(which, cut, strict=True))
    return [candidates[i] for i in range(len(logs))]


def _history(
    when: Sequence[float | None], series: PointSeries, y: Floats, pruned: changes.Pruned
) -> SeriesHistory:
    """``y``: logarithms of the existing values, or of the reciprocals of rates."""
    where = [i for i, v in enumerate(series.values) if v is not None]
    level = np.concatenate([p.values() for p in pruned.pieces])
    outliers = find_outliers(y - level, pruned, changes.single_chance(len(y)))
    levels: list[float | None] = [None] * len(series.values)
    for t, i in enumerate(where):
        levels[i] = math.exp(_sign(series) * level[t])
    judge = pruned.judge
    return SeriesHistory(
        series,
        noise=math.sqrt(judge.noise.variance),
        levels=tuple(levels),
        shifts=tuple(
            _shift(pruned, a, b, where)
            for a, b in pairwise(pruned.pieces)
            if judge.jump(a, b) >= judge.needed
        ),
        outliers=tuple(Outlier(where[t], math.exp(y[t] - level[t])) for t in outliers),
        drifts=tuple(_drift(pruned, p, where, when) for p in pruned.pieces if p.slope),
        correlation=judge.noise.correlation,
    )


def _shift(
    pruned: changes.Pruned, left: evidence.Segment, right: evidence.Segment, where: Sequence[int]
) -> Shift:
    noise = pruned.judge.noise
    change, variance = 0.0, 0.0
    for piece, side in ((left, 0.5), (right, -0.5)):
        # The value at the boundary, which half the piece is away from its middle.
        edge = piece.middle + piece.slope * piece.points * side
        change += edge if piece is right else -edge
        variance += noise.variance * noise.factor_at(piece.points) / piece.points
        if piece.slope:
            variance += evidence.slope_variance(noise, piece) * (piece.points / 2.0) ** 2
    half = math.sqrt(variance * changes.threshold(_MISSED, pruned.freedom))
    ratio, low, high = (math.exp(d) for d in (change, change - half, change + half))
    return Shift(where[right.start - 1], where[right.start], ratio, low, high)


def _drift(
    pruned: changes.Pruned,
    piece: evidence.Segment,
    where: Sequence[int],
    when: Sequence[float | None],
) -> Drift:
    start, end = where[piece.start], where[piece.end - 1]
    rise = piece.slope * (piece.points - 1)
    sd = math.sqrt(evidence.slope_variance(pruned.judge.noise, piece)) * (piece.points - 1)
    half = sd * math.sqrt(changes.threshold(_MISSED, pruned.freedom))
    ratio, low, high = (math.exp(d) for d in (rise, rise - half, rise + half))
    first, last = (when[start], when[end]) if when else (None, None)
    weekly = None
    if first is not None and last is not None and last > first:
        weekly = math.exp(rise * _WEEK / (last - first))
    return Drift(start, end, ratio, low, high, math.exp(piece.slope), weekly)


def _length(series: PointSeries) -> int:
    return sum(v is not None for v in series.values)
