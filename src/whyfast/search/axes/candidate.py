"""A place on an axis."""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.model.variant import Variant


@dataclass(frozen=True)
class AxisCandidate:
    """One of the candidates, in order from the good end to the bad one.

    ``name`` is unique on the axis (a whole commit, the name of a toolchain), ``title`` is what
    reports show beside it. ``variant`` is what is built for it, None where a script is run.
    ``mixed``: of an axis without an order, which of its differences it has from the bad end.
    """

    name: str
    title: str
    variant: Variant | None = None
    mixed: frozenset[int] = frozenset()
