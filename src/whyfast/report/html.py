"""A result as one HTML file that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence

from whyfast import __version__
from whyfast.model.result import Result
from whyfast.report.answer import answer_of
from whyfast.report.benchmark_table import tables_by_baseline
from whyfast.report.certainty import how_sure
from whyfast.report.contents import TableRows, evidence_tables, times_tables
from whyfast.report.detail_tables import evidence_notes, function_table, noise_table, phase_table
from whyfast.report.distribution_table import distribution_tables
from whyfast.report.figures_text import figures_table
from whyfast.report.guest_html import render_guests
from whyfast.report.html_counted import counted_section
from whyfast.report.html_data import MOST_EXACT, plot_data, raw_data, script_json, value_count
from whyfast.report.html_image import image_listings
from whyfast.report.html_lines import lines_data, lines_section
from whyfast.report.html_placement import placement_data, placement_section
from whyfast.report.html_provenance import builds_section, machine_section
from whyfast.report.html_text import (
    code,
    details,
    folding_items,
    folding_table,
    paragraphs,
    prose,
    section,
    table,
    text,
    when,
)
from whyfast.report.jump_table import jump_table
from whyfast.report.metric_table import metric_table
from whyfast.report.names import count
from whyfast.report.offline import offline_page
from whyfast.report.table import Table
from whyfast.report.trouble_text import toml_lines

_SUMMARY = "Every variant against every baseline"
_HOW = (
    "A block runs every variant of a benchmark once, in fresh processes whose order, CPU and turns "
    "are drawn at random, so that drift of the machine falls on all alike. Each block yields one "
    "logarithm of the ratio of times. A test that may be looked at after every block is inverted "
    "into the interval; many benchmarks are combined by their geometric mean, and false "
    "discoveries among them are held down together. MATH.md in the documentation of whyfast "
    "derives each figure as it is computed."
)
_HOW_RUNS = (
    "The values of one process count as one. Each interval is a t interval on trimmed means of the "
    "logarithms of what the processes took; benchmarks are combined by their geometric mean, and "
    "the share of wrong verdicts among all is held down. math/runs.md in the documentation "
    "of whyfast derives each figure as it is computed."
)


def render_html(result: Result, *, rows: TableRows = "variants") -> str:
    """The whole report: text and tables without JavaScript, plots and raw values with it.

    The file may be mailed, archived or published as it is; it opens no connection.
    """
    if result.judged.about == "counts":
        return render_guests(result)
    parts = {
        "plot_data": script_json(plot_data(result)),
        "placement_data": script_json(placement_data(result)),
        "lines_data": script_json(lines_data(result)),
        "raw_data": script_json(raw_data(result)),
        **_sections(result, rows),
    }
    return offline_page("report.html", ("placement.js", "lines.js", "report.js"), parts)


def _sections(result: Result, rows: TableRows) -> dict[str, str]:
    title = result.question.title
    headline = answer_of(result).headline
    if not title:
        title, headline = headline, ""
    judged = bool(result.judged.verdicts or result.judged.suites)
    return {
        "title": text(title.replace("`", "")),
        "heading": prose(title),
        "date": text(when(result.recorded.started)),
        "run": text(result.recorded.run),
        "version": text(__version__),
        "headline": f'<p class="headline">{prose(headline)}</p>' if headline else "",
        "sentences": folding_items(answer_of(result).sentences)
        + code(toml_lines(result.found.troubles)),
        "confounds": _confounds(result),
        "summary_title": _SUMMARY if judged else "What was found",
        "summary": _summary(result, rows),
        "unless_judged": "" if judged else " hidden",
        "unless_measured": "" if result.recorded.blocks else " hidden",
        "metrics": _metrics(result),
        "placements": placement_section(result),
        "lines": lines_section(result),
        "how_sure": paragraphs(how_sure(result)),
        "evidence": _evidence(result) + counted_section(result),
        "benchmarks": "\n".join(_benchmarks(*pair) for pair in tables_by_baseline(result)),
        "raw_note": _raw_note(result),
        "builds": builds_section(result),
        "environment": machine_section(result),
        "how": paragraphs(
            (_HOW_RUNS if result.judged.about == "runs" else _HOW,) if judged else ()
        ),
        "phases": _phases(result),
    }


def _confounds(result: Result) -> str:
    if not result.judged.confounds:
        return ""
    ordered = sorted(result.judged.confounds, key=lambda c: c.severity != "warning")
    lines = "\n".join(
        f'<li class="{c.severity}"><strong>{c.severity}</strong> {prose(c.text)}</li>'
        for c in ordered
    )
    return section("confounds", "Read with care", f'<ul class="confounds">\n{lines}\n</ul>')


def _summary(result: Result, rows: TableRows) -> str:
    """The tables of the answer, and how the benchmarks lie about their mean."""
    found = [table(t, cls="stack") for t in (*times_tables(result, rows), jump_table(result)) if t]
    found += [table(t, cls="stack two-lines") for t in distribution_tables(result)]
    return "\n".join(found)


def _benchmarks(baseline: str, tables: Sequence[Table]) -> str:
    """A fold a pair; those of one baseline in a fold of their own where they are several."""
    folds = "\n".join(details(t.caption, table(t, caption=False)) for t in tables)
    return folds if len(tables) < 2 else details(f"Each benchmark against {baseline}", folds)


def _evidence(result: Result) -> str:
    body = [
        folding_table(data, cls="wordy stack") for data in evidence_tables(result, counted=False)
    ]
    functions = function_table(result)
    if functions is not None:
        body.append(details("Every function that was looked at", table(functions, caption=False)))
    body.append(image_listings(result))
    body.append(folding_items(evidence_notes(result)))
    return section("evidence", "The machine code", "\n".join(b for b in body if b))


def _metrics(result: Result) -> str:
    data = metric_table(result)
    return "" if data is None else table(data)


def _phases(result: Result) -> str:
    found = (figures_table(result), noise_table(result), phase_table(result))
    return "".join(folding_table(data) for data in found if data is not None)


def _raw_note(result: Result) -> str:
    number = value_count(result.recorded.blocks)
    if not number:
        return "<p>There are no raw values.</p>"
    said = f"{count(number, 'value')} in {count(len(result.recorded.blocks), 'block')}"
    if number > MOST_EXACT:
        said += ", rounded to 4 significant digits to keep this file small"
    return f"<p>{said}.</p>"
