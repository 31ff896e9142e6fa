"""What is unusual about the blocks of a verdict: lopsided, one like the next, too few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whyfast.judge.lopsided import SURE
from whyfast.model.verdict import Few, Lopsided, Verdict
from whyfast.report.names import shown
from whyfast.report.numbers import format_percent, plain_ratio_text, ratio_text

#: Of a kind, so many are said one by one; where there are more, the others are counted.
_MOST = 3

#: All blocks on one side are worth saying where chance seldom has them there.
_TELLING = 0.9


def unusual_sentences(verdicts: Sequence[Verdict]) -> list[str]:
    """A sentence for each verdict with processes unlike the others, then for blocks of which one
    says something about the next, then for those that are too few for a verdict."""
    return [*_lopsided(verdicts), *_correlated(verdicts), *_few(verdicts)]


def _pair(verdict: Verdict) -> str:
    on = f" on {shown(verdict.benchmark)}" if verdict.benchmark is not None else ""
    return f"{shown(verdict.variant)} against {shown(verdict.baseline)}{on}"


def _lopsided(verdicts: Sequence[Verdict]) -> Iterator[str]:
    found = [
        (v, v.lopsided) for v in verdicts if v.lopsided is not None and v.lopsided.p_value <= SURE
    ]
    # A variant is against several baselines, and its processes are the same.
    first = {(side.side, v.benchmark): (v, side) for v, side in reversed(found)}
    told = sorted(first.values(), key=lambda pair: pair[1].p_value)
    for verdict, side in told[:_MOST]:
        yield _one_sided(verdict, side)
    if len(told) > _MOST:
        yield f"{len(told) - _MOST} more have two kinds of processes; the JSON has them all."


def _one_sided(verdict: Verdict, found: Lopsided) -> str:
    on = f" on {shown(verdict.benchmark)}" if verdict.benchmark is not None else ""
    times, longer = (found.ratio, "longer") if found.slow else (1 / found.ratio, "shorter")
    said = (
        f"{shown(found.side)}{on} has two kinds of processes: in {found.count} of {found.of} "
        f"blocks they took {max(times, 1 / times):.3g}x {longer} than mostly "
        f"({found.low:.0%} to {found.high:.0%} of all processes)"
    )
    change = (found.mean - 1) * 100
    said += f"; that changes the ratio of the mean times by {change:+.2g} %"
    if verdict.word == "undecided":
        said += ", so that the medians being the same is not all there is"
    return f"{said}."


def _correlated(verdicts: Sequence[Verdict]) -> Iterator[str]:
    found = [(v, v.correlation) for v in verdicts if v.correlation is not None]
    if len(found) > _MOST:
        yield (
            f"The blocks of {len(found)} of {len(verdicts)} comparisons follow one another: their "
            "intervals are widened for it."
        )
        return
    for verdict, correlation in found:
        yield (
            f"The blocks of {_pair(verdict)} follow one another (correlation {correlation:.2f} of "
            "each with the next): its interval is widened."
        )


def _few(verdicts: Sequence[Verdict]) -> Iterator[str]:
    found = [(v, v.few) for v in verdicts if v.few is not None and v.blocks > 1]
    if len(found) > _MOST:
        needed = max(few.needed for _, few in found)
        yield (
            f"{len(found)} of {len(verdicts)} comparisons have too few blocks for a verdict; among "
            f"so many, one takes up to {needed}."
        )
        return
    for verdict, few in found:
        yield _so_far(verdict, few)


def _so_far(verdict: Verdict, few: Few) -> str:
    seen = plain_ratio_text(verdict.ratio, few.low, few.high).interval
    said = (
        f"{_pair(verdict)}: {verdict.blocks} blocks are too few for a verdict, which takes "
        f"{few.needed} or more; their ratios lie in {seen}"
    )
    if few.confidence >= _TELLING and (few.low > 1 or few.high < 1):
        side = "slower" if few.low > 1 else "faster"
        said += f"; all are {side}, as chance alone has them all on one side in "
        said += f"{format_percent(1 - few.confidence)} of cases"
    if few.word != "undecided":
        normal = ratio_text(verdict.ratio, few.normal_low, few.normal_high)
        said += f"; {few.word} if the noise is normal, {normal.interval}"
    return f"{said}."
