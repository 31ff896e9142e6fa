"""A series of results in order (of releases, commits, dates), and what was found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class PointSeries:
    """One benchmark on one machine over all points: ``values[i]`` in seconds, None where point i
    lacks it.

    ``keys`` are the columns that tell it from other series (``retpoline`` → ``n``), if a table had
    such. ``resolution`` is the smallest difference in seconds that its file can show, 0 if unknown.
    ``machine`` is empty where nothing tells machines apart. ``spreads[i]`` is the standard error of
    the value, relative, None where there was a single process; empty where nothing is known.
    ``higher``: more is better; then values are what they are, a rate, and no seconds.
    """

    name: str
    values: tuple[float | None, ...]
    keys: Mapping[str, str] = field(default_factory=dict)
    resolution: float = 0.0
    machine: str = ""
    spreads: tuple[float | None, ...] = ()
    higher: bool = False


@dataclass(frozen=True)
class CostSeries:
    """One exact or counted cost of a variant (empty: of the head of checks) over all points, on one
    ``benchmark`` or None: ``values[i]`` in the unit of the ``key``, None where point i lacks it or
    where it did not repeat. Two equal values are the same cost, two others a change."""

    key: str
    variant: str
    benchmark: str | None
    values: tuple[float | None, ...]
    machine: str = ""


@dataclass(frozen=True)
class Timeline:
    """The points by name, in order, and the series over them. ``by`` says what orders them.

    ``when[i]`` is when point i was measured, in seconds since the epoch, None where that is not
    known; empty where nothing is. ``facts[machine][i]`` is what is on record of point i on that
    machine: kernel, compiler, revision; None where it has no such point. ``study`` is the study
    that the points are runs of, empty for files. ``notes`` say what was left out or looks wrong, a
    sentence each. ``costs`` are those that have no chance.
    """

    points: tuple[str, ...]
    series: tuple[PointSeries, ...]
    by: str = "file"
    when: tuple[float | None, ...] = ()
    facts: Mapping[str, tuple[Mapping[str, str] | None, ...]] = field(default_factory=dict)
    study: str = ""
    notes: tuple[str, ...] = ()
    costs: tuple[CostSeries, ...] = ()

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines of the series, in their order."""
        return tuple(dict.fromkeys(s.machine for s in self.series))


@dataclass(frozen=True)
class Shift:
    """From point ``before`` on to ``at`` the level changed: ``ratio`` is new over old, for rates
    old over new, so that more than 1 is always slower. ``low`` and ``high`` bound it, approximately
    at 99 %."""

    before: int
    at: int
    ratio: float
    low: float
    high: float


@dataclass(frozen=True)
class Drift:
    """From point ``start`` to ``end`` the level moved steadily: ``ratio`` is end over start.
    ``low`` and ``high`` bound it, approximately at 99 %. ``per_point`` is the ratio from one point
    of the series to the next, ``per_week`` that of a week, None where points have no dates."""

    start: int
    end: int
    ratio: float
    low: float
    high: float
    per_point: float
    per_week: float | None = None


@dataclass(frozen=True)
class Outlier:
    """Point ``at`` lies ``ratio`` times its own level, while its neighbours lie on that level."""

    at: int
    ratio: float


@dataclass(frozen=True)
class SeriesHistory:
    """What was found in one series. ``noise`` is the standard deviation of the logarithm of a
    value, ``correlation`` that of the noise of neighbouring points; ``levels[i]`` the level in
    seconds at point i, None where the series has no value."""

    series: PointSeries
    noise: float
    levels: tuple[float | None, ...]
    shifts: tuple[Shift, ...]
    outliers: tuple[Outlier, ...]
    drifts: tuple[Drift, ...] = ()
    correlation: float = 0.0


@dataclass(frozen=True)
class Finding:
    """The same thing at the same point in one or more series.

    A ``step`` goes from point ``before`` to ``at``; an ``outlier`` is ``at`` alone; a ``drift``
    lasts from ``before`` to ``at``, about. ``ratios`` maps the names of the series to the new level
    over the old, or to the point over its level.
    ``of`` is how many series there are with the same ``where``: the columns that all the series
    concerned share, and not all others.
    """

    kind: Literal["step", "outlier", "drift"]
    before: int
    at: int
    ratios: Mapping[str, float]
    of: int
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class History:
    """All series with what was found in each, and the findings, those in most series first: steps
    and outliers in ``findings``, and ``drifts``. ``suite`` are the series of the suite as a
    whole: its geometric mean and its median; none of a few series."""

    timeline: Timeline
    series: tuple[SeriesHistory, ...]
    findings: tuple[Finding, ...]
    drifts: tuple[Finding, ...] = ()
    suite: tuple[SeriesHistory, ...] = ()
