"""Mean, deviation, least and most of the runs of commands, as other tools show them."""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, stdev

from whyfast.model.result import Result
from whyfast.report.document import ReportSection, right, section, sentences, table
from whyfast.report.numbers import format_seconds


def run_times_section(result: Result) -> ReportSection | None:
    """Of every command: the runs one by one, whatever disturbed them; None for studies."""
    if result.judged.about != "commands":
        return None
    times: defaultdict[str, list[float]] = defaultdict(list)
    for block in result.recorded.blocks:
        for variant, values in block.values.items():
            times[variant] += (value / block.loops for value in values)
    rows = [
        (
            name,
            format_seconds(fmean(own)),
            format_seconds(stdev(own)) if len(own) > 1 else "–",
            format_seconds(min(own)),
            format_seconds(max(own)),
            str(len(own)),
        )
        for name, own in times.items()
    ]
    columns = ("variant", *right("mean", "σ", "min", "max", "runs"))
    said = sentences(
        ["σ is the spread of single runs, which the machine's drift is in: compare by the ratio."],
        aside=True,
    )
    shown = table("Time of a run", columns, rows)
    return section("run-times", "Single runs", shown, said, importance="detail") if rows else None
