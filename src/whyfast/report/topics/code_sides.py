"""Functions that differ between two builds, laid side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from whyfast.report.document import (
    Block,
    CodeSides,
    Group,
    Importance,
    ReportSection,
    group,
    section,
    sentences,
)
from whyfast.report.names import count, shown

if TYPE_CHECKING:
    from whyfast.model.code_listing import CodeDifference, CodePair, CodeRow

#: Equal instructions that are shown on either side of what differs.
AROUND = 3
#: Fewer equal instructions than this are not worth a fold.
_LEAST_FOLD = 4


def pair_name(a: str, b: str) -> str:
    """What links to the code of a pair say."""
    return "code-" + re.sub(r"[^\w.-]+", "-", f"{a}--{b}")


def code_section(
    pairs: Sequence[CodePair], importance: Importance = "detail"
) -> ReportSection | None:
    """A group a pair, a fold a function."""
    return section(
        "code",
        "Side by side",
        *(_pair(pair) for pair in pairs),
        importance=importance,
    )


def _pair(pair: CodePair) -> Block | None:
    start = pair_name(pair.a, pair.b)
    sides = [
        CodeSides(f"{start}-{i}", pair.a, pair.b, d, difference_text(d))
        for i, d in enumerate(pair.differences)
    ]
    made = group(f"{pair.a} → {pair.b}", sentences(_about(pair)), *sides)
    return replace(made, name=start) if isinstance(made, Group) else made


def _about(pair: CodePair) -> Iterator[str]:
    if not pair.differences:
        yield (
            f"No function of both {shown(pair.a)} and {shown(pair.b)} differs in more than "
            "addresses and registers."
        )
    if pair.others:
        yield f"{count(pair.others, 'more function')} differ."
    for name, only in ((pair.a, pair.only_in_a), (pair.b, pair.only_in_b)):
        if only:
            some = ", ".join(only[:6]) + (", …" if only[6:] else "")
            yield f"Only in {shown(name)}: {len(only)} ({some})."


def difference_text(d: CodeDifference) -> str:
    """ "vm_run: 1 → 175 indirect jumps, 1,433 → 2,089 instructions, 91 % of them differ"."""
    a, b = d.jumps
    jumps = f"{a} → {b} indirect jumps, " if a or b else ""
    lengths = f"{len(d.a.lines):,} → {len(d.b.lines):,} instructions"
    share = d.changed / max(len(d.rows), 1)
    return f"{d.function}: {jumps}{lengths}, {share:.0%} of the lines differ"


def folded(rows: Sequence[CodeRow], around: int = AROUND) -> Iterator[tuple[int, int, bool]]:
    """Parts of the rows as (first, the one behind the last, whether they can be folded away):
    equal ones that lie further than ``around`` from any that differ."""
    keep = [False] * len(rows)
    for i, row in enumerate(rows):
        if row.beside not in ("same", "registers"):
            for near in range(max(0, i - around), min(len(rows), i + around + 1)):
                keep[near] = True
    start = 0
    while start < len(rows):
        end = start
        while end < len(rows) and keep[end] == keep[start]:
            end += 1
        yield start, end, not keep[start] and end - start >= _LEAST_FOLD
        start = end
