"""The table along axes and what is said of interactions."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.example_blocks import block
from tests.unit.report.example import sample_study, verdict
from tests.unit.report.parts import as_terminal, result_of

from whyfast.model.question import Question
from whyfast.model.result import Result
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Interaction, Suite, Word
from whyfast.report.answer import answer_of
from whyfast.report.result_json import from_json, to_json
from whyfast.report.topics.along_axes import (
    alike_sentences,
    axes_table,
    interaction_section,
    interaction_sentences,
)


def _question(*benchmarks: str) -> Question:
    return replace(
        sample_study(),
        baselines=("gcc-switch", "clang-switch"),
        along={"dispatch": "switch"},
        claim=None,
        variants=tuple(
            Variant(f"{c}-{d}", axes={"compiler": c, "dispatch": d})
            for c in ("gcc", "clang")
            for d in ("goto", "switch", "tail")
            if (c, d) != ("gcc", "tail")
        ),
        benchmarks=tuple(Benchmark(name, "turn", ("x",)) for name in benchmarks or ("fib",)),
    )


def _result(word: Word = "faster", ratio: float = 0.86) -> Result:
    between = verdict("gcc-goto", "clang-goto", word, ratio, ratio - 0.01, ratio + 0.01)
    return result_of(
        _question(),
        verdicts=(
            replace(
                verdict("gcc-goto", "gcc-switch", "faster", 1 / 1.14, 1 / 1.15, 1 / 1.13),
                benchmark="fib",
            ),
            replace(
                verdict("clang-goto", "clang-switch", "slower", 1.02, 1.01, 1.03), benchmark="fib"
            ),
            replace(
                verdict("clang-tail", "clang-switch", "same", 1.001, 0.999, 1.003), benchmark="fib"
            ),
        ),
        interactions=(
            Interaction(
                "compiler", replace(between, benchmark="fib"), ("gcc-switch", "clang-switch")
            ),
        ),
        blocks=(
            block(
                {
                    "gcc-switch": [0.003],
                    "clang-switch": [0.006],
                    "gcc-goto": [0.002],
                    "clang-goto": [0.006],
                }
            ),
        ),
    )


def test_axes_are_rows_and_columns_and_the_baseline_is_of_the_same_row() -> None:
    table = axes_table(_result())
    assert table is not None
    assert table.caption == "Time on fib, against switch of the same row"
    assert [c.title for c in table.columns] == ["compiler", "switch (baseline)", "goto", "tail"]
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["gcc", "1.00 ms", "1.14x faster", "–"],
        ["clang", "2.00 ms", "1.02x slower", "same"],
    ]


def test_places_that_differ_are_the_answer() -> None:
    assert answer_of(_result()).headline == (
        "What goto does depends on compiler: 1.14x faster than switch with gcc, 1.02x slower "
        "than switch with clang; these lie 1.16x [1.15, 1.18] apart."
    )


def test_places_that_do_not_and_those_that_are_open() -> None:
    assert answer_of(_result("same", 1.0)).headline.startswith("gcc-goto is 1.14x faster than")
    assert list(alike_sentences(_result("same", 1.0))) == [
        "Within 1 %, goto does the same with gcc and clang."
    ]
    assert list(alike_sentences(_result("undecided", 1.005))) == [
        "It is undecided whether goto does the same with gcc and clang."
    ]


def test_of_a_suite_its_own_is_told_and_the_table_has_all() -> None:
    single = _result()
    (one,) = single.judged.interactions
    whole = replace(one, verdict=replace(one.verdict, benchmark=None))
    suites = tuple(
        Suite(replace(v, benchmark=None), {"fib": v.ratio, "sort": v.ratio})
        for v in single.judged.verdicts
    )
    result = result_of(_question("fib", "sort"), suites=suites, interactions=(whole, one, one))
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


def test_the_page_has_the_table_of_axes_and_json_keeps_it() -> None:
    result = _result()
    assert "switch (baseline)" in as_terminal(result, 100)
    assert from_json(to_json(result)) == result


def test_without_axes_there_is_no_such_table() -> None:
    result = result_of(sample_study())
    assert axes_table(result) is None
    assert interaction_section(result) is None
