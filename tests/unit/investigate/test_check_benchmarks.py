"""Which of many benchmarks a check measures."""

from dataclasses import dataclass, replace
from typing import cast

import pytest

from whyfast.investigate.check_measuring import chosen_in_python
from whyfast.investigate.context import RunContext
from whyfast.model.code import ChangeCoverage
from whyfast.model.study import Study


@dataclass(frozen=True)
class Named:
    name: str


@dataclass(frozen=True)
class Question:
    benchmarks: tuple[Named, ...]


@dataclass(frozen=True)
class Context:
    question: Question


MANY = Context(Question(tuple(Named(f"b{i}") for i in range(20))))


@pytest.mark.parametrize(
    ("known", "unknown", "kept", "note"),
    [
        ({15, 17}, {*range(15)}, ["b15", "b17"], "Of 20 benchmarks 2 execute"),
        (set(), {*range(2, 20)}, [f"b{i}" for i in range(2, 14)], "none is known"),
        ({15}, {17}, ["b15", "b17"], ""),
        (set(), set(), [], ""),
    ],
)
def test_benchmarks_that_execute_none_of_the_change_are_not_measured(
    known: set[int], unknown: set[int], kept: list[str], note: str
) -> None:
    coverage = ChangeCoverage("", (), "")
    reaches = [
        replace(
            coverage,
            benchmark=b.name,
            executes=("f",) if i in known else None if i in unknown else (),
        )
        for i, b in enumerate(MANY.question.benchmarks)
    ]
    context, left, notes = chosen_in_python(cast(RunContext[Study], MANY), reaches)
    assert [b.name for b in context.question.benchmarks] == kept
    assert [r.benchmark for r in left if r.executes != ()] == kept
    assert {r.benchmark for r in left if r.executes == ()} == {
        f"b{i}" for i in {*range(20)} - known - unknown
    }
    assert note in "".join(notes)
