"""`whyfast new`, then `whyfast check` of each of the last commits, on checkouts of real projects.

    python -m bench.field --commits 40 --budget 60s FOLDER FOLDER…

Each FOLDER is a checkout with a clean work tree; nothing is fetched but what `whyfast new` fetches.
A commit is compared with its first parent. Prints a line for each commit and a table in Markdown.
--json appends the lines to a file and goes on behind those that it has, so that a long list can be
done in several short runs. Everything runs in a copy, so the checkouts stay as they are; --copies
keeps them in a folder, so that a later run goes on with the same study.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Row:
    """``outcome`` in words: ``same code``, a verdict, ``no changed code runs``, or why not;
    ``detail``: what the check found changed, and its notes, a line each."""

    project: str
    commit: str
    subject: str
    outcome: str
    seconds: float
    load: float
    detail: str = ""


def main() -> None:
    """Run it; see the text above."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--budget", default="3m")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one command")
    parser.add_argument(
        "--stop", type=float, default=1e9, help="seconds after which no commit is begun"
    )
    parser.add_argument("--json", type=Path)
    parser.add_argument("--copies", type=Path)
    args = parser.parse_args()
    rows: list[Row] = []
    if args.json and args.json.exists():
        rows = [Row(**json.loads(line)) for line in args.json.read_text().splitlines()]
    began = time.monotonic()
    for folder in args.folders:
        done = {r.commit for r in rows if r.project == folder.name}
        for row in project(folder.resolve(), args, done, began):
            rows.append(row)
            print(f"{row.project} {row.commit} {row.seconds:6.0f} s  {row.outcome}", flush=True)
            if args.json:
                with args.json.open("a") as out:
                    out.write(json.dumps(asdict(row)) + "\n")
    print(table(rows))


def project(folder: Path, args: argparse.Namespace, done: set[str], began: float) -> Iterator[Row]:
    """The rows of one project that are not done, the newest commit first, until the time is up."""
    with contextlib.ExitStack() as stack:
        place = args.copies or stack.enter_context(tempfile.TemporaryDirectory(prefix="field-"))
        copy = Path(place, folder.name).resolve()
        if not copy.exists():
            subprocess.run(["git", "clone", "-q", str(folder), str(copy)], check=True)
        if not (copy / "whyfast.toml").exists():
            status, output, seconds = whyfast(["new"], copy, args.limit)
            said = f"exit code {status}: {last(output)}" if status else "written"
            if "new" not in done:
                yield Row(folder.name, "new", "", said, seconds, load(), output)
        if not (copy / "whyfast.toml").exists():
            return
        log = git(copy, "log", f"-{args.commits}", "--first-parent", "--format=%h %s")
        for line in log.splitlines():
            if time.monotonic() - began > args.stop:
                return
            commit, _, subject = line.partition(" ")
            if commit in done or not git(copy, "rev-parse", "-q", "--verify", f"{commit}~1"):
                continue
            file = copy.with_suffix(".json")
            file.unlink(missing_ok=True)
            words = ["check", f"{commit}~1..{commit}", "--budget", args.budget, "--json", str(file)]
            status, output, seconds = whyfast(words, copy, args.limit)
            said, detail = outcome(file) if file.exists() else (last(output), output)
            yield Row(folder.name, commit, subject, said, seconds, load(), detail)


def whyfast(words: list[str], folder: Path, limit: float) -> tuple[int, str, float]:
    """Exit code, output and seconds."""
    command = [sys.executable, "-m", "whyfast", *words]
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=limit, check=False
        )
        status, output = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        status, output = -1, f"still running after {limit:.0f} s"
    return status, output, time.monotonic() - start


def outcome(file: Path) -> tuple[str, str]:
    """The answer of a check in few words, and what it found changed, by its JSON."""
    data: dict[str, Any] = json.loads(file.read_text())["data"]
    check, failures = data["found"]["check"], data["recorded"]["failures"]
    unmoved = [r for r in check["reaches"] if r["executes"] != []]
    moved = {r["benchmark"] for r in check["reaches"]} - {r["benchmark"] for r in unmoved}
    verdicts = [v for v in data["judged"]["verdicts"] if v["benchmark"] not in moved]
    lines = [f"{f['kind']} {f['name']} {f['sizes']}" for f in check["code"]["functions"]]
    lines += [f"not linked: {', '.join(check['not_linked'])}"] if check["not_linked"] else []
    lines += [f"{r['benchmark']} executes {r['executes']} {r['why']}" for r in check["reaches"]]
    lines += [f"failed: {f['benchmark']}: {f['reason']}" for f in failures]
    return _answer(check, moved, unmoved, verdicts, failures), "\n".join(
        [*lines, *check["code"]["reasons"], *check["notes"]]
    )


def _answer(
    check: dict[str, Any],
    moved: set[str],
    unmoved: list[dict[str, Any]],
    verdicts: list[dict[str, Any]],
    failures: list[dict[str, Any]],
) -> str:
    if check["code"]["same"]:
        return "same code"
    different = [v for v in verdicts if v["outcome"] in ("faster", "slower")]
    if different:
        worst = max(different, key=lambda v: abs(v["ratio"] - 1))
        return f"{worst['outcome']} {worst['ratio']:.4f} on {worst['benchmark']}"
    if failures and not verdicts:
        return f"failed: {failures[0]['reason']}"
    if moved and not unmoved:
        return "no changed code runs"
    if not verdicts:
        return f"not measured: {(check['notes'] or ['no benchmark is left'])[0]}"
    if len(verdicts) == len(unmoved) and all(v["outcome"] == "same" for v in verdicts):
        return "same time"
    counted = [r["instructions"] for r in unmoved]
    if not all(counted):
        return "undecided"
    base, head = max(counted, key=lambda pair: abs(pair[1] / pair[0] - 1))
    return f"undecided, {(head / base - 1) * 100:+.3f} % instructions"


#: What is answered without measuring, and by measuring.
_CODE = ("same code", "no changed code runs")
_TIMES = ("same time", "faster", "slower")


def table(rows: list[Row]) -> str:
    """A line for each project."""
    kinds = (*_CODE, *_TIMES, "undecided")
    lines = [
        "| project | commits | " + " | ".join(kinds) + " | failed | median min | longest min |"
    ]
    lines.append("| --- |" + " ---: |" * (len(kinds) + 4))
    names = list(dict.fromkeys(row.project for row in rows))
    for name in (*names, "all"):
        checks = [r for r in rows if name in (r.project, "all") and r.commit != "new"]
        counts = [sum(r.outcome.startswith(kind) for r in checks) for kind in kinds]
        times = [r.seconds / 60 for r in checks] or [0.0]
        cells = [name, len(checks), *counts, len(checks) - sum(counts)]
        cells += [f"{statistics.median(times):.1f}", f"{max(times):.1f}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def git(folder: Path, *words: str) -> str:
    """What it prints."""
    command = ["git", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return str(done.stdout)


def last(output: str) -> str:
    """The last line of what a command said."""
    return (output.strip().splitlines() or ["nothing was said"])[-1]


def load() -> float:
    """Programs that want to run, over a minute."""
    return os.getloadavg()[0]


if __name__ == "__main__":
    main()
