"""Made-up results of one study on several machines, judged as any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.unit.example_blocks import block

from whyfast.judge.judge_run import judge_run
from whyfast.model.build import Build, Toolchain
from whyfast.model.result import Recorded, Result
from whyfast.model.sample import Session
from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Benchmark, Variant

STARTED = 1_790_000_000.0


def study(
    *, variants: Sequence[str] = ("base", "slow"), benchmarks: Sequence[str] = ("fib",)
) -> Study:
    """The first variant is the baseline; each has a macro of its own name."""
    return Study(
        name="loops",
        title="Is it slower?",
        folder=Path("/studies/loops"),
        baselines=(variants[0],),
        margin=0.01,
        source=Source("path", "loops", Path("/src")),
        build=BuildSpec(("{cc} -o {program} {source}/loops.c",), "loops"),
        variants=tuple(Variant(name, "path:gcc", (f"-D{name}",)) for name in variants),
        benchmarks=tuple(Benchmark(name, "turn", ("{program}", name)) for name in benchmarks),
    )


def measured(
    machine: str,
    ratios: Mapping[str, float],
    *,
    asked: Study | None = None,
    seed: int = 1,
    blocks: int = 30,
    noise: float = 0.002,
    environment: Mapping[str, object] | None = None,
    compiler: str = "13.2.0",
) -> Result:
    """A run on ``machine`` whose true ratios to the baseline are ``ratios``, on every benchmark."""
    asked = asked or study(variants=("base", *ratios))
    rng = np.random.default_rng(seed)
    slowness = {asked.baselines[0]: 1.0, **ratios}
    session = f"{machine}-{seed}"
    taken = []
    for index in range(blocks):
        for benchmark in asked.benchmarks:
            values: dict[str, list[float]] = {}
            for name, slow in slowness.items():
                logs = rng.normal(0, noise, 3) + rng.normal(0, noise)
                values[name] = (0.01 * slow * np.exp(logs)).tolist()
            plain = block(
                values, benchmark=benchmark.name, index=index, session=session, seconds=0.1
            )
            taken_with = {
                "seed": index,
                "started": STARTED + index,
                "loops": 1,
                "warmups": 0,
                "cpu": 0,
            }
            taken.append(replace(plain, **taken_with))  # type: ignore[arg-type]
    own = {"hostname": machine, "cpu_model": f"Arm-{machine}", "boot_id": f"boot {machine}"}
    facts = {**own, "whyfast": "1.0", **(environment or {})}
    recorded = Recorded(
        run=session,
        started=STARTED + seed,
        sessions=(Session(session, STARTED + seed, facts),),
        toolchains=(Toolchain("path:gcc", "path", compiler, "x86_64", "d", ("gcc",), frozenset()),),
        builds=tuple(
            Build(
                name,
                f"{i}" * 64,
                Path(f"/builds/{name}"),
                f"{name} by {compiler}",
                {"toolchain": {"name": "path:gcc"}, "source": {"digest": "s"}},
                reused=False,
            )
            for i, name in enumerate(slowness)
        ),
        blocks=tuple(taken),
    )
    return Result(asked, recorded, judge_run(asked, recorded, ()))
