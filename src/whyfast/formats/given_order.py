"""Points in an order that their own names speak against, as a shell's ``*`` gives them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_NUMBER = re.compile(r"\d+")


def order_notes(points: Sequence[str], when: Sequence[float | None]) -> tuple[str, ...]:
    """A sentence where neighbours whose names differ in nothing but numbers stand with the higher
    number first, and no dates ``when`` they were measured say that this is right."""
    dates = [w for w in when if w is not None]
    if points and len(dates) == len(points) and dates == sorted(dates):
        return ()
    for one, other in pairwise(points):
        if _NUMBER.sub("#", one) == _NUMBER.sub("#", other) and _numbers(one) > _numbers(other):
            return (
                f"{one} stands before {other}: points are taken in the order given, oldest first, "
                "and a shell's * sorts names as text; `sort -V` sorts by the numbers in them.",
            )
    return ()


def _numbers(name: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(name)]
