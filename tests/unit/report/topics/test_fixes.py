"""Fixes of placement in words, in a table, and in the files that reports write."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from tests.unit.report.example import verdict
from tests.unit.report.parts import as_html, as_markdown, changed
from tests.unit.report.placement_example import PLACED, placement, placement_result

from whyfast.model.result import Result
from whyfast.model.variant import Variant
from whyfast.model.verdict import Fix, FixWord
from whyfast.report.result_json import dump_result, from_json
from whyfast.report.topics.layouts import fix_sentences, fix_table

VARIED = verdict("hot", "before", "same", 1.0, 0.997, 1.003, benchmark="calls")


def _fix(word: FixWord, spread: float = 0.002, without: float = 0.02) -> Fix:
    return Fix("hot", "after", "calls", word, spread, without, 0.05, 0.2, 16)


def _result(fix: Fix) -> Result:
    """``hot`` is a fix of ``after``, against both ends."""
    linked = [
        verdict("hot", "before", "same", 1.001, 0.998, 1.004, benchmark="calls"),
        verdict("hot", "after", "faster", 1 / 1.64, 1 / 1.66, 1 / 1.62, benchmark="calls"),
    ]
    more = [placement("neither", v, replace(VARIED, baseline=v.baseline)) for v in linked]
    plain = placement_result()
    hot = Variant("hot", "path:gcc", ("-O2",))
    asked = replace(plain.question, variants=(*plain.question.variants, hot))
    plain = replace(plain, question=asked)
    return changed(plain, placements=(PLACED, *more), fixes=(fix,))


BOTH_ENDS = (
    "hot, a fix of after, is the same as before (1.001x [0.998, 1.004]) and 1.64x faster than "
    "after [1.62, 1.66] as linked, and the same as after (1.000x [0.997, 1.003]) over 16 layouts; "
)


@pytest.mark.parametrize(
    ("fix", "said"),
    [
        (
            _fix("removed"),
            "it removed the spread over layouts: 2 % without it, 0.2 % with it.",
        ),
        (
            _fix("reduced", 0.01),
            "it reduced the spread over layouts but did not surely remove it: 2 % without it, 1 % "
            "with it.",
        ),
        (
            _fix("larger", 0.03),
            "it made the spread over layouts larger: 2 % without it, 3 % with it.",
        ),
        (
            _fix("none", 0.0, 0.001),
            "layouts move neither by as much as 1 % (0.1 % without it, none seen with it), so that "
            "there was no spread to remove.",
        ),
        (
            _fix("undecided", 0.015),
            "whether it removed the spread over layouts is undecided after 16 layouts: 2 % without "
            "it, 1.5 % with it.",
        ),
        (
            _fix("undecided", math.nan, math.nan),
            "what it does to the spread over layouts cannot be said: that takes three variants and "
            "eight blocks of each kind, and there were 16 layouts.",
        ),
    ],
)
def test_a_fix_in_a_sentence(fix: Fix, said: str) -> None:
    result = _result(fix)
    assert fix_sentences(result.judged.fixes, result.judged.placements, result.question) == [
        BOTH_ENDS + said
    ]


def test_the_table_shows_without_and_with_against_both_ends() -> None:
    table = fix_table(_result(_fix("removed")))
    assert table is not None
    assert [c.title for c in table.columns] == [
        "fix",
        "of",
        "against",
        "without it",
        "with it",
        "spread over layouts",
    ]
    assert [[f"{c.text} {c.detail}".strip() for c in row] for row in table.rows] == [
        [
            "hot",
            "after",
            "before",
            "1.65x slower [1.62, 1.68]",
            "same 1.001x [0.998, 1.004]",
            "removed 2 % → 0.2 %",
        ],
        ["hot", "after", "after", "–", "1.64x faster [1.62, 1.66]", "removed 2 % → 0.2 %"],
    ]


def test_without_a_fix_there_is_no_table_and_no_sentence() -> None:
    result = placement_result()
    assert fix_table(result) is None
    assert fix_sentences(result.judged.fixes, result.judged.placements, result.question) == []


@pytest.mark.parametrize("fix", [_fix("removed"), replace(_fix("undecided"), high=math.inf)])
def test_json_gives_back_what_was_written(fix: Fix) -> None:
    assert from_json(json.loads(dump_result(_result(fix)))).judged.fixes == (fix,)


def test_json_keeps_what_could_not_be_measured_apart() -> None:
    nan = math.nan
    fix = Fix("hot", "after", "calls", "undecided", nan, nan, nan, nan, 5)
    (back,) = from_json(json.loads(dump_result(_result(fix)))).judged.fixes
    assert [math.isnan(x) for x in (back.spread, back.without, back.low, back.high)] == [True] * 4


def test_reports_show_the_table() -> None:
    result = _result(_fix("removed"))
    caption = "Fixes as linked, and what layouts still do"
    assert caption in as_markdown(result)
    assert caption in as_html(result)
