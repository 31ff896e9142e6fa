"""What a kernel release costs after the one before it: series over releases, and their steps."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whyfast.model.differences import alike
from whyfast.model.question import Question
from whyfast.model.slope import Line
from whyfast.model.variant import Variant


@dataclass(frozen=True)
class ReleasePoint:
    """One kernel of a series: the instructions of a unit more of the parameter (``slope``), and
    those at 0 of it."""

    kernel: str
    variant: str
    slope: float
    intercept: float


@dataclass(frozen=True)
class ReleaseStep:
    """From ``before`` to ``after``, neighbours in a series, the slope changed by more than the
    margin of the study."""

    before: ReleasePoint
    after: ReleasePoint

    @property
    def ratio(self) -> float:
        """The new slope over the old."""
        return self.after.slope / self.before.slope


@dataclass(frozen=True)
class ReleaseSeries:
    """Variants that differ in nothing but their kernel, oldest first; ``keys`` are the values of
    the axes that they share (``spectre_v2`` → ``off``), ``unit`` what the parameter counts."""

    family: str
    unit: str
    keys: Mapping[str, str]
    points: tuple[ReleasePoint, ...]
    steps: tuple[ReleaseStep, ...]

    @property
    def name(self) -> str:
        """For reports: ``static, spectre_v2 off``."""
        said = [f"{axis} {value}" for axis, value in self.keys.items()]
        return ", ".join(said) or self.family


def release_series(
    study: Question, lines: Sequence[Line], releases: Mapping[str, str]
) -> tuple[ReleaseSeries, ...]:
    """The series of a study; ``releases`` maps each variant to the release of its kernel.

    A slope of 0 or less has no ratio, and so no step.
    """
    slopes = {(line.family, line.variant): line for line in lines}
    found = []
    for family in dict.fromkeys(line.family for line in lines):
        for group in alike(study.measured, but=("kernel",)):
            points = [
                ReleasePoint(
                    releases[v.name],
                    v.name,
                    slopes[family, v.name].slope.value,
                    slopes[family, v.name].intercept.value,
                )
                for v in group
                if (family, v.name) in slopes and v.name in releases
            ]
            points.sort(key=lambda p: version_key(p.kernel))
            if points:
                unit = slopes[family, points[0].variant].name
                steps = _steps(points, study.margin)
                found.append(ReleaseSeries(family, unit, _keys(group), tuple(points), steps))
    return tuple(found)


def version_key(release: str) -> tuple[int, ...]:
    """Orders releases: 5.10 after 5.4."""
    return tuple(int(n) for n in re.findall(r"\d+", release))


def _keys(group: Sequence[Variant]) -> dict[str, str]:
    """The axes on which the group does not differ. Of a group of one it cannot be told which axis
    is that of the kernels; most will call it so."""
    first = group[0].axes
    if len(group) == 1:
        return {axis: value for axis, value in first.items() if axis != "kernel"}
    return {
        axis: value
        for axis, value in first.items()
        if all(v.axes.get(axis) == value for v in group)
    }


def _steps(points: Sequence[ReleasePoint], margin: float) -> tuple[ReleaseStep, ...]:
    limit = math.log1p(margin)
    return tuple(
        ReleaseStep(a, b)
        for a, b in itertools.pairwise(points)
        if a.slope > 0 and b.slope > 0 and abs(math.log(b.slope / a.slope)) > limit
    )
