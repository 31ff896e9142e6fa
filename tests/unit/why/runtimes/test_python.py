"""CPython: what its own tools show of differences, on the Python that runs this.

Calls, lines and types are those of real runs. Where CPU time goes is given, so that no answer
depends on the speed or the load of the machine; the sampler has a test of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import Any, Protocol

import pytest
from tests.unit.why.runtimes.examples import explain, keys_of, sides_of

from whyfast.formats.profiles import StackFrame
from whyfast.measure.perf import SampledRun
from whyfast.measure.runtimes import RuntimeRuns, probe_python
from whyfast.measure.tools import CannotCount
from whyfast.model.why import Cause, Fact
from whyfast.why.functions import FunctionKey
from whyfast.why.runtimes import python
from whyfast.why.runtimes.protocol import Findings
from whyfast.why.runtimes.python import CPython
from whyfast.why.runtimes.python_reasons import Reason, line_reason, portions, takes_difference
from whyfast.why.runtimes.python_runs import PyFunction, PythonSide, TracedLine, read_counted

#: Milliseconds of both sides by stack, the outermost frame first: ``main/work``, ``+NAME`` for an
#: import, ``-`` for a collection of garbage.
Spent = Mapping[str, tuple[float, float]]


class Explain(Protocol):
    def __call__(self, fast: str, slow: str, spent: Spent, **seen: Any) -> Findings: ...


def codes_of(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_of(constant)


def sampled(file: Path, side: int, spent: Spent, seen: Mapping[str, Any]) -> dict[str, Any]:
    """What the probe writes of a run that spent so much."""
    codes = list(codes_of(compile(file.read_text(), str(file), "exec")))
    entry = {c.co_name: (n, c.co_firstlineno) for n, c in enumerate(codes)}
    table = {
        str(n): [str(file), c.co_firstlineno, c.co_name, c.co_qualname] for n, c in enumerate(codes)
    }
    stacks = []
    for names, both in spent.items():
        flat: list[Any] = []
        for name in reversed(names.split("/")):
            flat += [name, 0] if name[0] in "+-" else entry[name]
        stacks.append([flat, [both[side] / 1000, 0.0]])
    modules = seen.get("modules", ([], []))[side]
    return {
        "main": str(file),
        "path": [],
        "codes": table,
        "version": list(sys.version_info[:3]),
        "executable": sys.executable,
        "began": 0.01,
        "ended": 0.01 + sum(both[side] for both in spent.values()) / 1000,
        "children": seen.get("children", (0.0, 0.0))[side],
        "modules": dict.fromkeys(modules, ""),
        "collections": [seen.get("collections", (0, 0))[side], 0, 0],
        "stacks": stacks,
    }


@pytest.fixture
def explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Explain:
    """What Python's tools say of two programs."""

    def run(fast: str, slow: str, spent: Spent, **seen: Any) -> Findings:
        files = [tmp_path / "quick.py", tmp_path / "late.py"]
        documents = {}
        for n, (side, file, text) in enumerate(
            zip(("fast", "slow"), files, (fast, slow), strict=True)
        ):
            file.write_text(text)
            documents[side] = sampled(file, n, spent, seen)

        def probe(
            runs: RuntimeRuns, side: str, mode: str, targets: Sequence[Sequence[str]] = ()
        ) -> tuple[list[dict[str, Any]], float]:
            if mode != "sample":
                return probe_python(runs, side, mode, targets)
            return [documents[side]], documents[side]["ended"] + documents[side]["children"]

        monkeypatch.setattr(python, "probe_python", probe)
        a, b = ([sys.executable, str(file)] for file in files)
        times = tuple(d["ended"] + d["children"] for d in documents.values())
        return explain(CPython(), sides_of(a, b, times, seen.get("sampled", ())))

    return run


def first(findings: Findings) -> Cause:
    assert findings.causes
    return max(findings.causes, key=lambda c: c.share)


def test_the_sampler_sees_functions_imports_and_collections(tmp_path: Path) -> None:
    """A third of a second of CPU time in a function, whatever it gets done in it; the command sets
    the path of modules itself."""
    (tmp_path / "beside.py").write_text("")
    (tmp_path / "x.py").write_text(
        "import gc, time, json, beside\n"
        "def busy():\n"
        "    while time.process_time() < 0.3:\n"
        "        sum(range(100))\n"
        "busy()\n"
        "gc.collect()\n"
    )
    words = ["env", "-C", str(tmp_path), "PYTHONPATH=.", sys.executable, "-P", "x.py"]
    documents, cpu = probe_python(sides_of(words, words, (1, 1)).runs, "slow", "sample")
    (document,) = documents
    names = {number: code[2] for number, code in document["codes"].items()}
    functions = [flat[0] for flat, _ in document["stacks"] if flat]  # none when it ends
    inside = {names[str(first)] for first in functions if isinstance(first, int)}
    assert "busy" in inside
    assert document["collections"][2] >= 1
    assert "json" in document["modules"]
    assert cpu >= document["ended"] >= 0.3


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
    spent = {"<module>/lookup": (1, 80)}
    findings = explained(LOOKUP.format("set"), LOOKUP.format("list"), spent)
    cause = first(findings)
    assert (cause.key, cause.place.function, cause.place.line) == ("more-work", "lookup", 4)
    assert (cause.place.file, cause.basis) == ("late.py", "measured")
    assert "scans a list of 4,000 items" in cause.sentence
    assert cause.share == pytest.approx(1, abs=0.01)
    assert findings.takes(FunctionKey("libpython3.11.so.1.0", "list_contains"))
    assert findings.takes(FunctionKey("python3.11", "list_contains"))  # one program on both sides
    assert not findings.takes(FunctionKey("libopenblas.so.0", "dgemm"))


FIB = """\
from functools import lru_cache
{}
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(23))
"""


def test_a_function_that_is_called_more_often(explained: Explain) -> None:
    cause = first(
        explained(FIB.format("@lru_cache(None)"), FIB.format(""), {"<module>/fib": (0, 30)})
    )
    assert (cause.key, cause.place.function, cause.basis) == ("more-calls", "fib", "counted")
    assert [(f.name, f.fast, f.slow) for f in cause.facts] == [("calls of fib", 24, 92735)]


def test_what_other_programs_take_is_not_the_end_of_python(explained: Explain) -> None:
    findings = explained("1\n", "2\n", {"<module>": (10, 10)}, children=(0.0, 0.05))
    (cause,) = findings.causes
    assert cause.key == "processes"
    assert cause.share == pytest.approx(1, abs=0.01)


LOOK_UP = """\
def pay(table, keys):
    total = 0
    for key in keys:
        {}
    return total
print(pay({{k: 1 for k in range(0, 60000, 50)}}, range(30000)))
"""


def test_exceptions_that_are_handled(explained: Explain) -> None:
    slow = "try: total += table[key]\n        except: total += 2"
    fast = "total += table[key] if key in table else 2"
    spent = {"<module>/pay": (2, 22)}
    cause = first(explained(LOOK_UP.format(fast), LOOK_UP.format(slow), spent))
    assert (cause.key, cause.place.function) == ("exceptions", "pay")
    (fact,) = cause.facts
    assert (fact.fast, fact.slow) == (0, 29400)


GET = """\
def get(table, key):
    {}
def pay(table, keys):
    for key in keys: get(table, key)
pay({{}}, range(20000))
"""


def test_exceptions_of_a_function_whose_time_is_seen_in_its_caller(explained: Explain) -> None:
    slow = "try: return table[key]\n    except: return 2"
    spent = {"<module>/pay": (2, 22)}
    cause = first(explained(GET.format("return 2"), GET.format(slow), spent))
    assert (cause.key, cause.sentence.startswith("`get`")) == ("exceptions", True)
    assert [(fact.fast, fact.slow) for fact in cause.facts] == [(0, 20000)]


SUM = """\
def total(n, one):
    for _ in range(n):
        twice = one + one
total(20000, {})
"""


def test_a_variable_of_another_type(explained: Explain) -> None:
    fast, slow = SUM.format("1.0"), SUM.format("10**40")
    cause = first(explained(fast, slow, {"<module>/total": (2, 40)}))
    assert (cause.key, cause.place.function, cause.place.line) == ("more-work", "total", 3)
    assert "is of type int" in cause.sentence


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
    fast, slow = FILL.format("deque()", "appendleft("), FILL.format("[]", "insert(0, ")
    cause = first(explained(fast, slow, {"<module>/fill": (2, 150)}))
    assert (cause.key, cause.place.function) == ("copying", "fill")
    assert cause.facts[0].name == "calls of list.insert"
    assert (cause.facts[0].fast, cause.facts[0].slow) == (0, 30000)


PACK = """\
import random
import zlib

def pack(texts):
    size = 0
    for text in texts:
        size += len(zlib.compress(text, %d))
    return size

texts = [random.Random(k).randbytes(20000).hex().encode() for k in range(60)]
print(pack(texts))
"""


def test_a_function_of_c_that_takes_longer_in_as_many_calls(explained: Explain) -> None:
    cause = first(explained(PACK % 1, PACK % 9, {"<module>/pack": (20, 150)}))
    assert (cause.key, cause.place.function) == ("more-work", "pack")
    assert "`zlib.compress`" in cause.sentence
    assert "compress(text, 9))` (late.py:7)" in cause.sentence


@pytest.mark.parametrize(("name", "said"), [("", True), ("mpd_qdiv", False)])
def test_the_function_alone_where_its_machine_code_has_no_name(
    explained: Explain, name: str, said: bool
) -> None:
    text = LOOKUP.format("set")
    frame = StackFrame(name, 0x389D0, "/lib/_decimal.so", 0x389D0)
    sampled = [SampledRun("slow", {(frame,): 0.03}, 9)]
    causes = explained(text, text, {"<module>/lookup": (50, 80)}, sampled=sampled).causes
    assert [c.place.function for c in causes] == ["lookup"] * said


def test_waiting_is_no_time_of_a_function_of_c() -> None:
    waits, packs = "<method 'acquire' of '_thread.lock' objects>", "<built-in method zlib.compress>"
    callees = [[waits, 5, 2.0], [packs, 5, 0.3]]
    document = {"main": "/x.py", "path": [], "codes": {"1": ["/x.py", 1, "f", "f"]}}
    side = PythonSide()
    read_counted([{**document, "functions": [[1, 1, 0.1, callees]]}], side)
    assert portions(side.counted, PyFunction("", "f")) == pytest.approx({packs: 0.75})


def test_exceptions_of_two_runs_that_were_traced_in_part() -> None:
    """One in 20 lines takes as long as they do."""
    test = {3: TracedLine(1_000_000, 0.1, ("LOAD_FAST", "BINARY_SUBSCR"))}
    for raised, key in ((60_000, "exceptions"), (40_000, "")):
        tries = {3: replace(test[3], raised=raised), 4: TracedLine(raised, 0.1, ("LOAD_GLOBAL",))}
        reason = line_reason(test, tries, (True, True), 0.1, "`f`", "f.py", "quick")
        assert (reason.key if reason else "") == key


@pytest.mark.parametrize(
    ("opcode", "seconds", "key"),
    [
        ("BUILD_STRING", 0.03, "allocation"),
        ("BUILD_STRING", 0.05, ""),  # 100,000 parts of strings take no 25 ms
        ("BUILD_LIST", 0.09, "allocation"),
        ("BUILD_LIST", 0.11, ""),
    ],
)
def test_new_objects_must_be_able_to_take_the_time(opcode: str, seconds: float, key: str) -> None:
    fast = {3: TracedLine(100_000, 0.1, ("LOAD_FAST", "CALL"))}
    slow = {3: TracedLine(100_000, 0.1, (opcode, "CALL"))}
    reason = line_reason(fast, slow, (False, False), seconds, "`sold`", "no.py", "a")
    assert (reason.key if reason else "") == key


@pytest.mark.parametrize(
    ("more", "calls", "before", "seconds", "taken"),
    [
        (120_000, 0, 0.025, 0.020, False),  # each takes 31 ns: 15 % more are not 80 % more time
        (120_000, 40_000, 0.025, 0.020, True),
        (800_000, 0, 0.025, 0.020, True),
        (800_000, 0, 0.0, 0.060, True),  # too short to be seen: 20 ns each
        (800_000, 0, 0.0, 0.070, False),
    ],
)
def test_more_bytecodes_must_be_able_to_take_the_time(
    more: int, calls: int, before: float, seconds: float, taken: bool
) -> None:
    facts = (
        Fact("bytecodes", 800_000, 800_000 + more),
        Fact("bytecodes that call", 9_000, 9_000 + calls),
    )
    reason = Reason("interpreter", "", "counted", facts=facts)
    assert takes_difference(reason, before, seconds) == taken


@pytest.mark.parametrize(("kinds", "key"), [(("int",), "more-work"), (("int", "float"), "")])
def test_a_variable_of_another_type_is_one_wherever_it_is_seen(
    tmp_path: Path, kinds: tuple[str, ...], key: str
) -> None:
    (file := tmp_path / "a.py").write_text("x = f()\nx = g(x)\n")
    fast = {n: TracedLine(9, 0.1, (), {"x": (kind, -1)}) for n, kind in enumerate(kinds, 1)}
    slow = {2: TracedLine(9, 0.1, (), {"x": ("float", -1)})}
    reason = line_reason(fast, slow, (False, False), 0.1, "`f`", str(file), "a")
    assert (reason.key if reason else "") == key


def test_imports_of_the_slow_side_alone(explained: Explain) -> None:
    spent = {"<module>/+unittest.mock": (0, 40), "<module>": (1, 1)}
    modules: tuple[list[str], list[str]] = ([], ["unittest", "unittest.mock"])
    slow = "import unittest.mock\nprint(1)\n"
    cause = first(explained("print(1)\n", slow, spent, modules=modules))
    assert (cause.key, cause.place.file, cause.place.line) == ("imports", "late.py", 1)
    assert "`unittest" in cause.sentence
    assert (cause.facts[0].fast, cause.facts[0].slow) == (0, 2)


CYCLES = """\
class Node:
    def __init__(self):
        self.me = {}
def build(n):
    return [Node() for _ in range(n)]
print(len(build(2000)))
"""


def test_collections_of_garbage(explained: Explain) -> None:
    spent = {"<module>/build/-": (2, 60), "<module>/build": (50, 55)}
    fast, slow = CYCLES.format("None"), CYCLES.format("[self]")
    findings = explained(fast, slow, spent, collections=(3, 90))
    assert keys_of(findings) == ["garbage-collection"]
    assert (first(findings).facts[0].fast, first(findings).facts[0].slow) == (3, 90)


STRING = """\
class Out:
    def __init__(self):
        self.text = {}
    def add(self, part):
        self.text {} part{}
def main():
    out = Out()
    for i in range(15000):
        out.add("some text that is longer %d" % i)
main()
"""


def test_a_string_that_is_copied_at_every_addition(explained: Explain) -> None:
    fast, slow = STRING.format("[]", "+= [", "]"), STRING.format('""', "+=", "")
    cause = first(explained(fast, slow, {"<module>/main/add": (2, 300), "<module>/main": (5, 5)}))
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
    spent = {"<module>/run": (40, 200)}
    cause = first(explained(LOOP.format("x = p.x", "x * i"), slow, spent))
    assert (cause.key, cause.place.function, cause.basis) == ("interpreter", "run", "counted")


def test_a_line_that_runs_more_often(explained: Explain) -> None:
    text = "def run(n):\n    t = 0\n    for i in range(n):\n        t += i\n    return t\nrun({})\n"
    cause = first(explained(text.format(1000), text.format(900000), {"<module>/run": (0, 40)}))
    assert (cause.key, cause.place.function) == ("more-work", "run")


def test_nothing_is_said_of_equal_programs(explained: Explain) -> None:
    """Their times differ, but nothing that Python shows does."""
    text = LOOKUP.format("set")
    assert explained(text, text, {"<module>/lookup": (50, 80)}).causes == ()


def test_a_python_without_the_probe_says_so(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("print(1)\n")
    words = [sys.executable, "-I", str(tmp_path / "x.py")]
    with pytest.raises(CannotCount, match="-I"):
        CPython().explain(sides_of(words, words, (0.1, 0.2)))


def test_a_loop_in_place_of_a_function_of_c(explained: Explain) -> None:
    # The profiler's times decide between neighbours: long against a pause of a busy machine.
    fast = "def total(x):\n    return sum(x)\nprint(total(range(400000)))\n"
    slow = "def total(x):\n    t = 0\n    for i in x:\n        t += i\n    return t\n"
    slow += "print(total(range(400000)))\n"
    cause = first(explained(fast, slow, {"<module>/total": (1, 20)}))
    assert (cause.key, cause.place.function) == ("interpreter", "total")
    assert [(f.fast, f.slow) for f in cause.facts] == [(1, 400001)]
