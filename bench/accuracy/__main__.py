"""``make bench-accuracy``: trials, a table, and the raw outcome of each trial as JSON.

Every trial is one comparison of two commands by one tool, from start to verdict, within the given
machine time. Tools take trials in random order, so that drift hits all of them alike. A trial of
"none" asks two identical programs, "moved" the same objects linked in another order; the others
are exact slow-downs of the second program.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from bench.accuracy import tools
from bench.accuracy.programs import STEPS, WHOLE_LOOPS, Programs, build
from bench.accuracy.table import tables
from whyfast.measure.doctor import System
from whyfast.measure.doctor.environment import environment
from whyfast.store.home import Home, home
from whyfast.toolchain.wheels import pyperf_folder

EFFECTS = {"none": 0.0, "moved": 0.0, "0.5 %": 0.005, "1 %": 0.01, "2 %": 0.02, "5 %": 0.05}
#: Seconds of machine time a trial.
SECONDS = {"quiet": 2.0, "busy": 4.0}
#: whyfast, of the whole runs that other tools are given.
WHOLE = "whyfast, whole runs"


@contextmanager
def neighbours(busy: bool) -> Iterator[None]:
    """One endless loop a CPU, when busy."""
    count = (os.cpu_count() or 1) if busy else 0
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        time.sleep(0.5 if loops else 0)
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def one(
    tool: str,
    effect: str,
    setting: str,
    programs: Programs,
    place: Home,
    work: Path,
    packages: Path,
    pace: tools.Pace,
) -> tools.Said:
    slower = round(STEPS * (1 + EFFECTS[effect]))
    seconds = SECONDS[setting]
    if tool == "whyfast":
        return tools.whyfast(programs, STEPS, slower, seconds, place, effect == "moved")
    if tool == WHOLE:
        return tools.whole_runs(programs, STEPS, slower, WHOLE_LOOPS, seconds, place)
    if tool == "hyperfine":
        return tools.hyperfine(programs, STEPS, slower, pace, WHOLE_LOOPS, work)
    return tools.pyperf(programs, STEPS, slower, pace, WHOLE_LOOPS, work, packages)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.accuracy", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about 2 minutes instead of 20")
    parser.add_argument("--minutes", type=float, default=None, help="how long in all")
    parser.add_argument("--json", type=Path, default=None, help="every trial")
    parser.add_argument("--only-equal", action="store_true", help="whyfast on identical programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--add", type=Path, default=None, help="trials of an earlier run, as JSON")
    args = parser.parse_args()
    minutes = args.minutes or (2 if args.quick else 20)
    rng = random.Random(args.seed)
    trials: list[dict[str, object]] = json.loads(args.add.read_text()) if args.add else []
    packages = pyperf_folder(home(), print)
    print(f"{platform.node()}: {environment(System()).get('cpu_model')}, {os.cpu_count()} CPUs, "
          f"load {os.getloadavg()[0]:.2f}; {minutes:g} minutes", flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="whyfast-accuracy-") as folder:
        work = Path(folder)
        programs = build(work / "programs")
        place = Home(work / "cache", work / "data")
        for setting in SECONDS:
            paces = {t: tools.Pace(SECONDS[setting]) for t in (*tools.available(), WHOLE)}
            deadline = time.monotonic() + minutes * 30
            with neighbours(setting == "busy"):
                while time.monotonic() < deadline:
                    # whyfast is asked most about equal programs, where the rarest error is.
                    every = (*tools.available(), WHOLE)
                    plan = [(t, e) for t in every for e in EFFECTS if e != "moved"]
                    plan += [("whyfast", "none"), ("whyfast", "none"), ("whyfast", "moved")]
                    if args.only_equal:
                        plan = [("whyfast", "none"), (WHOLE, "none")]
                    for tool, effect in rng.sample(plan, len(plan)):
                        if time.monotonic() >= deadline:
                            break
                        said = one(
                            tool, effect, setting, programs, place, work, packages, paces[tool]
                        )
                        trials.append(
                            {"tool": tool, "effect": effect, "setting": setting, **asdict(said)}
                        )
    if args.json:
        args.json.write_text(json.dumps(trials, indent=0))
    print(tables(trials, EFFECTS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
