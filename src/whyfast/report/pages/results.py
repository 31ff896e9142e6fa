"""The pages of a result, of an account, and of the results of several machines: their sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from whyfast.model.result import Merged, Result
from whyfast.model.study import Commands, Recordings
from whyfast.report.answer import answer_of, choices
from whyfast.report.document import Document, ReportSection, detail, document, section, sentences
from whyfast.report.formatting import pluralize
from whyfast.report.sections.certainty import (
    care_section,
    how_sure,
    method,
    metric_table,
    noise_table,
    phase_table,
)
from whyfast.report.sections.changed_code import growth_section
from whyfast.report.sections.check import CHECK_HEADING
from whyfast.report.sections.cost_by_parameter import (
    figures_table,
    overhead_table,
    point_tables,
    run_quantiles,
    slope_plots,
    slope_tables,
)
from whyfast.report.sections.costs import cost_section
from whyfast.report.sections.counted_work import count_groups, count_tables
from whyfast.report.sections.dispatching import jump_table
from whyfast.report.sections.distribution import distribution_section, interval_plot
from whyfast.report.sections.each_benchmark import benchmark_sections, matrix_tables
from whyfast.report.sections.kernel_counts import kernel_sections
from whyfast.report.sections.layouts import fix_table, placement_plot, placement_table
from whyfast.report.sections.loops import bytecode_section, loop_section, loop_table
from whyfast.report.sections.machine_code import machine_code_sections, trouble_code
from whyfast.report.sections.machines import (
    benchmark_machine_section,
    builds_machine_section,
    dispatch_machine_section,
    each_machine_section,
    machine_plot,
    machine_table,
    machines_summary,
    overall_table,
    pooled_section,
)
from whyfast.report.sections.main_table import axes_table, interaction_section, summary_table
from whyfast.report.sections.over_machines import (
    claim_section,
    difference_sections,
    lacking_section,
    machine_sentences,
    machines_care,
)
from whyfast.report.sections.programs import build_table, provenance_section
from whyfast.report.sections.recordings import run_times_section
from whyfast.report.sections.side_by_side import linked, result_code_section
from whyfast.report.sections.summary import result_summary
from whyfast.report.sections.timeline import machine_section, raw_section, timeline_section, when
from whyfast.report.sections.ways import way_section
from whyfast.report.sections.why import why_headline, why_summary
from whyfast.report.sections.why_details import why_sections

#: The rows of the table of times: variants, or benchmarks with a column for each variant.
TableRows = Literal["variants", "benchmarks"]
Sections = tuple[ReportSection | None, ...]


def result_page(result: Result, rows: TableRows = "variants") -> Document:
    """Everything about a result: the answer, what weakens it, what it consists of and rests on."""
    answer = answer_of(result)
    texts = answer.sentences
    if result.judged.about == "counts":
        *counted, how = kernel_sections(result, texts)
        sections: Sections = (*counted, *_programs(result), machine_section(result), how)
    else:
        sections = _study(result, texts, rows)
    return document(
        "report",
        result.question.title,
        answer.headline,
        *sections,
        about=(when(result.recorded.started), f"run {result.recorded.run}"),
        heading=_heading(result),
        summary=result_summary(result) if rows == "variants" else None,
    )


def _heading(result: Result) -> str:
    """The kind of page."""
    if result.found.check is not None:
        return CHECK_HEADING
    if isinstance(result.question, Recordings):
        return "Recorded results compared"
    if result.found.loops:
        return "Python in loops"
    return "Commands against each other" if isinstance(result.question, Commands) else ""


def _study(result: Result, texts: Sequence[str], rows: TableRows) -> Sections:
    intervals, benchmarks = benchmark_sections(result)
    evidence, functions = machine_code_sections(result)
    certainty = sentences(how_sure(result), aside=True)
    placement = placement_table(result), placement_plot(result), fix_table(result)
    behind = *point_tables(result), run_quantiles(result), overhead_table(result)
    return (
        _answer(result, texts, rows),
        *why_sections(result.found.account),
        loop_section(result),
        bytecode_section(result),
        way_section(result),
        care_section(result.judged.confounds),
        section("certainty", "Certainty", certainty, importance="answer"),
        cost_section(result),
        section("metrics", "Other quantities", metric_table(result)),
        section("placement", "Placement or change", *placement),
        interaction_section(result),
        section("slopes", "Cost by parameter", *slope_tables(result), *slope_plots(result)),
        section("dispatch", "How they dispatch", jump_table(result)),
        section("counted", "Counted work", *count_tables(result)),
        distribution_section(result),
        intervals,
        benchmarks,
        detail("figures", "Other figures", figures_table(result)),
        evidence,
        growth_section(result),
        detail("counts", "Counted work, by benchmark", *count_groups(result)),
        detail("points", "Cost at each value", *behind),
        result_code_section(result, texts),
        functions,
        run_times_section(result),
        raw_section(result),
        timeline_section(result),
        *_programs(result),
        detail("noise", "Noise and time", noise_table(result), phase_table(result)),
        machine_section(result),
        section("how", "How it was computed", method(result), importance="record"),
    )


def _programs(result: Result) -> Sections:
    return (
        detail("builds", "The builds", build_table(result)),
        provenance_section(result),
    )


def _answer(result: Result, texts: Sequence[str], rows: TableRows) -> ReportSection | None:
    summary = loop_table(result) or axes_table(result) or summary_table(result)
    plot = interval_plot(result)
    tables = matrix_tables(result) if rows == "benchmarks" else (summary,) if summary else ()
    return section(
        "answer",
        "Every variant against every baseline" if tables else "What was found",
        plot and replace(plot, later=choices(result)),
        *tables,
        linked(result, texts),
        trouble_code(result.found.troubles),
        importance="answer",
    )


def merged_page(merged: Merged) -> Document:
    """What machines say alike and what otherwise, and what each of them says."""
    headline, *rest = machine_sentences(merged) or ["Nothing is compared."]
    whole, each = difference_sections(merged)
    return document(
        "merge",
        merged.question.title,
        headline,
        section(
            "answer",
            "Every comparison on every machine",
            machine_plot(merged),
            overall_table(merged),
            sentences(rest),
            importance="answer",
        ),
        machines_care(merged),
        lacking_section(merged),
        claim_section(merged),
        whole,
        pooled_section(merged),
        section("machines", "The machines", machine_table(merged)),
        dispatch_machine_section(merged),
        each,
        benchmark_machine_section(merged),
        builds_machine_section(merged),
        each_machine_section(merged),
        about=(pluralize(len(merged.machines), "machine"),),
        heading="On several machines",
        summary=machines_summary(merged),
    )


def why_page(result: Result) -> Document:
    """The account first, then everything that a comparison of commands shows."""
    account = result.found.account
    measured = result_page(replace(result, found=replace(result.found, account=None)))
    if account is None:
        return measured
    return document(
        "why",
        "",
        why_headline(account),
        *why_sections(account),
        *measured.sections,
        about=measured.about,
        heading="Why one command takes longer",
        summary=why_summary(account),
    )
