"""``whyfast explain --run``: what programs do while they run."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def count(
    console: Any, args: argparse.Namespace, labels: Sequence[str]
) -> tuple[dict[str, object], bool]:
    """Run, count and print; returns the JSON data, and whether a program or tool failed.

    Raises UserError for arguments and files that cannot do.
    """
    from whyfast.cli.arguments import duration
    from whyfast.explain.hot import hot_functions
    from whyfast.explain.program import load
    from whyfast.investigate.counting import file_tasks
    from whyfast.investigate.outside import Outside
    from whyfast.measure.count import count_program
    from whyfast.measure.doctor.system import Files
    from whyfast.measure.geometry import read_geometry
    from whyfast.report.codec import encode
    from whyfast.report.counters_table import print_counts
    from whyfast.store.home import home

    arguments = _split(args.run)
    commits = _commits(args.commits)
    timeout = duration(args.timeout, f"--timeout {args.timeout}")
    for file in args.files:
        _check(file)
    programs = [load(file) for file in args.files]
    geometry = read_geometry(Files())
    counts = []
    named = list(zip(labels, args.files, strict=True))
    given = file_tasks(named, arguments, home(), Outside(), timeout, args.profiler, console.print)
    with given as (tasks, valgrind):
        for task in tasks:
            with console.status(f"counting {task.variant}"):
                counts.append(count_program(task, geometry, args.profiler, valgrind))
    profiled = [(c, p) for c, p in zip(counts, programs, strict=True) if c.profile]
    # Shares of instructions and of samples cannot stand side by side.
    kinds = {c.profile.main for c, _ in profiled if c.profile}
    comparable = len(kinds) == 1 and len(profiled) == len(counts)
    functions, overlaps = (
        hot_functions([c.profile for c in counts if c.profile], programs, labels, geometry.l1i)
        if comparable
        else ([], [])
    )
    print_counts(counts, functions, overlaps, console)
    if profiled and not comparable:
        console.print("\nThe profiles are not all of the same kind, so functions are not compared.")
    touched = _touched(console, args, commits, [f.name for f in functions if not f.object])
    document: dict[str, object] = {
        **touched,
        "counts": [encode(c) for c in counts],
        "hot": [encode(f) for f in functions],
        "overlap": [encode(o) for o in overlaps],
    }
    return document, any(c.failed for c in counts)


def _commits(text: str | None) -> tuple[str, str] | None:
    """The two revisions of ``--commits``."""
    from whyfast.model.errors import UserError

    if text is None:
        return None
    base, dots, head = text.partition("..")
    if not (base and dots and head) or head.startswith("."):
        raise UserError("write two revisions as BASE..HEAD", where=f"--commits {text}")
    return base, head


def _touched(
    console: Any, args: argparse.Namespace, commits: tuple[str, str] | None, hot: Sequence[str]
) -> dict[str, object]:
    """What ``--commits`` touches, said and as JSON data; nothing without that option."""
    from whyfast.explain.changed_functions import touched_functions
    from whyfast.report.codec import encode
    from whyfast.report.counters_table import print_touched

    if commits is None:
        return {}
    touched = touched_functions(args.repo, *commits, args.files[-1])
    print_touched(touched, hot, console)
    return {"touched": {**encode(touched), "hot": touched.of(hot)}}


def _split(text: str) -> list[str]:
    from whyfast.model.errors import UserError

    try:
        return shlex.split(text)
    except ValueError as error:
        raise UserError(str(error), where=f"--run {text}") from None


def _check(file: Path) -> None:
    from whyfast.model.errors import UserError

    if not file.exists():
        raise UserError("no such file", where=file)
    if not os.access(file, os.X_OK):
        raise UserError("is not executable, so it cannot be run (--run)", where=file)
