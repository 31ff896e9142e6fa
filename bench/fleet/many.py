"""What the coordinator of many hosts costs: the hosts are made up, all else is real."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass
from pathlib import Path

from bench.fleet.crowd import Crowd
from bench.fleet.studies import write_study
from whyfast.fleet.replicate import replicate
from whyfast.fleet.worker import HostAnswers
from whyfast.investigate.services import Services, Silent
from whyfast.store.home import Home
from whyfast.study.load import load_study

#: Steps of work a loop by variant, turns a block, benchmarks.
VARIANTS = {"base": 10000, "same": 10005, "slow": 10300, "fast": 9500}
TURNS, BENCHMARKS = 10, 3


@dataclass(frozen=True)
class Cost:
    """Of a run on ``hosts``: ``cpu`` seconds of the coordinator from the first block to the last
    answer, ``wall`` seconds for the same, both without what the made-up hosts took; ``whole``
    are the coordinator's CPU seconds from beginning to end; peaks of memory in MB."""

    hosts: int
    blocks: int
    cpu: float
    wall: float
    whole: float
    memory_before: float
    memory: float


def cost_of_many(folder: Path, hosts: int, each: int) -> Cost:
    """Of a run on that many hosts, about ``each`` blocks on every one. UserError, OSError."""
    study = load_study(write_study(folder / "many", VARIANTS, BENCHMARKS, budget=each, turns=TURNS))
    home = Home(folder / "cache", folder / f"data-{hosts}-{time.time_ns()}")
    times = {name: steps * 1e-6 for name, steps in VARIANTS.items()}
    crowd = Crowd(hosts, times, HostAnswers(home, Services()).facts())
    services = Services(clock=crowd.clock)
    before = _memory()
    began = time.process_time()
    replicate(study, home, Silent(), crowd, services=services, fresh=True)
    whole = time.process_time() - began - crowd.own_cpu
    assert crowd.began is not None
    assert crowd.ended is not None
    wall, cpu, own = (b - a for a, b in zip(crowd.began, crowd.ended, strict=True))
    return Cost(hosts, crowd.blocks, cpu - own, wall - own, whole, before, _memory())


def _memory() -> float:
    """The most that this process has held so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def many_table(costs: list[Cost]) -> str:
    """In Markdown."""
    head = (
        "| hosts | blocks | coordinator's CPU a block | blocks a second of one CPU "
        "| blocks a second, with the disk | memory before, peak |\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: |\n"
    )
    return head + "".join(
        f"| {c.hosts:,} | {c.blocks:,} | {1000 * c.cpu / c.blocks:.2f} ms "
        f"| {c.blocks / c.cpu:,.0f} | {c.blocks / c.wall:,.0f} "
        f"| {c.memory_before:.0f} MB, {c.memory:.0f} MB |\n"
        for c in costs
    )
