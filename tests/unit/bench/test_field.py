"""What the bench of the field says of a check, by its JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench.field import outcome


def _reach(
    benchmark: str, executes: list[str] | None, counted: list[float] | None = None
) -> dict[str, Any]:
    return {"benchmark": benchmark, "executes": executes, "why": "", "instructions": counted}


def _verdict(benchmark: str, outcome: str, ratio: float) -> dict[str, Any]:
    return {"benchmark": benchmark, "outcome": outcome, "ratio": ratio}


MOVED, RUNS = _reach("moved", []), _reach("runs", ["parse"])
CRASH = {"benchmark": "runs", "reason": "crashed"}


@pytest.mark.parametrize(
    ("same", "reaches", "verdicts", "failures", "expected"),
    [
        (True, [], [], [], "same code"),
        (False, [MOVED], [_verdict("moved", "slower", 1.1)], [], "no changed code runs"),
        (
            False,
            [MOVED, RUNS],
            [_verdict("moved", "slower", 1.1), _verdict("runs", "faster", 0.95)],
            [],
            "faster 0.9500 on runs",
        ),
        (False, [MOVED, RUNS], [_verdict("runs", "same", 1.0)], [], "same time"),
        (False, [RUNS], [], [CRASH], "failed: crashed"),
        # One that may run the change and was left out is not one that runs nothing of it.
        (False, [MOVED, RUNS], [_verdict("moved", "same", 1.0)], [], "not measured: left out"),
        (False, [], [], [], "not measured: left out"),
        (False, [RUNS, _reach("other", None)], [_verdict("runs", "same", 1.0)], [], "undecided"),
        (
            False,
            [_reach("a", ["f"], [1e6, 1e6]), _reach("b", ["f"], [1e6, 990_000.0])],
            [_verdict("a", "undecided", 1.0), _verdict("b", "undecided", 1.0)],
            [],
            "undecided, -1.000 % instructions",
        ),
    ],
)
def test_the_answer_in_few_words(
    tmp_path: Path,
    same: bool,
    reaches: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
    failures: list[dict[str, Any]],
    expected: str,
) -> None:
    function = {"name": "parse", "kind": "changed", "sizes": [16, 32]}
    code = {"same": same, "functions": [function], "reasons": []}
    check = {"code": code, "reaches": reaches, "not_linked": [], "notes": ["left out"]}
    data = {
        "found": {"check": check},
        "judged": {"verdicts": verdicts},
        "recorded": {"failures": failures},
    }
    file = tmp_path / "result.json"
    file.write_text(json.dumps({"data": data}))
    answer, detail = outcome(file)
    assert answer == expected
    assert "changed parse [16, 32]" in detail
