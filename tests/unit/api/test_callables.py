"""Functions of this process as sides of ``timeit``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.warm_process import Command

import whyfast as wf
from whyfast.api.callables import names_of, timed_sides
from whyfast.investigate.timeit_run import TimedSide
from whyfast.store.home import Home

NUMBERS = [3, 1, 2]


def sort(x: list[int]) -> list[int]:
    return sorted(x)


def test_names() -> None:
    assert list(names_of([sort, "pass", sort, lambda: 1])) == [
        "sort",
        "pass",
        "sort (2)",
        "<lambda>",
    ]


def called(side: TimedSide) -> Any:
    """What the function of the side's file returns in a process of its own, given what the file has
    for its parameters."""
    code = (
        "import json, runpy, sys; names = runpy.run_path(sys.argv[1]); f = names[sys.argv[2]];"
        "import inspect;"
        "print(json.dumps(f(*[names[p]() for p in inspect.signature(f).parameters])))"
    )
    argv = [*side.python, "-c", code, side.file, side.function]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd="/")
    return json.loads(done.stdout)


def outer() -> Callable[[], int]:
    state = {"seven": 7}
    return lambda: state["seven"]


class Counter:
    def __init__(self) -> None:
        self.at = 4

    def value(self) -> int:
        return self.at


@pytest.mark.parametrize(
    ("work", "arguments", "value"),
    [
        (sort, {"x": NUMBERS}, [1, 2, 3]),
        (outer(), {}, 7),
        (Counter().value, {}, 4),
        (lambda key: key(5), {"key": lambda x: x + 1}, 6),  # an argument that is a function
        (lambda: os.path.join("a", "b"), {}, "a/b"),
    ],
    ids=["a function", "a closure", "a method", "a function as argument", "a module"],
)
def test_functions_are_the_same_elsewhere(
    work: Callable[..., object], arguments: dict[str, object], value: object
) -> None:
    """Also those of this module, which no other process can import."""
    with timed_sides({"side": work}, "", arguments) as (side,):
        assert called(side) == value
    assert not Path(side.file).exists()


def test_a_statement_is_left_to_the_driver() -> None:
    with timed_sides({"s": "sorted(x)"}, "x = []", {}) as sides:
        assert sides == [TimedSide("s", (sys.executable,), "x = []", statement="sorted(x)")]


@pytest.mark.parametrize(
    ("works", "arguments", "where"),
    [
        ({"f": sort}, {"x": NUMBERS, "y": 1}, "arguments"),
        ({"f": sort}, {"x": threading.Lock()}, "x"),
        ({"f": 3}, {}, "f"),
    ],
)
def test_what_cannot_be_handed_over_is_named(
    works: dict[str, Any], arguments: dict[str, object], where: str
) -> None:
    with pytest.raises(wf.UserError) as error, timed_sides(works, "", arguments):
        pass
    assert error.value.where == where


def test_functions_are_measured(own_home: Home) -> None:
    sides = {"few": lambda x: sum(x[:20]) * 0, "all": lambda x: sum(x) * 0}
    (verdict,) = wf.timeit(sides, arguments={"x": list(range(400))}, budget=1).verdicts
    assert (verdict.baseline, verdict.variant) == ("few", "all")
    assert verdict.ratio > 2
    with pytest.raises(wf.UserError) as error:
        wf.timeit(lambda: 1, lambda: 2)
    assert "different" in error.value.message
    with pytest.raises(wf.UserError) as error:
        wf.timeit()
    assert error.value.where == "sides"


PLUGIN_TEST = """
def short():
    pass

def long():
    pass

def test_more(whyfast):
    whyfast(short, long)

def test_less(whyfast):
    assert whyfast(long, short).verdicts[0].outcome == "faster"
"""

#: In place of measuring: a function called long takes half more.
DOUBLE = """
import whyfast as wf

def timeit(*sides, budget, margin, **options):
    assert (budget, margin) == ("3s", "1%")
    taken = [[(1.5 if s is sides[0].__globals__["long"] else 1.0) * (1 + i % 3 / 100)
              for i in range(20)] for s in sides]
    return wf.judge(*taken, paired=True, names=tuple(s.__name__ for s in sides))

wf.timeit = timeit
"""


def test_the_plugin_of_pytest(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PLUGIN_TEST)
    (tmp_path / "conftest.py").write_text(DOUBLE)

    def run(*words: str) -> tuple[int, str]:
        words = ("-p", "no:cacheprovider", "-q", "--whyfast-budget", "3s", *words)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
        with (tmp_path / "said").open("w+b") as out:
            command = Command(words, out, out, env=environment, cwd=tmp_path, module="pytest")
            code = command.wait(300)
        return code, (tmp_path / "said").read_text()

    code, said = run("--whyfast-fail-on", "slower")
    assert code == 1, said
    assert "1 failed, 1 passed" in said
    assert "test_it.py::test_more: long is 1.5" in said
    assert "test_it.py::test_less: short is 1.5" in said
    assert run()[0] == 0
