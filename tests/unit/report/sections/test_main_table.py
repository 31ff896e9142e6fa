"""The main tables, also along axes, and interactions."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import sample_study
from tests.unit.report.examples import axes_question, axes_result
from tests.unit.report.parts import result_of

from whyfast.model.verdict import Suite
from whyfast.report.answer import answer_of
from whyfast.report.sections.main_table import (
    alike_sentences,
    axes_table,
    interaction_section,
    interaction_sentences,
)


def test_places_that_do_not_and_those_that_are_open() -> None:
    assert answer_of(axes_result("same", 1.0)).headline.startswith("gcc-goto is 1.14x faster than")
    alike = "goto does the same with gcc and clang."
    assert list(alike_sentences(axes_result("same", 1.0))) == [f"Within 1 %, {alike}"]
    undecided = list(alike_sentences(axes_result("undecided", 1.005)))
    assert undecided == [f"It is undecided whether {alike}"]


def test_of_a_suite_its_own_is_told_and_the_table_has_all() -> None:
    single = axes_result()
    (one,) = single.judged.interactions
    whole = replace(one, verdict=replace(one.verdict, benchmark=None))
    suites = tuple(
        Suite(replace(v, benchmark=None), {"fib": v.ratio, "sort": v.ratio})
        for v in single.judged.verdicts
    )
    result = result_of(axes_question("fib", "sort"), suites=suites, interactions=(whole, one, one))
    assert len(list(interaction_sentences(result))) == 1
    table = axes_table(result)
    assert table is not None
    assert [c.text for c in table.rows[0]] == ["gcc", "baseline", "1.14x faster", "–"]
    section = interaction_section(result)
    assert section is not None
    (found,) = section.blocks
    assert [[c.text for c in row][:6] for row in found.rows[:2]] == [  # type: ignore[union-attr]
        ["goto", "geometric mean", "gcc", "clang", "0.86x", "differ"],
        ["goto", "fib", "gcc", "clang", "0.86x", "differ"],
    ]


def test_without_axes_there_is_no_such_table() -> None:
    result = result_of(sample_study())
    assert axes_table(result) is None
    assert interaction_section(result) is None
