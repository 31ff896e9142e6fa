"""A history as versioned JSON."""

from __future__ import annotations

import json
from typing import Any

from whyfast import __version__
from whyfast.history.penalty import FALSE_STEP
from whyfast.model.history import Finding, History, SeriesHistory
from whyfast.report.history_text import headline, major

SCHEMA = "whyfast-history/1"


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
        "major": [_finding(f, points) for f in major(history)],
        "findings": [_finding(f, points) for f in history.findings],
        "series": [_series(h, points) for h in history.series],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _finding(finding: Finding, points: tuple[str, ...]) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "before": points[finding.before],
        "at": points[finding.at],
        "of": finding.of,
        "where": dict(finding.where),
        "ratios": dict(finding.ratios),
    }


def _series(history: SeriesHistory, points: tuple[str, ...]) -> dict[str, Any]:
    return {
        "name": history.series.name,
        "keys": dict(history.series.keys),
        "seconds": list(history.series.values),
        "levels": list(history.levels),
        "noise": history.noise,
        "shifts": [
            {
                "before": points[s.before],
                "at": points[s.at],
                "ratio": s.ratio,
                "low": s.low,
                "high": s.high,
            }
            for s in history.shifts
        ],
        "odd": [{"at": points[o.at], "ratio": o.ratio} for o in history.odd],
    }
