"""The thirteen expressions of the FASTCALL study through ``whyfast timeit``.

    python -m bench.fastcall_timeit [--old 2.7] [--new 3.13] [--budget 6s]

Prints the ratio of the new interpreter over the old one for each. docs/studies/fastcall.md has the
study's own figures, which hold the loop around each call; timeit subtracts it, so a call of 20 ns
lies further from 1 here.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SUBJECT = Path(__file__).resolve().parents[1] / "subjects/callconv"


def _rows() -> list[tuple[str, str, str]]:
    """(name, statement, setup) of each expression."""
    sys.path.insert(0, str(SUBJECT))
    expressions: Any = importlib.import_module("expressions")
    rows = []
    for name, make in expressions.EXPRESSIONS:
        work = make()
        names = work.loop.__code__.co_varnames[2 : 2 + len(work.watched)]
        # In 2.7 a dictionary of names has another order than here.
        setup = (
            f"import sys; sys.path.insert(0, {str(SUBJECT)!r})\n"
            "from expressions import EXPRESSIONS\n"
            f"work = dict(EXPRESSIONS)[{name!r}]()\n"
            "values = dict(zip(work.loop.__code__.co_varnames[2:], work.watched))\n"
            + "\n".join(f"{each} = values[{each!r}]" for each in names)
        )
        rows.append((name, work.expression, setup))
    return rows


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--old", default="2.7")
    parser.add_argument("--new", default="3.13")
    parser.add_argument("--budget", default="6s")
    args = parser.parse_args()
    print(f"| row | {args.old} | {args.new} | over {args.old} | interval | verdict |")
    print("| --- | ---: | ---: | ---: | --- | --- |")
    for name, statement, setup in _rows():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "result.json"
            words = [sys.executable, "-m", "whyfast", "timeit", statement, "-s", setup]
            words += ["--python", args.old, "--python", args.new, "--different"]
            words += ["--budget", args.budget, "--json", str(file)]
            done = subprocess.run(words, capture_output=True, text=True)
            if not file.exists():
                print(f"| {name} | {done.stderr.strip().splitlines()[-1]} |", flush=True)
                continue
            data = json.loads(file.read_text())["data"]
        (verdict,) = data["judged"]["verdicts"]
        times = [f"{1e9 * loop['time']['seconds']:.3g} ns" for loop in data["found"]["loops"]]
        low, high = (float(verdict[end]) for end in ("low", "high"))  # "inf" of too few blocks
        interval = f"[{low:.3f}, {high:.3f}]"
        cells = (name, *times, f"{verdict['ratio']:.3f}", interval, verdict["outcome"])
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
