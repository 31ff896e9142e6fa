"""Benchmarks as rows and variants as columns; what variants lack; figures beside the time."""

from __future__ import annotations

from pathlib import Path

from tests.unit.report.parts import result_of

from whyfast.model.counted import Counted
from whyfast.model.counters import Counter, Counts
from whyfast.model.counters import Source as CountedBy
from whyfast.model.observed import Figure, Observed
from whyfast.model.result import Result
from whyfast.model.sample import Block, RunFailure
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Suite, Verdict, Word
from whyfast.report.topics.figures import figure_sentences, figures_table
from whyfast.report.topics.lacking import failure_text, lacking_sentences
from whyfast.report.topics.matrix import matrix_tables

NAMES = ("map", "getattr", "fastcall")
#: Seconds of a loop by benchmark and variant; the oldest has no fastcall.
TIMES = {
    "map": {"old": 205e-6, "mid": 200e-6, "new": 168e-6},
    "getattr": {"old": 267e-9, "mid": 266e-9, "new": 150e-9},
    "fastcall": {"mid": 60e-9, "new": 30e-9},
}
LACKING = RunFailure("fastcall", "old", "METH_FASTCALL came with 3.6", "", (), lacks=True)


def _verdict(variant: str, benchmark: str | None, word: Word, *numbers: float) -> Verdict:
    ratio, low, high = numbers
    return Verdict(variant, "old", benchmark, word, ratio, low, high, 0.95, 9.0, 20)


def _block(benchmark: str) -> Block:
    values = {v: (seconds * 10,) for v, seconds in TIMES[benchmark].items()}
    names = tuple(values)
    return Block(benchmark, 0, 1, "s", 0, 10, 1, names, (names,), values, 0.0, 1.0)


def _result(**more: object) -> Result:
    study = Study(
        name="fastcall",
        folder=Path("/study"),
        baselines=("old",),
        margin=0.01,
        source=Source("subject", "callconv", Path("/subject")),
        build=BuildSpec(("make",), "callconv.so"),
        variants=tuple(Variant(v, "path:gcc", python=f"pyenv:{v}") for v in ("old", "mid", "new")),
        benchmarks=tuple(Benchmark(name, "turn", ("{python}", name)) for name in NAMES),
    )
    verdicts = (
        _verdict("mid", "map", "undecided", 0.975, 0.94, 1.01),
        _verdict("new", "map", "faster", 0.82, 0.812, 0.828),
        _verdict("mid", "getattr", "same", 0.998, 0.994, 1.002),
        _verdict("new", "getattr", "faster", 0.56, 0.50, 0.63),
    )
    suites = (Suite(_verdict("new", None, "faster", 0.68, 0.65, 0.71)),)
    return result_of(
        study,
        verdicts=verdicts,
        suites=suites,
        blocks=tuple(_block(name) for name in NAMES),
        failures=(LACKING,),
        **more,
    )


def test_a_column_a_variant_with_the_change_its_interval_and_verdict() -> None:
    (table,) = matrix_tables(_result())
    assert table.caption == "Each benchmark against old (*)"
    assert [c.title for c in table.columns] == ["benchmark", "old", "mid", "new"]
    assert [[f"{c.text} {c.detail}".strip() for c in row] for row in table.rows] == [
        [
            "map",
            "205 µs (*)",
            "200 µs (−2.5 %) [−6.0, +1.0] undecided",
            "168 µs (−18.0 %) [−18.8, −17.2] faster",
        ],
        [
            "getattr",
            "267 ns (*)",
            "266 ns (−0.2 %) [−0.6, +0.2] same",
            "150 ns (−44 %) [−50, −37] faster",
        ],
        ["fastcall", "– METH_FASTCALL came with 3.6", "60.0 ns", "30.0 ns"],
        ["geometric mean", "(*)", "–", "(−32 %) [−35, −29] faster"],
        ["total over 2", "205 µs (*)", "200 µs (−2.4 %)", "168 µs (−18 %)"],
    ]


def test_what_is_lacking_is_said_once_a_reason() -> None:
    assert failure_text(LACKING) == "old has no fastcall: METH_FASTCALL came with 3.6"
    lacking = [RunFailure(name, "old", "came later", "", (), lacks=True) for name in "abcde"]
    assert lacking_sentences(lacking) == [
        "old has no a, b, c and 2 further benchmarks: came later.",
        "A geometric mean is over the benchmarks that both of its sides have.",
    ]
    assert lacking_sentences([]) == []


STACK = "bytes of C stack a call"


def _figures() -> Observed:
    stack = {
        ("map", "old"): 344,
        ("map", "new"): 936,
        ("getattr", "old"): 96,
        ("getattr", "new"): 96,
    }
    figures = [Figure(name, variant, STACK, number=n) for (name, variant), n in stack.items()]
    why = "instructions that specialise came with 3.11"
    figures += [
        Figure("map", "old", "instructions that call", why=why),
        Figure("map", "new", "instructions that call", word="CALL_PY_EXACT_ARGS"),
    ]
    return Observed(figures=tuple(figures))


def test_figures_that_differ_have_a_row() -> None:
    table = figures_table(_result(observed=_figures()))
    assert table is not None
    assert [c.title for c in table.columns] == ["benchmark", "figure", "old", "new"]
    assert [[f"{c.text} {c.detail}".strip() for c in row] for row in table.rows] == [
        ["map", STACK, "344", "936"],
        [
            "map",
            "instructions that call",
            "– instructions that specialise came with 3.11",
            "CALL_PY_EXACT_ARGS",
        ],
    ]
    whole = figures_table(_result(observed=_figures()), every=True)
    assert whole is not None
    assert len(whole.rows) == 3
    assert figures_table(_result()) is None


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
    table = figures_table(_result(observed=_figures(), counted=counted), every=True)
    assert table is not None
    rows = [[c.text for c in row] for row in table.rows if "a loop" in row[1].text]
    assert rows == [
        ["map", "instructions a loop (simulated)", "31.2", "–"],
        ["getattr", "instructions a loop (measured)", "–", "123"],
    ]
    # They have a table of their own where programs say nothing.
    assert figures_table(_result(counted=counted)) is None


def test_what_goes_with_a_gain_is_said() -> None:
    assert figure_sentences(_result(observed=_figures())) == [
        "new is faster than old with more bytes of C stack a call on 1 of the 2 benchmarks: "
        "936 against 344 on map."
    ]
