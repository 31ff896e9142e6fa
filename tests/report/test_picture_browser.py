"""The picture of all variants, and the choice of baseline and benchmarks. What the page says of
some benchmarks, against the judge of the result without the others."""

import importlib
import itertools
import math
import random
from dataclasses import replace
from functools import cache
from typing import Any

from tests.report.conftest import PHONE, POINTS, Opening, fits_phone
from tests.unit.report.big_example import big_result
from tests.unit.report.example import (
    BENCHMARKS,
    SLOWNESS,
    SUITES,
    ab_result,
    sample_blocks,
    sample_result,
)
from tests.unit.report.parts import changed

from whyfast.judge.judge_run import ChosenMeans, agrees, judge_run
from whyfast.model.result import Result
from whyfast.report.answer import answer_of, without
from whyfast.report.formatting import verdict as verdict_in_words


def test_the_picture_shows_every_variant_against_the_chosen_baseline(opened: Opening) -> None:
    page = opened(sample_result())
    assert page.locator("#plots figcaption").all_inner_texts() == ["geometric mean of 6 benchmarks"]
    assert page.locator(POINTS).count() == page.locator("#plots .xerror").count() == 3
    assert page.locator("#plots .name").all_text_contents()[:6] == [
        "clang19-tail", "clang19-goto-taildup", "clang19-goto",
        "1.012x faster [1.006, 1.018]", "same 1.001x [0.998, 1.004]", "2.14x slower [2.10, 2.19]",
    ]  # fmt: skip
    label = page.locator("#plots [role=img]").get_attribute("aria-label")
    assert "clang19-goto 2.14x slower [2.10, 2.19]" in label
    assert page.locator("#choice-text").inner_text() == (
        "Against clang18-goto, geometric mean of 6 benchmarks: 1 faster, 1 same, 1 slower. "
        "clang19-tail: 1.012x faster [1.006, 1.018]. clang19-goto: 2.14x slower [2.10, 2.19]."
    )
    page.locator("#baselines").get_by_label("clang19-goto", exact=True).check()
    label = page.locator("#plots [role=img]").get_attribute("aria-label")
    assert "clang18-goto 2.14x faster [2.10, 2.19]" in label
    assert page.evaluate("location.hash") == "#against=clang19-goto"


def test_chosen_benchmarks_change_sentence_picture_and_tables(opened: Opening) -> None:
    page = opened(sample_result())
    summary = page.locator("table[data-overall] tbody tr", has_text="clang19-goto").first
    for name in ("sieve", "fib", "nbody", "sort"):
        page.get_by_label(name, exact=True).uncheck()
    # The estimates of mandel and hash are 2.14 and 2.14 x 1.003, their ends averaged likewise.
    said = page.locator("#choice-text").inner_text()
    assert "geometric mean of 2 of 6 benchmarks" in said
    assert "clang19-goto: 2.14x slower [2.10, 2.20]" in said
    assert "holds with at least 90 %" in said
    assert "2.14x slower [2.10, 2.20]" in summary.inner_text()
    assert page.locator("tr[data-benchmark=sieve]:visible").count() == 0
    assert page.locator("#plots figcaption").inner_text() == "Mean of the chosen benchmarks"
    page.get_by_role("button", name="Back to all benchmarks").click()
    assert "2.14x slower [2.10, 2.19]" in summary.inner_text().replace("\n", " ")
    assert page.evaluate("location.hash") == ""


def test_a_link_shows_the_same_choice(opened: Opening) -> None:
    page = opened(sample_result())
    page.goto(f"{page.url}#against=clang19-goto&without=fib&without=hash&order=study")
    expect = importlib.import_module("playwright.sync_api").expect
    expect(page.get_by_label("fib", exact=True)).not_to_be_checked()
    expect(page.locator("#baselines").get_by_label("clang19-goto", exact=True)).to_be_checked()
    expect(page.get_by_label("sorted")).not_to_be_checked()
    assert "4 of 6 benchmarks" in page.locator("#choice-text").inner_text()
    # Tables against another baseline are out of sight, and so is what folds them.
    assert page.locator("[data-against=clang18-goto]:visible").count() == 0
    assert page.get_by_text("Each benchmark against clang18-goto").is_hidden()
    assert page.get_by_text("Each benchmark against clang19-goto").is_visible()


def test_the_last_benchmark_stays_chosen(opened: Opening) -> None:
    page = opened(sample_result())
    boxes = page.locator("#chosen input")
    for i in range(6):
        boxes.nth(i).click()
    assert page.locator("#chosen input:checked").count() == 1
    assert "on hash" in page.locator("#choice-text").inner_text()


def test_a_distribution_has_a_dot_a_benchmark_the_fastest_on_top(opened: Opening) -> None:
    page = opened(big_result())
    page.locator("#more-plots summary").click()
    figure = page.locator("#more-plots figure").nth(1)
    assert figure.locator("figcaption").inner_text() == (
        "clang19-taildup: faster on 14, slower on 11 of 32"
    )
    boxes = [p.bounding_box() for p in figure.locator(".point").all()]
    assert len(boxes) == 32
    middles = sorted((b["y"] + b["height"] / 2, b["x"] + b["width"] / 2) for b in boxes)
    across = [x for _, x in middles]
    # Downwards is slower; the symbols differ in where their middle is.
    assert all(later > earlier - 2 for earlier, later in itertools.pairwise(across))
    assert across[-1] > across[0] + 30
    names = figure.locator(".name").all_text_contents()
    assert (names[0], names[31]) == ("async_generators", "pidigits")
    # The geometric mean: a dashed line and its interval, beside the margin and the line at 1.
    assert figure.locator(".shape").count() == 4


def test_many_variants_and_benchmarks_are_drawn_when_unfolded(opened: Opening) -> None:
    page = opened(big_result(), viewport=PHONE)
    assert page.locator("#plots figure").count() == 1
    more, each = page.locator("#more-plots"), page.locator("#benchmark-plots")
    assert more.locator("figure").count() == each.locator("figure").count() == 0
    more.locator("summary").click()
    page.wait_for_selector("#more-plots .point")
    assert more.locator("figure").count() == 10
    each.locator("summary").click()
    page.wait_for_selector("#benchmark-plots .point")
    assert each.locator("figure").count() == 32
    assert each.locator(".point").count() == 32 * 10
    page.locator("#baselines").get_by_label("clang19", exact=True).check()
    # What is unfolded follows the choice.
    label = each.locator("[role=img]").first.get_attribute("aria-label")
    assert label.startswith("asyncio_tcp_ssl: time relative to clang19.")
    assert more.locator("figure").count() == 10
    assert fits_phone(page)


def test_one_benchmark_needs_no_folds(opened: Opening) -> None:
    page = opened(ab_result())
    assert page.locator("#plots figure").count() == 1
    for hidden in ("#more-plots", "#benchmark-plots", "#chosen", "#baselines"):
        assert page.locator(hidden).is_hidden()


def test_unbounded_intervals_are_points_without_bars(opened: Opening) -> None:
    suites = tuple(
        replace(s, verdict=replace(s.verdict, outcome="undecided", low=0.0, high=float("inf")))
        for s in SUITES
    )
    page = opened(changed(sample_result(), suites=suites, verdicts=()))
    assert page.locator(POINTS).count() == 3
    assert "(too few blocks)" in page.locator("table").first.inner_text()


@cache
def judged() -> Result:
    """The example with verdicts that its blocks give; what differs depends on the benchmark."""
    chance = random.Random(5)
    blocks = []
    for block in sample_blocks(14, 3):
        place = BENCHMARKS.index(block.benchmark)
        values = {
            name: tuple(
                v * math.exp(chance.gauss(0, 0.004) + (0.03 * place if "tail" in name else 0))
                for v in block.values[name]
            )
            for name in SLOWNESS
        }
        # In turns, so that every benchmark has a block in each round.
        blocks.append(replace(block, values=values, started=10.0 * block.index + place))
    result = changed(sample_result(), blocks=tuple(blocks), confounds=())
    return replace(
        result, judged=judge_run(result.question, result.recorded, result.found.evidence)
    )


def _anew(names: set[str]) -> Result:
    """The judge of the result of which there are those benchmarks only."""
    result = judged()
    left = tuple(b for b in result.question.benchmarks if b.name in names)
    question = replace(result.question, benchmarks=left)
    blocks = tuple(b for b in result.recorded.blocks if b.benchmark in names)
    recorded = replace(result.recorded, blocks=blocks)
    return replace(
        result,
        question=question,
        recorded=recorded,
        judged=judge_run(question, recorded, result.found.evidence),
    )


def test_all_benchmarks_give_the_means_of_the_result() -> None:
    assert agrees(ChosenMeans(judged()).over(BENCHMARKS), judged().judged.suites)


def test_some_benchmarks_give_what_the_judge_says_of_them_alone() -> None:
    names = set(BENCHMARKS) - {"fib", "hash"}
    assert agrees(ChosenMeans(judged()).over(names), _anew(names).judged.suites)


def _label(page: Any) -> str:
    text: str = page.locator("#plots [role=img]").get_attribute("aria-label")
    return text


def _said(result: Result, baseline: str) -> list[str]:
    own = (s.verdict for s in result.judged.suites if s.verdict.baseline == baseline)
    return [f"{v.variant} {verdict_in_words(v, result.question.margin)}" for v in own]


def test_the_page_says_what_the_judge_says(opened: Opening) -> None:
    page = opened(judged())
    main, other = judged().question.baselines
    for text in _said(judged(), main):
        assert text in _label(page)
    page.get_by_label("fib", exact=True).uncheck()
    anew = _anew(set(BENCHMARKS) - {"fib"})
    # The one benchmark moves the means that differ from benchmark to benchmark.
    assert len(set(_said(anew, main)) - set(_said(judged(), main))) == 2
    for text in _said(anew, main):
        assert text in _label(page)
    assert "An interval is the mean" not in page.locator("#choice-text").inner_text()
    summary = page.locator("table[data-overall]").inner_text().replace("\n", " ")
    slow = next(s.verdict for s in anew.judged.suites if s.verdict.variant == "clang19-goto")
    assert verdict_in_words(slow, 0.01) in summary
    page.locator("#baselines").get_by_label(other, exact=True).check()
    for text in _said(anew, other):
        assert text in _label(page)


def test_headline_and_sentences_follow(opened: Opening) -> None:
    page = opened(judged())
    before = page.locator(".headline").inner_text()
    page.get_by_label("hash", exact=True).uncheck()
    anew = _anew(set(BENCHMARKS) - {"hash"})
    expected = answer_of(without(judged(), {"hash"}, anew.judged.suites))
    assert page.locator(".headline").inner_text() == expected.headline.replace("`", "") != before
    told = page.locator("#answer-text li").all_inner_texts()
    assert told == [text.replace("`", "") for text in expected.sentences]
    assert page.locator(".whole").count() == 0
    page.get_by_role("button", name="Back to all benchmarks").click()
    assert page.locator(".headline").inner_text() == before


def test_the_table_of_extremes_follows(opened: Opening) -> None:
    page = opened(judged())
    row = page.locator("[data-against=clang18-goto] tr", has_text="clang19-tail").first
    before = row.inner_text()
    assert "on hash" in before
    page.get_by_label("hash", exact=True).uncheck()
    assert "on hash" not in row.inner_text()
    assert "of 5" in row.inner_text()
    page.get_by_label("hash", exact=True).check()
    assert row.inner_text() == before
