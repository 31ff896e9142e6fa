"""The pages of a result, of an account, and of the results of several machines: their sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from whyfast.model.result import Merged, Result
from whyfast.model.study import Commands, Recordings
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.answer import answer_of, choices
from whyfast.report.sections import (
    certainty,
    changed_code,
    check,
    cost_by_parameter,
    costs,
    counted_work,
    dispatching,
    distribution,
    each_benchmark,
    kernel_counts,
    layouts,
    loops,
    machine_code,
    machines,
    main_table,
    over_machines,
    programs,
    recordings,
    side_by_side,
    summary,
    timeline,
    ways,
)
from whyfast.report.sections.why import why_headline, why_summary
from whyfast.report.sections.why_details import why_sections

#: The rows of the table of times: variants, or benchmarks with a column for each variant.
TableRows = Literal["variants", "benchmarks"]
Sections = tuple[doc.ReportSection | None, ...]


def result_page(result: Result, rows: TableRows = "variants") -> doc.Document:
    """Everything about a result: the answer, what weakens it, what it consists of and rests on."""
    answer = answer_of(result)
    texts = answer.sentences
    if result.judged.about == "counts":
        *counted, how = kernel_counts.kernel_sections(result, texts)
        sections: Sections = (*counted, *_programs(result), timeline.machine_section(result), how)
    else:
        sections = _study(result, texts, rows)
    return doc.document(
        "report",
        *sections,
        title=result.question.title,
        headline=answer.headline,
        about=(timeline.when(result.recorded.started), f"run {result.recorded.run}"),
        heading=_heading(result),
        summary=summary.result_summary(result) if rows == "variants" else None,
    )


def _heading(result: Result) -> str:
    """The kind of page."""
    if result.found.check is not None:
        return check.CHECK_HEADING
    if isinstance(result.question, Recordings):
        return "Recorded results compared"
    if result.found.loops:
        return "Python in loops"
    return "Commands against each other" if isinstance(result.question, Commands) else ""


def _study(result: Result, texts: Sequence[str], rows: TableRows) -> Sections:
    intervals, benchmarks = each_benchmark.benchmark_sections(result)
    evidence, functions = machine_code.machine_code_sections(result)
    sure = doc.sentences(certainty.how_sure(result), aside=True)
    return (
        _answer(result, texts, rows),
        *why_sections(result.found.account),
        loops.loop_section(result),
        loops.bytecode_section(result),
        ways.way_section(result),
        certainty.care_section(result.judged.confounds),
        doc.section("certainty", "Certainty", sure, importance="answer"),
        costs.cost_section(result),
        doc.section("metrics", "Other quantities", certainty.metric_table(result)),
        layouts.placement_section(result),
        main_table.interaction_section(result),
        cost_by_parameter.slope_section(result),
        doc.section("dispatch", "How they dispatch", dispatching.jump_table(result)),
        doc.section("counted", "Counted work", *counted_work.count_tables(result)),
        distribution.distribution_section(result),
        intervals,
        benchmarks,
        doc.detail("figures", "Other figures", cost_by_parameter.figures_table(result)),
        evidence,
        changed_code.growth_section(result),
        doc.detail("counts", "Counted work, by benchmark", *counted_work.count_groups(result)),
        cost_by_parameter.point_section(result),
        side_by_side.result_code_section(result, texts),
        functions,
        recordings.run_times_section(result),
        timeline.raw_section(result),
        timeline.timeline_section(result),
        *_programs(result),
        certainty.noise_section(result),
        timeline.machine_section(result),
        doc.section("how", "How it was computed", certainty.method(result), importance="record"),
    )


def _programs(result: Result) -> Sections:
    return (
        doc.detail("builds", "The builds", programs.build_table(result)),
        programs.provenance_section(result),
    )


def _answer(result: Result, texts: Sequence[str], rows: TableRows) -> doc.ReportSection | None:
    if rows == "benchmarks":
        tables = each_benchmark.matrix_tables(result)
    else:
        makers = (loops.loop_table, main_table.axes_table, main_table.summary_table)
        tables = tuple(filter(None, (make(result) for make in makers)))[:1]
    plot = distribution.interval_plot(result)
    return doc.section(
        "answer",
        "Every variant against every baseline" if tables else "What was found",
        plot and replace(plot, later=choices(result)),
        *tables,
        side_by_side.linked(result, texts),
        machine_code.trouble_code(result.found.troubles),
        importance="answer",
    )


def merged_page(merged: Merged) -> doc.Document:
    """What machines say alike and what otherwise, and what each of them says."""
    headline, *rest = over_machines.machine_sentences(merged) or ["Nothing is compared."]
    whole, each = over_machines.difference_sections(merged)
    return doc.document(
        "merge",
        doc.section(
            "answer",
            "Every comparison on every machine",
            machines.machine_plot(merged),
            machines.overall_table(merged),
            doc.sentences(rest),
            importance="answer",
        ),
        over_machines.machines_care(merged),
        over_machines.lacking_section(merged),
        over_machines.claim_section(merged),
        whole,
        machines.pooled_section(merged),
        doc.section("machines", "The machines", machines.machine_table(merged)),
        machines.dispatch_machine_section(merged),
        each,
        machines.benchmark_machine_section(merged),
        machines.builds_machine_section(merged),
        machines.each_machine_section(merged),
        title=merged.question.title,
        headline=headline,
        about=(fmt.pluralize(len(merged.machines), "machine"),),
        heading="On several machines",
        summary=machines.machines_summary(merged),
    )


def why_page(result: Result) -> doc.Document:
    """The account first, then everything that a comparison of commands shows."""
    account = result.found.account
    measured = result_page(replace(result, found=replace(result.found, account=None)))
    if account is None:
        return measured
    return doc.document(
        "why",
        *why_sections(account),
        *measured.sections,
        headline=why_headline(account),
        about=measured.about,
        heading="Why one command takes longer",
        summary=why_summary(account),
    )
