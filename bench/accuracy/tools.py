"""One comparison by each tool within a given machine time: what it says, and its interval."""

from __future__ import annotations

import json
import math
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from scipy import stats

from bench.accuracy.programs import Programs
from whyfast.investigate.ab_run import Command, Options, run_ab
from whyfast.investigate.services import Silent
from whyfast.judge.decide import outcome_of
from whyfast.judge.eprocess import confidence_interval
from whyfast.judge.looks import level_of_looks
from whyfast.judge.ratios import pair_ratios
from whyfast.model.result import Result
from whyfast.store.home import Home

#: The margin asked of whyfast: small, so that "same" does not stand in for "slower" at 0.5 %.
MARGIN = 0.002


@dataclass(frozen=True)
class Said:
    """One trial. ``outcome_of``: faster, slower, or no difference ("none"); ``low`` and ``high``
    bound the ratio of B over A; ``seconds`` of wall time were used, ``decided`` of them (None:
    never) until the verdict stood, which is the end for tools that look once."""

    outcome: str
    low: float
    high: float
    seconds: float
    decided: float | None


def whyfast(programs: Programs, a: int, b: int, seconds: float, home: Home, moved: bool) -> Said:
    """The whole of ``whyfast ab``, its calibration included, stopping as soon as it is sure."""
    second = programs.moved if moved else programs.spin
    return _whyfast(f"{programs.spin} {a}", f"{second} {b}", seconds, home)


def whole_runs(programs: Programs, a: int, b: int, loops: int, seconds: float, home: Home) -> Said:
    """The same of the whole runs that the other tools are given."""
    return _whyfast(f"{programs.whole} {a} {loops}", f"{programs.whole} {b} {loops}", seconds, home)


def _whyfast(first: str, second: str, seconds: float, home: Home) -> Said:
    start = time.perf_counter()
    result = run_ab(
        [Command("a", first), Command("b", second)],
        # What is not measuring (first runs, set-up) is taken off the time as well.
        Options(budget=max(0.2, seconds - 0.15), margin=MARGIN),
        home,
        Silent(),
    )
    used = time.perf_counter() - start
    verdict = result.judged.verdicts[0]
    said = verdict.outcome if verdict.outcome in ("faster", "slower") else "none"
    return Said(said, verdict.low, verdict.high, used, _decided(result, used))


def _decided(result: Result, used: float) -> float | None:
    """Seconds from the start until the verdict was the final one for the first time."""
    final = result.judged.verdicts[0].outcome
    d = pair_ratios(result.recorded.blocks, [("b", "a")])["b", "a"]
    level = level_of_looks(result.question)
    spent = used - sum(b.seconds for b in result.recorded.blocks)
    for n, block in enumerate(result.recorded.blocks, 1):
        spent += block.seconds
        if (
            final != "undecided"
            and outcome_of(*confidence_interval(d.first(n), level), MARGIN) == final
        ):
            return spent
    return None if final == "undecided" else used  # by the last look


def hyperfine(programs: Programs, a: int, b: int, pace: Pace, loops: int, work: Path) -> Said:
    """hyperfine's runs, judged by Welch's t-test at 5 %, as hyperfine's own script does it."""
    export = work / "hyperfine.json"
    commands = [f"{programs.whole} {n} {loops}" for n in (a, b)]
    start = time.perf_counter()
    subprocess.run(
        ["hyperfine", "-N", "--style", "none", "--runs", str(pace.runs), "--warmup", "1",
         "--export-json", str(export), *commands],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    used = time.perf_counter() - start
    pace.took(used)
    first, second = (r["times"] for r in json.loads(export.read_text())["results"])
    p = float(stats.ttest_ind(first, second, equal_var=False).pvalue)
    return _welch(first, second, p < 0.05, used)


def pyperf(
    programs: Programs, a: int, b: int, pace: Pace, loops: int, work: Path, packages: Path
) -> Said:
    """pyperf command twice, then pyperf compare_to."""
    env = {"PYTHONPATH": str(packages), "PATH": "/usr/bin:/bin"}
    files: list[Path] = []
    start = time.perf_counter()
    for n in (a, b):
        file = work / f"pyperf-{n}-{len(files)}.json"
        file.unlink(missing_ok=True)
        # Half of the runs go into each of two worker processes; one warm-up each.
        subprocess.run(
            [sys.executable, "-m", "pyperf", "command", "--quiet", "-p", "2", "-w", "1", "-n",
             str(max(2, pace.runs // 2)), "-l", "1", "--name", "work", "-o", str(file), "--",
             str(programs.whole), str(n), str(loops)],
            check=True, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        files.append(file)
    used = time.perf_counter() - start
    pace.took(used)
    said = subprocess.run(
        [sys.executable, "-m", "pyperf", "compare_to", *map(str, files)],
        check=True, env=env, capture_output=True, text=True,
    ).stdout  # fmt: skip
    values = [
        [
            v
            for run in json.loads(f.read_text())["benchmarks"][0]["runs"]
            for v in run.get("values", ())
        ]
        for f in files
    ]
    return _welch(values[0], values[1], "faster" in said or "slower" in said, used)


def _welch(first: list[float], second: list[float], differs: bool, used: float) -> Said:
    """The 95 % interval of the ratio of means, on logarithms, after Welch."""
    a, b = ([math.log(x) for x in xs] for xs in (first, second))
    va, vb = statistics.variance(a) / len(a), statistics.variance(b) / len(b)
    d = statistics.fmean(b) - statistics.fmean(a)
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    half = float(stats.t.ppf(0.975, df)) * math.sqrt(va + vb)
    said = ("slower" if d > 0 else "faster") if differs else "none"
    return Said(said, math.exp(d - half), math.exp(d + half), used, used)


class Pace:
    """How many runs of each side a tool gets, so that a whole trial takes the time it should.

    Begins with a guess and follows what the last trials took, the tool's own start included.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._runs = 20.0

    @property
    def runs(self) -> int:
        return max(4, round(self._runs))

    def took(self, seconds: float) -> None:
        """Half of the way towards what the time suggests, so that one bad trial sways little."""
        wanted = self._runs * self._seconds / seconds
        self._runs = max(4.0, min(500.0, (self._runs + wanted) / 2))


def available() -> list[str]:
    """The tools that can be compared here."""
    return ["whyfast", "pyperf", *(["hyperfine"] if shutil.which("hyperfine") else [])]
