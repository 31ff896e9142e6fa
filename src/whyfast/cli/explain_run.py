"""``whyfast explain --run``: what programs do while they run."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyfast.explain.source_lines import TouchedFunctions
    from whyfast.report.document import ReportSection


def count(
    args: argparse.Namespace, labels: Sequence[str]
) -> tuple[ReportSection | None, dict[str, object], bool]:
    """Run and count; returns what is shown, the same as data, and whether a program or tool failed.

    Raises UserError for arguments and files that cannot do.
    """
    from rich.console import Console
    from rich.text import Text

    from whyfast.cli.arguments import duration
    from whyfast.explain.hot import hot_functions
    from whyfast.explain.program import load
    from whyfast.investigate.counting import file_tasks
    from whyfast.investigate.services import Services
    from whyfast.measure.count import count_program
    from whyfast.measure.doctor.system import System
    from whyfast.measure.simulate import read_geometry
    from whyfast.model.codec import encode
    from whyfast.report.formatting import escape_controls
    from whyfast.report.sections.counters_shown import counts_section
    from whyfast.store.home import own_home

    console = Console(stderr=True)
    arguments = _split(args.run)
    commits = _commits(args.commits)
    timeout = duration(args.timeout, f"--timeout {args.timeout}")
    for file in args.files:
        _check(file)
    programs = [load(file) for file in args.files]
    geometry = read_geometry(System())
    counts = []
    named = list(zip(labels, args.files, strict=True))
    given = file_tasks(
        named, arguments, own_home(), Services(), timeout, args.profiler, console.print
    )
    with given as (tasks, valgrind):
        for task in tasks:
            with console.status(Text(f"counting {escape_controls(task.variant)}")):
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
    touched = _touched(args, commits)
    hot = [f.name for f in functions if not f.object]
    data: dict[str, object] = {
        **({} if touched is None else {"touched": {**encode(touched), "hot": touched.of(hot)}}),
        "counts": [encode(c) for c in counts],
        "hot": [encode(f) for f in functions],
        "overlap": [encode(o) for o in overlaps],
    }
    section = counts_section(counts, functions, overlaps, touched)
    return section, data, any(c.failed for c in counts)


def _commits(text: str | None) -> tuple[str, str] | None:
    """The two revisions of ``--commits``."""
    from whyfast.model.errors import UserError

    if text is None:
        return None
    base, dots, head = text.partition("..")
    if not (base and dots and head) or head.startswith("."):
        raise UserError("write two revisions as BASE..HEAD", where=f"--commits {text}")
    return base, head


def _touched(args: argparse.Namespace, commits: tuple[str, str] | None) -> TouchedFunctions | None:
    """What ``--commits`` touches, None without that option."""
    from whyfast.explain.source_lines import touched_functions

    return touched_functions(args.repo, *commits, args.files[-1]) if commits else None


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
