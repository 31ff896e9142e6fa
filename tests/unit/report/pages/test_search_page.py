"""A search as a page: since, because, and what is behind."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace

from tests.unit.search.worlds import Range, step_at

from whyfast.model.check import CodeComparison, FunctionChange, Reach
from whyfast.report.document import Cell, Document, Plot, Sentences
from whyfast.report.pages.search_page import dump_search, search_headline, search_page
from whyfast.report.render.html import render_html
from whyfast.report.topics.search_course import measured_table, posterior_plot
from whyfast.search.answer import Interval
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.engine import Done
from whyfast.search.run import SearchResult, begun
from whyfast.search.state import Task
from whyfast.search.step_evidence import SectionSize, StepEvidence

EVIDENCE = StepEvidence(
    CodeComparison(False, False, (FunctionChange("work", "changed", (100, 180)),), traced=True),
    (Reach("spin", ("work",), "", (1000.0, 1030.0)),),
    sections=(SectionSize(".text", 100, 180),),
    files=("work.c",),
)


def _searched(levels: list[float], prefix: str = "change", noise: float = 0.001) -> SearchResult:
    names = tuple(
        AxisCandidate(f"{prefix}{i}", f"{i:07x} {prefix} {i}") for i in range(len(levels))
    )
    task = Task(len(levels) - 1)
    state, done = Range(levels, noise=0.001, seed=2).search(task)
    assert isinstance(done, Done)
    return replace(begun("commits", names, task), state=state, answer=done.answer)


def _said(page: Document, name: str) -> list[str]:
    (section,) = [s for s in page.sections if s.name == name]
    return [x.text for b in section.blocks if isinstance(b, Sentences) for x in b.items]


def test_the_headline_says_since_and_because() -> None:
    result = replace(_searched(step_at(9, 16, 0.03)), evidence=EVIDENCE)
    assert search_headline(result).startswith(
        "Made slower by '0000009 change 9', which is 1.030x slower"
    )
    assert search_headline(result).endswith(
        " than its parent: `work` went from 100 to 180 bytes, which the benchmark executes."
    )
    page = search_page(result)
    assert _said(page, "because") == [
        "The machine code of 1 function differs: `work`.",
        "spin executes `work`; 1,000 instructions became 1,030, simulated.",
        "In the source it changes `work.c`.",
    ]


def test_where_the_good_end_is_newer_the_newer_of_the_two_made_it_faster() -> None:
    result = replace(_searched(step_at(9, 16, 0.03)), backwards=True)
    half = Interval(math.log(1.5), math.log(1.49), math.log(1.51), 3)
    result = replace(result, answer=replace(result.answer, step=half, ends=half))
    assert search_headline(result) == (
        "Made faster by '0000008 change 8', which is 1.50x faster [1.49, 1.51] than its parent."
    )
    page = search_page(result)
    assert _said(page, "basis")[0] == (
        "Of the ends, '0000000 change 0' is 1.50x faster [1.49, 1.51] than '0000010 change 16', "
        "by 3 blocks."
    )
    assert result.answer.where is not None
    wide = replace(result.answer, word="one of", where=replace(result.answer.where, last=11))
    assert search_headline(replace(result, answer=wide)) == (
        "Made faster by one of 3, which is 1.50x faster [1.49, 1.51] than '000000b change 11': "
        "'0000008 change 8'; '0000009 change 9'; '000000a change 10'; those between cannot be "
        "measured."
    )
    counted = replace(result, quantity="instructions", axis="toolchains")
    assert search_headline(counted) == (
        "'0000008 change 8' has 1.5x fewer instructions than '0000009 change 9'."
    )


def test_a_culprit_in_a_merged_branch_goes_before_the_merge() -> None:
    branch = replace(_searched(step_at(2, 4, 0.03), "side"), why="merged branch")
    result = replace(_searched(step_at(9, 16, 0.03)), further=(branch,))
    said = search_headline(result)
    assert said.startswith("Made slower by '0000002 side 2', which is ")
    assert said.endswith("; it came in by the merge 0000009.")


def test_a_branch_that_does_not_show_it_is_told() -> None:
    branch = replace(_searched([0.0] * 5, "side"), why="merged branch")
    page = search_page(replace(_searched(step_at(9, 16, 0.03)), further=(branch,)))
    (said,) = _said(page, "further")
    assert said.startswith("In the branch itself, up to '0000004 side 4': There is no step")


def test_an_interval_that_nothing_bounds_is_not_printed() -> None:
    result = _searched([0.0] * 5)
    assert result.answer.ends is not None
    unbounded = replace(result.answer.ends, low=float("-inf"), high=float("inf"))
    said = search_headline(replace(result, answer=replace(result.answer, ends=unbounded)))
    assert "about 1." in said
    assert "[" not in said


def test_the_posterior_is_a_plot_that_html_holds_and_json_has_every_block() -> None:
    result = _searched(step_at(9, 16, 0.03))
    page = search_page(result)
    (plot,) = [b for s in page.sections for b in s.blocks if isinstance(b, Plot)]
    assert plot.kind == "search"
    assert max(plot.data["gaps"], key=lambda g: g["share"])["high"] == 9
    assert "KINDS.search" in render_html(page)
    data = json.loads(dump_search(result))
    assert data["schema"] == "whyfast-search/1"
    assert len(data["state"]["observations"]) == len(result.state.observations)


def test_ratios_have_the_digits_that_their_interval_carries() -> None:
    searched, two = _searched(step_at(9, 16, math.log(2))), math.log(2)
    exact = tuple(
        replace(
            block,
            ends=two + 1e-12 * n,
            readings=tuple(
                replace(r, to_good=two * round(r.to_good / two)) for r in block.readings
            ),
        )
        for n, block in enumerate(searched.state.observations)
    )
    result = replace(searched, state=replace(searched.state, observations=exact))
    found = measured_table(result)
    assert found is not None
    assert {_text(row[2]) for row in found.rows} == {"1.00", "2.00"}
    assert all(re.fullmatch(r"\[\d\.\d\d, \d\.\d\d\]", _text(row[3])) for row in found.rows)
    plot = posterior_plot(result)
    assert plot is not None
    printed = {f"{_text(row[2])} {_text(row[3])}" for row in found.rows}
    assert {m["text"] for m in plot.data["measured"]} == printed


def test_numbers_that_never_vary_are_told_without_errors() -> None:
    searched = _searched(step_at(9, 16, 0.03))
    blocks = tuple(replace(block, ends=0.03) for block in searched.state.observations)
    result = replace(searched, state=replace(searched.state, observations=blocks))
    found = measured_table(result)
    assert found is not None
    assert [column.title for column in found.columns] == ["candidate", "ratio"]
    said = " ".join(_said(search_page(result), "basis"))
    assert "What is printed is the same every time, and taken for a count." in said
    assert "placement" not in said


def _text(cell: object) -> str:
    return cell.text if isinstance(cell, Cell) else str(cell)


def test_what_was_counted_is_not_called_slower() -> None:
    counted = replace(_searched(step_at(9, 16, 0.03)), quantity="instructions")
    assert counted.answer.step is not None
    half = Interval(math.log(1.5), math.log(1.49), math.log(1.51), 3)
    more = replace(counted, answer=replace(counted.answer, step=half, ends=half))
    assert search_headline(more) == "'0000009 change 9' has 1.5x more instructions than its parent."
    assert _said(search_page(more), "basis")[:2] == [
        "Of the ends, '0000010 change 16' has 1.5x more instructions than '0000000 change 0', "
        "by 3 blocks.",
        "Counts repeat exactly: each program was counted once.",
    ]
    timed = replace(more, quantity="time")
    assert search_headline(timed) == (
        "Made slower by '0000009 change 9', which is 1.50x slower [1.49, 1.51] than its parent."
    )
    fewer = replace(half, estimate=-half.estimate)
    swapped = replace(more, answer=replace(more.answer, word="swapped", ends=fewer))
    assert search_headline(swapped) == (
        "The ends are swapped: '0000010 change 16' has 1.5x fewer instructions than "
        "'0000000 change 0'; exchange good and bad."
    )
    none = replace(more, answer=replace(more.answer, word="none"))
    assert search_headline(none) == (
        "There is no step: '0000010 change 16' has 1.5x more instructions than '0000000 change 0', "
        "less than the margin."
    )
    same = replace(none, answer=replace(none.answer, ends=Interval(0.0, 0.0, 0.0, 9)))
    assert search_headline(same) == (
        "There is no step: '0000010 change 16' costs as much as '0000000 change 0'."
    )
    assert _said(search_page(same), "basis")[0].startswith("Counts repeat exactly: ")


def test_what_further_searches_found_is_on_the_first_screen() -> None:
    found = _searched(step_at(9, 16, 0.03))
    several = replace(found, answer=replace(found.answer, several=True))
    brief = search_page(several).brief
    assert brief is not None
    assert brief.care[0].endswith(": there is at least one more; --all searches for it.")
    other = replace(_searched(step_at(2, 4, 0.03), "other"), why="remainder")
    brief = search_page(replace(several, further=(other,))).brief
    assert brief is not None
    assert brief.said[0].startswith("Made slower by '0000002 other 2', which is 1.03")
    assert brief.care[0] == "The step is not all of the difference: the rest was searched."
