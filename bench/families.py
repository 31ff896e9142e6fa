"""How long judging takes: ``python -m bench.families [--variants 1000] [--benchmarks 100]``.

Makes blocks of so many variants and benchmarks, as the store would give them, and judges the whole
study: every variant against the first, and the suites. Prints time and memory of making and of
judging them.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np

from whyfast.judge.comparisons import ComparisonPlan
from whyfast.judge.judge_run import judge_study
from whyfast.model.sample import Block


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.families", description=__doc__)
    parser.add_argument("--variants", type=int, default=1000)
    parser.add_argument("--benchmarks", type=int, default=100)
    parser.add_argument("--blocks", type=int, default=30)
    parser.add_argument("--turns", type=int, default=1)
    args = parser.parse_args(argv)
    began = time.perf_counter(), time.process_time()
    blocks = made(args.variants, args.benchmarks, args.blocks, args.turns)
    print(f"made: {time.perf_counter() - began[0]:.1f} s, {_memory():.2f} GB", flush=True)
    began = time.perf_counter(), time.process_time()
    verdicts, suites = judge_study(
        ComparisonPlan(
            blocks,
            [f"b{i}" for i in range(args.benchmarks)],
            [(f"v{i}", "v0") for i in range(1, args.variants)],
            0.01,
        )
    )
    words = Counter(v.outcome for v in verdicts)
    said = ", ".join(f"{n} {w}" for w, n in words.most_common())
    print(
        f"judged: {time.perf_counter() - began[0]:.1f} s, of CPU time "
        f"{time.process_time() - began[1]:.1f} s, at most {_memory():.2f} GB; {len(verdicts)} "
        f"verdicts ({said}) and {len(suites)} suites"
    )
    return 0


def made(variants: int, benchmarks: int, blocks: int, turns: int) -> list[Block]:
    """Every tenth variant is 3 % slower; noise of 1 %."""
    rng = np.random.default_rng(1)
    names = [f"v{i}" for i in range(variants)]
    slower = 0.03 * (np.arange(variants) % 10 == 9)
    found = []
    for i in range(blocks):
        for b in range(benchmarks):
            logs = slower[:, None] + 0.01 * rng.standard_normal((variants, turns))
            values = {
                name: tuple(row) for name, row in zip(names, np.exp(logs).tolist(), strict=True)
            }
            order = (tuple(names),) * turns
            at = float(i * benchmarks + b)
            found.append(
                Block(f"b{b}", i, 0, "s", None, 1, 0, tuple(names), order, values, at, 0.1)
            )
    return found


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


if __name__ == "__main__":
    sys.exit(main())
