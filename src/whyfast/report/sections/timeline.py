"""The blocks in the order of measurement, which shows drift of the machine; unusual blocks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from whyfast.judge.processes import SURE
from whyfast.model.result import Result
from whyfast.model.sample import Block, Session
from whyfast.model.verdict import AsymmetricOutliers, SmallSample, Verdict
from whyfast.report.document import Plot, ReportSection, section, sentences
from whyfast.report.formatting import format_percent, plain_ratio_text, quote, ratio_text

_WITHOUT = "The plot needs JavaScript; the raw values above have every block."
_EXPLAINED = (
    "Each dot is a block: its time relative to the median block of its benchmark, over all "
    "variants. Drift of the machine affects all variants of a block alike, and cancels in every "
    "ratio."
)


def timeline_section(result: Result) -> ReportSection | None:
    """A plot of all blocks; None with fewer than two."""
    blocks = [b for b in result.recorded.blocks if any(any(v) for v in b.values.values())]
    if len(blocks) < 2:
        return None
    plot = Plot("timeline", timeline_data(blocks, result.recorded.sessions), _WITHOUT)
    return section(
        "timeline", "When it was measured", sentences([_EXPLAINED], aside=True), plot,
        importance="record",
    )  # fmt: skip


def timeline_data(blocks: Sequence[Block], sessions: Sequence[Session]) -> dict[str, Any]:
    """``series``: a benchmark each, with its blocks at minutes since the first block; ``level`` is
    the time of a block over the median block of its benchmark. ``sessions``: when each began, and
    the load of the machine then."""
    first = min(b.started for b in blocks)
    logs: defaultdict[str, dict[tuple[int, float], float]] = defaultdict(dict)
    usual = _usual(blocks)
    for b in blocks:
        logs[b.benchmark][b.index, b.started] = median(
            math.log(median(values) / b.loops / usual[b.benchmark, variant])
            for variant, values in b.values.items()
            if (b.benchmark, variant) in usual and values and median(values) > 0
        )
    return {
        "sessions": [
            {"at": (s.started - first) / 60, "text": f"start{_load(s)}"}
            for s in sessions
            if any(b.session == s.id for b in blocks)
        ],
        "series": [
            {
                "name": name,
                "points": [_point(b, first, times) for b in blocks if b.benchmark == name],
            }
            for name, times in logs.items()
        ],
    }


def _usual(blocks: Sequence[Block]) -> dict[tuple[str, str], float]:
    """The median over blocks of the time of one loop, by benchmark and variant."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for b in blocks:
        for variant, values in b.values.items():
            if values and median(values) > 0:
                found[b.benchmark, variant].append(median(values) / b.loops)
    return {key: median(values) for key, values in found.items()}


def _point(b: Block, first: float, logs: dict[tuple[int, float], float]) -> dict[str, Any]:
    level = math.exp(logs[b.index, b.started])
    drawn = any(b.layouts.values())
    cpu = "" if b.cpu is None else f", CPU {b.cpu}"
    return {
        "at": round((b.started - first) / 60, 4),
        "level": round(level, 5),
        "drawn": drawn,
        "text": f"block {b.index}{cpu}{', drawn layouts' if drawn else ''}: {level:.3f}x",
    }


def _load(session: Session) -> str:
    load = session.environment.get("load")
    return f", load {load:g}" if isinstance(load, (int, float)) else ""


# ---- Unusual blocks of a verdict: asymmetric outliers, correlation, a small sample.

#: The most of each kind that get a sentence of their own; the others are counted.
_MOST = 3

#: All blocks on one side are worth saying where chance seldom has them there.
_TELLING = 0.9


def unusual_sentences(verdicts: Sequence[Verdict]) -> list[str]:
    """A sentence for each verdict with processes unlike the others, then for blocks of which one
    says something about the next, then for those that are too few for a verdict."""
    return [*_asymmetric(verdicts), *_correlated(verdicts), *_small_samples(verdicts)]


def _pair(verdict: Verdict) -> str:
    on = f" on {quote(verdict.benchmark)}" if verdict.benchmark is not None else ""
    return f"{quote(verdict.variant)} against {quote(verdict.baseline)}{on}"


def _asymmetric(verdicts: Sequence[Verdict]) -> Iterator[str]:
    found = [
        (v, v.asymmetric_outliers)
        for v in verdicts
        if v.asymmetric_outliers is not None and v.asymmetric_outliers.p_value <= SURE
    ]
    # A variant is against several baselines, and its processes are the same.
    first = {(side.side, v.benchmark): (v, side) for v, side in reversed(found)}
    distinct = sorted(first.values(), key=lambda pair: pair[1].p_value)
    for verdict, side in distinct[:_MOST]:
        yield _one_sided(verdict, side)
    if len(distinct) > _MOST:
        yield f"{len(distinct) - _MOST} more have two kinds of processes; the JSON lists all."


def _one_sided(verdict: Verdict, found: AsymmetricOutliers) -> str:
    on = f" on {quote(verdict.benchmark)}" if verdict.benchmark is not None else ""
    times, longer = (found.ratio, "longer") if found.slow else (1 / found.ratio, "shorter")
    text = (
        f"{quote(found.side)}{on} has two kinds of processes: in {found.count} of {found.of} "
        f"blocks they took {max(times, 1 / times):.3g}x {longer} than usual "
        f"({found.low:.0%} to {found.high:.0%} of all processes)"
    )
    change = (found.mean - 1) * 100
    text += f"; that changes the ratio of the mean times by {change:+.2g} %"
    if verdict.outcome == "undecided":
        text += ", so equal medians do not mean equal times"
    return f"{text}."


def _correlated(verdicts: Sequence[Verdict]) -> Iterator[str]:
    found = [(v, v.correlation) for v in verdicts if v.correlation is not None]
    if len(found) > _MOST:
        yield (
            f"The blocks of {len(found)} of {len(verdicts)} comparisons are correlated with the "
            "next block: their intervals are widened."
        )
        return
    for verdict, correlation in found:
        yield (
            f"The blocks of {_pair(verdict)} are correlated with the next block "
            f"({correlation:.2f}): its interval is widened."
        )


def _small_samples(verdicts: Sequence[Verdict]) -> Iterator[str]:
    found = [(v, v.small_sample) for v in verdicts if v.small_sample is not None and v.blocks > 1]
    if len(found) > _MOST:
        needed = max(few.needed for _, few in found)
        yield (
            f"{len(found)} of {len(verdicts)} comparisons have too few blocks for a verdict; with "
            f"that many, a verdict needs up to {needed}."
        )
        return
    for verdict, few in found:
        yield _so_far(verdict, few)


def _so_far(verdict: Verdict, few: SmallSample) -> str:
    seen = plain_ratio_text(verdict.ratio, few.low, few.high).interval
    text = (
        f"{_pair(verdict)}: {verdict.blocks} blocks are too few for a verdict, which needs "
        f"{few.needed} or more; their ratios lie in {seen}"
    )
    if few.confidence >= _TELLING and (few.low > 1 or few.high < 1):
        side = "slower" if few.low > 1 else "faster"
        text += f"; all are {side}, which happens by chance in "
        text += f"{format_percent(1 - few.confidence)} of cases"
    if few.outcome != "undecided":
        normal = ratio_text(verdict.ratio, few.normal_low, few.normal_high)
        text += f"; {few.outcome} if the noise is normal, {normal.interval}"
    return f"{text}."
