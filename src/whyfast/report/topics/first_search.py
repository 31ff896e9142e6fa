"""The first screen of a search: since when, what that rests on, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from whyfast.report.document import Brief, Table


def search_brief(
    said: Sequence[str],
    weak: Sequence[str],
    measured: Table | None,
    taken: str,
    *,
    focus: str = "",
) -> Brief:
    """``said`` is what the answer rests on, ``weak`` what it leaves open, ``measured`` a row a
    candidate, ``taken`` what it cost.

    Of many candidates the ends go first, then those about the one that is called ``focus``.
    """
    names = [row[0].text for row in measured.rows] if measured else []
    middle = names.index(focus) if focus in names else 0
    ends = (0, len(names) - 1)
    return Brief(
        said=tuple(said),
        table=measured and replace(measured, caption=f"{measured.caption}; {taken}"),
        ranks=tuple(0 if i in ends else 1 + abs(i - middle) for i in range(len(names))),
        care=tuple(weak),
        row="candidate",
    )
