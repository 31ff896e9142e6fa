"""The main tables, also along axes, and interactions. One line a benchmark. Memory and CPU time are
more or less, not slower or faster. Variants that are read and not measured, and what variants
lack."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.build.example import study as example
from tests.unit.example_blocks import block as example_block
from tests.unit.report.example import ab_result, sample_result, verdict
from tests.unit.report.examples import LACKING, axes_question, axes_result, metrics_result
from tests.unit.report.parts import changed, result_of, texts

from whyfast.model.build import Build, BuildFailure
from whyfast.model.result import Result
from whyfast.model.sample import RunFailure
from whyfast.model.study import Study
from whyfast.model.variant import Variant
from whyfast.model.verdict import Suite
from whyfast.report.answer import answer_of
from whyfast.report.document import Table
from whyfast.report.sections.certainty import how_sure, metric_table, pinning_sentences
from whyfast.report.sections.each_benchmark import benchmark_sections
from whyfast.report.sections.main_table import (
    alike_sentences,
    axes_table,
    interaction_section,
    interaction_sentences,
)
from whyfast.report.sections.programs import (
    failure_text,
    identical_sentences,
    lacking_sentences,
    unmeasured_sentences,
)


def test_places_that_do_not_and_those_that_are_open() -> None:
    assert answer_of(axes_result("same", 1.0)).headline.startswith("gcc-goto is 1.14x faster than")
    alike = "goto does the same with gcc and clang."
    assert list(alike_sentences(axes_result("same", 1.0))) == [f"Within 1 %, {alike}"]
    undecided = list(alike_sentences(axes_result("undecided", 1.005)))
    assert undecided == [f"It is undecided whether {alike}"]
    many = axes_result("undecided", 1.005)
    five = replace(many.judged, interactions=many.judged.interactions * 5)
    (sentence,) = alike_sentences(replace(many, judged=five))
    assert sentence.count("with gcc and clang") == 3
    assert "in 2 more pairs of places" in sentence


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
    assert texts(table)[0] == ["gcc", "baseline", "1.14x faster", "–"]
    assert table is not None
    assert [column.drop for column in table.columns] == [0, 1, 0, 0]
    section = interaction_section(result)
    assert section is not None
    (found,) = section.blocks
    assert [[c.text for c in row][:6] for row in found.rows[:2]] == [  # type: ignore[union-attr]
        ["goto", "geometric mean", "gcc", "clang", "0.86x", "differ"],
        ["goto", "fib", "gcc", "clang", "0.86x", "differ"],
    ]


PAIR = ("clang19-goto", "clang18-goto")


def _few(result: Result) -> list[str]:
    """The captions of the tables that a short report has."""
    few, _ = benchmark_sections(result)
    blocks = few.blocks if few else ()
    return [b.caption for b in blocks if isinstance(b, Table)]


def test_few_means_few() -> None:
    result = sample_result()
    assert _few(result) == []  # three variants of six benchmarks
    one = tuple(v for v in result.judged.verdicts if v.variant == "clang19-goto")
    assert _few(changed(result, verdicts=one)) == [
        "clang19-goto against clang18-goto, each benchmark"
    ]


def test_faults_are_fewer_and_memory_is_less() -> None:
    plain = metrics_result()
    fewer = replace(plain.judged.metrics[0], outcome="faster", ratio=0.3, low=0.29, high=0.31)
    metrics = (replace(fewer, metric=name) for name in ("minor_faults", "maxrss"))
    rows = texts(metric_table(changed(plain, metrics=tuple(metrics))))
    assert [row[3] for row in rows] == ["3.33x fewer", "3.33x less"]


def test_each_result_says_what_was_pinned() -> None:
    pinned = replace(example_block({"a": [1.0], "b": [1.0]}), cpu=1)
    free = replace(pinned, benchmark="sort", cpu=None, threads={"a": 1, "b": 4})
    (all_pinned,) = pinning_sentences([pinned])
    assert "threads" not in all_pinned
    (none_pinned,) = pinning_sentences([free])
    assert "b has 4 threads" in none_pinned
    (some_pinned,) = pinning_sentences([pinned, free])
    assert "except on sort (b has 4 threads" in some_pinned
    assert [*pinning_sentences([])] == []


def test_layouts_that_were_used_up_before_the_verdict_are_said() -> None:
    plain = sample_result()
    assert isinstance(plain.question, Study)
    name = plain.question.benchmarks[0].name
    measure = replace(plain.question.measure, layouts=12, budget=50.0)
    study = replace(plain.question, measure=measure)
    open_ = verdict("clang19", "clang18", "undecided", 1.01, 0.99, 1.03, benchmark=name)
    block = replace(example_block({"a": [1.0]}, benchmark=name), seconds=0.25)
    drawn = [replace(block, index=i, layouts={"a": i + 1}) for i in range(12)]

    def text(blocks: int) -> str:
        result = changed(plain, question=study, verdicts=(open_,), blocks=drawn[:blocks])
        return " ".join(how_sure(result))

    # 3 s of the budget of 50 s are gone.
    for figure in (f"on {name} all 12 ", "47.0 s", "layouts = 200", "layouts = 48"):
        assert figure in text(12)
    assert "layouts = " not in text(11)


def test_peak_memory_is_shown_where_one_side_is_too_small_to_be_measured() -> None:
    plain = ab_result()
    base, other = (v.name for v in plain.question.variants)
    below, peak = {"maxrss_below": (1e8,)}, {"maxrss": (2.4e8,)}

    def rows(**extra: Any) -> list[list[str]]:
        blocks = tuple(replace(b, extra=extra) for b in plain.recorded.blocks)
        return texts(metric_table(changed(plain, metrics=(), blocks=blocks)))

    assert rows(**{base: below, other: peak}) == [
        ["peak memory", other, "240 MB", "more", "under 100 MB"]
    ]
    assert rows(**{base: below, other: below}) == []


BUILDS = (
    Build("base", "d1", Path("/p"), "s1", {}, False),
    Build("old", "d2", Path("/p"), "s1", {}, False),
    Build("older", "d3", Path("/p"), "s3", {}, False),
    BuildFailure("oldest", "failed", "reason"),
)


def _study(*unmeasured: str) -> Study:
    names = ("base", "old", "older", "oldest")
    variants = tuple(Variant(n, "path:cc", evidence_only=n in unmeasured) for n in names)
    return replace(example(Path("/nowhere/subject")), variants=variants)


@pytest.mark.parametrize(
    ("unmeasured", "names"),
    [
        (("old", "older", "oldest"), "old and older are"),
        (("old",), "old is"),
        ((), ""),
        (("base", "old", "older", "oldest"), ""),
        (("oldest",), ""),
    ],
)
def test_variants_for_evidence_only_are_named(unmeasured: tuple[str, ...], names: str) -> None:
    text = f"{names} evidence only: the machine code was read, nothing was measured."
    assert unmeasured_sentences(_study(*unmeasured), BUILDS) == ([text] if names else [])


def test_programs_that_are_identical_are_named_where_each_was_measured() -> None:
    both = changed(sample_result(), question=_study("oldest"), builds=BUILDS, same={})
    (text,) = identical_sentences(both)
    assert text.startswith("base and old are byte-identical")
    assert identical_sentences(changed(both, question=_study("old", "oldest"))) == []
    assert identical_sentences(changed(both, same={"old": "base"})) == []


def test_what_is_lacking_is_said_once_a_reason() -> None:
    assert failure_text(LACKING) == "old has no fastcall: METH_FASTCALL came with 3.6"
    lacking = [RunFailure(name, "old", "came later", "", (), lacks=True) for name in "abcde"]
    assert lacking_sentences(lacking) == [
        "old has no a, b, c and 2 more: came later.",
        "A geometric mean covers the benchmarks that both sides have.",
    ]
    assert lacking_sentences([]) == []
