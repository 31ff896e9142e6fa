"""Memory and CPU time are more or less, not slower or faster."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.unit.example_blocks import block as example_block
from tests.unit.report.example import ab_result, sample_result, verdict
from tests.unit.report.examples import metrics_result
from tests.unit.report.parts import changed

from whyfast.model.study import Study
from whyfast.report.sections.certainty import how_sure, metric_table, pinning_sentences


def test_faults_are_fewer_and_memory_is_less() -> None:
    plain = metrics_result()
    fewer = replace(plain.judged.metrics[0], outcome="faster", ratio=0.3, low=0.29, high=0.31)
    metrics = (replace(fewer, metric=name) for name in ("minor_faults", "maxrss"))
    table = metric_table(changed(plain, metrics=tuple(metrics)))
    assert table is not None
    assert [row[3].text for row in table.rows] == ["3.33x fewer", "3.33x less"]


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
        table = metric_table(changed(plain, metrics=(), blocks=blocks))
        return [[c.text for c in row] for row in table.rows] if table else []

    assert rows(**{base: below, other: peak}) == [
        ["peak memory", other, "240 MB", "more", "under 100 MB"]
    ]
    assert rows(**{base: below, other: below}) == []
