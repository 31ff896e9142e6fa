"""A picture of each comparison with an interval a machine."""

from __future__ import annotations

from typing import Any

from whyfast.model.merged import Merged
from whyfast.report.document import Plot
from whyfast.report.names import shown
from whyfast.report.numbers import format_verdict
from whyfast.report.topics.distribution import interval_data, plottable
from whyfast.report.topics.machine_differences import POOLED
from whyfast.report.topics.over_machines import (
    OverMachines,
    cpu_text,
    over_machines,
    pooled_sentence,
)


def machine_plot(merged: Merged) -> Plot | None:
    """For each comparison a row a machine, with its interval; and what is pooled."""
    margin = merged.question.margin
    figures = [_figure(o, merged) for o in over_machines(merged)]
    if not any(f["points"] for f in figures):
        return None
    data = {
        "margin": margin,
        "machines": [
            {"name": m.machine.name, "about": cpu_text(m.machine.facts)} for m in merged.machines
        ],
        "figures": figures,
    }
    return Plot("machines", data, "The plots need JavaScript; the tables below say the same.")


def _figure(o: OverMachines, merged: Merged) -> dict[str, Any]:
    margin = merged.question.margin
    points = [
        {"name": name, "word": v.word, **interval_data(v), "text": format_verdict(v, margin)}
        for name, v in o.verdicts.items()
        if plottable(v.ratio)
    ]
    pooled = None
    if o.pooled:
        p = o.pooled
        ends = {"low": p.low, "high": p.high}
        pooled = {
            "name": POOLED,
            "word": p.word,
            "ratio": p.ratio,
            **{k: x if plottable(x) else None for k, x in ends.items()},
            "expect": [x if plottable(x) else None for x in (p.expect_low, p.expect_high)],
            "text": pooled_sentence(p, margin),
        }
    said = "; ".join(f"{shown(str(p['name']))} {p['text']}" for p in points)
    title = f"{o.variant} against {o.baseline}"
    return {"title": title, "label": f"{title}: {said}.", "points": points, "pooled": pooled}
