"""Time and cost: where a cost goes against the gain, and the table."""

from dataclasses import replace

import pytest
from tests.unit.report.example import sample_result, sample_study, suite
from tests.unit.report.parts import changed, texts
from tests.unit.report.screens.rendered import checked

from whyfast.judge.judge_run import cost_changes
from whyfast.model.cost import CostsSpec, SizeChange, VariantCost
from whyfast.model.result import Result
from whyfast.model.verdict import Suite
from whyfast.report.sections.changed_code import growth_section
from whyfast.report.sections.check import check_sentences
from whyfast.report.sections.costs import (
    check_cost_table,
    cost_plot,
    cost_sentences,
    cost_table,
    unavailable,
)
from whyfast.report.sections.dispatching import replication_sentences

BASE, TAIL, SLOW = "clang18-goto", "clang19-tail", "clang19-goto"
FASTER = suite(TAIL, BASE, "faster", 0.97, 0.96, 0.98)
SAME = suite(TAIL, BASE, "same", 1.0, 0.999, 1.001)
SLOWER = suite(TAIL, BASE, "slower", 1.05, 1.04, 1.06)
GREW = (
    SizeChange(TAIL, BASE, "function", "parse", 100, 4200),
    SizeChange(TAIL, BASE, "function", "scan", 100, 200),
    SizeChange(TAIL, BASE, "section", ".text", 22_000, 26_200),
)


def result(*suites: Suite, code: float = 26_200, rodata: float = 1_000) -> Result:
    question = replace(sample_study(), baselines=(BASE,), claim=None)
    costs = [VariantCost(k, BASE, x) for k, x in (("size", 23_000.0), ("code", 22_000.0))]
    costs += [VariantCost(k, TAIL, x) for k, x in (("size", code + rodata), ("code", code))]
    costs += [VariantCost("rodata", BASE, 1_000.0), VariantCost("rodata", TAIL, rodata)]
    return changed(
        sample_result(),
        question=question,
        suites=suites,
        verdicts=(),
        costs=tuple(costs),
        growth=GREW,
    )


@pytest.mark.parametrize(
    ("found", "parts"),
    [
        (result(FASTER), [f"{TAIL} has 19 % more code"]),  # the answer before says the gain
        (
            result(FASTER, suite(SLOW, BASE, "slower", 1.2, 1.1, 1.3)),
            [f"{TAIL} is 1.03x faster than {BASE}", "19 % more code, in `parse` (+4.10 kB)"],
        ),
        (result(SAME), ["as fast", "more code"]),
        (result(FASTER, code=20_000), []),  # a gain with less code has no price
        (result(SLOWER), []),
        (result(SLOWER, code=11_000), ["2x less code"]),  # which is a trade too
        (result(FASTER, code=22_000, rodata=9_000), ["9x more read-only data"]),
    ],
)
def test_more_code_is_the_price_of_speed(found: Result, parts: list[str]) -> None:
    texts = list(cost_sentences(found))
    assert len(texts) == bool(parts)
    assert all(part in texts[0] for part in parts)


def test_of_undecided_times_only_a_named_cost_is_told() -> None:
    undecided = suite(TAIL, BASE, "undecided", 1.01, 0.9, 1.2)
    given = result(undecided, code=40_000)
    assert list(cost_sentences(given)) == []
    named = replace(given.question, costs=CostsSpec({"size": 0.01}))
    (said,) = cost_sentences(replace(given, question=named))
    assert said.startswith(f"{TAIL} has")
    assert "more code" in said


def test_a_row_for_each_variant() -> None:
    found = result(FASTER)
    table = cost_table(found, cost_changes(found))
    assert table is not None
    rows = {row[0]: row for row in texts(table.shown(True))}
    assert rows[TAIL][:2] == [TAIL, "1.03x faster"]
    sized = next(r for r in table.rows if r[0].text == TAIL)
    assert [(c.text, c.detail) for c in sized[2:4]] == [
        ("27.2 kB", "+18.3 %"),
        ("26.2 kB", "+19.1 %"),
    ]


def test_a_figure_needs_three_variants() -> None:
    assert cost_plot(result(FASTER), cost_changes(result(FASTER))) is None
    found = result(FASTER, suite(SLOW, BASE, "slower", 1.5, 1.4, 1.6))
    more = (*found.found.costs, VariantCost("size", SLOW, 30_000.0))
    found = changed(found, costs=more)
    plot = cost_plot(found, cost_changes(found))
    assert plot is not None
    (sizes,) = [c for c in plot.data["choices"] if c["name"] == "size"]
    assert {p["name"]: p["best"] for p in sizes["points"]} == {BASE: True, TAIL: True, SLOW: False}


def test_what_grew_has_the_functions() -> None:
    section = growth_section(result(FASTER))
    assert section is not None
    assert section.importance == "detail"


@pytest.mark.parametrize("again", [None, 101.0])
def test_reasons_are_said_once_and_what_does_not_repeat_is_named(again: float | None) -> None:
    costs = [VariantCost("energy", v, None, note="no RAPL") for v in (BASE, TAIL)]
    costs.append(VariantCost("allocations", TAIL, 100.0, "b", again=again))
    said = list(unavailable(costs))
    assert said[0].count("no RAPL") == 1
    assert len(said) == (1 if again is None else 2)


def checked_with(before: float, after: float, *, same: bool = False) -> Result:
    """A check of a change of one function that grew by all of the difference."""
    costs = [
        VariantCost(k, n, x)
        for n, x in (("base", before), ("head", after))
        for k in ("size", "code")
    ]
    growth = (SizeChange("head", "base", "function", "hot", 10, 10 + int(after - before)),)
    return changed(checked(["parse"], same=same), costs=tuple(costs), growth=growth)


def test_a_check_says_what_the_gain_costs() -> None:
    found = checked_with(1000, 1200)
    faster = replace(found.judged.verdicts[0], outcome="faster", ratio=0.97, low=0.96, high=0.98)
    found = changed(found, verdicts=(faster,))
    headline, *_ = check_sentences(found)
    assert "3.1 % faster on parse" in headline
    assert ", for 20 % more code, in `hot` (+200 B); `hot` now calls" in headline


def test_a_check_says_that_the_size_is_the_same() -> None:
    said = check_sentences(checked_with(1000, 1000, same=True))
    assert any("1.00 kB" in text and "unchanged" in text for text in said)


def test_a_check_has_a_row_for_each_cost() -> None:
    rows = texts(check_cost_table(checked_with(1000, 1200)))
    assert rows == [
        ["size", "1.00 kB", "1.20 kB", "+20.0 %"],
        ["code", "1.00 kB", "1.20 kB", "+20.0 %"],
    ]


def test_what_replicating_the_jumps_takes_is_said_of_flags_alone() -> None:
    plain = sample_result()
    sizes = {"clang19-goto": 8_000, "clang19-goto-taildup": 14_000, "clang18-goto": 14_500}
    evidence = tuple(
        replace(e, dispatch=replace(e.dispatch, size=sizes.get(e.variant, 20_000)))
        for e in plain.found.evidence
        if e.dispatch is not None
    )
    built = (
        VariantCost("build-time", "clang19-goto", 2.0),
        VariantCost("build-time", "clang19-goto-taildup", 3.0),
    )
    result = replace(plain, found=replace(plain.found, evidence=evidence, costs=built))
    (text,) = replication_sentences(result)  # clang 18 is another compiler
    assert "14.0 kB instead of 8.00 kB (1.75x)" in text
    assert "3.00 s instead of 2.00 s" in text
    changes = {c.variant: c for c in cost_changes(result) if c.key == "dispatch-code"}
    assert (changes["clang19-goto"].before, changes["clang19-goto"].after) == (14_500, 8_000)
    assert changes["clang19-goto"].outcome == "less"


def test_a_cost_is_named_on_the_benchmark_where_it_differs_most() -> None:
    found = result(FASTER)
    counts = [("sieve", 10.0, 11.0), ("fib", 10.0, 30.0), ("nbody", 10.0, 12.0)]
    costs = [
        VariantCost("allocated", name, x, benchmark, again=x)
        for benchmark, *sides in counts
        for name, x in zip((BASE, TAIL), sides, strict=True)
    ]
    (text,) = cost_sentences(changed(found, costs=tuple(costs)))
    assert "3x more" in text
    assert " on fib" in text
