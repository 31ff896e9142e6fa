"""What a report says of loops."""

from dataclasses import replace

import pytest
from tests.unit.report.example import ab_result

from whyfast.model.evidence import BytecodeLine, CallCount, Listing, LoopFacts
from whyfast.model.result import Found, Result
from whyfast.model.verdict import LoopTime
from whyfast.report.document import Table
from whyfast.report.sections.loops import (
    bytecode_section,
    loop_findings,
    loop_headline,
    loop_section,
    loop_table,
)

CODE = {
    "./old": (("LOAD_FAST", "x"), ("LOAD_ATTR", "sort"), ("CALL", ""), ("POP_TOP", "")),
    "./new": (("LOAD_GLOBAL", "sorted"), ("LOAD_FAST", "x"), ("CALL", ""), ("POP_TOP", "")),
}


def facts(variant: str, seconds: float, **more: object) -> LoopFacts:
    lines = tuple(BytecodeLine(*line) for line in next(iter(CODE.values())))
    return replace(
        LoopFacts(
            variant,
            "CPython 3.13.0",
            variant,
            empty=8e-9,
            time=LoopTime(seconds, 0.9 * seconds, 1.1 * seconds, 0.99, 12),
            calls=(CallCount("C", "list.sort", 1.0),),
            peak=100,
            code=(Listing("statement", lines),),
        ),
        **more,  # type: ignore[arg-type]
    )


def result(*loops: LoopFacts) -> Result:
    return replace(ab_result(), found=Found(loops=loops))


def names() -> tuple[str, str]:
    variants = ab_result().question.variants
    return variants[0].name, variants[1].name


def two(**more: object) -> Result:
    a, b = names()
    return result(facts(a, 1e-6), facts(b, 2e-6, **more))


@pytest.mark.parametrize(
    ("more", "row", "cells"),
    [
        ({}, 0, ["1.00 µs", "[900 ns, 1.10 µs]", "baseline"]),
        ({"unit": "nsec"}, 1, ["2,000 ns"]),  # as it was asked for
        ({"time": LoopTime(2e-6, 2e-6, 2e-6, 0.0, 1)}, 1, ["2.00 µs", "too few blocks"]),
    ],
)
def test_the_table_has_times_with_their_intervals(
    more: dict[str, object], row: int, cells: list[str]
) -> None:
    table = loop_table(two(**more))
    assert table is not None
    assert [c.text for c in table.rows[row][1 : 1 + len(cells)]] == cells


def test_a_single_statement_is_answered_by_its_time() -> None:
    one = facts("x", 35e-9)
    assert "35.0 ns" in loop_headline(result(one, replace(one, variant="x (again)")))
    assert loop_headline(two()) == ""


def specialised(name: str) -> Listing:
    lines = [BytecodeLine(*line) for line in CODE["./old"]]
    lines[1] = replace(lines[1], specialised=name)
    return Listing("statement", tuple(lines))


def with_argument(place: int, argument: str, *before: str) -> Listing:
    lines = [BytecodeLine(*line) for line in CODE["./old"]]
    lines[place] = replace(lines[place], argument=argument)
    return Listing("statement", (*map(BytecodeLine, before), *lines))


def with_handler(*before: tuple[str, str]) -> Listing:
    lines = [*before, *CODE["./old"], ("PUSH_EXC_INFO", ""), ("RERAISE", "")]
    return Listing("statement", tuple(BytecodeLine(*line) for line in lines))


def with_loop() -> Listing:
    return Listing("statement", (*with_argument(0, "y").instructions, BytecodeLine("FOR_ITER")))


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"raised": ("KeyError",)}, "raises KeyError"),
        ({"calls": (CallCount("C", "sorted", 2.0),)}, "sorted 2 times"),
        ({"peak": 8000}, "8.00 kB"),
        ({"code": (Listing("statement", (BytecodeLine("NOP"),)),)}, "4 instructions"),
        ({"subtracted": False}, "include"),
        ({}, "same bytecode"),
        # What stands behind PUSH_EXC_INFO runs only after an exception.
        ({"code": (with_handler(),)}, "same bytecode"),
        ({"calls": ()}, "types or objects"),
        # A name says what is worked on; what a call or a conversion has, what is done.
        ({"code": (with_argument(0, "y"),)}, "same bytecode"),
        ({"code": (with_argument(2, "2"),)}, "CALL 2"),
    ],
)
def test_what_differs_is_said(more: dict[str, object], named: str) -> None:
    assert any(named in text for text in loop_findings(two(**more)))


@pytest.mark.parametrize(
    "more",
    [
        {"code": (with_handler(("NOP", "")),)},
        {"code": (with_loop(),)},
        {"calls": (CallCount("Python", "f", 1.0),), "code": (with_argument(0, "y", "NOP"),)},
        {"python": "CPython 3.8.18", "code": (with_argument(0, "y", "NOP"),)},
    ],
    ids=["handler", "loop", "function", "interpreter"],
)
def test_instructions_are_not_counted_where_others_run_too(more: dict[str, object]) -> None:
    assert not any("instructions" in text for text in loop_findings(two(**more)))


def test_the_side_furthest_from_the_first_is_explained() -> None:
    a, b = names()
    near, far = facts(a, 1e-6), facts(b, 2e-6, raised=("KeyError",))
    between = replace(near, variant="between", calls=())
    assert any("KeyError" in text for text in loop_findings(result(near, between, far)))


def test_what_only_the_slower_side_has_specialised_is_no_reason() -> None:
    texts = loop_findings(two(code=(specialised("LOAD_ATTR_SLOT"),)))
    assert not any("unspecialised" in text for text in texts)


def test_a_specialised_instruction_of_the_faster_side_is_named() -> None:
    a, b = names()
    faster, slower = facts(a, 1e-6, code=(specialised("LOAD_ATTR_SLOT"),)), facts(b, 2e-6)
    (text,) = [t for t in loop_findings(result(faster, slower)) if "LOAD_ATTR" in t]
    assert "runs LOAD_ATTR as LOAD_ATTR_SLOT" in text
    assert text.endswith("unspecialised.")


def test_bytecode_stands_side_by_side() -> None:
    lines = tuple(BytecodeLine(*line) for line in CODE["./new"])
    section = bytecode_section(two(code=(Listing("statement", lines),)))
    assert section is not None
    table = section.blocks[0]
    assert isinstance(table, Table)
    rows = [[c.text for c in row] for row in table.rows]
    assert rows[0] == ["", "LOAD_GLOBAL sorted"]
    assert rows[1] == ["LOAD_FAST x", "LOAD_FAST x"]
    assert rows[-1] == ["POP_TOP", "POP_TOP"]


def test_what_a_loop_does_has_a_row_for_each_fact() -> None:
    section = loop_section(two(collections=0.002))
    assert section is not None
    table = section.blocks[0]
    assert isinstance(table, Table)
    rows = {row[0].text: [c.text for c in row[1:]] for row in table.rows}
    assert rows["calls into C"] == ["list.sort", "list.sort"]
    assert rows["garbage collections"][1] == "one in 500 loops"
    assert loop_section(result()) is None
