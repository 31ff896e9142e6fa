"""Does ``whyfast check`` keep its word?

    python -m bench.check FOLDER [--neighbours 2] [--part 1/4] [--seconds 1800]
    python -m bench.check FOLDER --table

Makes 200 changes that must not matter and 50 that must on three small programs, checks each with a
budget of two minutes, and keeps a line a trial in FOLDER/trials.jsonl. What is there is not done
again, so it can be run in parts, and ended at any time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.check.changes import Change, changes
from bench.check.programs import Source, written
from bench.check.table import table
from whyfast.investigate.check_run import Request, run_check
from whyfast.investigate.services import Silent
from whyfast.model.errors import UserError
from whyfast.store.home import Home


def main(argv: Sequence[str] | None = None) -> int:
    """Run the trials that are missing, or print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--harmless", type=int, default=200)
    parser.add_argument("--harmful", type=int, default=50)
    parser.add_argument("--budget", type=float, default=120.0, help="seconds a check")
    parser.add_argument("--neighbours", type=int, default=0, help="busy processes beside")
    parser.add_argument("--part", default="1/1", help="I/N: every N-th trial from the I-th on")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin none later")
    parser.add_argument("--table", action="store_true", help="only print what there is")
    args = parser.parse_args(argv)
    args.folder.mkdir(parents=True, exist_ok=True)
    log = args.folder / "trials.jsonl"
    if not args.table:
        _run(args, log)
    print(table(_trials(log)))
    return 0


def _trials(log: Path) -> list[dict[str, Any]]:
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [json.loads(line) for line in lines]


def _run(args: argparse.Namespace, log: Path) -> None:
    first, _, of = args.part.partition("/")
    done = {(t["number"], t["neighbours"]) for t in _trials(log)}
    began = time.monotonic()
    with _neighbours(args.neighbours):
        for change in changes(args.harmless, args.harmful):
            if change.number % int(of) != int(first) - 1 or time.monotonic() - began > args.seconds:
                continue
            if (change.number, args.neighbours) in done:
                continue
            trial = {**_trial(change, args.folder, args.budget), "neighbours": args.neighbours}
            with log.open("a", encoding="utf-8") as out:
                out.write(json.dumps(trial) + "\n")
            said = [trial[k] for k in ("number", "language", "kind", "percent", "said")]
            print(*said, f"{trial['seconds']:.0f} s", flush=True)


@contextlib.contextmanager
def _neighbours(number: int) -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def _trial(change: Change, folder: Path, budget: float) -> dict[str, Any]:
    repository = folder / f"repository-{change.language}"
    _commit(repository, written(change.language, change.base), "base")
    _commit(repository, written(change.language, change.head), "head")
    home = Home(folder / "cache", folder / "data")
    began = time.monotonic()
    word, moved, measured = "", "", False
    try:
        result = run_check(Request(repository, "HEAD~1..HEAD", budget=budget), home, Silent())
    except UserError as error:
        said = f"failed: {error}"
    else:
        check = result.found.check
        assert check is not None
        reach = check.reach("work")
        words = [v.outcome for v in result.judged.verdicts]
        placement = reach is not None and reach.placement_only
        word = "" if placement or not words else words[0]
        moved = words[0] if placement and words else ""
        measured = not check.code.same
        said = f"{moved} by placement" if moved else word or ("" if measured else "same code")
        said += "; " + "; ".join(
            f"{f.benchmark} failed in {f.variant}: {f.reason}" for f in result.recorded.failures
        )
    return {
        "number": change.number,
        "language": change.language,
        "kind": change.kind,
        "percent": change.percent,
        "word": word,
        "moved": moved,
        "measured": measured,
        "said": said.removesuffix("; "),
        "seconds": round(time.monotonic() - began, 1),
    }


def _commit(repository: Path, source: Source, message: str) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
        subprocess.run(["git", *who, *words], cwd=repository, check=True)

    if not repository.exists():
        repository.mkdir(parents=True)
        git("init", "-q", "-b", "main")
    for name, text in {source.file: source.text, **source.others}.items():
        (repository / name).write_text(text, encoding="utf-8")
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", message)


if __name__ == "__main__":
    sys.exit(main())
