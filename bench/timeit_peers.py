"""``whyfast timeit`` beside ``python -m timeit``, ``pyperf timeit`` and ``richbench``.

    python -m bench.timeit_peers --peers VENV [--trials 10] [--seconds 4] [--into FILE --minutes 4]
                                 [--work NAME] [--only TOOL]

One statement, of 2,000 numbers, against itself and against itself with 1, 2 and 5 % more work, each
tool given about as many seconds for both sides. A trial is an alarm when the tool calls the sides
different: whyfast and pyperf say so themselves; of timeit's best times and richbench's means, which
come with no test, those that differ by 1 % or more count, as readers take them. VENV has pyperf and
richbench. Trials of all tools alternate, so that the load of the machine is the same for all. Each
is appended to FILE as it ends, and the table is of all that FILE has of that statement: after so
many minutes it stops, and goes on when started again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

SIZE = 2000
EFFECTS = (0, 1, 2, 5)


@dataclass(frozen=True)
class Work:
    """A statement on ``r``, and the setup that makes ``r`` of {n} numbers."""

    statement: str
    making: str = "r = range({n})"

    def setup(self, more: int) -> str:
        """With so many per cent more numbers."""
        return self.making.format(n=SIZE + SIZE * more // 100)


WORKS = {
    "sum": Work("sum(r)"),
    "list": Work("[x * 2 for x in r]"),
    "dict": Work("{x: x for x in r}"),
    "join": Work("'-'.join(map(str, r))"),
    "json": Work("json.dumps(r)", "import json; r = list(range({n}))"),
}

#: A difference that readers of figures without a test take for one.
SEEN = 0.01


def _run(words: list[str], **how: object) -> str:
    done = subprocess.run(words, capture_output=True, text=True, **how)  # type: ignore[call-overload]
    return str(done.stdout + done.stderr)


def _direction(ratio: float) -> str:
    return "same" if abs(ratio - 1) < SEEN else "slower" if ratio > 1 else "faster"


def whyfast(python: str, work: Work, more: int, seconds: float) -> str:
    """The word of the verdict on the second side."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        words = [sys.executable, "-m", "whyfast", "timeit", work.statement, "--different"]
        words += [
            "--setup-each",
            work.setup(0),
            "--setup-each",
            work.setup(more),
            "--python",
            python,
        ]
        # Starting, looking at both sides and reporting take some of the time.
        _run([*words, "--budget", f"{max(1, seconds - 1.5)}s", "--json", str(file)])
        (verdict,) = json.loads(file.read_text())["data"]["judged"]["verdicts"]
        return str(verdict["outcome"])


def timeit(python: str, work: Work, more: int, seconds: float) -> str:
    """Which best time is 1 % less."""

    def best(extra: int) -> float:
        repeat = max(3, round(seconds / 2 / 0.25))
        words = [
            python,
            "-m",
            "timeit",
            "-u",
            "nsec",
            "-r",
            str(repeat),
            "-s",
            work.setup(extra),
            work.statement,
        ]
        found = re.search(r"best of \d+: ([\d.e+]+) nsec", _run(words))
        assert found
        return float(found[1])

    first = best(0)
    return _direction(best(more) / first)


def pyperf(python: str, work: Work, more: int, seconds: float) -> str:
    """What compare_to says; nothing is "not significant"."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for side, extra in enumerate((0, more)):
            files.append(str(Path(folder) / f"{side}.json"))
            processes = max(2, round(seconds / 2 / 0.25))
            words = [python, "-m", "pyperf", "timeit", "-q", "-p", str(processes), "-n", "2"]
            words += ["-w", "1", "--min-time", "0.03", "-o", files[-1]]
            _run([*words, "-s", work.setup(extra), work.statement])
        text = _run([python, "-m", "pyperf", "compare_to", *files])
        found = re.search(r"(\d\.\d+)x (faster|slower)", text)
        if not found or "not significant" in text:
            return "same"
        return found[2]


def richbench(python: str, work: Work, more: int, seconds: float) -> str:
    """Which mean is 1 % less."""
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join(
            (
                f"{work.setup(0)}\na = r\n{work.setup(more)}\nb = r",
                f"def one(r=a):\n    for _ in range(200): {work.statement}",
                f"def other(r=b):\n    for _ in range(200): {work.statement}",
                "__benchmarks__ = [(one, other, 'x')]",
            )
        )
        (Path(folder) / "bench_x.py").write_text(text)
        repeat = str(max(3, round(seconds / 2 / 0.1)))
        tool = str(Path(python).parent / "richbench")
        words = [tool, "--repeat", repeat, "--times", "10", "--markdown", folder]
        output = _run(words, env={**os.environ, "COLUMNS": "200"})
        row = next(line for line in output.splitlines() if re.match(r"\s*\|?\s*x\b", line))
        cells = [c.strip() for c in row.strip().strip("|").split("|")]
        means = [float(c.split()[0]) for c in cells[3:4] + cells[6:7]]
        return _direction(means[1] / means[0])


TOOLS: dict[str, Callable[[str, Work, int, float], str]] = {
    "whyfast timeit": whyfast,
    "python -m timeit": timeit,
    "pyperf timeit": pyperf,
    "richbench": richbench,
}


def main() -> None:
    """Take trials until there are enough or the time is over, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", required=True, type=Path)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--work", choices=WORKS, default="sum")
    parser.add_argument("--only", choices=TOOLS, action="append")
    parser.add_argument("--into", type=Path, default=Path("timeit_peers.jsonl"))
    args = parser.parse_args()
    python = str((args.peers / "bin" / "python").absolute())
    end = time.monotonic() + 60 * args.minutes
    kept = (
        [json.loads(line) for line in args.into.read_text().splitlines()]
        if args.into.exists()
        else []
    )
    kept = [t for t in kept if t.get("work", "sum") == args.work]
    tools = {name: TOOLS[name] for name in args.only or TOOLS}
    have = Counter((t["tool"], t["more"]) for t in kept)
    for trial in range(1, args.trials + 1):
        for more, (name, tool) in product(EFFECTS, tools.items()):
            # As the last whole round took, or as long as was wanted of it.
            if have[name, more] >= trial or time.monotonic() + 2 * args.seconds > end:
                continue
            began = time.monotonic()
            try:
                word = tool(python, WORKS[args.work], more, args.seconds)
            except Exception as error:  # one lost trial of one tool
                print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            seconds, load = time.monotonic() - began, os.getloadavg()[0]
            kept.append(
                {
                    "tool": name,
                    "work": args.work,
                    "more": more,
                    "word": word,
                    "seconds": seconds,
                    "load": load,
                }
            )
            have[name, more] += 1
            with args.into.open("a") as file:
                print(json.dumps(kept[-1]), file=file)
    print(_table(kept))


def _table(kept: Sequence[Mapping[str, Any]]) -> str:
    """Alarms, differences found, and seconds of a trial, a row for each tool."""
    rows = [
        "| tool | seconds a trial | false alarms | 1 % found | 2 % found | 5 % found | wrong way |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in TOOLS:
        own = [t for t in kept if t["tool"] == name]
        if not own:
            continue
        cells = [f"{median(t['seconds'] for t in own):.1f}"]
        for more in EFFECTS:
            words = [t["word"] for t in own if t["more"] == more]
            counted = ("slower",) if more else ("faster", "slower")
            cells.append(f"{sum(w in counted for w in words)} of {len(words)}")
        wrong = sum(t["word"] == "faster" for t in own if t["more"])
        rows.append("| " + " | ".join([name, *cells, str(wrong)]) + " |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
