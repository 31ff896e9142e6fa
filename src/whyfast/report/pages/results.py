"""The page of a result: its sections, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from whyfast.model.result import Result
from whyfast.model.study import Commands, Recordings
from whyfast.report.answer import Answer, answer_of
from whyfast.report.document import (
    Document,
    ReportSection,
    Sentence,
    document,
    section,
)
from whyfast.report.sections.certainty import (
    certainty_section,
    confound_section,
    method_sections,
    metric_section,
)
from whyfast.report.sections.check import CHECK_HEADING
from whyfast.report.sections.claim_audit import choices
from whyfast.report.sections.code_sides import linked, result_code_section
from whyfast.report.sections.cost_by_parameter import figures_section, slope_sections
from whyfast.report.sections.counted_work import counted_sections
from whyfast.report.sections.dispatching import dispatch_section
from whyfast.report.sections.distribution import distribution_section, interval_plot
from whyfast.report.sections.each_benchmark import benchmark_sections, matrix_tables
from whyfast.report.sections.kernel_counts import kernel_sections
from whyfast.report.sections.layouts import layout_section
from whyfast.report.sections.machine_code import machine_code_sections, trouble_code
from whyfast.report.sections.main_table import axes_table, interaction_section, summary_table
from whyfast.report.sections.programs import builds_section, provenance_section
from whyfast.report.sections.recordings import run_times_section
from whyfast.report.sections.summary import result_summary
from whyfast.report.sections.timeline import machine_section, raw_section, timeline_section, when
from whyfast.report.sections.why_details import why_sections

#: The rows of the table of times: variants, or benchmarks with a column for each variant.
TableRows = Literal["variants", "benchmarks"]


def result_page(result: Result, rows: TableRows = "variants") -> Document:
    """Everything about a result: the answer, what weakens it, what it consists of and rests on."""
    answer = answer_of(result)
    study = partial(_study, rows=rows)
    return document(
        "report",
        result.question.title,
        answer.headline,
        *(_kernels if result.judged.about == "counts" else study)(result, answer),
        about=(when(result.recorded.started), f"run {result.recorded.run}"),
        heading=_heading(result),
        summary=result_summary(result) if rows == "variants" else None,
    )


def _heading(result: Result) -> str:
    """Above the answer, where nobody gave the question a title."""
    if result.found.check is not None:
        return CHECK_HEADING
    if isinstance(result.question, Recordings):
        return "Recorded results compared"
    return "Commands against each other" if isinstance(result.question, Commands) else ""


def _study(result: Result, answer: Answer, rows: TableRows) -> tuple[ReportSection | None, ...]:
    slopes, points = slope_sections(result)
    counted, more_counted = counted_sections(result)
    evidence, functions = machine_code_sections(result)
    intervals, benchmarks = benchmark_sections(result)
    noise, method = method_sections(result)
    return (
        _answer(result, answer, rows),
        *why_sections(result.found.account),
        confound_section(result),
        certainty_section(result),
        metric_section(result),
        layout_section(result),
        interaction_section(result),
        slopes,
        dispatch_section(result),
        counted,
        distribution_section(result),
        intervals,
        benchmarks,
        figures_section(result),
        evidence,
        more_counted,
        points,
        result_code_section(result, answer.sentences),
        functions,
        run_times_section(result),
        raw_section(result),
        timeline_section(result),
        builds_section(result),
        provenance_section(result),
        noise,
        machine_section(result),
        method,
    )


def _kernels(result: Result, answer: Answer) -> tuple[ReportSection | None, ...]:
    costs, counts, boots, method = kernel_sections(result, answer.sentences)
    return (
        costs,
        counts,
        boots,
        builds_section(result),
        provenance_section(result),
        machine_section(result),
        method,
    )


def _answer(result: Result, answer: Answer, rows: TableRows) -> ReportSection | None:
    summary = axes_table(result) or summary_table(result)
    plot = interval_plot(result)
    tables = matrix_tables(result) if rows == "benchmarks" else (summary,) if summary else ()
    return section(
        "answer",
        "Every variant against every baseline" if tables else "What was found",
        plot and replace(plot, later=choices(result, _sentences)),
        *tables,
        linked(result, answer.sentences),
        trouble_code(result.found.troubles),
        importance="answer",
    )


def _sentences(result: Result) -> Sequence[Sentence]:
    """The headline and what stands under it."""
    answer = answer_of(result)
    under = linked(result, answer.sentences)
    return (Sentence(answer.headline), *(under.items if under is not None else ()))
