"""Which benchmarks execute a change, looked for within a limit."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.unit.investigate.conftest import TRACED

from whyfast.investigate import change_reach
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import BuildCounter
from whyfast.measure.count import CountingTask
from whyfast.measure.tools import Launcher, ToolRun
from whyfast.model.code import ChangeCoverage
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark


def test_all_simulations_together_have_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, limits, steps = [0.0], list[float](), list[str]()

    def reach(counter: BuildCounter, benchmark: Benchmark, *rest: object) -> ChangeCoverage:
        limits.append(counter.timeout)
        now[0] += {"quick": 0.0, "slow": 150.0}[benchmark.name]
        return ChangeCoverage(benchmark.name, ("hot",), "")

    monkeypatch.setattr(change_reach, "functions_entered", lambda *given: None)
    monkeypatch.setattr(change_reach, "_reach", reach)
    monkeypatch.setattr(change_reach, "load", lambda path: SimpleNamespace(functions=()))
    monkeypatch.setattr(
        change_reach,
        "BuildCounter",
        lambda *given, misses: SimpleNamespace(timeout=given[-1], tasks=lambda of: ()),
    )
    context = SimpleNamespace(
        question=SimpleNamespace(
            build=SimpleNamespace(program="vm"),
            benchmarks=[SimpleNamespace(name=n) for n in ("quick", "slow", "late")],
        ),
        usable=[SimpleNamespace(variant=v, program=tmp_path) for v in ("base", "head")],
        home=SimpleNamespace(cache=tmp_path),
        services=SimpleNamespace(clock=SimpleNamespace(monotonic=lambda: now[0])),
        observer=SimpleNamespace(step=steps.append),
    )
    reaches = change_reach.reached_by(cast(RunContext[Study], context), TRACED, 120.0)
    assert limits == [20.0, 30.0]  # of each of two builds: 120 s for three, then for two
    assert [step.split(";")[0] for step in steps] == [
        "what executes the change: quick, 1 of 3",
        "what executes the change: slow, 2 of 3",
    ]
    assert [(r.benchmark, r.why) for r in reaches] == [
        ("quick", ""),
        ("slow", ""),
        ("late", "the 120 s for simulation were used up before its turn"),
    ]


def context_of(folder: Path, names: list[str], now: list[float]) -> RunContext[Study]:
    context = SimpleNamespace(
        question=SimpleNamespace(
            benchmarks=[SimpleNamespace(name=n) for n in names],
            source=SimpleNamespace(folder=folder),
            folder=folder,
        ),
        usable=[
            SimpleNamespace(variant=v, program=folder / v / "python") for v in ("base", "head")
        ],
        home=SimpleNamespace(cache=folder),
        services=SimpleNamespace(clock=SimpleNamespace(monotonic=lambda: now[0])),
        observer=SimpleNamespace(step=lambda text: None),
    )
    return cast(RunContext[Study], context)


def test_of_many_benchmarks_of_python_only_the_head_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = list[str]()

    def command_of(side: str) -> CountingTask:
        return CountingTask(side, ToolRun(("python",), Launcher(), {}, 1.0))

    def reach(benchmark: Benchmark, tasks: Sequence[CountingTask], *rest: object) -> ChangeCoverage:
        seen.extend(task.variant for task in tasks)
        return ChangeCoverage(benchmark.name, ("pkg.f",) if benchmark.name == "b7" else ())

    monkeypatch.setattr(change_reach, "_python_reach", reach)
    counter = SimpleNamespace(
        timeout=0.0, tasks=lambda of: [command_of("base"), command_of("head")]
    )
    monkeypatch.setattr(change_reach, "BuildCounter", lambda *given, misses: counter)
    context = context_of(tmp_path, [f"b{n}" for n in range(13)], [0.0])
    reaches = change_reach.reached_in_python(context, TRACED, 60.0, 1)
    assert seen == ["head"] * 13
    assert [r.benchmark for r in reaches if r.executes] == ["b7"]
