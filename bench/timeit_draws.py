"""How far a block's ratio lies from 1 where both sides are the same statement, by what they share.

    python -m bench.timeit_draws [--blocks 25] [--turns 60] [--python PYTHON]

``apart``: each side is a process that is started by itself. ``hash seed``: so too, with one hash
seed, drawn for each block; ``addresses``: also with the same addresses in all processes (setarch
-R). ``forked``: both are forked from one process, as ``whyfast timeit`` does. Blocks of all four
alternate in random order. The table has the standard deviation of the blocks' log ratios in per
cent, and the median seconds from the start of a block to its first turn.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import random
import statistics
import sys
import time
from contextlib import ExitStack, closing

from whyfast.investigate.timeit_run import TURNS
from whyfast.measure.forks import ForkRunner
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.process import usable_cpus

#: A setup, and loops of some 50 µs, the turn of ``whyfast timeit``.
WORKS = {
    "sum(r)": ("r = range(2000)", 1),
    "re.match(p, s)": ("import re; p = 'a+b'; s = 'aaab'", 150),
    "d['k']": ("d = dict.fromkeys('abcdefk', 1)", 1500),
    "sorted(x)": ("x = list(range(1000))[::-1]", 8),
}
SHARED = ("apart", "hash seed", "addresses", "forked")


def block(
    python: str, statement: str, shared: str, turns: int, rng: random.Random
) -> tuple[float, float]:
    """(log ratio, seconds to the first turn) of a statement against itself."""
    setup, loops = WORKS[statement]
    start = [python, str(TURNS / "timeit" / "driver.py")]
    if shared == "addresses":
        start = ["setarch", platform.machine(), "-R", *start]
    side = (*start, "measure", "wall", setup, "statement", statement)
    env = dict(os.environ)
    if shared in ("hash seed", "addresses"):
        env["PYTHONHASHSEED"] = str(rng.randrange(2**32))
    names, cpu, pad = ("a", "b"), rng.choice(usable_cpus()), rng.randrange(4096)
    whole = LaunchArguments(
        dict.fromkeys(names, side), env, 60.0, shared=dict.fromkeys(names, len(start))
    )
    one = ForkRunner(whole)
    runners = {name: one if shared == "forked" else ForkRunner(whole) for name in names}
    with ExitStack() as stack:
        began = time.monotonic()
        alive = {
            name: stack.enter_context(closing(runners[name].enter(name, cpu=cpu, pad=pad)))
            for name in rng.sample(names, 2)
        }
        ready = time.monotonic() - began
        logs = []
        for _ in range(turns + 1):
            values = {n: alive[n].turn(loops).seconds for n in rng.sample(names, 2)}
            logs.append(math.log(values["b"] / values["a"]))
    return statistics.median(logs[1:]), ready


def main() -> None:
    """Take the blocks and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=25)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args()
    rng = random.Random()
    print("| statement | " + " | ".join(SHARED) + " | start apart | forked |")
    print("| --- |" + " ---: |" * 6)
    for statement in WORKS:
        found: dict[str, list[tuple[float, float]]] = {shared: [] for shared in SHARED}
        for _ in range(args.blocks):
            for shared in rng.sample(SHARED, len(SHARED)):
                found[shared].append(block(args.python, statement, shared, args.turns, rng))
        spread = [f"{100 * statistics.pstdev(r for r, _ in found[s]):.2f}" for s in SHARED]
        ready = [
            f"{1e3 * statistics.median(t for _, t in found[s]):.0f} ms"
            for s in (SHARED[0], "forked")
        ]
        print(f"| `{statement}` | {' | '.join((*spread, *ready))} |", flush=True)


if __name__ == "__main__":
    main()
