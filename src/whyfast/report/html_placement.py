"""Placement or change in the HTML file: the table, and the data of a plot for each pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from whyfast.model.result import Result
from whyfast.model.verdict import Placement, Verdict
from whyfast.report.fixes_table import fixes_table
from whyfast.report.html_text import section, table
from whyfast.report.names import count, printable, shown
from whyfast.report.numbers import format_verdict
from whyfast.report.placement_table import SAID, placement_table

#: How the mean over all benchmarks is called beside them.
SUITE = "geometric mean"

_PLOTS = """
<p class="without-script">The plots need JavaScript; the table says the same without the dots.</p>
<div class="needs-script" hidden>
<fieldset id="placement-baselines" class="choice"><legend>Compared with</legend></fieldset>
<p class="legend"><span class="lane linked">◆ as linked, with its interval</span>
<span class="lane varied">● over the drawn layouts</span>
<span class="lane">○ one pair of drawn layouts</span>
<span class="band">the margin</span></p>
<div id="placement-plots" class="plots"></div>
</div>"""


def placement_section(result: Result) -> str:
    """The whole section, empty where no layouts were drawn."""
    data = placement_table(result, every=True)
    if data is None:
        return ""
    # On a phone a row becomes a block, whose only heading is the variant.
    body = table(replace(data, fixed=1), cls="stack") + _PLOTS
    fixes = fixes_table(result, every=True)
    if fixes is not None:
        body += table(replace(fixes, fixed=1), cls="stack")
    return section("placement", "Placement or change", body)


def placement_data(result: Result) -> dict[str, Any]:
    """One figure a pair, its rows the mean and the benchmarks; ratios of time throughout."""
    return {
        "margin": result.question.margin,
        "baselines": [
            {"name": printable(name), "figures": _figures(result, name)}
            for name in result.question.baselines
            if any(p.linked.baseline == name for p in result.judged.placements)
        ],
    }


def _figures(result: Result, baseline: str) -> list[dict[str, Any]]:
    mine = [p for p in result.judged.placements if p.linked.baseline == baseline]
    variants = dict.fromkeys(p.linked.variant for p in mine)
    return [
        _figure([p for p in mine if p.linked.variant == name], result.question.margin)
        for name in variants
    ]


def _figure(placements: Sequence[Placement], margin: float) -> dict[str, Any]:
    first = placements[0]
    title = f"{shown(first.linked.variant)} against {shown(first.linked.baseline)}"
    said = "; ".join(_said(p, margin, alone=len(placements) == 1) for p in placements)
    return {
        "title": f"{title}: {SAID[first.word]}",
        "label": f"{title}. {said}.",
        "rows": [_row(p, margin, alone=len(placements) == 1) for p in placements],
    }


def _said(p: Placement, margin: float, *, alone: bool) -> str:
    name = "" if alone else f"{shown(p.linked.benchmark or SUITE)}: "
    return (
        f"{name}as linked {format_verdict(p.linked, margin)}, over {count(p.layouts, 'layout')} "
        f"{format_verdict(p.varied, margin)}: {SAID[p.word]}"
    )


def _row(p: Placement, margin: float, *, alone: bool) -> dict[str, Any]:
    return {
        "name": "" if alone else printable(p.linked.benchmark or SUITE),
        "linked": _interval(p.linked, margin, "as linked"),
        "varied": _interval(p.varied, margin, f"over {count(p.layouts, 'layout')}"),
        "points": [math.exp(x) for x in p.points if math.isfinite(x)],
    }


def _interval(verdict: Verdict, margin: float, what: str) -> dict[str, Any] | None:
    if not _plottable(verdict.ratio):
        return None
    return {
        "ratio": verdict.ratio,
        "low": verdict.low if _plottable(verdict.low) else None,
        "high": verdict.high if _plottable(verdict.high) else None,
        "text": f"{what}: {format_verdict(verdict, margin)}",
    }


def _plottable(ratio: float) -> bool:
    return math.isfinite(ratio) and ratio > 0
