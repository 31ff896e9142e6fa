"""Which habits of measuring would give a wrong row in the table of ``studies/fastcall``?

    python -m bench.fastcall_traps [--variant py3.13] [--processes 12]

One interpreter is measured against itself, so that every difference is wrong. Of each row,
processes are started with one thing varied and the rest held still: the length of the environment,
the placement by the kernel (ASLR), the seed of hashes; with nothing varied, and with everything.
They come in random order, so that drift falls on all alike. Needs the builds of the last
``whyfast run fastcall``, and ``setarch``. Prints a table in Markdown, in per cent.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import random
import statistics
import sys
from collections.abc import Mapping, Sequence
from itertools import combinations

from scipy.stats import ttest_ind

from bench.fastcall_builds import command_of
from whyfast.measure.invocation import Invocation, LaunchArguments
from whyfast.measure.turns import TurnRunner
from whyfast.study.load import load_study

TURN = 1e-3
TURNS = 15
#: A row of the table of 2016 with no difference left out what was below that.
MARGIN = 0.01
VARIED = ("environment", "ASLR", "hash seed", "nothing", "all")
#: Values of one process.
Values = Sequence[float]


def main() -> int:
    """Measures and prints; the exit status."""
    arguments = argparse.ArgumentParser(description="Traps of measuring calls of CPython.")
    arguments.add_argument("--variant", default="py3.13")
    arguments.add_argument("--processes", type=int, default=12, help="of each kind and row")
    arguments.add_argument("--seed", type=int, default=1)
    wanted = arguments.parse_args()
    command = command_of(wanted.variant)
    rows = load_study("fastcall").benchmarks[:13]
    print(f"| row | {' | '.join(VARIED)} | wrong: t test | mean | minimum |")
    print("| --- |" + " ---: |" * (len(VARIED) + 3))
    rng = random.Random(wanted.seed)
    for row in rows:
        found = _measured([*command, row.name], wanted.processes, rng)
        spreads = [f"{100 * _between(found[kind]):.1f}" for kind in VARIED]
        wrong = [f"{100 * share:.0f}" for share in _wrong(found["all"])]
        print(f"| `{row.name}` | {' | '.join([*spreads, *wrong])} |", flush=True)
    return 0


def _measured(
    command: Sequence[str], processes: int, rng: random.Random
) -> Mapping[str, list[Values]]:
    """The values of each process, by what was varied."""
    plan = [(kind, i) for kind in VARIED for i in range(processes)]
    rng.shuffle(plan)
    found: dict[str, list[Values]] = {kind: [] for kind in VARIED}
    loops = 0
    for kind, i in plan:
        every = kind == "all"
        aslr = every or kind == "ASLR"
        hash_seed = str(i) if every or kind == "hash seed" else "0"
        pad = rng.randrange(4096) if every or kind == "environment" else 0
        env = {**os.environ, "PYTHONHASHSEED": hash_seed}
        words = [] if aslr else ["setarch", platform.machine(), "-R"]
        arguments = LaunchArguments({kind: (*words, *command)}, env, timeout=60)
        player = TurnRunner(arguments).enter(kind, cpu=min(os.sched_getaffinity(0)), pad=pad)
        try:
            while not loops:
                loops = _loops(player)
            player.turn(loops)
            found[kind].append([player.turn(loops).seconds / loops for _ in range(TURNS)])
        finally:
            player.close()
    return found


def _loops(player: Invocation) -> int:
    """So many that they take a turn."""
    loops = 1
    while player.turn(loops).seconds < TURN:
        loops *= 2
    return loops


def _between(processes: Sequence[Values]) -> float:
    """Standard deviation of the log time from process to process, beyond what the values of one
    process explain: var(means) − mean(var of values) / turns."""
    logs = [[math.log(v) for v in values] for values in processes]
    means = [statistics.fmean(values) for values in logs]
    within = statistics.fmean(statistics.variance(values) for values in logs) / TURNS
    return math.sqrt(max(0.0, statistics.variance(means) - within))


def _wrong(processes: Sequence[Values]) -> tuple[float, float, float]:
    """Share of pairs of processes of the same interpreter that would make a row of a table: by a
    t test on their values at 5 %, by means and by minima that differ by more than the margin."""
    pairs = list(combinations(processes, 2))
    test = sum(ttest_ind(a, b, equal_var=False).pvalue < 0.05 for a, b in pairs)
    mean = sum(_differ(statistics.fmean(a), statistics.fmean(b)) for a, b in pairs)
    least = sum(_differ(min(a), min(b)) for a, b in pairs)
    return test / len(pairs), mean / len(pairs), least / len(pairs)


def _differ(a: float, b: float) -> bool:
    return abs(math.log(a / b)) > math.log(1 + MARGIN)


if __name__ == "__main__":
    sys.exit(main())
