"""Cost by parameter, and what the programs said about themselves."""

from dataclasses import replace

import pytest
from tests.unit.report.example import verdict
from tests.unit.report.examples import figures, matrix_result
from tests.unit.report.parts import as_html, changed, texts
from tests.unit.report.slope_example import LINES, estimate, slope_result

from whyfast.model.counters import Counted, Counter, Counts
from whyfast.model.counters import Source as CountedBy
from whyfast.model.evidence import Evidence, FunctionFacts
from whyfast.model.variant import Parameter
from whyfast.model.verdict import Coefficient, Outcome
from whyfast.report.sections.cost_by_parameter import (
    figures_table,
    format_estimate,
    point_tables,
    slope_plots,
    slope_sentences,
    slope_tables,
    threshold_sentences,
)
from whyfast.report.sections.dispatching import merged_from
from whyfast.report.sections.machine_code import image_sentences


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (estimate(0.8), "0.800 ns [0.784, 0.816]"),
        (estimate(16), "16.0 ns [15.7, 16.3]"),
        (estimate(1500), "1.50 µs [1.47, 1.53]"),
        (estimate(15, bounded=False), "15.0 ns [–, –]"),
        (Coefficient(-2e-9, -5e-9, 1e-9), "−2.00 ns [−5.00, 1.00]"),
        (Coefficient(100e-9, 99.98e-9, 100.02e-9), "100.00 ns [99.98, 100.02]"),
        (Coefficient(0.0, 0.0, 0.0), "0.000 ns [0.000, 0.000]"),
    ],
)
def test_an_estimate_in_print(value: Coefficient, text: str) -> None:
    assert format_estimate(value) == text


def test_no_cause_is_named_where_more_than_a_setting_differs() -> None:
    result = slope_result()
    other = replace(result.question.variants[1], run=("--index", "dynamic"))
    study = replace(result.question, variants=(result.question.variants[0], other))
    assert len(image_sentences(study, result.found.observed.images, LINES)) == 1


def test_notes_of_what_was_observed_are_shown() -> None:
    result = slope_result()
    unheard = replace(result.found.observed, notes=("no machine code of static: hidden",))
    assert "no machine code of static: hidden." in as_html(changed(result, observed=unheard))


def test_plots_get_nanoseconds_and_leave_out_the_longest_runs() -> None:
    (plot,) = slope_plots(slope_result())
    family = plot.data
    assert (family["name"], family["values"]) == ("tail call", [0, 5, 33])
    static = family["variants"][0]
    assert static["slope"] == pytest.approx(0.8)
    assert static["points"][2]["value"] == pytest.approx(41.4)
    assert static["points"][2]["text"] == "41.4 ns [40.6, 42.2]"
    assert static["runs"]["33"] == {
        "ns": [24.0, 25.0],
        "share": [pytest.approx(90), pytest.approx(9.9)],
    }


def test_where_no_line_is_meant_the_points_alone_are_shown() -> None:
    lines = tuple(replace(one, linear=False) for one in LINES)
    result = changed(slope_result(), slopes=lines)
    assert slope_sentences(lines) == []
    assert not any(slope_tables(result))
    assert len(list(point_tables(result))) == 1
    (plot,) = slope_plots(result)
    assert [v["linear"] for v in plot.data["variants"]] == [False] * len(LINES)


def test_instructions_of_a_loop_stand_beside_what_programs_say() -> None:
    def counts(variant: str, number: float, source: CountedBy) -> Counts:
        counter = Counter("instructions", number, "events", source, "tool")
        return Counts(variant, (), (counter,), None)

    def both(source: CountedBy) -> tuple[Counts, Counts]:
        return counts("old", 2000.0, source), counts("new", 1230.0, source)

    counted = (
        # Measured is of more weight; a whole run has no loops.
        Counted("map", "w", both("simulated"), loops={"simulated": 10}),
        Counted("getattr", "w", both("measured"), loops={"measured": 10}),
        Counted("fastcall", "w", (counts("new", 1230.0, "simulated"),)),
    )
    table = figures_table(matrix_result(observed=figures(), counted=counted))
    rows = [row for row in texts(table) if "a loop" in row[1]]
    assert rows == [
        ["map", "instructions a loop (simulated)", "200", "123"],
        ["getattr", "instructions a loop (measured)", "200", "123"],
    ]
    # They have a table of their own where programs say nothing.
    assert figures_table(matrix_result(counted=counted)) is None


def _by_opcodes(outcomes: str) -> list[str]:
    """What is said of a variant with those outcomes by its number of opcodes."""
    result = slope_result()
    (study, main, other) = result.question, *(v.name for v in result.question.variants[:2])
    values = (4, 12, 16, 17, 32, 40)[: len(outcomes)]
    benchmarks = tuple(
        replace(study.benchmarks[0], name=f"p{n}", parameter=Parameter("p", "opcode", n, False))
        for n in values
    )
    words: dict[str, Outcome] = {"s": "slower", "f": "faster", "=": "same", "?": "undecided"}
    verdicts = tuple(
        verdict(other, main, words[o], 1.0 + n / 100, 1.0, 2.0, benchmark=f"p{n}")
        for o, n in zip(outcomes, values, strict=True)
    )
    question = replace(study, benchmarks=benchmarks, baselines=(main,))
    result = replace(result, question=question)
    return list(
        threshold_sentences(replace(result, judged=replace(result.judged, verdicts=verdicts)))
    )


def test_from_some_value_of_a_parameter_on_a_variant_is_slower() -> None:
    (said,) = _by_opcodes("=?=sss")
    assert "From 17 opcodes on" in said
    assert "slower" in said
    assert "1.40x" in said
    (said,) = _by_opcodes("s=ff?f")
    assert "From 16 opcodes on" in said


@pytest.mark.parametrize("outcomes", ["sss", "==s=ss", "===s??", "=====s", "??????"])
def test_no_threshold_where_there_is_none(outcomes: str) -> None:
    assert _by_opcodes(outcomes) == []


def _merging(jumps: dict[int, tuple[int, int]]) -> list[str]:
    """What is said of functions by number of opcodes; indirect jumps of baseline and variant."""
    study = slope_result().question
    benchmarks = tuple(
        replace(study.benchmarks[0], name=f"p{n}", parameter=Parameter("p", "opcode", n, False))
        for n in jumps
    )
    evidence = tuple(
        Evidence(
            variant,
            "x86-64",
            None,
            functions=tuple(
                FunctionFacts(f"run_{n}", 0, 9, ".text", 9, both[side], 0, 0, 0)
                for n, both in jumps.items()
            ),
        )
        for side, variant in enumerate(("old", "new"))
    )
    question = replace(study, benchmarks=benchmarks, baselines=("old",))
    return list(merged_from(replace(changed(slope_result(), evidence=evidence), question=question)))


def test_from_some_value_of_a_parameter_on_the_dispatch_is_merged() -> None:
    (said,) = _merging({8: (9, 9), 16: (17, 17), 17: (18, 2), 40: (41, 2)})
    assert "From 17 opcodes on, new has merged" in said
    assert "2 indirect jumps in `run_17` where old has 18" in said
    assert "up to 16" in said


@pytest.mark.parametrize("last", [(41, 41), (41, 30)])
def test_a_dispatch_that_is_not_merged_from_there_on(last: tuple[int, int]) -> None:
    assert _merging({8: (9, 9), 17: (18, 2), 40: last}) == []
    assert _merging({8: (9, 2), 17: (18, 2)}) == []
