"""Placement or change in words, tables and the data of its plots."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.report.example import sample_result, verdict
from tests.unit.report.parts import as_html, as_markdown, as_terminal, changed
from tests.unit.report.placement_example import (
    CHANGED,
    PLACED,
    POINTS,
    placement,
    placement_result,
)

from whyfast.model.result import Result
from whyfast.model.verdict import Placement
from whyfast.report.answer import answer_of
from whyfast.report.result_json import dump_result, from_json
from whyfast.report.topics.layouts import (
    placement_plot,
    placement_sentences,
    placement_table,
    spread_text,
)

STUDY = placement_result().question
SAME = verdict("after", "before", "same", 1.0, 0.997, 1.003, benchmark="calls")
OPEN = verdict("after", "before", "undecided", 1.02, 0.98, 1.06, benchmark="calls")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            PLACED,
            "after is 1.65x slower than before [1.62, 1.68] as linked, but 1.000x [0.997, 1.003] "
            "over 16 layouts: placement, not the change.",
        ),
        (
            CHANGED,
            "more-work is 1.050x slower [1.046, 1.054] over 16 layouts and 1.051x slower "
            "[1.049, 1.053] as linked: it is the change.",
        ),
        (
            placement("both", PLACED.linked, replace(CHANGED.varied, variant="after")),
            "after is 1.65x slower than before [1.62, 1.68] as linked, and 1.050x slower "
            "[1.046, 1.054] over 16 layouts: what remains over layouts is the change, the rest is "
            "placement.",
        ),
        (
            placement("neither", SAME, SAME),
            "after is the same as before within 1 %, as linked (1.000x [0.997, 1.003]) and over 16 "
            "layouts (1.000x [0.997, 1.003]).",
        ),
        (
            placement("undecided", PLACED.linked, OPEN),
            "after is 1.65x slower than before [1.62, 1.68] as linked, and 1.02x slower "
            "[0.98, 1.06] over 16 layouts: whether that is the change or placement is undecided.",
        ),
        (
            placement("undecided", SAME, OPEN),
            "after is the same as before within 1 % as linked (1.000x [0.997, 1.003]); over 16 "
            "layouts it is undecided (1.02x slower [0.98, 1.06]).",
        ),
    ],
)
def test_a_pair_in_a_sentence(found: Placement, said: str) -> None:
    assert placement_sentences([found], STUDY)[0] == said


def test_the_headline_says_placement_first() -> None:
    answer = answer_of(placement_result())
    assert answer.headline == placement_sentences([PLACED], STUDY)[0]
    assert answer.sentences[1] == (
        "Drawn at random, placement moves the time of a build by 0.25 % (one standard deviation "
        "over 16 layouts); as linked, after is further from before than any drawn layout was."
    )


def test_what_is_within_reach_of_chance_is_not_called_far() -> None:
    near = placement("placement", PLACED.linked, SAME, points=[*POINTS, 0.6])
    (_, said) = placement_sentences([near], STUDY)
    assert said.endswith("over 17 layouts).")


@pytest.mark.parametrize(
    ("spread", "text"), [(0.0, "none seen"), (0.0025, "0.25 %"), (0.1, "11 %")]
)
def test_spread(spread: float, text: str) -> None:
    assert spread_text(spread) == text


def test_no_spread_is_not_called_zero() -> None:
    (_, said) = placement_sentences([placement("neither", SAME, SAME, spread=0.0)], STUDY)
    assert said == (
        "Over 16 layouts drawn at random, placement moves the time of a build by less than the "
        "noise."
    )
    unknown = placement("neither", SAME, SAME, spread=math.nan)
    assert len(placement_sentences([unknown], STUDY)) == 1


def test_markdown_has_a_row_a_pair_and_none_twice() -> None:
    text = as_markdown(placement_result())
    start = text.index("_Placement or change, over 16 layouts_")
    assert text[start:].split("\n\n")[1].rstrip() == (
        "| variant | against | so it is | as linked | over layouts | spread |\n"
        "| --- | --- | --- | --- | --- | ---: |\n"
        "| after | before | placement | **1.65x slower** \\[1.62, 1.68] | "
        "same 1.000x \\[0.997, 1.003] | 0.25 % |\n"
        "| more-work | before | the change | **1.051x slower** \\[1.049, 1.053] | "
        "**1.050x slower** \\[1.046, 1.054] | 0.25 % |"
    )


def test_the_terminal_shows_it_under_the_main_table() -> None:
    text = as_terminal(placement_result(), 100, verbose=True)
    assert text.index("Time on calls") < text.index("Placement or change, over 16 layouts")
    line = text[text.index("Placement or change") :].splitlines()[3]
    assert line.split() == [
        "after", "before", "placement", "1.65x", "slower", "[1.62,", "1.68]",
        "same", "1.000x", "[0.997,", "1.003]", "0.25", "%",
    ]  # fmt: skip


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
    open_ended = replace(PLACED.linked, word="undecided", low=0.0, high=math.inf)
    none = replace(PLACED.varied, word="undecided", ratio=math.nan, low=0.0, high=math.inf)
    odd = replace(PLACED, word="undecided", linked=open_ended, varied=none, points=(0.0, math.nan))
    (row,) = _plotted(changed(result, placements=(odd,)))["baselines"][0]["figures"][0]["rows"]
    assert (row["linked"]["low"], row["linked"]["high"], row["varied"]) == (None, None, None)
    assert row["points"] == [1.0]


def test_json_keeps_them() -> None:
    result = placement_result()
    assert from_json(json.loads(dump_result(result))).judged.placements == result.judged.placements
