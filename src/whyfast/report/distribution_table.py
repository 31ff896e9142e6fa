"""Best, worst and the shares that gained and lost, a row a variant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from whyfast.model.result import Result
from whyfast.model.verdict import Verdict
from whyfast.report.distribution import Distribution, distributions
from whyfast.report.names import printable
from whyfast.report.numbers import ratio_text
from whyfast.report.table import Cell, Column, Table

COLUMNS = (
    Column("variant"),
    Column("best"),
    Column("worst"),
    Column("faster"),
    Column("slower"),
    Column("by estimate"),
)
#: What the columns mean, for the foot of the tables.
EXPLAINED = (
    "faster and slower: the share of benchmarks with that verdict; by estimate: how many are "
    "faster / slower, certain or not."
)


def distribution_tables(result: Result, *, every: bool = False) -> tuple[Table, ...]:
    """A table a baseline; empty with a single benchmark.

    Without ``every`` all variants against the main baseline, and the claimed gain where another
    baseline is claimed.
    """
    found = distributions(result)
    claim, main = result.question.claim, result.question.baselines[:1]
    tables = []
    for baseline in dict.fromkeys(d.baseline for d in found):
        mine = [d for d in found if d.baseline == baseline]
        if not every and baseline not in main:
            claimed = claim is not None and claim.baseline == baseline
            mine = [d for d in mine if claimed and claim and d.variant == claim.variant]
        if mine:
            tables.append(_table(baseline, mine))
    return tuple(tables)


def share_cell(d: Distribution, word: Literal["faster", "slower"]) -> Cell:
    """ "25 %," with "2 of 8" beside it."""
    number, of = d.words.get(word, 0), len(d.verdicts)
    return Cell(f"{100 * number / of:.0f} %,", f"{number} of {of}", word if number else None)


def _table(baseline: str, found: Sequence[Distribution]) -> Table:
    most = max(len(d.verdicts) for d in found)
    return Table(
        f"How the {most} benchmarks lie, against {printable(baseline)}",
        COLUMNS,
        tuple(_row(d) for d in found),
    )


def _row(d: Distribution) -> tuple[Cell, ...]:
    return (
        Cell(printable(d.variant)),
        _extreme(d.best),
        _extreme(d.worst),
        share_cell(d, "faster"),
        share_cell(d, "slower"),
        Cell(f"{d.gained} / {d.lost}"),
    )


def _extreme(verdict: Verdict) -> Cell:
    """The factor of one benchmark and its name; what is not certain is not coloured and says so."""
    text = ratio_text(verdict.ratio, verdict.low, verdict.high)
    name = f"on {printable(verdict.benchmark or '')}"
    if verdict.word in ("faster", "slower"):
        return Cell(text.factor, name, verdict.word)
    return Cell(f"{text.factor} ({verdict.word})", name)
