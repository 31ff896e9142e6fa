"""How a benchmark stands while it is measured: whether it is decided, block by block."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from whyfast.judge.decide import judge_family, precise_enough
from whyfast.judge.estimate import block_log_ratio, over_layouts
from whyfast.model.sample import Block
from whyfast.model.verdict import Verdict


class LiveJudge:
    """How one benchmark stands against its main baseline, kept up to date block by block.

    The intervals are at full level, as if each comparison were the only one; the final verdicts
    account for how many there are.
    """

    def __init__(self, margin: float) -> None:
        self._margin = margin
        self._series: dict[tuple[str, str, str], list[float]] = {}
        self._seen: dict[str, int] = {}
        self._varied: dict[str, bool] = {}

    def update(
        self, benchmark: str, blocks: Sequence[Block], variants: Sequence[str], baseline: str
    ) -> tuple[Verdict, ...]:
        """Verdicts of all ``variants`` against ``baseline`` after the given blocks.

        ``blocks``: all of this benchmark so far, in order; only new ones are worked on.
        """
        # Where layouts are varied, the blocks that vary them are what the verdict will be about.
        drawn = over_layouts(blocks)
        varied, blocks = bool(drawn), drawn or blocks
        # The blocks as linked that came before the first drawn one no longer count.
        if varied != self._varied.get(benchmark) or len(blocks) < self._seen.get(benchmark, 0):
            self._forget(benchmark)
        self._varied[benchmark] = varied
        for block in blocks[self._seen.get(benchmark, 0) :]:
            for v in block.values:
                if v != baseline and baseline in block.values:
                    self._series.setdefault((benchmark, v, baseline), []).append(
                        block_log_ratio(block, v, baseline)
                    )
        self._seen[benchmark] = len(blocks)
        verdicts: list[Verdict] = []
        for v in variants:
            if v != baseline:
                d = np.array(self._series.get((benchmark, v, baseline), []))
                verdicts += judge_family({(benchmark, v, baseline): d}, margin=self._margin)
        return tuple(verdicts)

    def _forget(self, benchmark: str) -> None:
        self._seen[benchmark] = 0
        self._series = {k: s for k, s in self._series.items() if k[0] != benchmark}

    def settled(self, verdicts: Sequence[Verdict]) -> bool:
        """Whether every one of these verdicts is decided and precise."""
        return bool(verdicts) and all(precise_enough(v, self._margin) for v in verdicts)
