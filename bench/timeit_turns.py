"""Whether a loop costs as much in a turn of 50 µs as in one of 2 ms, behind its untimed loops.

    python -m bench.timeit_turns [--blocks 12] [--pairs 40] [--clock process] [--python PYTHON]

Each block forks a statement and another one from one interpreter. They alternate, the other one
with turns of 1 ms and more that leave its own data in caches and predictors. The statement's turns
are short and long in random order; a ratio is of a short one to the long one of its pair. On a busy
machine only CPU time (``--clock process``) can be compared: long turns are interrupted more often.
The table has the median over blocks and the range in which it lies with at least 95 % (sign test).
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
from contextlib import ExitStack, closing
from math import comb

from whyfast.investigate.timeit_run import TURN, TURNS
from whyfast.measure.calibrate import LONGEST
from whyfast.measure.forks import ForkRunner
from whyfast.measure.invocation import LaunchArguments
from whyfast.measure.process import usable_cpus

#: (setup, statement), from tens of nanoseconds to tens of microseconds a loop.
WORKS = (
    ("d = dict.fromkeys('abcdefk', 1)", "d['k']"),
    ("x = 42", "f'{x}'"),
    ("import re; p = 'a+b'; s = 'aaab'", "re.match(p, s)"),
    ("import json; r = list(range(50))", "json.dumps(r)"),
    ("import random; x = random.Random(1).sample(range(1000), 200)", "sorted(x)"),
    ("r = range(1000)", "{x: x for x in r}"),
    ("b = [bytes([i % 251]) * 4096 for i in range(64)]", "b''.join(b)"),
)

#: What the other side does: it fills 2 MB of caches and runs branches that nothing predicts.
OTHER = (
    "import random; y = random.Random(2).sample(range(10**6), 20000)",
    "sorted(y[:5000]), sum(y)",
)


def block(python: str, clock: str, work: tuple[str, str], pairs: int, rng: random.Random) -> float:
    """The median ratio of a loop in a short turn to one in a long turn."""
    start = (python, str(TURNS / "timeit" / "driver.py"))
    commands = {
        name: (*start, "measure", clock, setup, "statement", statement)
        for name, (setup, statement) in (("one", work), ("other", OTHER))
    }
    shared = dict.fromkeys(commands, len(start))
    runner = ForkRunner(LaunchArguments(commands, dict(os.environ), 60.0, shared=shared))
    cpu = rng.choice(usable_cpus())
    with ExitStack() as stack:
        one, other = (
            stack.enter_context(closing(runner.enter(name, cpu=cpu, pad=rng.randrange(4096))))
            for name in commands
        )
        loops = 1
        while one.turn(loops).seconds < LONGEST / 2:
            loops *= 2
        a_loop = min(one.turn(loops).seconds for _ in range(3)) / loops
        lengths = [max(1, round(length / a_loop)) for length in (TURN, LONGEST)]
        ratios = []
        for _ in range(pairs):
            taken = {}
            for n in rng.sample(lengths, 2):
                other.turn(1)
                taken[n] = one.turn(n).seconds / n
            ratios.append(taken[lengths[0]] / taken[lengths[1]])
    return statistics.median(ratios)


def median_range(values: list[float]) -> tuple[float, float]:
    """Of the median, with at least 95 %."""
    n, tail, rank = len(values), 0.0, 0
    while 2 * (tail := tail + comb(n, rank) / 2**n) <= 0.05:
        rank += 1
    ordered = sorted(values)
    return ordered[max(0, rank - 1)], ordered[min(n - 1, n - rank)]


def main() -> None:
    """Take the blocks and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--pairs", type=int, default=40)
    parser.add_argument("--clock", choices=("wall", "process"), default="wall")
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args()
    rng = random.Random()
    found: dict[tuple[str, str], list[float]] = {work: [] for work in WORKS}
    for _ in range(args.blocks):
        for work in rng.sample(WORKS, len(WORKS)):
            found[work].append(block(args.python, args.clock, work, args.pairs, rng))
    print("| statement | a loop in 50 µs over one in 2 ms |\n| --- | ---: |")
    for work, ratios in found.items():
        low, high = median_range(ratios)
        middle = statistics.median(ratios)
        print(f"| `{work[1]}` | {middle:.3f} [{low:.3f}, {high:.3f}] |")


if __name__ == "__main__":
    main()
