"""What a history says: sentences, tables, a plot, and its JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from statistics import median
from typing import Any

from whyfast import __version__
from whyfast.history.penalty import FALSE_STEP
from whyfast.model.history import Finding, History, SeriesHistory
from whyfast.report.codec import encode
from whyfast.report.document import (
    Cell,
    Document,
    Plot,
    Table,
    document,
    right,
    section,
    sentences,
    table,
)
from whyfast.report.names import count
from whyfast.report.numbers import format_percent, format_seconds, ratio_text

SCHEMA = "whyfast-history/1"

#: A finding is named in the headline when at least this share of its series has it.
_SHARE = 0.25


def history_page(history: History) -> Document:
    """The whole report; of a single series its table is part of the answer."""
    single = len(history.series) == 1
    return document(
        "history",
        "",
        headline(history),
        section("series", "The series", series_plot(history)),
        section("found", "What changed", finding_table(history), importance="answer"),
        section(
            "each", "Each series", series_table(history), importance="main" if single else "detail"
        ),
        section("care", "Read with care", sentences(cautions(history)), importance="answer"),
        heading=f"Since when, by {history.timeline.by}",
    )


def dump_history(history: History) -> str:
    """The JSON text; the schema stands in docs/history.md."""
    points = history.timeline.points
    data = {
        "schema": SCHEMA,
        "generator": {"name": "whyfast", "version": __version__},
        "headline": headline(history),
        "false_steps": FALSE_STEP,
        "by": history.timeline.by,
        "points": list(points),
        "major": [_finding_data(f, points) for f in major(history)],
        "findings": [_finding_data(f, points) for f in history.findings],
        "series": [_series_data(h, points) for h in history.series],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _finding_data(finding: Finding, points: tuple[str, ...]) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "before": points[finding.before],
        "at": points[finding.at],
        "of": finding.of,
        "where": dict(finding.where),
        "ratios": dict(finding.ratios),
    }


def _series_data(history: SeriesHistory, points: tuple[str, ...]) -> dict[str, Any]:
    shifts = [{**encode(s), "before": points[s.before], "at": points[s.at]} for s in history.shifts]
    return {
        "name": history.series.name,
        "keys": dict(history.series.keys),
        "seconds": list(history.series.values),
        "levels": list(history.levels),
        "noise": history.noise,
        "shifts": shifts,
        "odd": [{"at": points[o.at], "ratio": o.ratio} for o in history.odd],
    }


def headline(history: History) -> str:
    """The steps and odd points that most series share, in the order of the points."""
    parts = [f"{name_finding(history, f)}: {_in_words(f)}" for f in major(history)]
    if not parts:
        return (
            f"No step and no odd point in {count(len(history.timeline.points), 'point')} "
            f"of {len(history.series)} series."
        )
    said = "; ".join(parts) + "."
    return said[0].upper() + said[1:]


def major(history: History) -> tuple[Finding, ...]:
    """Findings in at least a quarter of the series that they could be in, as time goes."""
    named = [f for f in history.findings if len(f.ratios) >= max(1, _SHARE * f.of)]
    whole = [f for f in named if not _few(f, history)]
    return tuple(sorted(whole or named, key=lambda f: (f.at, f.kind)))


def _few(finding: Finding, history: History) -> bool:
    """No more series than chance alone may give a step."""
    return len(finding.ratios) <= FALSE_STEP * len(history.series)


def name_finding(history: History, finding: Finding) -> str:
    """``step v5.4 → v5.5``, or ``odd point v5.6``."""
    points = history.timeline.points
    if finding.kind == "odd":
        return f"odd point {points[finding.at]}"
    return f"step {points[finding.before]} → {points[finding.at]}"


def cautions(history: History) -> tuple[str, ...]:
    """How it was judged, and what weakens it."""
    total = len(history.series)
    there = "there is" if total == 1 else "there are"
    said = [
        f"A series without any change is given one in {format_percent(FALSE_STEP)} of cases if its "
        f"noise is independent from point to point; {there} {total} series.",
        "Each point was measured at its own time: what changed with the program and what changed "
        "with the machine look alike here. Measure both ends of a step again, interleaved, before "
        "blaming a commit: `whyfast ab` or `whyfast run`.",
    ]
    edges = sorted({i for h in history.series for i in _edge(h)})
    if edges:
        points = history.timeline.points
        names = ", ".join(points[i] for i in edges)
        said.append(
            f"{names} stands at an end with nothing beyond: whether it is a level of its own or an "
            "odd point cannot be told."
        )
    short = len(history.timeline.series) - total
    if short:
        said.append(f"{short} series with too few points left out.")
    return tuple(said)


def finding_table(history: History) -> Table | None:
    """Every finding, those in most series first."""
    rows = [
        (
            *(name_finding(history, f), f"{len(f.ratios)} of {f.of}", _where(f) or None),
            Cell(_factor(middle := median(f.ratios.values())), number=middle),
            _range(f),
        )
        for f in history.findings
    ]
    columns = ("what", *right("series"), "all with", *right("median", "from … to"))
    return table(f"What changed, by {history.timeline.by}", columns, rows)


def series_table(history: History) -> Table | None:
    """Each series: its level between the steps, and what was found."""
    rows = [
        (
            h.series.name,
            " → ".join(dict.fromkeys(format_seconds(x) for x in h.levels if x is not None)),
            Cell(format_percent(round(h.noise, 4)), number=h.noise),
            "; ".join(_found(h, history.timeline.points)) or "no change",
        )
        for h in history.series
    ]
    return table("Each series", ("series", "level", *right("noise"), "found"), rows)


def _found(h: SeriesHistory, points: tuple[str, ...]) -> Iterator[str]:
    for s in h.shifts:
        yield f"{points[s.before]} → {points[s.at]} {ratio_text(s.ratio, s.low, s.high)}"
    for o in h.odd:
        yield f"odd {points[o.at]} {_factor(o.ratio)}"


def series_plot(history: History) -> Plot:
    """What the plot shows: a line a series, its odd points, and the steps that many share."""
    marks = [{"at": f.at, "kind": f.kind, "text": name_finding(history, f)} for f in major(history)]
    series = [
        {
            "name": h.series.name,
            "keys": dict(h.series.keys),
            "values": list(h.series.values),
            "levels": list(h.levels),
            "odd": [o.at for o in h.odd],
        }
        for h in history.series
    ]
    timeline = history.timeline
    data = {"by": timeline.by, "points": list(timeline.points), "series": series, "marks": marks}
    return Plot("history", data, "The plot needs JavaScript; the tables say the same.")


def _edge(history: SeriesHistory) -> list[int]:
    """Points that are a segment by themselves at either end."""
    there = [i for i, level in enumerate(history.levels) if level is not None]
    starts = [s.at for s in history.shifts]
    ends = []
    if starts and starts[0] == there[1]:
        ends.append(there[0])
    if starts and starts[-1] == there[-1]:
        ends.append(there[-1])
    return ends


def _in_words(finding: Finding) -> str:
    ratios = list(finding.ratios.values())
    many = f" in {len(ratios)} of {finding.of} series" if finding.of > 1 else ""
    where = _where(finding)
    many += f" with {where}" if where else ""
    return f"{_factor(median(ratios))}{many}" + (" (median)" if len(ratios) > 1 else "")


def _where(finding: Finding) -> str:
    return ", ".join(f"{c}={v}" for c, v in finding.where.items())


def _factor(ratio: float) -> str:
    """1.9x slower, 2.2x faster: from the slower side."""
    word = "slower" if ratio > 1 else "faster"
    return f"{math.exp(abs(math.log(ratio))):.2f}x {word}"


def _range(finding: Finding) -> str:
    sizes = sorted(math.exp(abs(math.log(r))) for r in finding.ratios.values())
    return f"{sizes[0]:.2f}x … {sizes[-1]:.2f}x"
