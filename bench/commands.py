"""Whole commands, two checkouts of whyfast side by side: ``python -m bench.commands OLD NEW``.

Both are asked the same of the same programs, runs of some 20 ms that are equal or differ by 1 %, in
turn and in an order drawn at random, with the same budget. Printed: the half widths of their
intervals, the median of the ratios of neighbours, how often the interval leaves out the truth, and
how often 1 % is found. Each folder holds a checkout, whose ``src`` is imported; it may be the same
twice. ``--equal`` asks of equal programs alone, for false alarms. Wants an otherwise idle machine,
or one as busy as what is asked about.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.accuracy.programs import STEPS, WHOLE_LOOPS, build

_MAIN = "import sys; from whyfast.cli.main import main; sys.exit(main(sys.argv[1:]))"
EFFECTS = (0.0, 0.01)


@dataclass(frozen=True)
class Trial:
    """The ends as log ratios, infinite where there are none, and the seconds that it took."""

    outcome: str
    low: float
    high: float
    blocks: int
    seconds: float

    @property
    def half(self) -> float:
        return (self.high - self.low) / 2


def ask(checkout: Path, commands: tuple[str, str], budget: float, folder: Path) -> Trial:
    """One ``ab`` by the whyfast of that checkout."""
    file = folder / "result.json"
    env = {**os.environ, "PYTHONPATH": str(checkout / "src"), "WHYFAST_HOME": f"{folder}/home"}
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", _MAIN, "ab", "--whole", "--budget", f"{budget}s", "--margin", "0.2%",
         "--json", str(file), *commands],
        env=env, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    data = json.loads(file.read_text())
    data = data.get("data", data)  # the checkout may be of a version without an envelope
    verdict = data.get("judged", data)["verdicts"][0]
    low, high = float(verdict["low"] or 0), float(verdict["high"] or "inf")
    return Trial(
        verdict.get("outcome") or verdict["verdict"],
        math.log(low) if low else -math.inf,
        math.log(high),
        verdict["blocks"],
        seconds,
    )


def table(pairs: dict[float, list[tuple[Trial, Trial]]]) -> str:
    """What both said of each difference."""
    lines = [
        "| difference | checkout | trials | blocks | half width | truth left out | slower | s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for effect, found in pairs.items():
        for name, own in zip(("OLD", "NEW"), zip(*found, strict=True), strict=True):
            out = sum(not t.low <= math.log1p(effect) <= t.high for t in own)
            blocks, half, seconds = (
                statistics.median(column)
                for column in zip(*((t.blocks, t.half, t.seconds) for t in own), strict=True)
            )
            slower = sum(t.outcome == "slower" for t in own)
            lines.append(f"| {effect:.0%} | {name} | {len(own)} | {blocks:g} | {half:.2%} | {out} "
                         f"| {slower} | {seconds:.2f} |")  # fmt: skip
    both = [(a.half, b.half) for found in pairs.values() for a, b in found]
    ratios = [a / b for a, b in both if math.isfinite(a) and math.isfinite(b)]
    said = f"{statistics.median(ratios):.2f}" if ratios else "–"
    return "\n".join(lines) + f"\n\nHalf width OLD / NEW, median of {len(ratios)} pairs: {said}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.commands", description=__doc__)
    parser.add_argument("checkouts", metavar="CHECKOUT", type=Path, nargs=2)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--budget", type=float, default=1.85, help="seconds of each trial")
    parser.add_argument("--equal", action="store_true", help="only programs that are equal")
    args = parser.parse_args()
    effects = EFFECTS[:1] if args.equal else EFFECTS
    rng = random.Random(1)
    pairs: dict[float, list[tuple[Trial, Trial]]] = {effect: [] for effect in effects}
    with tempfile.TemporaryDirectory(prefix="whyfast-commands-") as made:
        folder = Path(made)
        whole = build(folder / "programs").whole
        ends = time.monotonic() + 60 * args.minutes
        while time.monotonic() < ends:
            for effect, found in pairs.items():
                steps = round(STEPS * (1 + effect))
                commands = f"{whole} {STEPS} {WHOLE_LOOPS}", f"{whole} {steps} {WHOLE_LOOPS} "
                order = rng.sample((0, 1), 2)
                said = {
                    i: ask(args.checkouts[i].resolve(), commands, args.budget, folder)
                    for i in order
                }
                found.append((said[0], said[1]))
    print(table(pairs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
