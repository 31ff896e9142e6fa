"""What a benchmark costs by its parameter: points, and the straight line through them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Coefficient:
    """A value with its interval; an end is None while there is too little to bound it."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class LinePoint:
    """One benchmark of the family: ``seconds`` of one loop where the parameter is ``at``.

    ``value`` and ``process`` are robust standard deviations relative to the time: of values within
    a process, and between processes (blocks) beyond what the values explain.
    """

    at: int
    seconds: Coefficient
    value: float
    process: float
    blocks: int


@dataclass(frozen=True)
class Line:
    """One variant over one family of benchmarks.

    ``slope`` is in seconds per ``name``, which is the singular of what the parameter counts,
    ``intercept`` in seconds at 0; both are medians over ``passes``, with intervals at
    ``confidence``. ``slope_ratio`` is the slope over the main baseline's, pass by pass; None for
    the baseline itself, and where its slope is not above 0 throughout. ``departure`` is how far the
    furthest point, at ``departure_at``, lies from the line, in seconds. Where ``linear`` is false,
    only the points are of interest.
    """

    family: str
    name: str
    variant: str
    points: tuple[LinePoint, ...]
    slope: Coefficient
    intercept: Coefficient
    slope_ratio: Coefficient | None
    departure: float
    departure_at: int
    passes: int
    confidence: float
    linear: bool = True
