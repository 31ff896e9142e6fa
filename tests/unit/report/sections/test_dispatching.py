"""The table of indirect jumps, measured or not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.report.example import ab_result, sample_evidence, sample_result
from tests.unit.report.examples import ONLY_READ
from tests.unit.report.parts import changed

from whyfast.model.evidence import DispatchFacts
from whyfast.report.document import NOTHING, Table
from whyfast.report.sections.dispatching import dispatch_table, jump_table, jumps_cell, kind_cell
from whyfast.report.sections.main_table import summary_table


def _texts(table: Table | None) -> list[list[str]]:
    assert table is not None
    return [[f"{c.text} {c.detail}".rstrip() for c in row] for row in table.rows]


def test_a_variant_that_is_only_read_is_in_the_second_table_only() -> None:
    plain = sample_result()
    read = replace(sample_evidence()[1], variant="clang20")
    result = changed(
        plain,
        question=replace(plain.question, variants=(*plain.question.variants, ONLY_READ)),
        evidence=(read, *plain.found.evidence),
    )
    assert _texts(jump_table(result))[-1] == ["clang20", "6", "merged", "–", "not measured"]
    assert "clang20" not in [row[0] for row in _texts(summary_table(result))]


def test_without_evidence_there_is_no_table() -> None:
    assert jump_table(ab_result()) is None
    assert dispatch_table(ab_result()) is None


@pytest.mark.parametrize(
    ("style", "form", "jumps", "kind"),
    [
        ("loop", "partly merged", "40", ("partly merged", "")),
        ("tail-call", "replicated", "40", ("tail calls", "over 3 functions")),
        ("tail-call", "merged", "40", ("tail calls", "over 3 functions, merged")),
        ("none", "none", "–", ("no dispatch", "")),
        ("loop", "unknown", "–", ("unknown", "")),
    ],
)
def test_kinds(style: str, form: str, jumps: str, kind: tuple[str, str]) -> None:
    facts = DispatchFacts(style, form, 40, 9, 3, 100, 400, "")  # type: ignore[arg-type]
    assert (jumps_cell(facts) or NOTHING).text == jumps
    assert (kind_cell(facts).text, kind_cell(facts).detail) == kind
