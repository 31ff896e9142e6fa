"""Cost by parameter in the HTML file: the tables, and the data of plots with a slider."""

from __future__ import annotations

from typing import Any

from whyfast.model.observed import RunTimes
from whyfast.model.result import Result
from whyfast.model.slope import Coefficient, Line
from whyfast.report.html_text import details, section, table, text
from whyfast.report.lines_table import lines_tables, points_tables
from whyfast.report.lines_text import format_estimate
from whyfast.report.names import printable
from whyfast.report.observed_table import overhead_table, quantile, run_times_table

#: Single runs beyond this quantile are not drawn: interrupts, and the like.
_DRAWN = 0.995

_PLOTS = """
<div class="needs-script lines" hidden data-family="{number}">
<figure class="wide"><figcaption>Time of a run by number of {name}s: points with their
intervals{fitted}</figcaption><div class="lines-all"></div></figure>
<p class="choice"><label for="at-{number}">{name}s</label>
<input type="range" id="at-{number}" min="0" max="{last}" value="{last}" step="1">
<output for="at-{number}"></output></p>
<figure class="wide"><figcaption>Time of a run at that number, median with its interval</figcaption>
<div class="lines-at"></div></figure>
<figure class="wide lines-runs-figure"><figcaption>Single runs at that number, as the programs timed
themselves: share of the runs by time, the longest half per cent left out</figcaption>
<div class="lines-runs"></div></figure>
</div>"""


def lines_section(result: Result) -> str:
    """The whole section, empty where no benchmark has a parameter."""
    if not result.judged.slopes:
        return ""
    body = [table(t, cls="stack") for t in lines_tables(result)]
    for number, lines in enumerate(_families(result)):
        values = len(_values(lines)) - 1
        fitted = ", and the line of each variant" if lines[0].linear else ""
        name = text(lines[0].name)
        body.append(_PLOTS.format(number=number, name=name, last=values, fitted=fitted))
    body.append('<p class="without-script">The plots need JavaScript; the tables say the same.</p>')
    body += [details(t.caption, table(t, caption=False)) for t in points_tables(result)]
    for found in (run_times_table(result, every=True), overhead_table(result)):
        if found is not None:
            body.append(details(found.caption, table(found, caption=False)))
    return section("lines", "Cost by parameter", "\n".join(body))


def lines_data(result: Result) -> list[dict[str, Any]]:
    """A family each: its values, and its variants with times in nanoseconds."""
    return [
        {
            "name": printable(lines[0].name),
            "values": _values(lines),
            "variants": [_variant(line, result) for line in lines],
        }
        for lines in _families(result)
    ]


def _families(result: Result) -> list[list[Line]]:
    names = dict.fromkeys(line.family for line in result.judged.slopes)
    return [[line for line in result.judged.slopes if line.family == name] for name in names]


def _values(lines: list[Line]) -> list[int]:
    return sorted({point.at for line in lines for point in line.points})


def _variant(line: Line, result: Result) -> dict[str, Any]:
    at = {
        b.name: b.parameter.value
        for b in result.question.benchmarks
        if b.parameter and b.parameter.family == line.family
    }
    runs = {
        at[found.benchmark]: _runs(found)
        for found in result.found.observed.run_times
        if found.variant == line.variant and found.benchmark in at and found.counts
    }
    return {
        "name": printable(line.variant),
        "linear": line.linear,
        "slope": line.slope.value * 1e9,
        "intercept": line.intercept.value * 1e9,
        "points": [
            {"at": p.at, **_ns(p.seconds), "text": format_estimate(p.seconds)} for p in line.points
        ],
        "runs": {str(value): found for value, found in runs.items()},
    }


def _ns(estimate: Coefficient) -> dict[str, float | None]:
    named = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {name: None if x is None else x * 1e9 for name, x in named.items()}


def _runs(found: RunTimes) -> dict[str, list[float]]:
    """Per cent of the runs by nanoseconds, up to :data:`_DRAWN` of them."""
    last = quantile(found.starts, found.counts, _DRAWN) + 1
    total = sum(found.counts)
    drawn = zip(found.starts[:last], found.widths[:last], found.counts[:last], strict=True)
    bars = [(s * 1e9, w * 1e9, 100 * c / total) for s, w, c in drawn if w > 0]
    return {
        "ns": [round(s, 3) for s, _, _ in bars],
        "share": [share / max(w, 1e-9) for _, w, share in bars],
    }
