"""A result as one HTML file that needs nothing but itself."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from importlib.resources import files

from plotly.offline import get_plotlyjs

from whyfast import __version__
from whyfast.model.result import Result
from whyfast.report.certainty import how_sure
from whyfast.report.detail_tables import (
    benchmark_tables,
    dispatch_table,
    evidence_notes,
    function_table,
    noise_table,
    phase_table,
)
from whyfast.report.html_data import MOST_EXACT, plot_data, raw_data, script_json, value_count
from whyfast.report.html_placement import placement_data, placement_section
from whyfast.report.html_provenance import builds_section, machine_section
from whyfast.report.html_text import details, items, paragraphs, prose, section, table, text, when
from whyfast.report.metric_table import metric_table
from whyfast.report.names import count
from whyfast.report.summary_table import summary_table

_PLACE = re.compile(r"\{\{ (\w+) \}\}")


def render_html(result: Result) -> str:
    """The whole report: text and tables without JavaScript, plots and raw values with it.

    The file may be mailed, archived or published as it is; it opens no connection.
    """
    assets = files("whyfast.report") / "assets"
    names = ("placement.js", "report.js")
    script = "\n".join((assets / name).read_text(encoding="utf-8") for name in names)
    plotly = get_plotlyjs()
    parts = {
        "csp": _policy(plotly, script),
        "style": (assets / "report.css").read_text(encoding="utf-8"),
        "plotly": plotly,
        "script": script,
        "plot_data": script_json(plot_data(result)),
        "placement_data": script_json(placement_data(result)),
        "raw_data": script_json(raw_data(result)),
        **_sections(result),
    }
    template = (assets / "report.html").read_text(encoding="utf-8")
    # One pass: what is put in is never looked at again, whatever it contains.
    return _PLACE.sub(lambda match: parts[match.group(1)], template)


def _sections(result: Result) -> dict[str, str]:
    title = result.study.title
    headline = result.answer.headline
    if title in ("ab", "compare"):
        title, headline = headline, ""
    return {
        "title": text(title.replace("`", "")),
        "heading": prose(title),
        "date": text(when(result.started)),
        "run": text(result.run),
        "version": text(__version__),
        "headline": f'<p class="headline">{prose(headline)}</p>' if headline else "",
        "sentences": items(result.answer.sentences),
        "confounds": _confounds(result),
        "summary": table(summary_table(result), cls="stack"),
        "metrics": _metrics(result),
        "placements": placement_section(result),
        "how_sure": paragraphs(how_sure(result)),
        "evidence": _evidence(result),
        "benchmarks": "\n".join(
            details(t.caption, table(t, caption=False)) for t in benchmark_tables(result)
        ),
        "raw_note": _raw_note(result),
        "builds": builds_section(result),
        "environment": machine_section(result),
        "phases": _phases(result),
    }


def _confounds(result: Result) -> str:
    if not result.confounds:
        return ""
    ordered = sorted(result.confounds, key=lambda c: c.severity != "warning")
    lines = "\n".join(
        f'<li class="{c.severity}"><strong>{c.severity}</strong> {prose(c.text)}</li>'
        for c in ordered
    )
    return section("confounds", "Read with care", f'<ul class="confounds">\n{lines}\n</ul>')


def _evidence(result: Result) -> str:
    dispatch, functions = dispatch_table(result), function_table(result)
    body = [table(dispatch, cls="wordy")] if dispatch is not None else []
    if functions is not None:
        body.append(details("Every function that was looked at", table(functions, caption=False)))
    body.append(items(evidence_notes(result)))
    return section("evidence", "The machine code", "\n".join(b for b in body if b))


def _metrics(result: Result) -> str:
    data = metric_table(result)
    return "" if data is None else table(data)


def _phases(result: Result) -> str:
    found = (noise_table(result), phase_table(result))
    return "".join(table(data) for data in found if data is not None)


def _raw_note(result: Result) -> str:
    number = value_count(result.blocks)
    if not number:
        return "<p>There are no raw values.</p>"
    said = f"{count(number, 'value')} in {count(len(result.blocks), 'block')}"
    if number > MOST_EXACT:
        said += ", rounded to 4 significant digits to keep this file small"
    return f"<p>{said}.</p>"


def _policy(*scripts: str) -> str:
    """Only these very scripts may run, and nothing may be loaded from anywhere."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(sha256(s.encode()).digest()).decode()}'" for s in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
