"""A search as a page: since, because, and what is behind. How the ends of a search compare, and
what placement adds."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.search.worlds import Range, step_at

from whyfast.model.code import ChangeCoverage, CodeComparison, FunctionChange
from whyfast.report.document import Cell, Document, Plot, Sentences
from whyfast.report.pages.search_page import dump_search, search_headline, search_page
from whyfast.report.render.html import render_html
from whyfast.report.sections.search import (
    alike,
    measured_table,
    posterior_plot,
    scatter_of,
    surely_unlike,
)
from whyfast.search.engine import Done
from whyfast.search.results import SearchResult, SectionSize, StepEvidence, begun
from whyfast.search.state import AxisCandidate, Interval, Quantity, Task
from whyfast.search.view import Trial

EVIDENCE = StepEvidence(
    CodeComparison(False, False, (FunctionChange("work", "changed", (100, 180)),), traced=True),
    (ChangeCoverage("spin", ("work",), "", (1000.0, 1030.0)),),
    sections=(SectionSize(".text", 100, 180),),
    files=("work.c",),
)


def _searched(levels: list[float], prefix: str = "change", noise: float = 0.001) -> SearchResult:
    names = tuple(
        AxisCandidate(f"{prefix}{i}", f"{i:07x} {prefix} {i}") for i in range(len(levels))
    )
    task = Task(len(levels) - 1)
    state, done = Range(levels, noise=noise, seed=2).search(task)
    assert isinstance(done, Done)
    return replace(begun("commits", names, task), state=state, answer=done.answer)


def _said(page: Document, name: str) -> list[str]:
    (section,) = [s for s in page.sections if s.name == name]
    return [x.text for b in section.blocks if isinstance(b, Sentences) for x in b.items]


def _counted() -> SearchResult:
    """1.5 times as many instructions."""
    result = replace(_searched(step_at(9, 16, 0.03)), quantity="instructions")
    half = Interval(math.log(1.5), math.log(1.49), math.log(1.51), 3)
    return replace(result, answer=replace(result.answer, step=half, ends=half))


def _several_steps() -> SearchResult:
    """Of a size that repeats exactly, three steps."""
    levels = [0.02 * sum(c >= step for step in (12, 30, 51)) for c in range(65)]
    return replace(_searched(levels, noise=0.0), quantity="size")


def _in_a_branch(*levels: float) -> SearchResult:
    """An improvement that a merge brought, counted in its branch, where it went back and forth."""
    branch = replace(_searched(list(levels), "side", noise=0.0), quantity="instructions")
    merged = replace(branch, backwards=True, why="merged branch")
    return replace(_backwards("instructions"), further=(merged,))


def _answered(result: SearchResult, **answer: Any) -> SearchResult:
    return replace(result, answer=replace(result.answer, **answer))


def _unbounded() -> SearchResult:
    result = _searched([0.0] * 5)
    assert result.answer.ends is not None
    return _answered(result, ends=replace(result.answer.ends, low=-math.inf, high=math.inf))


def _exact() -> SearchResult:
    """Times that never vary."""
    searched = _searched(step_at(9, 16, 0.03))
    blocks = tuple(replace(block, ends=0.03) for block in searched.state.observations)
    return replace(searched, state=replace(searched.state, observations=blocks))


def _backwards(quantity: Quantity = "time", axis: str = "commits", last: int = 0) -> SearchResult:
    """Where the good end is newer, the newer of the two is the culprit."""
    found = replace(_counted(), quantity=quantity, axis=axis, backwards=True)
    assert found.answer.where is not None
    where = replace(found.answer.where, last=last or found.answer.where.last)
    return _answered(found, outcome="one of" if last else "culprit", where=where)


def _further(levels: list[float], prefix: str, why: str, **answer: Any) -> SearchResult:
    found = _answered(_searched(step_at(9, 16, 0.03)), **answer)
    return replace(found, further=(replace(_searched(levels, prefix), why=why),))


SEARCHES: dict[str, Callable[[], SearchResult]] = {
    "a culprit and why": lambda: replace(_searched(step_at(9, 16, 0.03)), evidence=EVIDENCE),
    "a culprit in a merged branch": lambda: _further(step_at(2, 4, 0.03), "side", "merged branch"),
    "a branch that does not show it": lambda: _further([0.0] * 5, "side", "merged branch"),
    "a branch that went back and forth, the good end is newer": lambda: _in_a_branch(
        0.0, 0.0, 0.0004, 0.005, 0.017, 0.053, 0.053, 0.121, 0.146, 0.003, 0.0165
    ),
    "a larger step in a branch was undone": lambda: _in_a_branch(0.0, 0.0, 0.02, 0.02, 0.1, 0.02),
    "more than one": lambda: _answered(_searched(step_at(9, 16, 0.03)), several=True),
    "the rest was searched": lambda: _further(
        step_at(2, 4, 0.03), "other", "remainder", several=True
    ),
    "nothing bounds it": _unbounded,
    "never varies": _exact,
    "the good end is newer": _backwards,
    "one of three, the good end is newer": lambda: _backwards(last=11),
    "counted, the good end is newer": lambda: _backwards("instructions", "toolchains"),
    "counted": _counted,
    "as many, timed": lambda: replace(_counted(), quantity="time"),
    "counted, in several steps": _several_steps,
    "counted, swapped": lambda: _answered(
        _counted(), outcome="swapped", ends=Interval(-math.log(1.5), -0.42, -0.39, 3)
    ),
    "counted, no step": lambda: _answered(_counted(), outcome="none"),
    "counted, the same": lambda: _answered(
        _counted(), outcome="none", ends=Interval(0.0, 0.0, 0.0, 9)
    ),
}


@pytest.mark.golden
def test_searches_in_sentences() -> None:
    told = {}
    for name, make in SEARCHES.items():
        result = make()
        page = search_page(result)
        assert page.summary is not None
        every = [text for s in page.sections for text in _said(page, s.name)]
        first = [search_headline(result), *page.summary.findings, *page.summary.care]
        told[name] = list(dict.fromkeys([*first, *every]))
    check_golden("report", "searches.md", paragraphs(told))


@pytest.mark.parametrize(("quantity", "told"), [("time", True), ("build-time", False)])
def test_placement_moves_no_build(quantity: Quantity, told: bool) -> None:
    searched = replace(_searched(step_at(9, 16, 0.03)), quantity=quantity)
    assert ("no other layouts" in repr(search_page(searched))) == told


def test_the_posterior_is_a_plot_that_html_holds_and_json_has_every_block() -> None:
    result = _searched(step_at(9, 16, 0.03))
    page = search_page(result)
    (plot,) = [b for s in page.sections for b in s.blocks if isinstance(b, Plot)]
    assert plot.kind == "search"
    assert max(plot.data["gaps"], key=lambda g: g["share"])["high"] == 9
    assert "KINDS.search" in render_html(page)
    data = json.loads(dump_search(result))["data"]
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
    found = measured_table(_exact())
    assert found is not None
    assert [column.title for column in found.columns] == ["candidate", "ratio"]


def _text(cell: object) -> str:
    return cell.text if isinstance(cell, Cell) else str(cell)


@pytest.mark.parametrize(
    ("quantity", "ends", "unlike", "text"),
    [
        ("time", None, False, "b takes as long as a"),
        ("time", Interval(0.001, -0.002, 0.004, 9), False, "b takes as long as a (it is"),
        ("time", Interval(0.003, 0.002, 0.004, 9), True, "than a, less than the margin"),
        ("time", Interval(0.1, -math.inf, math.inf, 2), False, "(it is about 1.1"),
        ("instructions", Interval(0.0, 0.0, 0.0, 4), False, "b costs as much as a"),
        ("instructions", Interval(1e-9, 1e-9, 1e-9, 4), False, "b costs as much as a"),
        ("instructions", Interval(0.01, 0.01, 0.01, 4), True, "b has 1.01x more instructions"),
    ],
)
def test_ends_that_are_alike_and_those_that_differ_by_too_little(
    quantity: Quantity, ends: Interval | None, unlike: bool, text: str
) -> None:
    assert surely_unlike(quantity, ends) is unlike
    sentence = alike(quantity, ends, "a", "b")
    assert text in sentence
    assert sentence.endswith("less than the margin") is unlike


@pytest.mark.parametrize(
    ("linked", "varied", "text"),
    [
        ([0.1] * 4, [0.08, 0.12, 0.08, 0.12], "scatters a program by 1.6 % (one standard"),
        ([0.1] * 4, [0.1] * 4, "scatters a program by 0 % (one standard"),
        ([0.08, 0.12, 0.08, 0.12], [0.1] * 4, "less than one block does by noise, 1.6 % (one"),
        ([0.1] * 3, [0.08, 0.12, 0.08, 0.12], ""),
    ],
)
def test_what_layouts_add_to_the_noise(linked: list[float], varied: list[float], text: str) -> None:
    scatter = scatter_of([*map(Trial, linked), *(Trial(x, layouts=True) for x in varied)])
    assert text in scatter
    assert bool(text) == bool(scatter)
    assert "± 0 %" not in scatter or "by 0 %" in scatter
