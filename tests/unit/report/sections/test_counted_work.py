"""What the builds of a study did, in tables and sentences. Counters and hot functions of programs.
What is said of instructions counted under several kernels."""

from dataclasses import replace

import pytest
from tests.golden_files import check_golden, paragraphs
from tests.unit.report.example import sample_result as example
from tests.unit.report.examples import counted_result, counts_of, simulated, two_variants
from tests.unit.report.kernel_example import kernel_result
from tests.unit.report.parts import changed, printed

from whyfast.model.counters import (
    ChangedFunctions,
    CodePlace,
    Counted,
    Counter,
    Counts,
    FunctionCost,
    HotFunction,
    Overlap,
    Profile,
    Source,
)
from whyfast.model.result import Result
from whyfast.model.verdict import Outcome
from whyfast.report.answer import answer_of
from whyfast.report.document import Cell
from whyfast.report.pages.code_page import code_page
from whyfast.report.sections.counted_work import (
    changed_sentences,
    count_tables,
    counted_notes,
    counted_sentences,
)
from whyfast.report.sections.kernel_counts import count_table, number, release_plot
from whyfast.report.sections.side_by_side import counter_tables, counts_section


def test_a_benchmark_that_one_build_lacks_is_not_added_up() -> None:
    _, other = two_variants()
    broken = simulated("broken")
    broken = replace(broken, counts=(broken.counts[0], counts_of(other, note="it crashed")))
    totals = count_tables(counted_result(simulated(), broken))[0]
    assert totals.caption.endswith(
        "the same work of b in each build, without 1 benchmark not counted everywhere"
    )
    assert totals.rows[0][1].text == "1.00 M"


def test_measured_and_simulated_never_share_a_table() -> None:
    base, other = two_variants()
    both = replace(
        simulated(),
        counts=tuple(
            counts_of(v, {"instructions": 100, "cycles": n, "branch-misses": None}, "measured")
            for v, n in ((base, 50), (other, 80))
        ),
    )
    measured = count_tables(counted_result(both))[0]
    assert measured.caption.startswith("Counted by the hardware (tool 1.0)")
    assert [c.title for c in measured.columns] == ["variant", "instructions", "cycles", "per cycle"]
    assert [c.text for c in measured.rows[1][1:]] == ["100", "80", "1.25"]


def test_what_could_not_be_counted_is_said_once() -> None:
    base, other = two_variants()
    failed = Counted("b", "w", tuple(counts_of(v, note="no tool") for v in (base, other)))
    nothing = replace(example(), judged=replace(example().judged, verdicts=(), suites=()))
    assert counted_sentences(changed(nothing, counted=(failed,))) == ["No counts: no tool."]
    partly = replace(failed, counts=(counts_of(base, {"instructions": 1}), failed.counts[1]))
    assert counted_sentences(changed(nothing, counted=(partly,))) == [
        f"Not counted: {other} in b: no tool."
    ]


def test_what_commits_touch() -> None:
    statement = "the change touches no hot function"
    touched = ChangedFunctions("v1", "v2", "v", statement, (), ("f (f.c)",))
    (text,) = changed_sentences((touched,))
    assert text == f"From v1 to v2, {statement}; it touches f (f.c)."
    many = replace(touched, functions=tuple(f"f{i} (f.c)" for i in range(9)))
    (text,) = changed_sentences((many,))
    assert "it touches 9 functions, among them f0 (f.c), f1 (f.c)" in text


def test_what_the_hot_code_needs_of_the_cache_is_said_once_a_build() -> None:
    base, _ = two_variants()
    small, large = (Overlap(base, 1, n, 1, 512, 8, 64, 2, 0) for n in (10, 90))
    one, two = (replace(simulated(), overlaps=(o,)) for o in (large, small))
    (note,) = counted_notes(counted_result(one, two))
    assert note.startswith(f"{base}: 1 hot function spans 90 lines on 1 page (")


PROFILE = Profile("callgrind", "simulated", ("Ir",), (FunctionCost("f", "", {"Ir": 9}),), {"Ir": 9})


def _counter(
    name: str, value: float | None, source: Source = "simulated", unit: str = "events"
) -> Counter:
    note = "" if value is not None else "this machine does not count it"
    return Counter(name, value, unit, source, "tool", note)


def _counts(variant: str, *counters: Counter, notes: tuple[str, ...] = ()) -> Counts:
    return Counts(variant, ("./vm",), counters, PROFILE, notes)


def test_how_values_are_shown() -> None:
    (table,) = counter_tables(
        [
            _counts("a", _counter("n", 1000.0), _counter("ipc", 2.314, unit="per cycle"),
                    _counter("r", 0.3799, unit="of branches"), _counter("z", 0.0)),
            _counts("b", _counter("n", 1500.0), _counter("ipc", 1.0, unit="per cycle"),
                    _counter("r", 0.00091, unit="of branches"), _counter("z", 7.0)),
            _counts("c", _counter("n", None)),
        ]
    )  # fmt: skip
    assert [row[1:] for row in table.rows] == [
        (Cell("1,000", number=1000.0), Cell("1,500", "1.500x", number=1500.0),
         Cell("unavailable", "this machine does not count it")),
        (Cell("2.31", number=2.314), Cell("1.00", number=1.0), Cell("–")),
        (Cell("38.0 %", number=0.3799), Cell("0.091 %", number=0.00091), Cell("–")),
        (Cell("0", number=0.0), Cell("7", number=7.0), Cell("–")),
    ]  # fmt: skip


def test_what_no_program_has_is_no_row() -> None:
    assert counter_tables([_counts("a", _counter("cycles", None, "measured"))]) == []


FUNCTIONS = [
    HotFunction("vm_run", "", (900.0, None), (0.9, None),
                (CodePlace(0x1000, 640, ".text.hot", 10, 1, 8, 2), None)),
]  # fmt: skip


def test_everything_on_the_terminal() -> None:
    programs = [_counts("a", _counter("n", 1.0), notes=("all",)), _counts("b", notes=("all", "b"))]
    overlaps = [Overlap("a", 1, 10, 1, 512, 8, 64, 9, 3), Overlap("b", 0, 0, 0, 512, 8, 64, 0, 0)]
    text = printed(code_page(counts_section(programs, FUNCTIONS, overlaps)), 120)
    assert "Addresses in a" in text
    assert "Addresses in b" not in text
    assert ".text.hot" in text
    assert (
        "a: 1 hot function spans 10 lines on 1 page (the L1 instruction cache holds 512); up to 9 "
        "fall on one\nset of 8 ways, and 3 of 64 sets have too many\nall\nb: b\n"
    ) in text


def _kernels() -> dict[str, Result]:
    result, plain = kernel_result(), kernel_result(parameter=False)
    boots = result.recorded.boots
    return {
        "boots that differ": kernel_result(second=2),
        "nothing counted": changed(result, boots=(), blocks=(), slopes=(), verdicts=()),
        "a machine booted once": changed(result, boots=boots[:3]),
        "ticks that are no instructions": changed(
            result, boots=(replace(boots[0], per_round=3.5),)
        ),
        "no step": changed(result, question=replace(result.question, margin=0.6)),
        "no baseline": changed(plain, verdicts=()),
    }


@pytest.mark.golden
def test_kernels_in_sentences() -> None:
    answers = {name: answer_of(result) for name, result in _kernels().items()}
    texts = {name: (a.headline, *a.sentences) for name, a in answers.items()}
    check_golden("report", "kernels.md", paragraphs(texts))


def test_the_plot_has_every_count() -> None:
    plot = release_plot(kernel_result())
    assert plot is not None
    data = plot.data
    assert (data["kernels"], data["at"]) == (["5.10.7", "6.12.7"], [0, 1, 4])
    (series,) = data["series"]
    assert series["slopes"] == [12.0, 18.0]
    assert series["counts"] == [[60.0, 40.0], [72.0, 58.0], [108.0, 112.0]]
    assert series["steps"] == [1]


def test_numbers_and_ratios_in_print() -> None:
    numbers = (17.0, 17.25, 1064.0, 0.5, -1e-9, -0.5, -17.25)  # 0 is never minus nothing
    assert [number(n) for n in numbers] == ["17", "17.25", "1,064", "0.5", "0", "-0.5", "-17.25"]
    result, ratios = kernel_result(), []
    (first, *_) = [v for v in result.judged.verdicts if v.baseline == result.question.baselines[0]]
    for ratio in (1.5, 1.018, 0.667):
        exact = replace(first, outcome="slower", ratio=ratio, low=ratio, high=ratio)
        found = count_table(changed(result, verdicts=(exact,)))
        assert found is not None
        ratios += [row[3].text for row in found.rows if row[3].outcome == "slower"]
    assert ratios == ["1.50x as many", "1.018x as many", "0.67x as many"]


def test_ratios_of_counts_have_the_digits_that_their_interval_carries() -> None:
    result = kernel_result()
    (first, *_) = [v for v in result.judged.verdicts if v.baseline == result.question.baselines[0]]
    beside = []
    cases: list[tuple[Outcome, float]] = [("slower", 4e-6), ("same", 1e-6), ("slower", 0.0004)]
    for outcome, ends in cases:
        narrow = replace(first, outcome=outcome, ratio=2.0, low=2.0 - ends, high=2.0 + ends)
        found = count_table(changed(result, verdicts=(narrow,)))
        assert found is not None
        cells = [row[3] for row in found.rows]
        beside += [c.detail for c in cells if isinstance(c, Cell) and c.outcome == outcome]
    assert beside == ["[2.00, 2.00]", "2.00x", "[1.9996, 2.0004]"]
