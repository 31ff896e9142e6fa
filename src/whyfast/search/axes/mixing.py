"""An axis without an order: single differences between two ends, mixed at will."""

from __future__ import annotations

from dataclasses import dataclass

from whyfast.model.variant import Variant
from whyfast.search.study_subject import Make, make_variant


@dataclass(frozen=True)
class MixingEnds:
    """What is to be mixed; ``object`` is for axes that are over one."""

    good: Variant
    bad: Variant
    object: str = ""


@dataclass(frozen=True)
class Mixing:
    """Two ends and what differs between them.

    ``differences`` are their titles, each unique, numbered from 0. A candidate that has ``mixed``
    of them from the bad end and the others from the good one is built by ``make``. ``vanishing``
    says what it means when the difference in time goes away in every mixture.
    """

    good: Variant
    bad: Variant
    differences: tuple[str, ...]
    make: Make = make_variant
    vanishing: str = ""
