"""How often placement is told from a change: small complete studies with known answers.

    python -m bench.placement_trials [--trials 100] [--seconds 4] [--seed 1] [--json FILE]

The program is ``subjects/placement``. In half of the trials the change makes only code longer that
never runs, so that what runs lands in each other's way: placement, and nothing else. In the other
half it is 5 % more work, exactly. Every trial draws how far apart the functions lie before the
change, builds both programs and links fresh layouts of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from scipy import stats

from whyfast.investigate.services import Silent
from whyfast.investigate.study_run import run_study
from whyfast.model.verdict import Placement
from whyfast.report.formatting import text_of
from whyfast.store.home import Home
from whyfast.study.load import load_study

Case = Literal["placement", "5 % more work"]
CASES: tuple[Case, ...] = ("placement", "5 % more work")
WORDS = ("placement", "change", "both", "neither", "undecided")

#: The size of the functions that never run that makes gcc's functions lie 4096 bytes apart, and
#: sizes that spread them.
COLLIDE = 4048
SPREAD = range(4144, 4400, 16)
LAYOUTS = 32

_STUDY = """
[study]
title = "Is it the change?"
baseline = "{before}"
twin = false
[source]
subject = "placement"
[build]
steps = ["{{cc}} {{cflags}} -ffunction-sections -I{{include}} -c {{source}}/placement.c"]
link = "{{cc}} {{cflags}} -o {{program}} placement.o {{layout}} {{ldflags}}"
program = "placement"
[variant."{before}"]
toolchain = "path:gcc"
cflags = ["-O2", "-DCOLD={spread}"]
[variant."{after}"]
toolchain = "path:gcc"
cflags = ["-O2", {change}]
[benchmarks.calls]
runner = "turn"
command = ["{{program}}"]
[measure]
budget = "{seconds}s"
layouts = {layouts}
"""


@dataclass(frozen=True)
class Trial:
    """What one study said. ``took`` is seconds in all, builds included."""

    case: Case
    seed: int
    placement: Placement
    took: float


def trial(case: Case, seed: int, seconds: float, folder: Path, layouts: int = LAYOUTS) -> Trial:
    """One study from nothing, in ``folder``. Its layouts follow from the variants' names, and
    those from ``seed``."""
    spread = random.Random(f"{case} {seed}").choice(SPREAD)
    changed = {
        "placement": f'"-DCOLD={COLLIDE}"',
        "5 % more work": f'"-DCOLD={spread}", "-DEXTRA=5"',
    }[case]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.toml").write_text(
        _STUDY.format(
            before=f"before-{seed}",
            after=f"after-{seed}",
            spread=spread,
            change=changed,
            seconds=seconds,
            layouts=layouts,
        ),
        encoding="utf-8",
    )
    began = time.monotonic()
    home = Home(folder / "cache", folder / "data")
    result = run_study(load_study(folder), home, Silent())
    (found,) = result.judged.placements
    return Trial(case, seed, found, time.monotonic() - began)


def trials(number: int, seconds: float, seed: int) -> Iterator[Trial]:
    """``number`` of each case, in random order, so that drift of the machine hits both."""
    order = [(case, seed * 1_000_000 + i) for case in CASES for i in range(number)]
    random.Random(seed).shuffle(order)
    for case, own in order:
        with tempfile.TemporaryDirectory() as folder:
            yield trial(case, own, seconds, Path(folder))


def table(done: Sequence[Trial]) -> str:
    """How often each word was said in each case, with Clopper–Pearson intervals at 95 %."""
    lines = [
        "| case | trials | " + " | ".join(WORDS) + " | said placement, 95 % interval |",
        "| --- | ---: |" + " ---: |" * len(WORDS) + " --- |",
    ]
    for case in CASES:
        words = Counter(t.placement.outcome for t in done if t.case == case)
        n, k = words.total(), words["placement"]
        if n:
            low, high = clopper_pearson(k, n)
            counts = " | ".join(str(words[w]) for w in WORDS)  # type: ignore[index]
            lines.append(f"| {case} | {n} | {counts} | {k / n:.0%} [{low:.1%}, {high:.1%}] |")
    return "\n".join(lines)


def clopper_pearson(k: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """The exact interval for a probability after ``k`` of ``n``."""
    tail = (1 - level) / 2
    low = 0.0 if k == 0 else float(stats.beta.ppf(tail, k, n - k + 1))
    high = 1.0 if k == n else float(stats.beta.ppf(1 - tail, k + 1, n - k))
    return low, high


def _line(t: Trial) -> str:
    p = t.placement
    linked, varied = (text_of(v) for v in (p.linked, p.varied))
    return (
        f"{t.case:14} {t.seed:9} {p.outcome:10} as linked {linked}; over {p.layouts} layouts "
        f"{varied}; spread {p.spread:.2%}; {t.took:.1f} s"
    )


def _json(done: Iterable[Trial]) -> str:
    return json.dumps(
        [
            {
                "case": t.case,
                "seed": t.seed,
                "word": t.placement.outcome,
                "linked": [t.placement.linked.low, t.placement.linked.high],
                "varied": [t.placement.varied.low, t.placement.varied.high],
                "spread": t.placement.spread,
                "layouts": t.placement.layouts,
                "seconds": t.took,
            }
            for t in done
        ]
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Prints every trial as it ends, and the table."""
    parser = argparse.ArgumentParser(prog="bench.placement_trials", description=__doc__)
    parser.add_argument("--trials", type=int, default=100, help="of each case")
    parser.add_argument("--seconds", type=float, default=4.0, help="of measuring, at most, a trial")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="every trial")
    args = parser.parse_args(argv)
    done: list[Trial] = []
    for each in trials(args.trials, args.seconds, args.seed):
        done.append(each)
        print(_line(each), file=sys.stderr, flush=True)
    print(table(done))
    if args.json:
        args.json.write_text(_json(done), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
