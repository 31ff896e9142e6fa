"""What is said of instructions counted under several kernels."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.unit.report.kernel_example import kernel_result
from tests.unit.report.parts import as_html, as_markdown, as_terminal, changed

from whyfast.model.verdict import Word
from whyfast.report.answer import answer_of
from whyfast.report.document import Cell, Table
from whyfast.report.pages.results import result_page
from whyfast.report.result_json import from_json, to_json
from whyfast.report.topics.kernel_counts import count_table, more, number, release_plot


def test_the_step_is_the_headline() -> None:
    assert answer_of(kernel_result()).headline == (
        "From Linux 5.10.7 to 6.12.7 a tail call takes 18 instructions after 12 (spectre_v2 off)."
    )


def test_the_sentences_say_what_the_numbers_are_and_how_sure() -> None:
    assert answer_of(kernel_result()).sentences == (
        "All numbers are instructions that QEMU 7.2.22 executed for the guest: simulated, and no "
        "times. They say nothing of caches, of branch prediction, or of how long an instruction "
        "takes.",
        "Every machine was booted twice: all 6 counts were the same both times.",
        "The kernel interrupted 25% of the grants of a boot, by 20 439 instructions at the most; "
        "the least of equal grants is what counts.",
        "Every point lies on its straight line to the instruction.",
        "9.9-off cannot be run here: the archive has no debian:linux-9.9.",
        "6.12-off failed on calls-4: gave no answer in time.",
    )


def test_boots_that_differ_are_told_of() -> None:
    assert answer_of(kernel_result(second=2)).sentences[1] == (
        "Every machine was booted twice: of 6 counts, 3 differ from one boot to the other, by 5 % "
        "at most."
    )


def test_of_machines_that_were_not_booted_nothing_is_said() -> None:
    result = changed(kernel_result(), boots=(), blocks=(), slopes=(), verdicts=())
    answer = answer_of(result)
    assert answer.headline == "Nothing was counted."
    assert not any("booted" in s for s in answer.sentences)


def test_a_number_is_never_minus_nothing() -> None:
    assert [number(-1e-9), number(-0.5), number(-17.25)] == ["0", "-0.5", "-17.25"]


def test_boots_that_were_not_repeated_are_counted() -> None:
    result = kernel_result()
    once = changed(result, boots=result.recorded.boots[:3])
    assert answer_of(once).sentences[1].startswith("1 of 2 machines were booted twice: all")


def test_ticks_that_are_no_instructions_are_warned_of() -> None:
    result = kernel_result()
    odd = changed(result, boots=(replace(result.recorded.boots[0], per_round=3.5),))
    assert any(
        said == "Read with care: under debian:linux-5.10.7 a loop of two instructions took 3.50 "
        "ticks of the clock, so that ticks may be no instructions."
        for said in answer_of(odd).sentences
    )


def test_without_a_step_the_headline_says_so() -> None:
    result = kernel_result()
    still = changed(result, question=replace(result.question, margin=0.6))
    assert answer_of(still).headline == (
        "No step of more than 60 % from one kernel to the next in 1 series."
    )


def test_without_a_parameter_the_largest_difference_is_the_headline() -> None:
    page = result_page(kernel_result(parameter=False))
    assert page.headline == (
        "6.12-off executes 0.67 times as many instructions as 5.10-off on calls-0."
    )
    (table,) = [b for b in page.sections[0].blocks if isinstance(b, Table)]
    assert table.caption == "Instructions of one loop (simulated, not time)"


def test_without_the_baseline_it_is_said_that_nothing_can_be_compared() -> None:
    result = kernel_result(parameter=False)
    assert answer_of(changed(result, verdicts=())).headline == (
        "There is nothing to compare, as the baseline 5.10-off was not counted."
    )


def test_the_table_has_a_row_a_kernel_and_marks_the_step() -> None:
    blocks = result_page(kernel_result()).sections[0].blocks
    (table,) = [b for b in blocks if isinstance(b, Table)]
    assert table.caption == (
        "Instructions for one more tail call (simulated, not time); in brackets a step from the "
        "kernel before"
    )
    assert [[f"{c.text} {c.detail}".strip() for c in row] for row in table.rows] == [
        ["5.10.7", "12"],
        ["6.12.7", "18 (1.50x)"],
    ]


def test_every_way_of_showing_it_calls_the_numbers_simulated() -> None:
    result = kernel_result()
    shown = (
        as_terminal(result, 100, verbose=True),
        as_markdown(result, verbose=True),
        as_html(result),
    )
    for text in shown:
        assert "(simulated, not time)" in text
        assert "18 instructions after 12" in " ".join(text.split())


def test_the_plot_has_every_count() -> None:
    plot = release_plot(kernel_result())
    assert plot is not None
    data = plot.data
    assert (data["kernels"], data["at"]) == (["5.10.7", "6.12.7"], [0, 1, 4])
    (series,) = data["series"]
    assert series["slopes"] == [12.0, 18.0]
    assert series["counts"] == [[60.0, 40.0], [72.0, 58.0], [108.0, 112.0]]
    assert series["steps"] == [1]


def test_json_brings_it_back() -> None:
    result = kernel_result()
    assert from_json(json.loads(json.dumps(to_json(result)))) == result


def test_numbers_and_ratios_in_print() -> None:
    assert [number(n) for n in (17.0, 17.25, 1064.0, 0.5)] == ["17", "17.25", "1 064", "0.5"]
    assert [more(r) for r in (1.5, 1.018, 0.667)] == [
        "1.50x as many",
        "1.018x as many",
        "0.67x as many",
    ]


def test_ratios_of_counts_have_the_digits_that_their_interval_carries() -> None:
    result = kernel_result()
    (first, *_) = [v for v in result.judged.verdicts if v.baseline == result.question.baselines[0]]
    beside = []
    cases: list[tuple[Word, float]] = [("slower", 4e-6), ("same", 1e-6), ("slower", 0.0004)]
    for word, ends in cases:
        narrow = replace(first, word=word, ratio=2.0, low=2.0 - ends, high=2.0 + ends)
        found = count_table(changed(result, verdicts=(narrow,)))
        assert found is not None
        cells = [row[3] for row in found.rows]
        beside += [c.detail for c in cells if isinstance(c, Cell) and c.word == word]
    assert beside == ["[2.00, 2.00]", "2.00x", "[1.9996, 2.0004]"]
