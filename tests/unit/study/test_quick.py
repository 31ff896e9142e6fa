"""``[quick]``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from whyfast.model.errors import StudyError
from whyfast.model.study import Quick
from whyfast.study.load import load_study


def test_without_it_nothing_is_restricted(valid: str, write: Callable[[str], Path]) -> None:
    assert load_study(write(valid)).quick == Quick((), (), None)


def test_all_of_it(valid: str, write: Callable[[str], Path]) -> None:
    quick = '[quick]\nvariants = ["clang19-tail"]\nbenchmarks = "collatz"\nbudget = "20s"\n'
    assert load_study(write(valid + quick)).quick == Quick(("clang19-tail",), ("collatz",), 20.0)


@pytest.mark.parametrize(
    ("table", "mistake"),
    [
        (
            'variants = ["clang19-tal"]',
            'quick.variants[0]: no variant "clang19-tal"; did you mean "clang19-tail"?',
        ),
        ('variants = "base"', 'quick.variants: no variant "base"; valid: '),
        (
            'benchmarks = ["colatz"]',
            'quick.benchmarks[0]: no benchmark "colatz"; did you mean "collatz"?',
        ),
        ("benchmarks = []", "quick.benchmarks: is empty; name a benchmark, or leave it out"),
        ('budget = "soon"', 'quick.budget: "soon" is not a duration; write budget = "3m" or'),
        ("turns = 3", "quick.turns: unknown key; valid: variants, benchmarks, budget"),
    ],
)
def test_mistakes(valid: str, write: Callable[[str], Path], table: str, mistake: str) -> None:
    with pytest.raises(StudyError) as raised:
        load_study(write(f"{valid}[quick]\n{table}\n"))
    line = valid.count("\n") + 2
    assert f"study.toml:{line}: {mistake}" in str(raised.value)
