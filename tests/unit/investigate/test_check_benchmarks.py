"""Which of many benchmarks a check measures."""

from dataclasses import dataclass, replace
from typing import cast

import pytest

from whyfast.investigate.check_benchmarks import chosen_in_python
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
        ({15, 17}, {18}, ["b15", "b17"], "2 execute what has changed when run once."),
        (set(), {18, 19}, [*(f"b{i}" for i in range(10)), "b18", "b19"], "none is known"),
    ],
)
def test_benchmarks_that_execute_the_change_are_measured(
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
    assert [r.benchmark for r in left] == kept
    assert note in notes[0]
