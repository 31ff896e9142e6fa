"""Benchmarks as rows and variants as columns; what variants lack; figures beside the time."""

from __future__ import annotations

from tests.unit.report.examples import LACKING, figures, matrix_result

from whyfast.model.counters import Counted, Counter, Counts
from whyfast.model.counters import Source as CountedBy
from whyfast.model.sample import RunFailure
from whyfast.report.sections.cost_by_parameter import figures_table
from whyfast.report.sections.programs import failure_text, lacking_sentences


def test_what_is_lacking_is_said_once_a_reason() -> None:
    assert failure_text(LACKING) == "old has no fastcall: METH_FASTCALL came with 3.6"
    lacking = [RunFailure(name, "old", "came later", "", (), lacks=True) for name in "abcde"]
    assert lacking_sentences(lacking) == [
        "old has no a, b, c and 2 further benchmarks: came later.",
        "A geometric mean covers the benchmarks that both sides have.",
    ]
    assert lacking_sentences([]) == []


def test_figures_that_differ_have_a_row() -> None:
    table = figures_table(matrix_result(observed=figures()))
    whole = figures_table(matrix_result(observed=figures()), every=True)
    assert table is not None
    assert whole is not None
    assert (len(table.rows), len(whole.rows)) == (2, 3)
    assert figures_table(matrix_result()) is None


def test_instructions_of_a_loop_stand_beside_what_programs_say() -> None:
    def counts(variant: str, number: float, source: CountedBy) -> Counts:
        counter = Counter("instructions", number, "events", source, "tool")
        return Counts(variant, (), (counter,), None)

    counted = (
        # Measured is of more weight; a whole run has no loops.
        Counted("map", "w", (counts("old", 2000.0, "simulated"),), loops={"simulated": 64}),
        Counted("getattr", "w", (counts("new", 1230.0, "measured"),), loops={"measured": 10}),
        Counted("fastcall", "w", (counts("new", 1230.0, "simulated"),)),
    )
    table = figures_table(matrix_result(observed=figures(), counted=counted), every=True)
    assert table is not None
    rows = [[c.text for c in row] for row in table.rows if "a loop" in row[1].text]
    assert rows == [
        ["map", "instructions a loop (simulated)", "31.2", "–"],
        ["getattr", "instructions a loop (measured)", "–", "123"],
    ]
    # They have a table of their own where programs say nothing.
    assert figures_table(matrix_result(counted=counted)) is None
