"""One line a benchmark."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.report.example import ab_result, sample_result, verdict
from tests.unit.report.parts import as_markdown, changed

from whyfast.model.result import Result
from whyfast.model.verdict import Suite
from whyfast.report.document import Table, TextTable
from whyfast.report.sections.each_benchmark import benchmark_sections, benchmark_tables

PAIR = ("clang19-goto", "clang18-goto")


def _groups(result: Result) -> list[TextTable]:
    return [t.lines for mine in benchmark_tables(result).values() for t in mine if t.lines]


def _few(result: Result) -> list[str]:
    """The titles of the lines that a short report has."""
    few, _ = benchmark_sections(result)
    blocks = few.blocks if few else ()
    return [b.lines.title for b in blocks if isinstance(b, Table) and b.lines]


def test_what_is_not_certain_is_said_so() -> None:
    verdicts = (
        verdict(*PAIR, "undecided", 1.02, 0.99, 1.05, benchmark="fib"),
        verdict(*PAIR, "same", 1.001, 0.996, 1.004, benchmark="sort"),
    )
    (group,) = _groups(changed(sample_result(blocks=()), verdicts=verdicts, suites=()))
    assert group.texts() == (
        "sort: same within 1 % (1.001x [0.996, 1.004])",
        "fib:  undecided, 1.02x slower [0.99, 1.05]",
    )
    assert group.last == "geometric mean: no verdict yet: a benchmark has no result"


def test_the_mean_names_the_benchmark_that_it_rests_on() -> None:
    result = sample_result()
    mean = Suite(verdict(*PAIR, "slower", 1.1, 1.08, 1.12), {"fib": 1.02, "sort": 1.11})
    group = _groups(changed(result, suites=(mean,)))[0]
    assert group.last == "geometric mean: 1.10x slower [1.08, 1.12]; without fib 1.020x slower"


def test_there_are_lines_for_several_benchmarks_only() -> None:
    assert _groups(ab_result()) == []
    assert _groups(changed(sample_result(), about="runs")) == []


def test_few_means_few() -> None:
    result = sample_result()
    assert _few(result) == []  # three variants of six benchmarks
    one = tuple(v for v in result.judged.verdicts if v.variant == "clang19-goto")
    assert _few(changed(result, verdicts=one)) == ["clang19-goto against clang18-goto"]


def test_no_name_ends_the_block_of_lines() -> None:
    result = sample_result()
    evil = "x\n```\n# head"
    verdicts = tuple(
        replace(v, benchmark=evil if v.benchmark == "fib" else v.benchmark)
        for v in result.judged.verdicts
    )
    text = as_markdown(changed(result, verdicts=verdicts), verbose=True)
    assert "\n````text\n" in text
    assert "  x ``` # head:" in text
