"""Node: what V8's profile, coverage and traces say."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.why.runtimes.examples import explain, sides_of

from whyfast.formats.profiles import StackFrame
from whyfast.measure.perf import SampledRun
from whyfast.model.why import Cause
from whyfast.why.runtimes.node import NodeJs, node_causes
from whyfast.why.runtimes.node_runs import JsFunction, NodeSide, read_coverage, read_profile
from whyfast.why.runtimes.v8 import parse_traces

#: Node 20, behind what the program prints.
TRACES = """\
9000000
[10664:0x2a3f9c00]       73 ms: Scavenge 3.9 (4.0) -> 3.6 (5.0) MB, 1.85 / 0.00 ms  (average mu = 1.000, current mu = 1.000) allocation failure;\x20
[10664:0x2a3f9c00]       78 ms: Scavenge 3.9 (5.0) -> 3.8 (6.0) MB, 4.41 / 0.00 ms  (average mu = 1.000, current mu = 1.000) allocation failure;\x20
[10664:0x2a3f9c00]      130 ms: Mark-Compact 40.5 (60.0) -> 40.4 (62.0) MB, 11.38 / 0.00 ms  (average mu = 1.000, current mu = 1.000) allocation failure;\x20
[bailout (kind: deopt-lazy, reason: (unknown)): begin. deoptimizing 0x2b73e2c7fdd1 <JSFunction build (sfi = 0x17db2f662ec1)>, 0x17db2f6645b1 <Code TURBOFAN>, opt id 0, bytecode offset 76, deopt exit 15, FP to SP delta 160, caller SP 0x7fff20687160, pc 0x7f8df800692b]
[bailout (kind: deopt-eager, reason: Insufficient type feedback for generic named access): begin. deoptimizing 0x2b73e2c7fdd1 <JSFunction build (sfi = 0x17db2f662ec1)>, 0x17db2f665159 <Code TURBOFAN>, opt id 2, bytecode offset 80, deopt exit 10, FP to SP delta 160, caller SP 0x7fff20687160, pc 0x7f8df80077ff]
[bailout (kind: deopt-eager, reason: wrong map): begin. deoptimizing 0x2b73e2c7fdd1 <JSFunction (sfi = 0x17db2f662ec1)>, 0x17db2f665159 <Code TURBOFAN>, opt id 2, bytecode offset 80, deopt exit 10, FP to SP delta 160, caller SP 0x7fff20687160, pc 0x7f8df80077ff]
"""  # noqa: E501


def test_traces_of_collections_and_deoptimisations() -> None:
    collections, functions, reasons = parse_traces(TRACES)
    assert collections == Counter({"Scavenge": 2, "Mark-Compact": 1})
    assert functions == Counter({"build": 2, "<module>": 1})
    assert reasons == Counter(
        {"(unknown)": 1, "wrong map": 1, "Insufficient type feedback for generic named access": 1}
    )


def frame(name: str, url: str, line: int) -> dict[str, object]:
    return {"functionName": name, "scriptId": "1", "url": url, "lineNumber": line}


@pytest.mark.parametrize(
    ("url", "name", "script"),
    [
        ("file:///p/a.js", "f", ""),
        ("file:///p/b.js", "f", "/p/b.js"),
        ("node:fs", "f", "node:fs"),
        ("", "writeFileUtf8", "node:"),  # machine code of node's
        ("", "(program)", ""),
        ("file:///p/a.js", "<anonymous at 4>", ""),
    ],
)
def test_whose_a_function_is(url: str, name: str, script: str) -> None:
    nodes = [
        {"id": 1, "callFrame": frame("", "file:///p/a.js", 0), "children": [2]},
        {"id": 2, "callFrame": frame("" if name.startswith("<") else name, url, 3)},
    ]
    side = NodeSide()
    read_profile([{"nodes": nodes, "samples": [2], "timeDeltas": [1]}], side)
    assert JsFunction(script, name) in side.lines


def test_a_profile_is_seconds_by_stack() -> None:
    document = {
        "nodes": [
            {"id": 1, "callFrame": frame("(root)", "", -1), "children": [2, 3, 5]},
            {"id": 2, "callFrame": frame("", "file:///p/a.js", 0), "children": [4]},
            {"id": 3, "callFrame": frame("(garbage collector)", "", -1)},
            {"id": 4, "callFrame": frame("build", "file:///p/a.js", 6)},
            {"id": 5, "callFrame": frame("(idle)", "", -1)},
        ],
        "samples": [4, 4, 3, 5, 2],
        "timeDeltas": [500, 700, 300, 9000, 100],
    }
    side = NodeSide()
    read_profile([document], side)
    root, module, build = (JsFunction("", n) for n in ("(root)", "<module>", "build"))
    assert side.runs == [
        {
            (root, module, build): pytest.approx(0.0012),
            (root, JsFunction("", "(garbage collector)")): pytest.approx(0.0003),
            (root, module): pytest.approx(0.0001),
        }
    ]
    assert side.lines[build] == 7


def test_coverage_counts_calls() -> None:
    ranges = [{"startOffset": 0, "endOffset": 9, "count": 40}]
    functions = [{"functionName": "f", "ranges": ranges, "isBlockCoverage": True}]
    side = NodeSide()
    read_coverage(
        [
            {
                "result": [
                    {"url": "node:internal/x", "functions": functions},
                    {"url": "file:///p/a.js", "functions": functions},
                    {"url": "file:///p/lib.js", "functions": functions},
                ]
            }
        ],
        side,
    )
    scripts = ("node:internal/x", "", "/p/lib.js")
    assert side.calls == Counter({JsFunction(script, "f"): 40 for script in scripts})
    assert side.scripts() == {"/p/lib.js"}


def side_of(*functions: tuple[str, float], calls: int = 100) -> NodeSide:
    """Runs in which the functions, in the lines of their order, take that long."""
    stacks: dict[tuple[JsFunction, ...], float] = {
        (JsFunction("", "(root)"), JsFunction("", name)): s for name, s in functions
    }
    lines = {JsFunction("", name): n for n, (name, _) in enumerate(functions, 1)}
    counted = Counter(dict.fromkeys(lines, calls))
    return NodeSide([stacks] * 3, "file:///p/b.js", lines, counted, Counter(counted))


def in_machine_code(side: str, **seconds: float) -> SampledRun:
    frames = {n: StackFrame(n, 0, "/lib/libc.so.6" if n == "memmove" else "/n", 0) for n in seconds}
    return SampledRun(side, {(frames[n],): s for n, s in seconds.items()}, 9)


INCLUDES = in_machine_code("slow", Builtins_ArrayIncludes=0.2, Builtins_Other=0.1)
COPIES = in_machine_code(
    "slow", Builtins_CloneObjectIC=0.08, Builtins_SetDataProperties=0.07, Builtins_Add=0.1
)
OTHER = in_machine_code("slow", Builtins_MathSin=0.2)


@pytest.mark.parametrize(
    ("fast", "slow", "sampled", "key", "seconds", "word"),
    [
        ([("find", 0.05)], [("find", 0.35)], [INCLUDES], "more-work", 0.3, "(`ArrayIncludes`)"),
        # Neither function alone takes most of it.
        ([("find", 0.05)], [("find", 0.35)], [COPIES], "copying", 0.3, "(`CloneObjectIC`)"),
        ([("find", 0.05)], [("find", 0.35)], [OTHER], "more-work", 0.3, "V8's `MathSin`"),
        (
            [("find", 0.05)],
            [("find", 0.35)],
            [in_machine_code("slow", memmove=0.25)],
            "copying",
            0.3,
            "`memmove`",
        ),
        ([("find", 0.05)], [("find", 0.35)], [], "more-work", 0.3, ""),
        # Another function instead of the fast side's.
        ([("quick", 0.05)], [("find", 0.35)], [], "more-work", 0.3, ""),
    ],
)
def test_a_function_that_takes_longer_in_as_many_calls(
    fast: list[tuple[str, float]],
    slow: list[tuple[str, float]],
    sampled: list[SampledRun],
    key: str,
    seconds: float,
    word: str,
) -> None:
    sides = sides_of(["node", "a.js"], ["node", "b.js"], (0.1, 0.5), sampled)
    calls = 1 if fast[0][0] != slow[0][0] else 100
    (cause,) = node_causes(sides, side_of(*fast), side_of(*slow, calls=calls))
    assert (cause.key, cause.place.function, cause.place.line) == (key, "find", 1)
    assert cause.share * 0.4 == pytest.approx(seconds)
    assert word in cause.sentence


def test_what_node_does_for_a_function_is_named() -> None:
    """Its own function, where that is called more often, from the program's; and the regular
    expression."""
    root, find = JsFunction("", "(root)"), JsFunction("", "find")
    inner = JsFunction("node:buffer", "concat"), JsFunction("node:", "RegExp: a+b")
    causes: list[Cause] = []
    for function in inner:
        fast, slow = side_of(("find", 0.01)), side_of(("find", 0.01))
        slow.runs = [{(root, find): 0.01, (root, find, function): 0.4}] * 3
        fast.calls[function], slow.calls[function] = 1, 3000 if function == inner[0] else 1
        sides = sides_of(["node", "a.js"], ["node", "b.js"], (0.1, 0.5))
        causes += node_causes(sides, fast, slow)
    assert [(c.key, c.place.function) for c in causes] == [
        ("more-calls", "concat"),
        ("string-work", "find"),
    ]
    assert "from `find`" in causes[0].sentence
    assert "`/a+b/`" in causes[1].sentence


def test_garbage_is_collected_on_other_threads_as_well() -> None:
    """V8's profile sees 60 ms of it, perf 200 of 400 ms on all threads."""
    scavenger = "v8::internal::Scavenger::ScavengeObject"
    sampled = [
        in_machine_code("fast", Builtins_Add=0.1),
        in_machine_code("slow", **{"Builtins_Add": 0.2, scavenger: 0.2}),
    ] * 3
    sides = sides_of(["node", "a.js"], ["node", "b.js"], (0.1, 0.4), sampled)
    fast = side_of(("walk", 0.1), ("(garbage collector)", 0.0))
    slow = side_of(("walk", 0.1), ("(garbage collector)", 0.06))
    (cause,) = node_causes(sides, fast, slow)
    assert (cause.key, round(cause.share, 2)) == ("garbage-collection", 0.67)
    (cause,) = node_causes(replace(sides, runs=replace(sides.runs, sampled=())), fast, slow)
    assert round(cause.share, 2) == 0.2


@pytest.mark.parametrize(("seconds", "key"), [(0.4, "more-work"), (0.5, "copying")])
def test_a_loop_of_more_rounds_must_carry_the_time(seconds: float, key: str) -> None:
    fast, slow = side_of(("work", 0.1)), side_of(("work", seconds))
    fast.blocks[JsFunction("", "work")] = 60_000
    slow.blocks[JsFunction("", "work")] = 96_000
    shifts = in_machine_code("slow", Builtins_ArrayPrototypeShift=seconds - 0.1)
    sides = sides_of(["node", "a.js"], ["node", "b.js"], (0.1, 0.6), [shifts])
    (cause,) = node_causes(sides, fast, slow)
    assert (cause.key, "ArrayPrototypeShift" in cause.sentence) == (key, key != "more-work")


def test_seconds_of_machine_code_belong_to_one_function() -> None:
    """Strings are worked through by the first; what the second does beside it is another thing."""
    both = in_machine_code(
        "slow", Builtins_NumberPrototypeToLocaleString=0.21, Builtins_LoadIC_Megamorphic=0.1
    )
    sides = sides_of(["node", "a.js"], ["node", "b.js"], (0.1, 0.5), [both])
    fast, slow = side_of(("shown", 0.0), ("sum", 0.0)), side_of(("shown", 0.2), ("sum", 0.1))
    causes = list(node_causes(sides, fast, slow))
    assert [(c.place.function, c.key) for c in causes] == [
        ("shown", "string-work"),
        ("sum", "more-work"),
    ]
    assert "LoadIC_Megamorphic" in causes[1].sentence


def test_what_node_does_for_a_function_is_part_of_it() -> None:
    def appending(seconds: float) -> NodeSide:
        side = side_of(("keep", 0.01))
        inside = JsFunction("node:fs", "appendFileSync"), JsFunction("node:", "writeFileUtf8")
        side.runs = [run | {(*next(iter(run)), *inside): seconds} for run in side.runs]
        return side

    sides = sides_of(["node", "a.js"], ["node", "b.js"], (0.1, 0.5))
    (cause,) = node_causes(sides, appending(0.0), appending(0.3))
    assert (cause.place.function, round(cause.share, 2)) == ("keep", 0.75)


@pytest.mark.parametrize("name", ["(program)", "(idle)"])
def test_what_v8_does_beside_the_program_is_not_a_function(name: str) -> None:
    sides = sides_of(["node", "a.js"], ["node", "b.js"], (0.1, 0.5))
    assert not list(node_causes(sides, side_of((name, 0.05)), side_of((name, 0.35))))


PROGRAM = """\
function step(i) { let t = 0; for (let k = 0; k < 200; k++) t += Math.sqrt(i + k); return t; }
function run(n) { let t = 0; for (let i = 0; i < n; i++) t += step(i); return t; }
console.log(run(%d));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node; install nodejs")
def test_more_work_in_a_real_program(tmp_path: Path) -> None:
    commands = []
    for name, number in (("a.js", 1000), ("b.js", 500000)):
        (tmp_path / name).write_text(PROGRAM % number)
        commands.append(["node", str(tmp_path / name)])
    for _ in range(3):  # on a busy machine the profiler may see too little
        findings = explain(NodeJs(), sides_of(commands[0], commands[1], (0.05, 0.5)))
        if findings.causes:
            break
    cause = max(findings.causes, key=lambda c: c.share)
    # V8 may have inlined `step` into the loop of `run`.
    assert (cause.key, cause.place.function) in (("more-calls", "step"), ("more-work", "run"))
    assert cause.place.file == "b.js"
    assert [(f.fast, f.slow) for f in cause.facts] == [(1000, 500000)]
