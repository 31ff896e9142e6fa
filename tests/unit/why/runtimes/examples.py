"""Sides of a difference for tests of runtimes, and commands run for real."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from whyfast.measure.perf import SampledRun
from whyfast.measure.runtimes import RuntimeRuns
from whyfast.measure.tools import Launcher, ToolRun
from whyfast.model.why import Change
from whyfast.why.runtimes.protocol import Findings, Runtime, Sides, program_of


def sides_of(
    fast: Sequence[str],
    slow: Sequence[str],
    seconds: tuple[float, float],
    sampled: Sequence[SampledRun] = (),
) -> Sides:
    """Two commands that take that much user time and no other."""
    commands: Mapping[str, Sequence[str]] = {"fast": fast, "slow": slow}
    a, b = seconds
    whole = Change(a, b, b - a, b - a)
    none = Change(0.0, 0.0, 0.0, 0.0)
    programs = {side: program_of(words, os.environ) for side, words in commands.items()}
    runs = RuntimeRuns(
        {s: ToolRun(tuple(words), Launcher(), os.environ, 60) for s, words in commands.items()},
        {"fast": 5.0, "slow": 5.0},  # which only limits how long tools may take
        1,
        sampled=sampled,
    )
    known = {side: p for side, p in programs.items() if p is not None}
    return Sides(known, runs, whole, {"user": whole, "kernel": none, "waiting": none}, "quick")


def keys_of(findings: Findings) -> list[str]:
    return [c.key for c in sorted(findings.causes, key=lambda c: -c.share)]


def explain(runtime: Runtime, sides: Sides) -> Findings:
    assert all(runtime.claims(p) for p in sides.programs.values())
    return runtime.explain(sides)
