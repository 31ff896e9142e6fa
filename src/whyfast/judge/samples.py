"""What the blocks of a whole study say, comparison by comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from whyfast.judge.ratios import Ratios, pair_ratios
from whyfast.model.sample import Block


def blocks_by_benchmark(
    blocks: Sequence[Block], benchmarks: Sequence[str]
) -> dict[str, list[Block]]:
    """The blocks of each of these benchmarks, in the order taken."""
    found: dict[str, list[Block]] = {name: [] for name in benchmarks}
    for block in blocks:
        if block.benchmark in found:
            found[block.benchmark].append(block)
    return found


def ratios_by_key(
    by_name: Mapping[str, Sequence[Block]],
    pairs: Sequence[tuple[str, str]],
    warming: Mapping[str, int],
) -> dict[tuple[str, str, str], Ratios]:
    """What the blocks of each benchmark say about each pair (variant, baseline), where there are
    any: by benchmark, variant, baseline. ``warming`` says for a benchmark how many first values of
    each process are set aside."""
    found = {
        (name, *pair): ratios
        for name, own in by_name.items()
        for pair, ratios in pair_ratios(own, pairs, warming.get(name, 0)).items()
    }
    ordered = [(name, *pair) for name in by_name for pair in pairs]
    return {key: found[key] for key in ordered if key in found}
