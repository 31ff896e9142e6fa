"""Where the noise of ``whyfast timeit`` is: between starts of the interpreter, forks, or turns.

    python -m bench.timeit_levels [--blocks 24] [--turns 60] [--more 1] [--python PYTHON]

Each block starts one interpreter and forks four sides from it: two of a statement and two of the
same with ``--more`` per cent more work. So it has two log ratios of the same effect. Their
covariance over blocks is what the start of the interpreter decides (addresses, hash seed, how full
the heap is); what they differ by is that of forks and turns, and the halves of odd and even turns
differ by that of turns alone. The table has standard deviations of one ratio in per cent, the mean
effect, and the page faults of a loop.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
from collections.abc import Mapping
from contextlib import ExitStack, closing

import numpy as np

from bench.timeit_peers import WORKS
from whyfast.investigate.timeit_run import TURNS
from whyfast.measure.forks import ForkRunner
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.process import usable_cpus

#: The sides, and those with more work; a ratio is of the i-th of each.
FEWER, MORE = ("a", "b"), ("c", "d")

#: Loops of a turn of some 50 µs.
LOOPS = {"sum": 2, "list": 1, "dict": 1, "join": 1, "json": 1}


def faults(pid: int) -> int:
    """Page faults of a process without the disk, until now."""
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[7])


def block(
    commands: Mapping[str, tuple[str, ...]], shared: int, loops: int, turns: int, rng: random.Random
) -> tuple[np.ndarray, float]:
    """(log ratios of a loop, shape (2, turns); page faults of a loop of the first side)."""
    names = [*FEWER, *MORE]
    arguments = LaunchArguments(
        commands, dict(os.environ), 60.0, shared=dict.fromkeys(names, shared)
    )
    runner, cpu, pad = ForkRunner(arguments), rng.choice(usable_cpus()), rng.randrange(4096)
    with ExitStack() as stack:
        alive = {
            name: stack.enter_context(closing(runner.enter(name, cpu=cpu, pad=pad)))
            for name in rng.sample(names, 4)
        }
        pid = alive["a"]._child.pid  # type: ignore[attr-defined]
        rounds = []
        for turn in range(turns + 1):
            if turn == 1:
                before = faults(pid)
            rounds.append({n: alive[n].turn(loops).seconds for n in rng.sample(names, 4)})
        taken = faults(pid) - before
    logs = [[np.log(r[m] / r[f]) for r in rounds[1:]] for f, m in zip(FEWER, MORE, strict=True)]
    return np.array(logs), taken / turns / loops


def main() -> None:
    """Take the blocks and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=24)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--more", type=int, default=1)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--work", choices=WORKS, action="append")
    args = parser.parse_args()
    rng = random.Random()
    start = (args.python, str(TURNS / "timeit" / "driver.py"))
    works = args.work or list(WORKS)
    found: dict[str, list[tuple[np.ndarray, float]]] = {name: [] for name in works}
    for _ in range(args.blocks):
        for name in rng.sample(works, len(works)):
            work = WORKS[name]
            sides = {
                n: (*start, "measure", "wall", work.setup(more), "statement", work.statement)
                for more, both in ((0, FEWER), (args.more, MORE))
                for n in both
            }
            found[name].append(block(sides, len(start), LOOPS[name], args.turns, rng))
    print("| statement | effect | starts | forks | turns | one block | page faults a loop |")
    print("| --- |" + " ---: |" * 6)
    for name in works:
        ratios = np.array([np.median(logs, axis=1) for logs, _ in found[name]])
        halves = np.array(
            [np.median(g[:, ::2], axis=1) - np.median(g[:, 1::2], axis=1) for g, _ in found[name]]
        )
        between = float(np.cov(ratios.T)[0, 1])
        total = float(ratios.var(axis=0, ddof=1).mean())
        turns = float((halves**2).mean() / 4)  # each half has half of the turns
        forks = max(0.0, float((ratios[:, 0] - ratios[:, 1]).var(ddof=1) / 2) - turns)
        sds = [f"{100 * np.sqrt(max(0.0, v)):.2f}" for v in (between, forks, turns, total)]
        middle, many = 100 * float(ratios.mean()), statistics.median(f for _, f in found[name])
        print(f"| `{WORKS[name].statement}` | {middle:.2f} | {' | '.join(sds)} | {many:.1f} |")


if __name__ == "__main__":
    main()
