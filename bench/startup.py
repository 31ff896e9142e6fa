"""How long ``whyfast --help`` takes beside an empty Python program, in alternating runs.

``python -m bench.startup`` prints the median ratio of neighbouring runs; the goal is at most 2.5.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 60


def main() -> int:
    python = sys.executable
    ours = [str(Path(python).with_name("whyfast")), "--help"]
    ratios = []
    for _ in range(RUNS):
        empty = _seconds([python, "-c", "pass"])
        ratios.append(_seconds(ours) / empty)
    print(f"whyfast --help takes {statistics.median(ratios):.2f} times as long as python -c pass")
    return 0


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
