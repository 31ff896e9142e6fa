"""Counters of commands, from a perf that is a double."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.unit.measure.tools import Replay, said

from whyfast.investigate.ab_run import ROUNDS, count_commands
from whyfast.investigate.services import Services
from whyfast.judge.judge_run import judge_metrics
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.perf import GROUPS
from whyfast.measure.process import Finished
from whyfast.model.study import Commands
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.verdict import Verdict

COMMANDS = {"old": ("old",), "new": ("new",)}


def perf(counts: dict[str, dict[str, str]], run: list[int]) -> Replay:
    """A perf whose counts of a command vary by a millionth from run to run."""

    def answer(argv: Sequence[str]) -> Finished:
        run[0] += 1
        lines = [
            f'{{"counter-value" : "{value}", "unit" : "", "event" : "{event}:u", '
            f'"event-runtime" : 1000, "pcnt-running" : 100.00}}'
            for event, value in counts[argv[-1]].items()
        ]
        Path(argv[argv.index("-o") + 1]).write_text("\n".join(lines))
        return said()

    return Replay({"perf": answer})


def verdicts(launcher: Replay) -> dict[str, Verdict]:
    question = Commands(
        baselines=("old",),
        margin=0.01,
        budget=60.0,
        variants=(Variant("old"), Variant("new")),
        benchmarks=(Benchmark("whole run", "command", ()),),
    )
    arguments = LaunchArguments(COMMANDS, {}, 1.0)
    counted = count_commands(arguments, Services(launcher=launcher), seed=1)
    found = judge_metrics(counted, GROUPS[0], question)
    return {v.metric: v for v in found}


def test_each_event_has_a_verdict_of_its_own() -> None:
    run = [0]
    launcher = perf(
        {
            "old": {"instructions": "1000000", "cycles": "500000", "branch-misses": "10"},
            "new": {"instructions": "1000000", "cycles": "600000", "branch-misses": "10"},
        },
        run,
    )
    found = verdicts(launcher)
    assert found["cycles"].outcome == "slower"
    assert found["cycles"].ratio == pytest.approx(1.2)
    assert found["instructions"].outcome == "same"
    assert found["cycles"].blocks == ROUNDS
    assert run[0] == 2 * ROUNDS
    first = [call[-1] for call in launcher.calls]
    assert first.count("old") == first.count("new") == ROUNDS
    assert first != ["old", "new"] * ROUNDS


def test_without_counters_one_run_is_enough_to_know() -> None:
    run = [0]
    nothing = {"instructions": "<not supported>", "cycles": "<not supported>"}
    assert verdicts(perf({"old": nothing, "new": nothing}, run)) == {}
    assert run[0] == 1


def test_an_event_that_one_side_lacks_is_left_out() -> None:
    launcher = perf(
        {
            "old": {"instructions": "100", "cycles": "100"},
            "new": {"instructions": "100", "cycles": "<not counted>"},
        },
        [0],
    )
    assert list(verdicts(launcher)) == ["instructions"]


def test_without_perf_there_is_nothing() -> None:
    assert verdicts(Replay({})) == {}
