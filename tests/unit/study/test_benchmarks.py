"""Benchmarks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CASES = {
    "no command": (
        'command = ["{program}", "turn", "{source}/collatz.hex"]\n',
        "",
        (
            "study.toml:45: benchmarks.collatz.command: is missing; write command = "
            '["{program}", "argument"]'
        ),
    ),
    "command empty": (
        'command = ["{program}", "turn", "{source}/collatz.hex"]\n',
        "command = []\n",
        (
            "study.toml:47: benchmarks.collatz.command: names no program; write command = "
            '["{program}", "argument"]'
        ),
    ),
    "command string": (
        'command = ["{program}", "turn", "{source}/collatz.hex"]\n',
        'command = "{program} turn"\n',
        (
            "study.toml:47: benchmarks.collatz.command: must be a list of strings, not a "
            'string; write ["{program}", "turn"]'
        ),
    ),
    "command without program": (
        'command = ["{program}", "turn", "{source}/collatz.hex"]\n',
        'command = ["true"]\n',
        (
            "study.toml:47: benchmarks.collatz.command: never uses {program}, so that "
            'every variant would run the same; write command = ["{program}", "argument"]'
        ),
    ),
    "command placeholder": (
        '"{source}/collatz.hex"',
        '"{sources}/collatz.hex"',
        (
            'study.toml:47: benchmarks.collatz.command[2]: no placeholder "{sources}"; did '
            'you mean "{source}"? (write {{ or }} for a literal brace)'
        ),
    ),
    "command cc": (
        '"{source}/collatz.hex"',
        '"{cc}"',
        (
            'study.toml:47: benchmarks.collatz.command[2]: no placeholder "{cc}"; valid: '
            "{program}, {source}, {study}, {pyperformance}, {python}, {run} (write {{ or }} for a "
            "literal brace)"
        ),
    ),
    "runner": (
        'runner = "turn"',
        'runner = "turns"',
        (
            "study.toml:46: benchmarks.collatz.runner: must be one of turn, command, "
            'pyperf, bpf, go, google-benchmark, criterion, not "turns"; did you mean "turn"?'
        ),
    ),
    "runner unlike": (
        'runner = "turn"',
        'runner = "xyz"',
        (
            "study.toml:46: benchmarks.collatz.runner: must be one of turn, command, "
            'pyperf, bpf, go, google-benchmark, criterion, not "xyz"'
        ),
    ),
    "check type": (
        'check = "0x1f"',
        "check = 0x1f",
        (
            "study.toml:48: benchmarks.collatz.check: must be a string, not a number; put "
            "it in quotes"
        ),
    ),
    "check words": (
        'check = "0x1f"',
        'check = "a b"',
        'study.toml:48: benchmarks.collatz.check: "a b" is not one word without spaces',
    ),
    "check without turn": (
        'runner = "turn"',
        'runner = "command"',
        (
            "study.toml:48: benchmarks.collatz.check: the command runner reports no result "
            'to check; remove it, or write runner = "turn"'
        ),
    ),
    "timeout bad": (
        'timeout = "10s"',
        'timeout = "soon"',
        (
            'study.toml:49: benchmarks.collatz.timeout: "soon" is not a duration; write '
            'timeout = "10s"'
        ),
    ),
}


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_mistake(
    old: str, new: str, expected: str, valid: str, message: Callable[[str], str]
) -> None:
    assert valid.count(old) == 1
    assert message(valid.replace(old, new)) == expected
