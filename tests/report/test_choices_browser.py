"""What the page says of some benchmarks, against the judge of the result without the others."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from functools import cache
from typing import Any

from tests.report.conftest import Opening
from tests.unit.report.example import BENCHMARKS, SLOWNESS, sample_blocks, sample_result
from tests.unit.report.parts import changed

from whyfast.judge.judge_run import ChosenMeans, agrees, judge_run
from whyfast.model.result import Result
from whyfast.report.answer import answer_of
from whyfast.report.formatting import format_verdict
from whyfast.report.sections.claim_audit import without


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
    return [f"{v.variant} {format_verdict(v, result.question.margin)}" for v in own]


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
    assert format_verdict(slow, 0.01) in summary
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
