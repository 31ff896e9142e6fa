"""What passes between two blocks: measured here, and by a worker on this machine over Dask."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from bench.fleet.studies import write_study
from whyfast.fleet.cluster import DaskCluster
from whyfast.fleet.launching import HostsFile, LaunchHost, launched
from whyfast.fleet.replicate import Sharded
from whyfast.investigate.services import Silent
from whyfast.investigate.study_run import run_study
from whyfast.model.sample import Block
from whyfast.store.home import Home
from whyfast.study.load import load_study

#: Steps of work a loop by variant: two that are equal but for their last digit.
VARIANTS = {"base": 10000, "same": 10001}
TURNS, TURN = 12, "20ms"

#: Runs a shell's line on this machine, as ssh does on another.
_HERE = ("sh", "-c", 'exec sh -c "$1"')


@dataclass
class Gaps:
    """Seconds of each block, and from its end until the next begins."""

    blocks: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)

    def add(self, taken: Sequence[Block]) -> None:
        """Of one run."""
        ordered = sorted(taken, key=lambda b: b.started)
        for block, following in pairwise(ordered):
            self.blocks.append(block.seconds)
            self.gaps.append(following.started - block.started - block.seconds)


def gaps_of_both(folder: Path, rounds: int, seconds: int) -> tuple[Gaps, Gaps]:
    """Here and by the worker, in turns of one run each. UserError, OSError."""
    study = load_study(
        write_study(folder / "overhead", VARIANTS, 1, budget=seconds, turns=TURNS, turn=TURN)
    )
    home = Home(folder / "cache", folder / "data-overhead")
    (folder / "worker").mkdir(mode=0o700, exist_ok=True)
    host = LaunchHost(
        "worker", (*_HERE, ""), (sys.executable, "-m", "whyfast"), str(folder / "worker"), ""
    )
    here, there = Gaps(), Gaps()
    with launched(HostsFile("127.0.0.1:0", None, (host,)), print) as fleet:
        for _ in range(rounds):
            here.add(run_study(study, home, Silent(), fresh=True).recorded.blocks)
            with closing(DaskCluster(fleet.address, None, print)) as cluster:
                elsewhere = Sharded(cluster)
                result = run_study(study, home, Silent(), fresh=True, elsewhere=elsewhere)
            there.add(result.recorded.blocks)
    return here, there


def overhead_table(both: tuple[Gaps, Gaps]) -> str:
    """In Markdown: medians, and the overhead as a part of a block with the gap after it, here."""
    here, there = both
    whole = statistics.median(here.blocks) + statistics.median(here.gaps)
    more = statistics.median(there.gaps) - statistics.median(here.gaps)
    rows = "".join(
        f"| {name} | {len(g.gaps)} | {1000 * statistics.median(g.blocks):.0f} ms "
        f"| {1000 * statistics.median(g.gaps):.1f} ms | {said} |\n"
        for name, g, said in (("here", here, ""), ("over Dask", there, f"{more / whole:+.1%}"))
    )
    return (
        "| measured | blocks | a block | until the next | more for each block |\n"
        f"| --- | ---: | ---: | ---: | ---: |\n{rows}"
    )
