"""The blocks one by one: raw values, their order in time, their environment; unusual ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any

from whyfast.judge.processes import SURE
from whyfast.model.result import Result
from whyfast.model.sample import Block, Session
from whyfast.model.verdict import Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt

#: From this many raw values on they are rounded to 4 significant digits, and the file says so.
MOST_EXACT = 200_000
_WITHOUT = "The plot needs JavaScript; the raw values above have every block."
_EXPLAINED = (
    "Each dot is a block: its time relative to the median block of its benchmark, over all "
    "variants. Drift of the machine affects all variants of a block alike, and cancels in every "
    "ratio."
)


def timeline_section(result: Result) -> doc.ReportSection | None:
    """A plot of all blocks; None with fewer than two."""
    blocks = [b for b in result.recorded.blocks if any(any(v) for v in b.values.values())]
    if len(blocks) < 2:
        return None
    plot = doc.Plot("timeline", timeline_data(blocks, result.recorded.sessions), _WITHOUT)
    title = "When it was measured"
    return doc.section("timeline", title, doc.note(_EXPLAINED), plot, importance="record")


def timeline_data(blocks: Sequence[Block], sessions: Sequence[Session]) -> dict[str, Any]:
    """``series``: one for each benchmark, its blocks at minutes since the first block; ``level`` is
    the time of a block over the median block of its benchmark. ``sessions``: when each began, and
    the load of the machine then."""
    first = min(b.started for b in blocks)
    timed = []
    for b in blocks:
        medians = {v: median(values) / b.loops for v, values in b.values.items() if values}
        timed.append((b, {v: seconds for v, seconds in medians.items() if seconds > 0}))
    each = fmt.grouped(((b.benchmark, v), s) for b, mine in timed for v, s in mine.items())
    usual = {key: median(seconds) for key, seconds in each.items()}
    levels = fmt.grouped(
        (b.benchmark, _point(b, first, [s / usual[b.benchmark, v] for v, s in mine.items()]))
        for b, mine in timed
    )
    starts = []
    for s in (s for s in sessions if any(b.session == s.id for b in blocks)):
        load = s.environment.get("load")
        more = f", load {load:g}" if isinstance(load, (int, float)) else ""
        starts.append({"at": (s.started - first) / 60, "text": f"start{more}"})
    series = [{"name": name, "points": points} for name, points in levels.items()]
    return {"sessions": starts, "series": series}


def _point(b: Block, first: float, ratios: Sequence[float]) -> dict[str, Any]:
    level = math.exp(median(map(math.log, ratios)))
    drawn = "drawn profiles" if b.profiles else "drawn layouts" if any(b.layouts.values()) else ""
    cpu = "" if b.cpu is None else f", CPU {b.cpu}"
    return {
        "at": round((b.started - first) / 60, 4),
        "level": round(level, 5),
        "drawn": bool(drawn),
        "text": f"block {b.index}{cpu}{f', {drawn}' if drawn else ''}: {level:.3f}x",
    }


def raw_section(result: Result) -> doc.ReportSection | None:
    """Every raw value, where there is room."""
    blocks = result.recorded.blocks
    if not blocks:
        return None
    number = value_count(blocks)
    text = f"{fmt.pluralize(number, 'value')} in {fmt.pluralize(len(blocks), 'block')}"
    if number > MOST_EXACT:
        text += ", rounded to 4 significant digits to keep this file small"
    without = "The raw values need JavaScript; they are at the end of this file."
    plot = doc.Plot("raw", raw_data(result), without)
    return doc.section(
        "raw", "Every raw value", doc.sentences([f"{text}."]), plot, importance="record"
    )


def raw_data(result: Result) -> dict[str, Any]:
    """Every raw value in seconds, by benchmark and block; variants by their index."""
    blocks = result.recorded.blocks
    rounded = value_count(blocks) > MOST_EXACT
    names = [v.name for v in result.question.variants]
    names += [name for block in blocks for name in block.values]
    index = {name: i for i, name in enumerate(dict.fromkeys(names))}
    benchmarks = fmt.grouped((b.benchmark, _block(b, index, rounded)) for b in blocks)
    return {
        "rounded": rounded,
        "variants": list(index),
        "benchmarks": [{"name": name, "blocks": every} for name, every in benchmarks.items()],
    }


def value_count(blocks: Iterable[Block]) -> int:
    """How many raw values there are."""
    return sum(len(values) for block in blocks for values in block.values.values())


def _block(block: Block, index: dict[str, int], rounded: bool) -> dict[str, Any]:
    kept = ("index", "session", "cpu", "loops", "warmups", "seed", "started")
    return {
        **{name: getattr(block, name) for name in kept},
        "order": [[index[name] for name in turn] for turn in block.order],
        "values": {
            str(index[name]): [float(f"{v:.4g}") for v in values] if rounded else list(values)
            for name, values in block.values.items()
        },
    }


def machine_section(result: Result) -> doc.ReportSection | None:
    """The environment of each session."""
    sessions = [
        doc.group(f"Session {s.id}, started {when(s.started)}", doc.FactTree(s.environment))
        for s in result.recorded.sessions
    ]
    return doc.section("environment", "The machine", *sessions, importance="record")


def when(seconds: float) -> str:
    """A time in seconds since the epoch; as it is where no calendar has it."""
    try:
        return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError, OSError):
        return f"{seconds:g} s after 1970"


# Unusual blocks of a verdict: asymmetric outliers, correlation, a small sample.

#: The most of each kind that get a sentence of their own; the others are counted.
_MOST = 3

#: All blocks on one side are worth saying where chance seldom has them there.
_TELLING = 0.9


def unusual_sentences(verdicts: Sequence[Verdict]) -> list[str]:
    """A sentence for each verdict with processes unlike the others, then for blocks of which one
    says something about the next or may do so, then for those that are too few for a verdict."""
    return [
        *_asymmetric(verdicts),
        *_correlated(verdicts),
        *_assumed_independent(verdicts),
        *_small_samples(verdicts),
    ]


def _pair(verdict: Verdict) -> str:
    return f"{fmt.quote(verdict.variant)} against {fmt.quote(verdict.baseline)}{_on(verdict)}"


def _on(verdict: Verdict) -> str:
    return f" on {fmt.quote(verdict.benchmark)}" if verdict.benchmark is not None else ""


def _asymmetric(verdicts: Sequence[Verdict]) -> Iterator[str]:
    # A variant is against several baselines, and its processes are the same.
    distinct = {
        (side.side, v.benchmark): (v, side)
        for v in reversed(verdicts)
        if (side := v.asymmetric_outliers) is not None and side.p_value <= SURE
    }
    surest = sorted(distinct.values(), key=lambda pair: pair[1].p_value)
    for verdict, side in surest[:_MOST]:
        text = (
            f"{fmt.quote(side.side)}{_on(verdict)} has two kinds of processes: in {side.count} of "
            f"{side.of} blocks they took {max(side.ratio, 1 / side.ratio):.3g}x "
            f"{'longer' if side.slow else 'shorter'} than usual ({side.low:.0%} to {side.high:.0%} "
            f"of all processes); that changes the ratio of the mean times by "
            f"{(side.mean - 1) * 100:+.2g} %"
        )
        undecided = verdict.outcome == "undecided"
        yield f"{text}{', so equal medians do not mean equal times' if undecided else ''}."
    if len(surest) > _MOST:
        yield f"{len(surest) - _MOST} more have two kinds of processes; the JSON lists all."


def _correlated(verdicts: Sequence[Verdict]) -> Iterator[str]:
    correlated = [v for v in verdicts if v.correlation is not None]
    which = "are correlated with the next block"
    if len(correlated) > _MOST:
        many = f"{len(correlated)} of {len(verdicts)} comparisons"
        yield f"The blocks of {many} {which}: their intervals are widened."
    for v in correlated if len(correlated) <= _MOST else ():
        yield f"The blocks of {_pair(v)} {which} ({v.correlation:.2f}): its interval is widened."


def _assumed_independent(verdicts: Sequence[Verdict]) -> Iterator[str]:
    assuming = [v for v in verdicts if v.assumes_independence and v.correlation is None]
    why = "so few blocks cannot show whether neighbouring blocks are correlated"
    if len(assuming) > _MOST:
        many = f"{len(assuming)} of {len(verdicts)} verdicts"
        yield f"{many} hold if blocks are independent; {why}, and more blocks would."
    for v in assuming if len(assuming) <= _MOST else ():
        yield (
            f"The verdict on {_pair(v)} holds if blocks are independent; {why} "
            f"({v.blocks} blocks), and more blocks would."
        )


def _small_samples(verdicts: Sequence[Verdict]) -> Iterator[str]:
    small = [(v, v.small_sample) for v in verdicts if v.small_sample is not None and v.blocks > 1]
    if len(small) > _MOST:
        yield (
            f"{len(small)} of {len(verdicts)} comparisons have too few blocks for a verdict; with "
            f"that many, a verdict needs up to {max(sample.needed for _, sample in small)}."
        )
        return
    for verdict, sample in small:
        seen = fmt.plain_ratio_text(verdict.ratio, sample.low, sample.high).interval
        text = (
            f"{_pair(verdict)}: {verdict.blocks} blocks are too few for a verdict, which needs "
            f"{sample.needed} or more; their ratios lie in {seen}"
        )
        if sample.confidence >= _TELLING and (sample.low > 1 or sample.high < 1):
            side = "slower" if sample.low > 1 else "faster"
            chance = fmt.percent(1 - sample.confidence)
            text += f"; all are {side}, which happens by chance in {chance} of cases"
        if sample.outcome != "undecided":
            normal = fmt.ratio_text(verdict.ratio, sample.normal_low, sample.normal_high)
            text += f"; {normal} if the noise is normal"
        yield f"{text}."
