"""Typical times of one inner loop, from the raw blocks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import median

from whyfast.judge.estimate import over_layouts
from whyfast.model.sample import Block
from whyfast.model.verdict import About
from whyfast.report.numbers import format_amount, format_seconds


def median_times(blocks: Iterable[Block]) -> Mapping[tuple[str, str], float]:
    """Median seconds of one inner loop, for each (benchmark, variant) over all blocks and turns.

    Of the blocks that the verdicts are about: those in drawn layouts where there are any.
    """
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    blocks = list(blocks)
    for block in over_layouts(blocks) or blocks:
        for variant, values in block.values.items():
            found[block.benchmark, variant].extend(v / block.loops for v in values)
    return {key: median(values) for key, values in found.items() if values}


def value_text(value: float, about: About) -> str:
    """One value in print: a time, or a number of instructions where those were counted."""
    return format_amount(value) if about == "counts" else format_seconds(value)
