"""Made-up results of one study on several machines, judged as any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from whyfast.judge.judge_run import judge_run
from whyfast.model.build import Build, Toolchain
from whyfast.model.result import Recorded, Result
from whyfast.model.sample import Block, Session
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
    taken = [
        _block(rng, benchmark.name, index, session, slowness, noise)
        for index in range(blocks)
        for benchmark in asked.benchmarks
    ]
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


def _block(
    rng: np.random.Generator,
    benchmark: str,
    index: int,
    session: str,
    slowness: Mapping[str, float],
    noise: float,
) -> Block:
    turns = 3
    values = {
        name: tuple(0.01 * slow * np.exp(rng.normal(0, noise, turns) + rng.normal(0, noise)))
        for name, slow in slowness.items()
    }
    order = tuple(values)
    return Block(
        benchmark=benchmark,
        index=index,
        seed=index,
        session=session,
        cpu=0,
        loops=1,
        warmups=0,
        start_order=order,
        order=(order,) * turns,
        values={name: tuple(map(float, times)) for name, times in values.items()},
        started=STARTED + index,
        seconds=0.1,
    )
