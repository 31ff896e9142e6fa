"""What is said of instructions counted under several kernels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.kernel_example import kernel_result
from tests.unit.report.parts import changed

from whyfast.model.result import Result
from whyfast.model.verdict import Outcome
from whyfast.report.answer import answer_of
from whyfast.report.document import Cell
from whyfast.report.sections.kernel_counts import count_table, more, number, release_plot


def _kernels() -> dict[str, Result]:
    result, plain = kernel_result(), kernel_result(parameter=False)
    boots = result.recorded.boots
    return {
        "boots that differ": kernel_result(second=2),
        "nothing counted": changed(result, boots=(), blocks=(), slopes=(), verdicts=()),
        "a machine booted once": changed(result, boots=boots[:3]),
        "ticks that are no instructions": changed(
            result, boots=(replace(boots[0], per_round=3.5),)
        ),
        "no step": changed(result, question=replace(result.question, margin=0.6)),
        "no baseline": changed(plain, verdicts=()),
    }


@pytest.mark.golden
def test_kernels_in_sentences() -> None:
    answers = {name: answer_of(result) for name, result in _kernels().items()}
    texts = {name: (a.headline, *a.sentences) for name, a in answers.items()}
    check_golden("report", "kernels.md", paragraphs(texts))


def test_the_plot_has_every_count() -> None:
    plot = release_plot(kernel_result())
    assert plot is not None
    data = plot.data
    assert (data["kernels"], data["at"]) == (["5.10.7", "6.12.7"], [0, 1, 4])
    (series,) = data["series"]
    assert series["slopes"] == [12.0, 18.0]
    assert series["counts"] == [[60.0, 40.0], [72.0, 58.0], [108.0, 112.0]]
    assert series["steps"] == [1]


def test_numbers_and_ratios_in_print() -> None:
    numbers = (17.0, 17.25, 1064.0, 0.5, -1e-9, -0.5, -17.25)  # 0 is never minus nothing
    assert [number(n) for n in numbers] == ["17", "17.25", "1 064", "0.5", "0", "-0.5", "-17.25"]
    ratios = [more(r) for r in (1.5, 1.018, 0.667)]
    assert ratios == ["1.50x as many", "1.018x as many", "0.67x as many"]


def test_ratios_of_counts_have_the_digits_that_their_interval_carries() -> None:
    result = kernel_result()
    (first, *_) = [v for v in result.judged.verdicts if v.baseline == result.question.baselines[0]]
    beside = []
    cases: list[tuple[Outcome, float]] = [("slower", 4e-6), ("same", 1e-6), ("slower", 0.0004)]
    for outcome, ends in cases:
        narrow = replace(first, outcome=outcome, ratio=2.0, low=2.0 - ends, high=2.0 + ends)
        found = count_table(changed(result, verdicts=(narrow,)))
        assert found is not None
        cells = [row[3] for row in found.rows]
        beside += [c.detail for c in cells if isinstance(c, Cell) and c.outcome == outcome]
    assert beside == ["[2.00, 2.00]", "2.00x", "[1.9996, 2.0004]"]
