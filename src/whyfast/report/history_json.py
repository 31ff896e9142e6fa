"""A history as JSON; the schema stands in docs/history.md."""

from __future__ import annotations

import json
from typing import Any

from whyfast import __version__
from whyfast.history.penalty import FALSE_STEP
from whyfast.history.why import Coincidence
from whyfast.model.codec import encode
from whyfast.model.history import Finding, History, SeriesHistory
from whyfast.report.topics.history_findings import headline, largest, suite_wide
from whyfast.report.topics.history_why import coincidences, search_commands

SCHEMA = "whyfast-history/1"


def dump_history(history: History) -> str:
    """The JSON text."""
    points = history.timeline.points
    data = {
        "schema": SCHEMA,
        "generator": {"name": "whyfast", "version": __version__},
        "headline": headline(history),
        "false_steps": FALSE_STEP,
        "by": history.timeline.by,
        "points": list(points),
        "major": [_finding_data(f, points) for f in suite_wide(history)],
        "largest": [
            {"series": o.series, "name": o.name, "ratio": o.ratio, "others": o.others}
            for o in largest(history)
        ],
        "findings": [_finding_data(f, points) for f in (*history.findings, *history.drifts)],
        "why": [_coincidence_data(c, points) for c in coincidences(history)],
        "search": list(search_commands(history)),
        "machines": list(history.timeline.machines),
        "when": list(history.timeline.when),
        "facts": {m: list(f) for m, f in history.timeline.facts.items()},
        "suite": [_series_data(h, points) for h in history.suite],
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


def _coincidence_data(found: Coincidence, points: tuple[str, ...]) -> dict[str, Any]:
    return {
        "before": points[found.finding.before],
        "at": points[found.finding.at],
        "machines": list(found.machines),
        "changes": [encode(change) for change in found.changes],
        "none_on": list(found.none_on),
    }


def _series_data(history: SeriesHistory, points: tuple[str, ...]) -> dict[str, Any]:
    shifts = [{**encode(s), "before": points[s.before], "at": points[s.at]} for s in history.shifts]
    drifts = [{**encode(d), "start": points[d.start], "end": points[d.end]} for d in history.drifts]
    return {
        "name": history.series.name,
        "keys": dict(history.series.keys),
        "machine": history.series.machine,
        "higher": history.series.higher,
        "seconds": list(history.series.values),
        "spreads": list(history.series.spreads),
        "levels": list(history.levels),
        "noise": history.noise,
        "correlation": history.correlation,
        "shifts": shifts,
        "drifts": drifts,
        "odd": [{"at": points[o.at], "ratio": o.ratio} for o in history.odd],
    }
