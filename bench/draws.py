"""How much does each thing that is drawn anew in blocks move the time of a program?

    python -m bench.draws --minutes 30 [--keep draws.jsonl]

Three programs as they are installed: python3, perl, and gcc's cc1. A set fixes all that can be
fixed (addresses, hash seeds, environment, CPU, file) but for one draw, takes six values of that,
and runs a process of each in eight rounds of random order. What lies between the six beyond what
lies between processes of one is the draw's. ``nothing`` draws nothing: what it shows is the
bench's own error. Sets are kept as they end; the same command goes on where it was stopped.

Copies of a file: ``scattered`` is what ``[measure] copies`` does, of 4 kB pages from all over;
``whole`` is what ``cp`` makes, in the large folios of the file system. ``huge heap`` has scattered
copies and lets malloc use huge pages.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import stats

from whyfast.judge.ratios import tamed
from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import LaunchArguments, padded_process, scattered_copy
from whyfast.measure.process import usable_cpus
from whyfast.model.sample import WAITED

LEVELS, ROUNDS = 6, 8

_PYTHON = """
table = {str(i): i * i for i in range(3000)}
for _ in range(12):
    words = sorted(table, key=lambda w: (len(w), hash(w)))
    total = sum(table[w] for w in words) + len({w[::-1] for w in words})
"""
_PERL = """
my %t = map { ("k$_" => $_ * $_) } 1 .. 3000; my $s = 0;
for (1 .. 12) { for my $k (sort { $t{$a} <=> $t{$b} } keys %t) { $s += $t{$k} if $k =~ /[13]$/ } }
"""
_C = "".join(
    f"int f{i}(int *a, int n) {{ int s = {i}; for (int j = 0; j < n; j++) "
    f"{{ if (a[j] & {i + 1}) s += a[j] * {i + 3}; else s ^= a[j] >> {i % 7}; }} return s; }}\n"
    for i in range(25)
)


@dataclass(frozen=True)
class Program:
    """``words`` follow the program's path; ``seed`` is its variable for a hash seed, if any."""

    name: str
    path: Path
    words: tuple[str, ...]
    seed: str = ""


@dataclass(frozen=True)
class Level:
    """One value of what is drawn: how one process of the set is started."""

    path: Path
    env: Mapping[str, str] = field(default_factory=dict)
    pad: int = 0
    cpu: int | None = None
    addresses: bool = False


def programs(folder: Path) -> list[Program]:
    """Those of the three that are installed here."""
    (folder / "f.i").write_text(_C)
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True).stdout
    found = [
        ("python3", sys.executable, ("-s", "-S", "-c", _PYTHON), "PYTHONHASHSEED"),
        ("perl", shutil.which("perl"), ("-e", _PERL), "PERL_HASH_SEED"),
        ("cc1", cc1.strip(), ("-quiet", "-O1", str(folder / "f.i"), "-o", "/dev/null"), ""),
    ]
    return [
        Program(name, Path(path).resolve(), words, seed)
        for name, path, words, seed in found
        if path and os.access(path, os.X_OK)
    ]


Draw = Callable[[Program, Level, Path, random.Random], Level]


def _whole(program: Program, level: Level, copy: Path, rng: random.Random) -> Level:
    shutil.copy2(program.path, copy)
    return Level(copy, level.env, cpu=level.cpu)


def _scattered(program: Program, level: Level, copy: Path, rng: random.Random) -> Level:
    scattered_copy(program.path, copy, rng)
    return Level(copy, level.env, cpu=level.cpu)


def _huge(program: Program, level: Level, copy: Path, rng: random.Random) -> Level:
    copied = _scattered(program, level, copy, rng)
    env = {**level.env, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
    return Level(copied.path, env, cpu=level.cpu)


def _pad(program: Program, level: Level, copy: Path, rng: random.Random) -> Level:
    return Level(level.path, level.env, rng.randrange(4096), level.cpu)


def _seed(program: Program, level: Level, copy: Path, rng: random.Random) -> Level:
    env = {**level.env, program.seed: str(rng.randrange(1, 2**31))}
    return Level(level.path, env, cpu=level.cpu)


def _cpu(program: Program, level: Level, copy: Path, rng: random.Random) -> Level:
    cpus = usable_cpus()
    return Level(level.path, level.env, cpu=cpus[int(copy.name) % len(cpus)])


def _addresses(program: Program, level: Level, copy: Path, rng: random.Random) -> Level:
    return Level(level.path, level.env, cpu=level.cpu, addresses=True)


def _nothing(program: Program, level: Level, copy: Path, rng: random.Random) -> Level:
    return level


DRAWS: dict[str, Draw] = {
    "nothing": _nothing,
    "scattered copies": _scattered,
    "whole copies": _whole,
    "scattered copies, huge heap": _huge,
    "environment and path": _pad,
    "hash seed": _seed,
    "CPU": _cpu,
    "addresses": _addresses,
}
#: What each process draws for itself, so that its part is in the spread of processes.
OWN = "addresses"


def run_set(program: Program, draw: str, folder: Path, rng: random.Random) -> list[list[float]]:
    """Log seconds of the levels (rows) in each round, less what was waited for a CPU; and, last,
    the place in its round of each process."""
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "GLIBC_TUNABLES": ""}
    if program.seed:
        env |= {program.seed: "0", "PERL_PERTURB_KEYS": "0"}
    plain = Level(program.path, env, cpu=rng.choice(list(usable_cpus())))
    copies = [folder / str(i) for i in range(LEVELS)]
    try:
        levels = [DRAWS[draw](program, plain, copy, rng) for copy in copies]
        values: list[list[float]] = [[] for _ in levels]
        places: list[list[float]] = [[] for _ in levels]
        for number in range(ROUNDS + 1):
            for place, i in enumerate(rng.sample(range(LEVELS), LEVELS)):
                seconds = run_process(program, levels[i])
                if number:  # the first reads the files
                    values[i].append(math.log(seconds))
                    places[i].append(place)
        return [*values, *places]
    finally:
        for copy in copies:
            copy.unlink(missing_ok=True)


def run_process(program: Program, level: Level) -> float:
    """Seconds of one process."""
    fixed = () if level.addresses else ("setarch", "-R")
    words = (*fixed, str(level.path), *program.words)
    env, argv = padded_process(level.env, words, len(fixed), level.pad)
    runner = CommandRunner(LaunchArguments({"it": argv}, env, 60.0))
    sample = runner.enter("it", cpu=level.cpu, pad=0).turn(1)
    return sample.seconds - sample.extra.get(WAITED, 0.0)


@dataclass(frozen=True)
class Spread:
    """Standard deviations of log time: between levels with its interval at 95 %, within a level;
    ``p`` that the levels are alike."""

    between: float
    low: float
    high: float
    within: float
    p: float
    sets: int


def spread(sets: Sequence[np.ndarray]) -> Spread:
    """Analysis of variance of levels in randomised rounds, of shape (levels, rounds) a set, whose
    sums are added over sets. F = 1 + rounds · between² / within², with the interval of a variance
    ratio (Searle, Casella, McCulloch: Variance Components, 1992)."""
    levels, rounds = sets[0].shape
    errors = between = 0.0
    for one in sets:
        y = one - np.median(one, axis=0)
        y = tamed(y.ravel()).reshape(y.shape)  # all levels alike, so chance stays what it is
        y = y - y.mean(axis=0)
        means = y.mean(axis=1, keepdims=True)
        between += rounds * float((means**2).sum())
        errors += float(((y - means) ** 2).sum())
    df = len(sets) * (levels - 1), len(sets) * (levels - 1) * (rounds - 1)
    within = errors / df[1]
    f = between / df[0] / within

    def deviation(ratio: float) -> float:
        return math.sqrt(max(0.0, ratio - 1) * within / rounds)

    low, high = (deviation(f / stats.f.ppf(share, *df)) for share in (0.975, 0.025))
    return Spread(
        between=deviation(f),
        low=low,
        high=high,
        within=math.sqrt(within),
        p=float(stats.f.sf(f, *df)),
        sets=len(sets),
    )


Kept = Mapping[tuple[str, str], Sequence[np.ndarray]]


def table(kept: Kept) -> str:
    """A row for each draw: the spread that it makes in each program."""
    names = list(dict.fromkeys(name for _, name in kept))
    lines = [
        "| drawn | " + " | ".join(names) + " |",
        "| --- |" + " --- |" * len(names),
    ]
    for draw in [*DRAWS, "order"]:
        cells = [_cell(kept, draw, name) for name in names]
        if any(cells):
            lines.append(f"| {draw} | " + " | ".join(c or "–" for c in cells) + " |")
    nothing = [
        _percent(spread([x[:LEVELS] for x in kept["nothing", n]]).within)
        if ("nothing", n) in kept
        else "–"
        for n in names
    ]
    lines.append("| a process, all of it fixed | " + " | ".join(nothing) + " |")
    sets = {len(each) for each in kept.values()}
    lines.append(
        f"\nStandard deviation of the time from the draw alone [95 % interval]; * beyond chance "
        f"(p < 0.001). {min(sets)} to {max(sets)} sets of {LEVELS} levels in {ROUNDS} rounds."
    )
    return "\n".join(lines)


def _cell(kept: Kept, draw: str, name: str) -> str:
    if draw == "order":
        sets = [_by_place(one) for one in kept.get(("nothing", name), ())]
    else:
        sets = [one[:LEVELS] for one in kept.get((draw, name), ())]
    if not sets:
        return ""
    found = spread(sets)
    if draw == OWN:  # beyond that of processes at fixed addresses
        fixed = kept.get(("nothing", name))
        if not fixed:
            return ""
        more = found.within**2 - spread([one[:LEVELS] for one in fixed]).within ** 2
        return _percent(math.sqrt(max(0.0, more)))
    star = "*" if found.p < 0.001 else ""
    return f"{_percent(found.between)}{star} [{found.low:.2%}, {found.high:.2%}]"


def _by_place(one: np.ndarray) -> np.ndarray:
    """The same processes by their place in the round."""
    values, places = one[:LEVELS], one[LEVELS:].astype(int)
    return np.take_along_axis(values, np.argsort(places, axis=0), axis=0)


def _percent(share: float) -> str:
    return f"{share:.2%}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30.0, help="of measuring, now")
    parser.add_argument("--keep", type=Path, default=Path("draws.jsonl"), help="file of sets")
    args = parser.parse_args()
    kept: dict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    if args.keep.exists():
        for line in args.keep.read_text().splitlines():
            draw, name, rows = json.loads(line)
            kept[draw, name].append(np.array(rows))
    end = time.monotonic() + 60 * args.minutes
    with tempfile.TemporaryDirectory(prefix="whyfast-draws-") as folder:
        there = [
            (d, p) for p in programs(Path(folder)) for d in DRAWS if d != "hash seed" or p.seed
        ]
        rng = random.Random()
        with args.keep.open("a") as file:
            while time.monotonic() < end:
                rng.shuffle(there)
                draw, program = min(there, key=lambda cell: len(kept[cell[0], cell[1].name]))
                rows = run_set(program, draw, Path(folder), rng)
                kept[draw, program.name].append(np.array(rows))
                file.write(json.dumps([draw, program.name, rows]) + "\n")
                file.flush()
                print(f"\r{sum(map(len, kept.values()))} sets", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(table({key: sets for key, sets in kept.items() if sets}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
