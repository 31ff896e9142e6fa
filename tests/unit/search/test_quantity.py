"""What is counted of the programs of a search, by tools that are doubles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.build.example import study as example
from tests.unit.build.example import write_source
from tests.unit.investigate.doubles import Watcher, World, own
from tests.unit.investigate.test_counting import COSTS, Tools

from whyfast.investigate.context import RunContext
from whyfast.model.build import Build
from whyfast.model.study import Study
from whyfast.model.variant import Benchmark, RunnerName, Variant
from whyfast.search.study_subject import counting


def _works(folder: Path, tools: Tools, runner: RunnerName) -> tuple[RunContext[Study], ...]:
    """The programs a and b, each as the only variant."""
    services, home = World(launcher=tools.replay).services(), own(folder)
    toolchain = {"toolchain": {"name": "path:cc", "digest": "t"}}
    works = []
    for name in COSTS:
        (folder / name).write_text("no machine code")
        study = replace(
            example(write_source(folder)),
            baselines=(name,),
            variants=(Variant(name),),
            benchmarks=(Benchmark("fib", runner, ("{program}",)),),
        )
        build = Build(name, name, folder / name, name, toolchain, True)
        toolchains = (World().toolchain("t", home, print, ()),)
        works.append(
            RunContext(study, home, Watcher(), services, toolchains=toolchains, builds=(build,))
        )
    return tuple(works)


def _simulated(tools: Tools) -> list[str]:
    ran = [argv for argv in tools.replay.calls if "--tool=callgrind" in argv]
    return [Path(argv[-1]).name for argv in ran]


def test_all_do_the_work_that_the_good_end_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COSTS, "a", (100_000, 1_000))
    monkeypatch.setitem(COSTS, "b", (100_000, 2_000_000))
    tools = Tools()
    good, other = _works(tmp_path, tools, "turn")
    count = counting("instructions")
    (a,), (b,) = count(good, good), count(good, other)
    assert b == 2_000 * a
    assert a > 1_000_000


@pytest.mark.parametrize("runner", ["turn", "command"])
def test_the_good_end_is_not_simulated_again(tmp_path: Path, runner: RunnerName) -> None:
    tools = Tools()
    good, other = _works(tmp_path, tools, runner)
    count = counting("instructions")
    count(good, good)
    before = len(_simulated(tools))
    count(good, other)
    assert "a" in _simulated(tools)[:before]
    assert set(_simulated(tools)[before:]) == {"b"}
