"""What starting costs: ``python -m bench.startup``.

``whyfast --help`` beside an empty Python program; the goal is at most 2.5 times as long.
``whyfast ab`` up to its first block beside the same; the goal is 12.5 times. Then
``whyfast ab`` of two programs that take turns and differ by 5 %, and by 1 %, from start to report,
beside ``python -c 'import numpy'``, which every judgement needs; the goals are 0.4 s and 0.3 s.
Medians of alternating runs, and where the time goes:

- ``imports``: Python and all modules that ``ab`` loads, in a process that does no more;
- ``blocks``: what they last, processes started and ended in them;
- ``between``: the rest of measuring, which is calibration, looks at the machine, blocks stored and
  judged;
- ``other``: the first run of each, judging, storing, writing and ending.

CPU time is that of whyfast and of what it measured.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.accuracy.programs import STEPS, build
from whyfast.model.result import Recorded
from whyfast.report.result_json import from_json
from whyfast.store.home import Home
from whyfast.store.samples import SampleStore

RUNS, COMPARISONS = 60, 15
OURS = str(Path(sys.executable).with_name("whyfast"))

#: Programs that are slower by so many per cent.
SLOWER = (5, 1)

#: Runs `whyfast ab` of commands up to its first block, the first run of each included.
FIRST_BLOCK = """
import os
from whyfast.measure import campaign
campaign.run_block = campaign.calibrate = lambda *_: os._exit(0)
from whyfast.cli.main import main
main(["ab", "true", "sleep 0"])
"""

#: What `ab` of programs that take turns imports by and by.
IMPORTS = (
    "import whyfast.cli.main, whyfast.cli.ab, whyfast.investigate.ab_run, whyfast.report.progress, "
    "whyfast.report.result_json, whyfast.report.pages.results, whyfast.report.render.terminal"
)


@dataclass(frozen=True)
class Comparison:
    """Seconds of one comparison, and how many blocks it took."""

    wall: float
    processor: float
    imports: float
    blocks: float
    between: float
    taken: int
    numpy: float


def main() -> int:
    """Print how long help and comparisons take, and what of the latter is measuring."""
    ratio = statistics.median(
        _seconds([OURS, "--help"]) / _seconds([sys.executable, "-c", "pass"]) for _ in range(RUNS)
    )
    print(f"whyfast --help takes {ratio:.2f} times as long as python -c pass")
    with tempfile.TemporaryDirectory(prefix="whyfast-startup-") as folder:
        env = {**os.environ, "WHYFAST_HOME": folder}
        ratio = statistics.median(
            _seconds([sys.executable, "-c", FIRST_BLOCK], env)
            / _seconds([sys.executable, "-c", "pass"])
            for _ in range(RUNS)
        )
        print(f"whyfast ab takes {ratio:.1f} times as long as python -c pass to its first block")
        spin = str(build(Path(folder) / "programs").spin)
        home = Path(folder) / "home"
        _compared(spin, SLOWER[0], home)  # the store is made, and what Python compiles is there
        rounds = [[_compared(spin, slower, home) for slower in SLOWER] for _ in range(COMPARISONS)]
    print("| whyfast ab | wall | imports | blocks | between | other | CPU time | blocks taken "
          "| import numpy |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |")  # fmt: skip
    for slower, of in zip(SLOWER, zip(*rounds, strict=True), strict=True):
        print(_row(slower, of))
    return 0


def _row(slower: int, comparisons: tuple[Comparison, ...]) -> str:
    seconds = [
        [c.wall for c in comparisons],
        [c.imports for c in comparisons],
        [c.blocks for c in comparisons],
        [c.between for c in comparisons],
        [c.wall - c.imports - c.blocks - c.between for c in comparisons],
        [c.processor for c in comparisons],
    ]
    cells = " | ".join(f"{statistics.median(column):.3f} s" for column in seconds)
    taken = statistics.median(c.taken for c in comparisons)
    numpy = statistics.median(c.numpy for c in comparisons)
    return f"| {slower} % | {cells} | {taken:.0f} | {numpy:.3f} s |"


def _compared(spin: str, slower: int, home: Path) -> Comparison:
    env = {**os.environ, "WHYFAST_HOME": str(home)}
    numpy = _seconds([sys.executable, "-c", "import numpy"])
    imports = _seconds([sys.executable, "-c", IMPORTS])
    before = _processor_seconds()
    command = [OURS, "ab", f"{spin} {STEPS}", f"{spin} {STEPS * (100 + slower) // 100}"]
    wall = _seconds(command, env)
    processor = _processor_seconds() - before
    recorded = _newest(home)
    blocks = [block.seconds for block in recorded.blocks]
    between = recorded.seconds["measure"] - sum(blocks)
    return Comparison(wall, processor, imports, sum(blocks), between, len(blocks), numpy)


def _newest(home: Path) -> Recorded:
    store = SampleStore(Home(home / "cache", home / "data").database)
    try:
        found = store.latest("ab")
    finally:
        store.close()
    assert found is not None, "every result is kept"
    return from_json(found[1]).recorded


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
