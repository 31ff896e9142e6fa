"""Instructions under several kernels as one HTML file that needs nothing but itself."""

from __future__ import annotations

from typing import Any

from whyfast import __version__
from whyfast.judge.counts import counts
from whyfast.judge.releases import ReleaseSeries, version_key
from whyfast.model.result import Result
from whyfast.report.guest_page import guest_answer, series_of
from whyfast.report.guest_tables import boot_table, count_table, point_table, slope_table
from whyfast.report.html_data import script_json
from whyfast.report.html_provenance import builds_section
from whyfast.report.html_text import details, items, prose, table, text, when
from whyfast.report.names import printable
from whyfast.report.offline import offline_page


def render_guests(result: Result) -> str:
    """The whole page: text and tables without JavaScript, the plot with it."""
    answer = guest_answer(result)
    series = series_of(result)
    slopes, boots = slope_table(result, series), boot_table(result)
    folded = [t for t in (point_table(result, series), count_table(result)) if t is not None]
    parts = {
        "version": text(__version__),
        "title": text(result.question.title),
        "heading": prose(result.question.title),
        "date": text(when(result.recorded.started)),
        "run": text(result.recorded.run),
        "headline": prose(answer.headline),
        "sentences": items(answer.sentences),
        "slopes": "" if slopes is None else table(slopes, cls="stack"),
        "counts": "\n".join(details(t.caption, table(t, caption=False)) for t in folded),
        "boots": "" if boots is None else table(boots, cls="wordy"),
        "builds": builds_section(result),
        "data": script_json(guest_data(result)),
    }
    return offline_page("guests.html", ("guests.js",), parts)


def guest_data(result: Result) -> dict[str, Any]:
    """What the plot shows: for each series the slope and the count at each value of the parameter,
    kernel by kernel, None where there is none; and where its steps are."""
    series = series_of(result)
    kernels = sorted({p.kernel for s in series for p in s.points}, key=version_key)
    at = sorted({b.parameter.value for b in result.question.benchmarks if b.parameter})
    return {
        "kernels": [printable(k) for k in kernels],
        "unit": printable(series[0].unit) if series else "",
        "at": at,
        "series": [_series(result, s, kernels, at) for s in series],
    }


def _series(
    result: Result, series: ReleaseSeries, kernels: list[str], at: list[int]
) -> dict[str, Any]:
    variants = {p.kernel: p.variant for p in series.points}
    slopes = {p.kernel: p.slope for p in series.points}
    names = {
        b.parameter.value: b.name
        for b in result.question.benchmarks
        if b.parameter and b.parameter.family == series.family
    }
    return {
        "name": printable(series.name),
        "slopes": [slopes.get(kernel) for kernel in kernels],
        "counts": [
            [_count(result, names.get(value), variants.get(kernel)) for kernel in kernels]
            for value in at
        ],
        "steps": [kernels.index(step.after.kernel) for step in series.steps],
    }


def _count(result: Result, benchmark: str | None, variant: str | None) -> float | None:
    if benchmark is None or variant is None:
        return None
    own = counts(result.recorded.blocks, benchmark, variant)
    return min(own) if own else None
