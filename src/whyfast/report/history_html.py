"""A history as one HTML file that needs nothing but itself."""

from __future__ import annotations

from typing import Any

from whyfast import __version__
from whyfast.model.history import History, SeriesHistory
from whyfast.report.history_text import (
    finding_table,
    headline,
    major,
    name_finding,
    sentences,
    series_table,
)
from whyfast.report.html_data import script_json
from whyfast.report.html_text import details, items, prose, table, text
from whyfast.report.names import printable
from whyfast.report.offline import offline_page


def render_history(history: History) -> str:
    """The whole page: text and tables without JavaScript, the plot with it."""
    every = series_table(history)
    parts = {
        "version": text(__version__),
        "heading": text(f"Since when, by {printable(history.timeline.by)}"),
        "headline": prose(headline(history)),
        "title": text(headline(history)),
        "findings": table(finding_table(history), cls="stack") if history.findings else "",
        "sentences": items(sentences(history)),
        "series": details(every.caption, table(every, caption=False)),
        "data": script_json(history_data(history)),
    }
    return offline_page("history.html", ("history.js",), parts)


def history_data(history: History) -> dict[str, Any]:
    """What the plot shows: a line a series, its odd points, and the steps that many share."""
    return {
        "by": printable(history.timeline.by),
        "points": [printable(p) for p in history.timeline.points],
        "series": [_series(h) for h in history.series],
        "marks": [
            {"at": f.at, "kind": f.kind, "text": name_finding(history, f)} for f in major(history)
        ],
    }


def _series(history: SeriesHistory) -> dict[str, Any]:
    return {
        "name": printable(history.series.name),
        "keys": {printable(k): printable(v) for k, v in history.series.keys.items()},
        "values": list(history.series.values),
        "levels": list(history.levels),
        "odd": [o.at for o in history.odd],
    }
