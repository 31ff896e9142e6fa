"""Counters and hot functions of programs."""

from __future__ import annotations

from tests.unit.report.parts import printed

from whyfast.model.counters import (
    CodePlace,
    Counter,
    Counts,
    FunctionCost,
    HotFunction,
    Overlap,
    Profile,
    Source,
)
from whyfast.report.document import Cell
from whyfast.report.pages.code_page import code_page
from whyfast.report.sections.counters_shown import counter_tables, counts_section, hot_table

PROFILE = Profile("callgrind", "simulated", ("Ir",), (FunctionCost("f", "", {"Ir": 9}),), {"Ir": 9})


def _counter(
    name: str, value: float | None, source: Source = "simulated", unit: str = "events"
) -> Counter:
    note = "" if value is not None else "this machine does not count it"
    return Counter(name, value, unit, source, "tool", note)


def _counts(variant: str, *counters: Counter, notes: tuple[str, ...] = ()) -> Counts:
    return Counts(variant, ("./vm",), counters, PROFILE, notes)


def test_measured_and_simulated_are_never_in_one_table() -> None:
    both = (_counter("cycles", 10.0, "measured"), _counter("instructions", 20.0))
    measured, simulated = counter_tables([_counts("a", *both)])
    assert measured.caption == "Counted by the hardware (tool, user space)"
    assert simulated.caption == "Simulated, not measured (tool)"
    assert [[row[0].text for row in t.rows] for t in (measured, simulated)] == [
        ["cycles"],
        ["instructions"],
    ]


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


def test_hot_functions() -> None:
    about = {"event": "Ir", "source": "simulated", "tool": "callgrind"}
    table = hot_table(FUNCTIONS, ["a", "b"], **about)
    assert table is not None
    assert "share of instructions" in table.caption
    assert "simulated" in table.caption
    assert table.rows == ((Cell("vm_run"), Cell("90.0 %", "900", number=0.9), Cell("–")),)
    assert hot_table([], ["a"], **about) is None


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
