"""What starting costs: ``python -m bench.startup``.

``whyfast --help`` beside an empty Python program; the goal is at most 2.5 times as long. Then
``whyfast ab`` of two programs that take turns and differ by 5 %, from start to report, beside
``python -c 'import numpy'``, which every judgement needs. Medians of alternating runs; for ``ab``
also the CPU time of whyfast and of what it measured.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.accuracy.programs import STEPS, build

RUNS, COMPARISONS = 60, 15
OURS = str(Path(sys.executable).with_name("whyfast"))


def main() -> int:
    """Print both ratios, and what of the second is measuring."""
    python = sys.executable
    ratios = []
    for _ in range(RUNS):
        empty = _seconds([python, "-c", "pass"])
        ratios.append(_seconds([OURS, "--help"]) / empty)
    print(f"whyfast --help takes {statistics.median(ratios):.2f} times as long as python -c pass")
    with tempfile.TemporaryDirectory(prefix="whyfast-startup-") as folder:
        spin = build(Path(folder) / "programs").spin
        env = {**os.environ, "WHYFAST_HOME": f"{folder}/home"}
        ab = [OURS, "ab", f"{spin} {STEPS}", f"{spin} {STEPS * 105 // 100}"]
        _seconds(ab, env)  # the store is made
        rows = []
        for _ in range(COMPARISONS):
            numpy = _seconds([python, "-c", "import numpy"])
            before = _processor_seconds()
            rows.append((_seconds(ab, env), numpy, _processor_seconds() - before))
    wall, numpy, processor = (statistics.median(column) for column in zip(*rows, strict=True))
    ratio = statistics.median(row[0] / row[1] for row in rows)
    print("| whyfast ab, 5 % | CPU time, with what it measured | import numpy | ratio |\n"
          "| --- | --- | --- | --- |\n"
          f"| {wall:.2f} s | {processor:.2f} s | {numpy:.2f} s | {ratio:.1f} |")  # fmt: skip
    return 0


def _seconds(command: list[str], env: dict[str, str] | None = None) -> float:
    start = time.perf_counter()
    subprocess.run(
        command, check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    return time.perf_counter() - start


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
