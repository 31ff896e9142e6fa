"""What a mixture is called: by what it has from the bad end; no two have the same."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast.search.subsets import Subset

#: So many differences are named, or so many that are lacking; of more the numbers are told.
MOST_NAMED = 2


def label(titles: Sequence[str], subset: Subset) -> str:
    """The differences by their titles, or as all but some, or by their numbers from 1."""
    missing = frozenset(range(len(titles))) - subset
    if len(subset) <= MOST_NAMED:
        return _names(titles, subset)
    if len(missing) <= MOST_NAMED:
        return f"all but {_names(titles, missing)}" if missing else "all"
    return _ranges([n + 1 for n in sorted(subset)])


def numbered(titles: Sequence[str], subset: Subset) -> bool:
    """Whether the label is of numbers."""
    return min(len(subset), len(titles) - len(subset)) > MOST_NAMED


def _names(titles: Sequence[str], subset: Subset) -> str:
    return "; ".join(titles[n] for n in sorted(subset))


def _ranges(numbers: Sequence[int]) -> str:
    """``1–3, 7``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{a}–{b}" if b > a else f"{a}" for a, b in runs)
