"""Placement or change, and fixes of placement, in words, tables and the data of plots."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.example import sample_result
from tests.unit.report.examples import OPEN_PLACED, SAME_PLACED, fix_of, fixes_result
from tests.unit.report.parts import as_html, as_markdown, changed
from tests.unit.report.placement_example import CHANGED, PLACED, POINTS, placement, placement_result

from whyfast.model.result import Result
from whyfast.model.verdict import Fix
from whyfast.report.result_json import dump_result, from_json
from whyfast.report.sections.layouts import (
    fix_sentences,
    fix_table,
    placement_plot,
    placement_sentences,
    placement_table,
    spread_text,
)

STUDY = placement_result().question


PAIRS = {
    "placement": PLACED,
    "change": CHANGED,
    "both": placement("both", PLACED.linked, replace(CHANGED.varied, variant="after")),
    "neither": placement("neither", SAME_PLACED, SAME_PLACED),
    "no spread": placement("neither", SAME_PLACED, SAME_PLACED, spread=0.0),
    "unknown spread": placement("neither", SAME_PLACED, SAME_PLACED, spread=math.nan),
    "slower as linked, open over layouts": placement("undecided", PLACED.linked, OPEN_PLACED),
    "same as linked, open over layouts": placement("undecided", SAME_PLACED, OPEN_PLACED),
}


@pytest.mark.golden
def test_pairs_in_sentences() -> None:
    texts = {name: placement_sentences([pair], STUDY) for name, pair in PAIRS.items()}
    check_golden("report", "placements.md", paragraphs(texts))


def test_what_is_within_reach_of_chance_is_not_called_far() -> None:
    near = placement("placement", PLACED.linked, SAME_PLACED, points=[*POINTS, 0.6])
    (_, text) = placement_sentences([near], STUDY)
    assert text.endswith("over 17 layouts).")


def test_spread() -> None:
    assert [spread_text(x) for x in (0.0, 0.0025, 0.1)] == ["none seen", "0.25 %", "11 %"]


def test_benchmarks_are_added_where_there_are_several() -> None:
    result = placement_result(benchmarks=("calls", "other"))
    full = placement_table(result)
    assert full is not None
    assert full.short is not None
    assert (len(full.short.rows), len(full.rows)) == (2, 6)
    assert [row[2].text for row in full.rows[:3]] == ["all", "calls", "other"]
    assert full.fixed == 3


def test_without_layouts_there_is_nothing_of_it() -> None:
    result = sample_result()
    assert placement_table(result) is None
    assert "Placement or change" not in as_markdown(result, verbose=True)
    assert 'id="placement"' not in as_html(result)
    assert placement_plot(result) is None


def _plotted(result: Result) -> Any:
    plot = placement_plot(result)
    assert plot is not None
    return plot.data


def test_plots_get_ratios_and_their_words() -> None:
    data = _plotted(placement_result())
    assert [b["name"] for b in data["baselines"]] == ["before", "after"]
    placed, changed = data["baselines"][0]["figures"]
    assert placed["title"] == "after against before: placement"
    assert placed["label"] == (
        "after against before. as linked 1.65x slower [1.62, 1.68], over 16 layouts same within "
        "1 % (1.000x [0.997, 1.003]): placement."
    )
    (row,) = placed["rows"]
    assert (row["name"], len(row["points"])) == ("", 16)
    assert row["points"][1] == pytest.approx(math.exp(POINTS[1]))
    assert (row["linked"]["low"], row["linked"]["high"]) == (1.62, 1.68)
    assert changed["rows"][0]["varied"]["ratio"] == 1.05


def test_what_has_no_bound_or_no_ratio_is_left_out_of_the_plots() -> None:
    result = placement_result()
    open_ended = replace(PLACED.linked, outcome="undecided", low=0.0, high=math.inf)
    none = replace(PLACED.varied, outcome="undecided", ratio=math.nan, low=0.0, high=math.inf)
    odd = replace(PLACED, linked=open_ended, varied=none, points=(0.0, math.nan))
    (row,) = _plotted(changed(result, placements=(odd,)))["baselines"][0]["figures"][0]["rows"]
    assert (row["linked"]["low"], row["linked"]["high"], row["varied"]) == (None, None, None)
    assert row["points"] == [1.0]


FIXES = {
    "removed": fix_of("removed"),
    "reduced": fix_of("reduced", 0.01),
    "larger": fix_of("larger", 0.03),
    "none": fix_of("none", 0.0, 0.001),
    "undecided": fix_of("undecided", 0.015),
    "too few": fix_of("undecided", math.nan, math.nan),
}


def _fix_texts(result: Result) -> list[str]:
    return fix_sentences(result.judged.fixes, result.judged.placements, result.question)


@pytest.mark.golden
def test_fixes_in_sentences() -> None:
    texts = {name: _fix_texts(fixes_result(fix)) for name, fix in FIXES.items()}
    check_golden("report", "fixes.md", paragraphs(texts))
    assert fix_table(placement_result()) is None
    assert _fix_texts(placement_result()) == []


def test_json_keeps_what_could_not_be_measured_apart() -> None:
    nan = math.nan
    fix = Fix("hot", "after", "calls", "undecided", nan, nan, nan, nan, 5)
    (back,) = from_json(json.loads(dump_result(fixes_result(fix)))).judged.fixes
    assert [math.isnan(x) for x in (back.spread, back.without, back.low, back.high)] == [True] * 4
