"""How many blocks a difference takes on turns that were really measured: ``python -m
bench.recorded [--seconds 30]``.

Records blocks of equal programs (turn programs in C and Python, whole commands), so long each, and
draws from them with replacement, either side at random, with the same difference added to all turns
of one side. Compared are what a block says today and the median of its turns' log ratios alone, by
the number of blocks until the difference is sure; and how often equal programs are ever called
different within 100 blocks. Recording wants the machine as it is; drawing takes some minutes.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.accuracy.programs import STEPS, build
from bench.intervals import first_alarm, medians_alone, sigma
from whyfast.build.recipe import include_folder
from whyfast.judge.ratios import Ratios, turn_ratios
from whyfast.measure.block import WantedBlock, draw, run_block
from whyfast.measure.calibrate import WantedCalibration, calibrate
from whyfast.measure.commands import CommandRunner
from whyfast.measure.invocation import Clock, LaunchArguments, Runner
from whyfast.measure.process import usable_cpus
from whyfast.measure.turns import TurnRunner

Floats = NDArray[np.float64]

#: Series drawn for each number, and the blocks of one.
SERIES, BLOCKS = 400, 250
#: Of those in which equal programs are told apart.
LOOKS = 100
AT_ONCE = 100

_TABLE = """
#include <stdlib.h>
#include "whyfast_turn.h"
static uint32_t *table; static uint64_t size; static volatile uint64_t sink;
static uint64_t run(void *state, uint64_t loops)
{
    uint64_t sum = 1;
    (void)state;
    for (uint64_t loop = 0; loop < loops; loop++)
        for (int i = 0; i < 5000; i++)
            sum = sum * 6364136223846793005u + table[(sum >> 33) % size];
    sink = sum;
    return 1;
}
int main(int argc, char **argv)
{
    size = (argc > 1 ? (uint64_t)atol(argv[1]) : 1000000) / 4;
    table = malloc(size * 4);
    for (uint64_t i = 0; i < size; i++)
        table[i] = (uint32_t)(i * 2654435761u);
    return whyfast_turns(run, 0);
}
"""
_PYTHON = """
import sys
sys.path.insert(0, {path!r})
from whyfast.turns import take_turns
def run(loops):
    for _ in range(loops):
        counts = {{}}
        for i in range(2000):
            counts[str(i % 97)] = counts.get(str(i % 97), 0) + i * 3
take_turns(run)
"""


@dataclass(frozen=True)
class Recording:
    """Log times of both sides, shape (blocks, turns), and the seconds that a block took."""

    first: Floats
    second: Floats
    seconds: float

    def ratios(self) -> Ratios:
        return turn_ratios(self.first, self.second)


def runners(folder: Path) -> Mapping[str, Runner]:
    """Both sides of each run the same program."""
    programs = build(folder)
    (folder / "table.c").write_text(_TABLE)
    subprocess.run(
        ["gcc", "-O2", f"-I{include_folder()}", "-o", "table", "table.c"], cwd=folder, check=True
    )
    source = Path(__file__).resolve().parents[1] / "src"
    (folder / "work.py").write_text(_PYTHON.format(path=str(source)))
    turn: dict[str, tuple[str, ...]] = {
        "turns: spinning, 8 KB": (str(programs.spin), str(STEPS)),
        "turns: table of 1 MB": (str(folder / "table"), "1000000"),
        "turns: table of 8 MB": (str(folder / "table"), "8000000"),
        "turns: Python": (sys.executable, str(folder / "work.py")),
    }
    command: dict[str, tuple[str, ...]] = {
        "command of some 2.5 ms": (str(programs.whole), str(STEPS), "60"),
        "command of some 20 ms": (str(programs.whole), str(STEPS), "800"),
        "command: python -c pass": (sys.executable, "-I", "-S", "-c", "pass"),
    }
    env = dict(os.environ)
    found: dict[str, Runner] = {}
    for name, argv in turn.items():
        found[name] = TurnRunner(LaunchArguments({"a": argv, "b": argv}, env, 60.0))
    for name, argv in command.items():
        found[name] = CommandRunner(LaunchArguments({"a": argv, "b": argv}, env, 60.0))
    return found


def record(runner: Runner, seconds: float, seed: int) -> Recording:
    """Blocks for so long, with the turns that calibration chooses."""
    clock, cpus, rng = Clock(), usable_cpus(), random.Random(seed)
    c = calibrate(runner, WantedCalibration("x", ("a", "b"), rng.choice(list(cpus))), clock)
    first: list[Floats] = []
    second: list[Floats] = []
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        plan = replace(
            draw(rng.getrandbits(40), ["a", "b"], c.turns, cpus),
            loops=c.loops,
            warmups=1 if runner.loops_vary else 0,
        )
        block = run_block(runner, WantedBlock(plan, "x", "a", len(first), "s"), clock)
        first.append(np.log(block.values["a"]))
        second.append(np.log(block.values["b"]))
    return Recording(
        np.array(first), np.array(second), (time.monotonic() - began) / max(1, len(first))
    )


def drawn(rng: np.random.Generator, r: Ratios, n: int) -> Ratios:
    """``n`` blocks drawn with replacement, the sides of each exchanged by a coin."""
    at, sign = rng.integers(0, len(r), n), rng.choice([-1.0, 1.0], n)
    assert r.spread is not None
    assert r.level is not None
    return Ratios(r.logs[:, at] * sign, r.spread[at], r.level[at])


def _blocks_to_find(rng: np.random.Generator, r: Ratios, effect: float) -> tuple[float, float]:
    """The median number of blocks, with all that a block says and with its median alone."""
    found: tuple[list[Floats], list[Floats]] = [], []
    for _ in range(0, SERIES, AT_ONCE):
        series = [drawn(rng, r, BLOCKS).shifted(effect) for _ in range(AT_ONCE)]
        found[0].append(first_alarm(series, 0.0))
        found[1].append(first_alarm([medians_alone(s) for s in series], 0.0))
    return float(np.median(np.concatenate(found[0]))), float(np.median(np.concatenate(found[1])))


def _alarms(rng: np.random.Generator, r: Ratios) -> int:
    return sum(
        int(np.sum(np.isfinite(first_alarm([drawn(rng, r, LOOKS) for _ in range(AT_ONCE)], 0.0))))
        for _ in range(0, 5 * SERIES, AT_ONCE)
    )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench.recorded", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0, help="of recording a program")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    rng = np.random.default_rng(args.seed)
    print("| program | blocks recorded | turns | σ of a block | difference | blocks to find it | "
          "by medians alone | gain | equal programs called different |")  # fmt: skip
    print("| --- " * 9 + "|")
    gains = []
    with tempfile.TemporaryDirectory(prefix="whyfast-recorded-") as folder:
        for i, (name, runner) in enumerate(runners(Path(folder)).items()):
            recording = record(runner, args.seconds, args.seed * 100 + i)
            ratios = recording.ratios()
            unit = sigma(ratios)
            for j, effect in enumerate((0.75 * unit, 0.4 * unit)):
                now, alone = _blocks_to_find(rng, ratios, effect)
                gains.append(alone / now if math.isfinite(alone) else math.nan)
                alarms = f"{_alarms(rng, ratios)} of {5 * SERIES}" if j == 0 else ""
                print(
                    f"| {name} | {len(ratios)} | {recording.first.shape[1]} | {unit:.2%} | "
                    f"{math.expm1(effect):.2%} | {_number(now)} | {_number(alone)} | "
                    f"{gains[-1]:.2f} | {alarms} |",
                    flush=True,
                )
    print(f"\ngain, geometric mean: {math.exp(float(np.nanmean(np.log(gains)))):.2f}")
    return 0


def _number(blocks: float) -> str:
    return f"{blocks:.0f}" if math.isfinite(blocks) else f"more than {BLOCKS}"


if __name__ == "__main__":
    sys.exit(main())
