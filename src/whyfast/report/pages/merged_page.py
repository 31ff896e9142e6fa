"""The page of results from several machines: its sections, in order."""

from __future__ import annotations

from whyfast.model.result import Merged
from whyfast.report.document import Document, document, section, sentences
from whyfast.report.formatting import pluralize
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
from whyfast.report.sections.over_machines import (
    care_section,
    claim_section,
    difference_sections,
    lacking_section,
    machine_sentences,
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
        care_section(merged),
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
