"""``whyfast timeit`` beside ``python -m timeit``, ``pyperf timeit`` and ``richbench``.

    python -m bench.timeit_peers --peers VENV [--trials 10] [--seconds 4]

One statement against itself and against itself with 1, 2 and 5 % more work, each tool given about
as many seconds for both sides. A trial is an alarm when the tool calls the sides different: whyfast
and pyperf say so themselves; of timeit's best times and richbench's means, which come with no test,
those that differ by 1 % or more count, as readers take them. VENV has pyperf and richbench. Trials
of all tools alternate, so that the load of the machine is the same for all.
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
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

SIZE = 2000
EFFECTS = (0, 1, 2, 5)
_WORK = "sum(r)"

#: A difference that readers of figures without a test take for one.
SEEN = 0.01


def _setup(more: int) -> str:
    return f"r = range({SIZE + SIZE * more // 100})"


def _run(words: list[str], **how: object) -> str:
    done = subprocess.run(words, capture_output=True, text=True, **how)  # type: ignore[call-overload]
    return str(done.stdout + done.stderr)


def _direction(ratio: float) -> str:
    return "same" if abs(ratio - 1) < SEEN else "slower" if ratio > 1 else "faster"


def whyfast(python: str, more: int, seconds: float) -> str:
    """The word of the verdict on the second side."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "result.json"
        words = [sys.executable, "-m", "whyfast", "timeit", _WORK, "--different"]
        words += ["--setup-each", _setup(0), "--setup-each", _setup(more), "--python", python]
        # Starting, looking at both sides and reporting take some of the time.
        _run([*words, "--budget", f"{max(1, seconds - 1.5)}s", "--json", str(file)])
        (verdict,) = json.loads(file.read_text())["data"]["judged"]["verdicts"]
        return str(verdict["outcome"])


def timeit(python: str, more: int, seconds: float) -> str:
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
            _setup(extra),
            _WORK,
        ]
        found = re.search(r"best of \d+: ([\d.e+]+) nsec", _run(words))
        assert found
        return float(found[1])

    first = best(0)
    return _direction(best(more) / first)


def pyperf(python: str, more: int, seconds: float) -> str:
    """What compare_to says; nothing is "not significant"."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for side, extra in enumerate((0, more)):
            files.append(str(Path(folder) / f"{side}.json"))
            processes = max(2, round(seconds / 2 / 0.25))
            words = [python, "-m", "pyperf", "timeit", "-q", "-p", str(processes), "-n", "2"]
            words += ["-w", "1", "--min-time", "0.03", "-o", files[-1]]
            _run([*words, "-s", _setup(extra), _WORK])
        text = _run([python, "-m", "pyperf", "compare_to", *files])
        found = re.search(r"(\d\.\d+)x (faster|slower)", text)
        if not found or "not significant" in text:
            return "same"
        return found[2]


def richbench(python: str, more: int, seconds: float) -> str:
    """Which mean is 1 % less."""
    with tempfile.TemporaryDirectory() as folder:
        text = "\n".join(
            (
                f"a, b = range({SIZE}), range({SIZE + SIZE * more // 100})",
                "def one():\n    for _ in range(200): sum(a)",
                "def other():\n    for _ in range(200): sum(b)",
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


TOOLS: dict[str, Callable[[str, int, float], str]] = {
    "whyfast timeit": whyfast,
    "python -m timeit": timeit,
    "pyperf timeit": pyperf,
    "richbench": richbench,
}


def main() -> None:
    """Print a table of alarms, of differences found, and of the seconds of a trial."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--peers", required=True, type=Path)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=4.0)
    args = parser.parse_args()
    python = str((args.peers / "bin" / "python").absolute())
    found: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    spent: defaultdict[str, list[float]] = defaultdict(list)
    for trial in range(args.trials):
        for more in EFFECTS:
            for name, tool in TOOLS.items():
                began = time.monotonic()
                try:
                    found[name, more].append(tool(python, more, args.seconds))
                except Exception as error:  # one lost trial of one tool
                    print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
                spent[name].append(time.monotonic() - began)
        load = os.getloadavg()[0]
        print(f"trial {trial + 1}: load {load:.1f}", file=sys.stderr, flush=True)
    print(
        "| tool | seconds a trial | false alarms | 1 % found | 2 % found | 5 % found | wrong way |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in TOOLS:
        cells = [f"{sorted(spent[name])[len(spent[name]) // 2]:.1f}"]
        alarms = [w for w in found[name, 0] if w in ("faster", "slower")]
        cells.append(f"{len(alarms)} of {len(found[name, 0])}")
        for more in EFFECTS[1:]:
            words = found[name, more]
            cells.append(f"{sum(w == 'slower' for w in words)} of {len(words)}")
        wrong = sum(w == "faster" for more in EFFECTS[1:] for w in found[name, more])
        print("| " + " | ".join([name, *cells, str(wrong)]) + " |")


if __name__ == "__main__":
    main()
