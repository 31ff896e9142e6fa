"""Fixes of placement in words, in a table, and in the files that reports write."""

from __future__ import annotations

import json
import math

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.examples import fix_of, fixes_result
from tests.unit.report.placement_example import placement_result

from whyfast.model.verdict import Fix
from whyfast.report.result_json import dump_result, from_json
from whyfast.report.sections.layouts import fix_sentences, fix_table

FIXES = {
    "removed": fix_of("removed"),
    "reduced": fix_of("reduced", 0.01),
    "larger": fix_of("larger", 0.03),
    "none": fix_of("none", 0.0, 0.001),
    "undecided": fix_of("undecided", 0.015),
    "too few": fix_of("undecided", math.nan, math.nan),
}


@pytest.mark.golden
def test_fixes_in_sentences() -> None:
    told = {}
    for name, fix in FIXES.items():
        result = fixes_result(fix)
        told[name] = fix_sentences(result.judged.fixes, result.judged.placements, result.question)
    check_golden("report", "fixes.md", paragraphs(told))


def test_without_a_fix_there_is_no_table_and_no_sentence() -> None:
    result = placement_result()
    assert fix_table(result) is None
    assert fix_sentences(result.judged.fixes, result.judged.placements, result.question) == []


def test_json_keeps_what_could_not_be_measured_apart() -> None:
    nan = math.nan
    fix = Fix("hot", "after", "calls", "undecided", nan, nan, nan, nan, 5)
    (back,) = from_json(json.loads(dump_result(fixes_result(fix)))).judged.fixes
    assert [math.isnan(x) for x in (back.spread, back.without, back.low, back.high)] == [True] * 4
