"""How sharp a verdict on whole runs is, in equal machine time: whyfast and others.

    python -m bench.peers --json FILE [--minutes 3.5] [--seconds 3] [--benchstat PROGRAM]
                          [--criterion PROGRAM] [--programs NAME…] [--effects SHARE…]

Five programs of others (sqlite3, jq, mawk, perl, gzip) do a piece of work that takes some 20 ms,
and then the same with 0, 0.5, 1 and 2 % more of it. A trial is one comparison by one tool, its own
start included. Trials are added to FILE, so that many short measurements make one table, which is
printed at the end. With ``--minutes 0`` the table alone. In 3 s nobody finds 2 % of a busy
machine's runs; longer trials: ``--seconds 20 --programs mawk gzip --effects 0 0.02``.

benchstat is found on PATH (``go install golang.org/x/perf/cmd/benchstat@latest``); Criterion is
what ``cargo bench --no-run --manifest-path bench/criterion/Cargo.toml`` prints.

Of the fixed-n t test and benchstat the runs of both sides alternate in random order (whyfast's
machine time, a run after a run); the others measure as they are made to: one side after the other.
Levels are each tool's own: whyfast 1 % at any time, the t test 1 %, all others 5 %.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from whyfast.investigate.ab_run import Command, Options, run_ab
from whyfast.investigate.services import Silent
from whyfast.store.home import Home, home
from whyfast.toolchain.wheels import pyperf_folder

EFFECTS = (0.0, 0.005, 0.01, 0.02)

#: What whyfast is asked to call the same: small, so that 0.5 % is worth a verdict.
MARGIN = 0.002


@dataclass(frozen=True)
class Work:
    """A program whose work grows with a number: ``command`` of ``size`` takes some 20 ms."""

    program: str
    command: Callable[[int, Path], str]
    size: int


def _gzip(size: int, folder: Path) -> str:
    path = folder / f"text{size}"
    if not path.exists():
        rng = random.Random(1)
        words = [f"{rng.getrandbits(20):x}" for _ in range(4000)]
        text = " ".join(rng.choice(words) for _ in range(size // 5)).encode()
        path.write_bytes(text[:size])
    return f"gzip -c {path}"


_SQL = (
    "with recursive c(x) as (select 1 union all select x + 1 from c where x < {}) "
    "select sum(x * x % 7) from c"
)
_JQ = "reduce range({}) as $i (0; . + $i)"
WORKS: Sequence[Work] = (
    Work("sqlite3", lambda n, _: shlex.join(["sqlite3", ":memory:", _SQL.format(n)]), 100_000),
    Work("jq", lambda n, _: shlex.join(["jq", "-n", _JQ.format(n)]), 60_000),
    Work("mawk", lambda n, _: shlex.join(["mawk", f"BEGIN{{for(;i<{n};i++)s+=i*i%7}}"]), 400_000),
    Work("perl", lambda n, _: shlex.join(["perl", "-e", f"$s+=$_*$_%7 for 1..{n}"]), 300_000),
    Work("gzip", _gzip, 900_000),
)


@dataclass(frozen=True)
class Said:
    """A trial: the ratio of B over A in truth, ``differs`` (1 slower, −1 faster, 0 no verdict), the
    interval where the tool gives one, and the machine time it took."""

    tool: str
    program: str
    effect: float
    truth: float
    differs: int
    low: float | None
    high: float | None
    seconds: float
    runs: int


Pair = tuple[list[str], list[str]]


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, then print the table of all trials."""
    parser = argparse.ArgumentParser(prog="bench.peers", description=__doc__)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=3.5)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--benchstat", default=shutil.which("benchstat"))
    parser.add_argument("--criterion")
    parser.add_argument("--programs", nargs="*", default=[w.program for w in WORKS])
    parser.add_argument("--effects", nargs="*", type=float, default=EFFECTS)
    args = parser.parse_args(argv)
    trials = json.loads(args.json.read_text()) if args.json.exists() else []
    with tempfile.TemporaryDirectory(prefix="whyfast-peers-") as folder:
        tools = _tools(Path(folder), args)
        works = [w for w in WORKS if w.program in args.programs and shutil.which(w.program)]
        deadline = time.monotonic() + 60 * args.minutes
        for tool, work, effect in _plan(tools, works, args.effects, len(trials)):
            if time.monotonic() >= deadline:
                break
            sizes = work.size, round(work.size * (1 + effect))
            a, b = (shlex.split(work.command(size, Path(folder))) for size in sizes)
            share = _share_of_work(work, Path(folder))
            start = time.perf_counter()
            differs, low, high, runs = tools[tool]((a, b), args.seconds)
            used = time.perf_counter() - start
            truth = 1 + effect * share
            said = Said(tool, work.program, effect, truth, differs, low, high, used, runs)
            trials.append(asdict(said))
            args.json.write_text(json.dumps(trials))
    _table(trials)
    return 0


def _plan(
    tools: Iterable[str], works: Sequence[Work], effects: Sequence[float], seed: int
) -> Iterator[tuple[str, Work, float]]:
    """All trials of a round in random order, round after round."""
    rng = random.Random(seed)
    while True:
        plan = [(t, w, e) for t in tools for w in works for e in effects]
        yield from rng.sample(plan, len(plan))


_KNOWN: dict[str, float] = {}


def _share_of_work(work: Work, folder: Path) -> float:
    """The part of a run that grows with the size: one less the quickest of 15 runs of no work over
    the quickest of 15 runs."""
    if work.program not in _KNOWN:
        none, all_ = (
            min(_run(shlex.split(work.command(size, folder))) for _ in range(15))
            for size in (1, work.size)
        )
        _KNOWN[work.program] = 1 - none / all_
    return _KNOWN[work.program]


def _run(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


Answer = tuple[int, float | None, float | None, int]


def _tools(folder: Path, args: argparse.Namespace) -> dict[str, Callable[[Pair, float], Answer]]:
    place = Home(folder / "cache", folder / "data")
    tools: dict[str, Callable[[Pair, float], Answer]] = {
        "whyfast": lambda pair, seconds: _whyfast(pair, seconds, place),
        "t test, fixed n": _t_test,
    }
    if args.benchstat:
        tools["benchstat"] = lambda pair, seconds: _benchstat(pair, seconds, args.benchstat, folder)
    if shutil.which("hyperfine"):
        tools["hyperfine"] = lambda pair, seconds: _hyperfine(pair, seconds, folder)
    packages = pyperf_folder(home(), print)
    tools["pyperf"] = lambda pair, seconds: _pyperf(pair, seconds, folder, packages)
    if args.criterion:
        tools["Criterion"] = lambda pair, seconds: _criterion(pair, seconds, args.criterion, folder)
    return tools


def _whyfast(pair: Pair, seconds: float, place: Home) -> Answer:
    commands = [Command(n, shlex.join(c)) for n, c in zip("ab", pair, strict=True)]
    # What is not measuring (first runs, set-up) is taken off the time as well.
    result = run_ab(commands, Options(budget=seconds - 0.15, margin=MARGIN), place, Silent())
    verdict = result.judged.verdicts[0]
    differs = {"slower": 1, "faster": -1}.get(verdict.outcome, 0)
    return differs, verdict.low, verdict.high, len(result.recorded.blocks)


def _alternating(pair: Pair, seconds: float) -> tuple[list[float], list[float]]:
    rng = random.Random(time.time_ns())
    times: tuple[list[float], list[float]] = ([], [])
    deadline = time.perf_counter() + seconds
    while time.perf_counter() < deadline:
        for side in rng.sample((0, 1), 2):
            times[side].append(_run(pair[side]))
    return times


def _t_test(pair: Pair, seconds: float) -> Answer:
    a, b = _alternating(pair, seconds)
    d = np.log(b) - np.log(a)
    half = float(stats.t.ppf(0.995, len(d) - 1) * np.std(d, ddof=1) / math.sqrt(len(d)))
    low, high = float(d.mean()) - half, float(d.mean()) + half
    return (1 if low > 0 else -1 if high < 0 else 0), math.exp(low), math.exp(high), len(d)


def _benchstat(pair: Pair, seconds: float, program: str, folder: Path) -> Answer:
    files = []
    a, b = _alternating(pair, seconds)
    for name, times in (("old", a), ("new", b)):
        files.append(folder / f"{name}.txt")
        files[-1].write_text("".join(f"BenchmarkRun 1 {1e9 * t:.0f} ns/op\n" for t in times))
    said = subprocess.run([program, *map(str, files)], capture_output=True, text=True, check=True)
    change = re.search(r"([+-])\d+\.\d+% \(p=", said.stdout)
    return (0 if not change else 1 if change[1] == "+" else -1), None, None, len(a)


def _welch(a: Sequence[float], b: Sequence[float], differs: bool) -> Answer:
    x, y = np.log(a), np.log(b)
    va, vb = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    freedom = (va + vb) ** 2 / (va**2 / (len(x) - 1) + vb**2 / (len(y) - 1))
    d, half = float(y.mean() - x.mean()), float(stats.t.ppf(0.975, freedom) * math.sqrt(va + vb))
    sign = 1 if d > 0 else -1
    return sign if differs else 0, math.exp(d - half), math.exp(d + half), len(a)


def _pace(pair: Pair, seconds: float, least: int) -> int:
    """Runs of each side that fit, after the tool's own start and warm-ups."""
    one = sum(_run(c) for c in pair)
    return max(least, round((seconds - one) / one))


def _hyperfine(pair: Pair, seconds: float, folder: Path) -> Answer:
    """With the script that hyperfine comes with: Welch's t test at 5 %."""
    out = folder / "hyperfine.json"
    runs = _pace(pair, seconds, 3)
    words = ["hyperfine", "-N", "--style", "none", "--runs", str(runs), "--warmup", "1"]
    _quietly([*words, "--export-json", str(out), *map(shlex.join, pair)])
    a, b = (r["times"] for r in json.loads(out.read_text())["results"])
    return _welch(a, b, float(stats.ttest_ind(a, b, equal_var=False).pvalue) < 0.05)


def _pyperf(pair: Pair, seconds: float, folder: Path, packages: Path) -> Answer:
    env = {**os.environ, "PYTHONPATH": str(packages)}
    # Four starts of Python, some 0.15 s each, are machine time too.
    values, runs = max(2, _pace(pair, seconds - 0.6, 4) // 2), []
    ask = [sys.executable, "-m", "pyperf", "command", "--quiet", "-p", "2", "-w", "1", "-l", "1"]
    ask += ["-n", str(values), "--name", "x", "-o"]
    for name, command in zip(("old", "new"), pair, strict=True):
        runs.append(folder / f"{name}.json")
        runs[-1].unlink(missing_ok=True)
        _quietly([*ask, str(runs[-1]), "--", *command], env)
    compare = [sys.executable, "-m", "pyperf", "compare_to", *map(str, runs)]
    said = subprocess.run(compare, env=env, capture_output=True, text=True, check=True).stdout
    read = [json.loads(f.read_text())["benchmarks"][0]["runs"] for f in runs]
    a, b = ([v for run in each for v in run.get("values", ())] for each in read)
    return _welch(a, b, "faster" in said or "slower" in said)


def _criterion(pair: Pair, seconds: float, program: str, folder: Path) -> Answer:
    """The benchmark in bench/criterion, by Criterion's own comparison."""
    each = max(0.2, seconds / 2)
    words = [program, "--bench", "--noplot", "--sample-size", "20", "--nresamples", "5000"]
    words += ["--warm-up-time", f"{0.15 * each:.2f}", "--measurement-time", f"{0.85 * each:.2f}"]
    for option, command in zip(("--save-baseline", "--baseline"), pair, strict=True):
        env = {**os.environ, "COMMAND": "\x1f".join(command), "CRITERION_HOME": str(folder / "c")}
        _quietly([*words, option, "old"], env)
    change = json.loads((folder / "c/run/change/estimates.json").read_text())["mean"]
    ends = change["confidence_interval"]
    low, high = 1 + ends["lower_bound"], 1 + ends["upper_bound"]
    # As it prints "regressed" and "improved": p < 0.05 and beyond its noise threshold of 1 %.
    threshold = 0.01
    differs = 1 if low > 1 + threshold else -1 if high < 1 - threshold else 0
    return differs, low, high, 20


def _quietly(words: list[str], env: dict[str, str] | None = None) -> None:
    null = subprocess.DEVNULL
    subprocess.run(words, check=True, env=env, stdout=null, stderr=null)


def _table(trials: Sequence[dict[str, object]]) -> None:
    """A row a tool: all programs together."""
    said = [Said(**t) for t in trials]  # type: ignore[arg-type]
    names = [f"{100 * e:g} %" for e in EFFECTS[1:]]
    head = ["tool", "trials", "false alarms", *(f"{n} found" for n in names), "wrong direction",
            "interval holds the truth", "half width, median", "runs a side", "seconds"]  # fmt: skip
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for tool in dict.fromkeys(s.tool for s in said):
        mine = [s for s in said if s.tool == tool]
        by = {e: [s for s in mine if s.effect == e] for e in EFFECTS}
        found = [_share([s.differs > 0 for s in by[e]]) for e in EFFECTS[1:]]
        ends = [(s.low, s.high, s.truth) for s in mine if s.low is not None and s.high is not None]
        holds = _share([low <= truth <= high for low, high, truth in ends]) if ends else "–"
        halves = [(high - low) / 2 for low, high, _ in ends]
        half = f"{100 * statistics.median(halves):.2f} %" if halves else "–"
        cells = [tool, str(len(mine)), _share([s.differs != 0 for s in by[0.0]]), *found,
                 _share([s.differs < 0 for s in mine if s.effect]), holds, half,
                 f"{statistics.median(s.runs for s in mine):.0f}",
                 f"{statistics.median(s.seconds for s in mine):.1f}"]  # fmt: skip
        print("| " + " | ".join(cells) + " |")


def _share(hits: Sequence[bool]) -> str:
    return f"{sum(hits)} of {len(hits)}" if hits else "–"


if __name__ == "__main__":
    sys.exit(main())
