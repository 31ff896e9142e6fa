"""What a search for a set says in the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from whyfast.search.answer import Tested

Part = tuple[int, ...]

Word = Literal["set", "mixed", "none", "swapped", "placement", "undecided"]
Together = Literal["additive", "interplay", "unclear"]


@dataclass(frozen=True)
class Minimal:
    """The answer.

    ``set``: ``parts`` carry the difference and none of them can be left out; a part is one
    difference, or several that could not be measured apart. ``mixed``: the difference goes away
    when the ends are mixed, or comes and goes with what should not matter, as placement does.
    ``none`` and ``swapped``: the ends do not differ, or in the other direction. ``placement``: they
    do as linked, and in other layouts they do not. ``undecided``: verifying refuted what had been
    found, again and again, or the budget is spent.

    ``whole`` is the level that all parts together reach, with its standard error, ``alone`` that
    of each part by itself. ``together``: whether the parts add up. ``others``: the rest of the
    differences carries the difference as well. ``tested``: what layouts said of the difference;
    ``over_layouts``: whether the levels are over layouts; else ``varied`` is that of all parts
    together over layouts, where it was tested.
    """

    word: Word
    parts: tuple[Part, ...] = ()
    whole: tuple[float, float] | None = None
    alone: tuple[tuple[float, float], ...] = ()
    together: Together | None = None
    others: bool = False
    tested: Tested = "not tested"
    over_layouts: bool = False
    varied: tuple[float, float] | None = None
    blocks: int = 0
    subsets: int = 0
