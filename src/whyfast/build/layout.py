"""Layouts: the same objects linked again with their code elsewhere in memory.

A layout is drawn from a seed: the order of all pieces (functions, or whole objects where these have
no sections of their own), and random gaps between them. It is handed to the linker as a small
script that augments the default one (INSERT), which GNU ld and lld both take, so that it needs no
linker option of one of them. Layout 0 is the program as the study's own link step makes it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from whyfast.build.pieces import Piece

#: Gaps are multiples of this (bytes): functions keep the alignment that compilers give them.
STEP = 16
#: The first gap is up to a page, which moves everything over all sets of a first-level cache;
#: the gaps between pieces up to four cache lines.
FIRST_GAP = 4096
GAP = 256
#: About so many gaps in a layout, however many pieces there are: a gap behind each of ten thousand
#: functions would spread the code over half as many pages again, which no linker does.
GAPS = 256

#: The section of the program in which the drawn pieces stand.
SECTION = ".text.whyfast"


@dataclass(frozen=True)
class Layout:
    """A linker script, and the bytes that all of its gaps take together."""

    script: str
    gaps: int


def draw_layout(pieces: Sequence[Piece], seed: int, keep: Sequence[str] = ()) -> Layout:
    """One layout; equal arguments give equal text.

    Pieces whose section matches a pattern of ``keep`` stay side by side, in the order of the
    patterns, and are moved as a whole.
    """
    rng = random.Random(f"layout {seed}")
    kept = [p for p in pieces if any(fnmatchcase(p.section, k) for k in keep)]
    units = [p.statements for p in pieces if p not in kept]
    if kept:
        units.append(" ".join(f"*({pattern})" for pattern in keep))
    order = rng.sample(units, len(units))
    gaps = [rng.randrange(0, FIRST_GAP, STEP)] + [rng.randrange(0, GAP, STEP) for _ in order[1:]]
    if len(order) > GAPS:
        spare = set(rng.sample(range(1, len(order)), len(order) - GAPS))
        gaps = [0 if i in spare else gap for i, gap in enumerate(gaps)]
    lines = [f"    . = . + {gap}; {unit}" for gap, unit in zip(gaps, order, strict=True)]
    script = ["SECTIONS", "{", f"  {SECTION} : {{", *lines, "  }", "}", "INSERT BEFORE .text;", ""]
    return Layout("\n".join(script), sum(gaps))


def layout_seeds(variant: str, count: int) -> list[int]:
    """Seeds of a variant's layouts, drawn for each variant apart so that no two variants share
    their layouts; the same at every run, so that a layout is linked once."""
    return random.Random(f"layouts of {variant}").sample(range(1, 1_000_000), count)
