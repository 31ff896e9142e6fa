"""Files of other tools for ``whyfast compare``."""

from collections.abc import Callable
from typing import Any

from tests.unit.formats import examples

from whyfast.model.result import Judged, Recorded, Result
from whyfast.model.sample import Block, Session
from whyfast.model.study import Commands
from whyfast.model.variant import Benchmark, Variant

Write = Callable[[str, object], str]


def pyperf(scale: float, *, names: tuple[str, ...] = ("a", "b"), shift: int = 0) -> dict[str, Any]:
    """20 processes of 2 values around ``scale`` seconds, with a spread of about 0.5 %."""
    wobble = [((i * 7 + shift) % 20 - 10) / 2000 for i in range(20)]
    processes = [[scale * (1 + w), scale * (1 + w) * 1.001] for w in wobble]
    return examples.pyperf(benchmarks=dict.fromkeys(names, processes))


def go(times: dict[str, float], unit: str = "ns/op", more: str = "") -> str:
    """Ten samples of each benchmark, 0.2 % apart."""
    return more + "".join(
        f"{name} 100 {time * (1 + i / 500)} {unit}\n"
        for name, time in times.items()
        for i in range(10)
    )


def hyperfine(commands: dict[str, float]) -> dict[str, Any]:
    return {
        "results": [
            {"command": c, "times": [t * (1 + i / 1000) for i in range(10)]}
            for c, t in commands.items()
        ]
    }


def forked(times: dict[str, float], branch: str) -> dict[str, Any]:
    data = pyperf(1, names=tuple(times))
    for benchmark in data["benchmarks"]:
        time = times[benchmark["metadata"]["name"]]
        for run in benchmark["runs"]:
            run["values"] = [v * time for v in run.get("values", [])]
    data["metadata"]["commit_branch"] = branch
    return data


def recorded_result(slower: str = "", by: float = 1.0) -> Result:
    """Commands base and fast with twelve blocks, nothing judged."""
    commands = {"base": 1.0, "fast": 0.5}
    blocks = tuple(
        Block(
            benchmark="whole run",
            index=i,
            seed=i,
            session="s",
            cpu=0,
            loops=2,
            warmups=0,
            start_order=("base", "fast"),
            order=(("base", "fast"),),
            values={
                n: (2 * t * (by if n == slower else 1.0) * (1 + i / 1000),)
                for n, t in commands.items()
            },
            started=float(i),
            seconds=1.0,
        )
        for i in range(12)
    )
    return Result(
        question=Commands(
            baselines=("base",),
            margin=0.01,
            variants=tuple(Variant(n) for n in commands),
            benchmarks=(Benchmark("whole run", "command", ()),),
            budget=1.0,
        ),
        recorded=Recorded(run="r", started=0.0, sessions=(Session("s", 0.0, {}),), blocks=blocks),
        judged=Judged(about="commands"),
    )
