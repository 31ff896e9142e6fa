"""Logs that whyfast check appends to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whyfast.formats.timeline import Wanted, load_timeline
from whyfast.formats.whyfast_result import is_check_log, read_check_log
from whyfast.model.errors import UserError


def line(head: str, **seconds: Any) -> str:
    of = {name: {"seconds": {"head": value}} for name, value in seconds.items()}
    return json.dumps({"schema": "whyfast-check/1", "head": head, "benchmarks": of}) + "\n"


def test_a_line_is_a_point_and_what_measured_nothing_is_none(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(line("a" * 40, x=1.0) + line("b" * 40) + "\n" + line("c" * 40, x=2.0, y=3.0))
    found = load_timeline([str(log)], Wanted())
    assert found.points == ("a" * 10, "c" * 10)
    assert {s.name: s.values for s in found.series} == {"x": (1.0, 2.0), "y": (None, 3.0)}
    assert found.by == "check"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (line("a", x=1.0), "log: has fewer than two checks that measured something"),
        (line("a", x=1.0) + "{", "log:2: is invalid JSON: "),
        (line("a", x=1.0) + "[]", "log:2: is not a line of whyfast-check/1"),
        (line("a", x=1.0) + line("b", x=-1), "log:2: benchmarks.x.seconds.head: "),
        (line("a", x=1.0) + line("b", x=True), "log:2: benchmarks.x.seconds.head: "),
        (
            '{"schema": "whyfast-check/1", "head": 1, "benchmarks": {}}',
            "log:1: expected head (a commit) and benchmarks (an object)",
        ),
    ],
)
def test_bad_lines_are_named(text: str, said: str) -> None:
    with pytest.raises(UserError) as caught:
        read_check_log(text, "log")
    assert str(caught.value).startswith(said)


def test_other_files_are_not_taken_for_logs() -> None:
    assert not is_check_log('{"benchmarks": []}')
    assert not is_check_log("")
