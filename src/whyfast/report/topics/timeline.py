"""The blocks in the order in which they were taken: how the machine drifted, for who doubts."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from whyfast.model.result import Result
from whyfast.model.sample import Block, Session
from whyfast.report.document import Plot, ReportSection, section, sentences

_WITHOUT = "The plot needs JavaScript; the raw values above have every block."
_EXPLAINED = (
    "Each dot is a block: how long it took beside the median block of its benchmark, all variants "
    "together. What moves all variants of a block alike is drift of the machine, and cancels in "
    "every ratio."
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
            {"at": (s.started - first) / 60, "text": _load(s)}
            for s in sessions
            if any(b.session == s.id for b in blocks)
        ],
        "series": [
            {"name": name, "points": [_point(b, first, logs[name]) for b in _of(blocks, name)]}
            for name in logs
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


def _of(blocks: Sequence[Block], name: str) -> list[Block]:
    return [b for b in blocks if b.benchmark == name]


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
    said = f", load {load:g}" if isinstance(load, (int, float)) else ""
    return f"start{said}"
