"""Node: what V8's profile, coverage and traces say."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from tests.unit.why.runtimes.examples import explain, sides_of

from whyfast.why.runtimes.node import (
    JsFunction,
    NodeJs,
    NodeSide,
    parse_traces,
    read_coverage,
    read_profile,
)

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
    assert side.calls == Counter({JsFunction("", "f"): 40, JsFunction("/p/lib.js", "f"): 40})
    assert side.scripts() == {"/p/lib.js"}


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
