"""How the time of ``compare`` and ``history`` grows with the number of benchmarks.

    python -m bench.growth [--most 100000]

For 10², 10³, … benchmarks, CSV files of three processes a benchmark are made, and the commands
run on them: ``compare`` on two, ``history`` on six. Printed are seconds, and how many times as long
as a tenth of it took; 10 is linear, 100 quadratic.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

FILES = 6
PROCESSES = 3


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=100_000)
    most = parser.parse_args(argv).most
    print("benchmarks  compare            history")
    before: tuple[float, ...] = ()
    number = 100
    while number <= most:
        with tempfile.TemporaryDirectory() as folder:
            files = [str(path) for path in write(Path(folder), number)]
            took = (seconds(["compare", *files[:2]]), seconds(["history", *files]))
        times = [f"{t:8.2f} s" for t in took]
        growth = [f"{t / b:5.1f}x" for t, b in zip(took, before, strict=True)] or ["      "] * 2
        print(f"{number:10}  {times[0]} {growth[0]}  {times[1]} {growth[1]}", flush=True)
        before, number = took, number * 10
    return 0


def write(folder: Path, number: int) -> list[Path]:
    """Six files of so many benchmarks."""
    source = random.Random(1)
    paths = []
    for i in range(FILES):
        rows = [
            f"b{b},{p},{1000 * source.gauss(1, 0.01):.3f}\n"
            for b in range(number)
            for p in range(PROCESSES)
        ]
        path = folder / f"r{i}.csv"
        path.write_text("benchmark,process,mean_ns\n" + "".join(rows))
        paths.append(path)
    return paths


def seconds(words: list[str]) -> float:
    """Wall time of one run of whyfast."""
    start = time.perf_counter()
    program = [sys.executable, "-m", "whyfast.cli.main", *words]
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
