"""What is unusual about the blocks of a verdict: lopsided, one like the next, too few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whyfast.model.verdict import Few, Lopsided, Verdict
from whyfast.report.names import shown
from whyfast.report.numbers import format_percent, plain_ratio_text, ratio_text


def unusual_sentences(verdicts: Sequence[Verdict]) -> list[str]:
    """A sentence for each verdict with processes unlike the others, then for blocks of which one
    says something about the next, then for those that are too few for a verdict."""
    return [*_lopsided(verdicts), *_correlated(verdicts), *_few(verdicts)]


def _pair(verdict: Verdict) -> str:
    on = f" on {shown(verdict.benchmark)}" if verdict.benchmark is not None else ""
    return f"{shown(verdict.variant)} against {shown(verdict.baseline)}{on}"


def _lopsided(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for verdict in verdicts:
        if (found := verdict.lopsided) is not None:
            yield _one_sided(verdict, found)


def _one_sided(verdict: Verdict, found: Lopsided) -> str:
    on = f" on {shown(verdict.benchmark)}" if verdict.benchmark is not None else ""
    times, longer = (found.ratio, "longer") if found.slow else (1 / found.ratio, "shorter")
    said = (
        f"{shown(found.side)}{on} has two kinds of processes: in {found.count} of {found.of} "
        f"blocks they took {max(times, 1 / times):.3g}x {longer} than mostly "
        f"({format_percent(found.low)} to {format_percent(found.high)} of all processes)"
    )
    change = (found.mean - 1) * 100
    said += f"; that changes the ratio of the mean times by {change:+.2g} %"
    if verdict.word == "undecided":
        said += ", so that the medians being the same is not all there is"
    return f"{said}."


def _correlated(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for verdict in verdicts:
        if verdict.correlation is not None:
            yield (
                f"The blocks of {_pair(verdict)} follow one another (correlation "
                f"{verdict.correlation:.2f} of each with the next): its interval is widened."
            )


def _few(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for verdict in verdicts:
        if (few := verdict.few) is not None and verdict.blocks > 1:
            yield _so_far(verdict, few)


def _so_far(verdict: Verdict, few: Few) -> str:
    seen = plain_ratio_text(verdict.ratio, few.low, few.high).interval
    said = (
        f"{_pair(verdict)}: {verdict.blocks} blocks are too few for a verdict, which takes "
        f"{few.needed} or more; their ratios lie in {seen}"
    )
    if few.word != "undecided":
        normal = ratio_text(verdict.ratio, few.normal_low, few.normal_high)
        said += f"; {few.word} if the noise is normal, {normal.interval}"
    return f"{said}."
