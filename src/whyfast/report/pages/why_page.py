"""The page of an account: why one command takes longer than another."""

from __future__ import annotations

from dataclasses import replace

from whyfast.model.result import Result
from whyfast.report.document import Document, document
from whyfast.report.pages.results import result_page
from whyfast.report.sections.why import why_headline, why_summary
from whyfast.report.sections.why_details import why_sections


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
