"""CPython: what its own tools show of differences, on the Python that runs this."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.why.runtimes.examples import explain, keys_of, sides_of

from whyfast.measure.process import CannotCount
from whyfast.model.why import Cause
from whyfast.why.functions import FunctionKey
from whyfast.why.runtimes.protocol import Findings
from whyfast.why.runtimes.python import CPython

Explain = Callable[[str, str], Findings]


def cpu_time(words: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.fixture
def explained(tmp_path: Path) -> Explain:
    """What Python's tools say of two programs."""

    def run(fast: str, slow: str) -> Findings:
        commands = []
        for name, text in (("quick.py", fast), ("late.py", slow)):
            (tmp_path / name).write_text(text)
            commands.append([sys.executable, str(tmp_path / name)])
        times = [cpu_time(words) for words in commands]
        return explain(CPython(), sides_of(*commands, (times[0], times[1])))

    return run


def first(findings: Findings) -> Cause:
    assert findings.causes
    return max(findings.causes, key=lambda c: c.share)


LOOKUP = """\
def lookup(data, queries):
    hits = 0
    for query in queries:
        if query in data:
            hits += 1
    return hits
print(lookup({}(range(0, 8000, 2)), range(4000)))
"""


def test_an_operator_that_scans_a_list(explained: Explain) -> None:
    findings = explained(LOOKUP.format("set"), LOOKUP.format("list"))
    cause = first(findings)
    assert (cause.key, cause.place.function, cause.place.line) == ("more-work", "lookup", 4)
    assert (cause.place.file, cause.basis) == ("late.py", "measured")
    assert "scans a list of 4,000 items" in cause.sentence
    assert 0.5 < cause.share < 1.2
    assert findings.takes(FunctionKey("libpython3.11.so.1.0", "list_contains"))
    assert not findings.takes(FunctionKey("libopenblas.so.0", "dgemm"))


FIB = """\
from functools import lru_cache
{}
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(23))
"""


def test_a_function_that_is_called_more_often(explained: Explain) -> None:
    cause = first(explained(FIB.format("@lru_cache(None)"), FIB.format("")))
    assert (cause.key, cause.place.function, cause.basis) == ("more-calls", "fib", "counted")
    assert [(f.name, f.fast, f.slow) for f in cause.facts] == [("calls of fib", 24, 92735)]


FILL = """\
from collections import deque
def fill(n):
    items = {}
    for i in range(n):
        items.{}i)
    return items
print(len(fill(30000)))
"""


def test_a_function_of_c_that_moves_items(explained: Explain) -> None:
    cause = first(explained(FILL.format("deque()", "appendleft("), FILL.format("[]", "insert(0, ")))
    assert (cause.key, cause.place.function) == ("copying", "fill")
    assert cause.facts[0].name == "calls of list.insert"
    assert (cause.facts[0].fast, cause.facts[0].slow) == (0, 30000)


def test_imports_of_the_slow_side_alone(explained: Explain) -> None:
    cause = first(explained("print(1)\n", "import unittest.mock\nprint(1)\n"))
    assert (cause.key, cause.place.file, cause.place.line) == ("imports", "late.py", 1)
    assert "`unittest" in cause.sentence
    assert cause.facts[0].fast == 0


CYCLES = """\
class Node:
    def __init__(self):
        self.me = {}
def build(n):
    return [Node() for _ in range(n)]
print(len(build(200000)))
"""


def test_collections_of_garbage(explained: Explain) -> None:
    findings = explained(CYCLES.format("None"), CYCLES.format("[self]"))
    assert keys_of(findings)[0] == "garbage-collection"


STRING = """\
class Out:
    def __init__(self):
        self.text = {}
    def add(self, part):
        self.text {} part{}
def main():
    out = Out()
    for i in range(15000):
        out.add("some text %d" % i)
main()
"""


def test_a_string_that_is_copied_at_every_addition(explained: Explain) -> None:
    cause = first(explained(STRING.format("[]", "+= [", "]"), STRING.format('""', "+=", "")))
    assert (cause.key, cause.place.function, cause.place.line) == ("copying", "Out.add", 5)
    assert "copies a str" in cause.sentence


LOOP = """\
def run(p, n):
    t = 0
    {}
    for i in range(n):
        t += {}
    return t
class P:
    x = 3
print(run(P(), 1000000))
"""


def test_more_bytecodes_in_the_same_loop(explained: Explain) -> None:
    slow = LOOP.format("", "p.x * i + p.x * p.x - p.x + i * p.x - p.x * p.x + p.x")
    cause = first(explained(LOOP.format("x = p.x", "x * i"), slow))
    assert (cause.key, cause.place.function, cause.basis) == ("interpreter", "run", "counted")


def test_a_line_that_runs_more_often(explained: Explain) -> None:
    text = "def run(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\nrun({})\n"
    cause = first(explained(text.format(1000), text.format(900000)))
    assert (cause.key, cause.place.function) == ("more-work", "run")


def test_nothing_is_said_of_equal_programs(explained: Explain) -> None:
    """Their times differ, but nothing that Python shows does."""
    text = LOOKUP.format("set").replace("4000", "400000")
    assert {c.key for c in explained(text, text).causes} <= {"start-up"}


def test_a_python_without_the_probe_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("print(1)\n")
    words = [sys.executable, "-I", str(tmp_path / "x.py")]
    with pytest.raises(CannotCount, match="-I"):
        CPython().explain(sides_of(words, words, (0.1, 0.2)))
