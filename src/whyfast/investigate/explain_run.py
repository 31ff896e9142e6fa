"""Programs without a study: each is run and counted, and its hot functions are found."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from whyfast.explain.hot import hot_functions
from whyfast.explain.program import load
from whyfast.explain.source_lines import TouchedFunctions, touched_functions
from whyfast.investigate.counting import file_tasks
from whyfast.investigate.services import Services
from whyfast.measure.count import Profiler, count_program
from whyfast.measure.doctor.system import System
from whyfast.measure.simulate import read_geometry
from whyfast.model.counters import Counts, HotFunction, Overlap
from whyfast.model.errors import UserError
from whyfast.store.home import Home


@dataclass(frozen=True)
class FileCounts:
    """The counts of each program, hot functions where these are comparable, and the functions that
    commits touch, None without commits."""

    counts: Sequence[Counts]
    hot: Sequence[HotFunction]
    overlaps: Sequence[Overlap]
    touched: TouchedFunctions | None


@dataclass(frozen=True)
class CountRequest:
    """Programs by their labels, all run with the same arguments; ``timeout`` is for one run.

    ``commits`` are a repository and two revisions; the last program is built from the second.
    """

    programs: Sequence[tuple[str, Path]]
    arguments: Sequence[str]
    timeout: float
    profiler: Profiler
    commits: tuple[Path, str, str] | None


def count_files(
    request: CountRequest,
    home: Home,
    note: Callable[[str], None],
    counting: Callable[[str], AbstractContextManager[object]],
) -> FileCounts:
    """Run and count each program, inside ``counting``. UserError for files that cannot be run."""
    files = [file for _, file in request.programs]
    for file in files:
        if not file.exists():
            raise UserError("no such file", where=file)
        if not os.access(file, os.X_OK):
            raise UserError("not executable, so --run cannot run it", where=file)
    programs = [load(file) for file in files]
    geometry = read_geometry(System())
    counts = []
    given = file_tasks(
        request.programs,
        request.arguments,
        home,
        Services(),
        request.timeout,
        request.profiler,
        note,
    )
    with given as (tasks, valgrind):
        for task in tasks:
            with counting(task.variant):
                counts.append(count_program(task, geometry, request.profiler, valgrind))
    profiles = [c.profile for c in counts if c.profile]
    # Shares of instructions and of samples are not comparable.
    comparable = len({p.main for p in profiles}) == 1 and len(profiles) == len(counts)
    labels = [label for label, _ in request.programs]
    functions, overlaps = (
        hot_functions(profiles, programs, labels, geometry.l1i) if comparable else ([], [])
    )
    commits = request.commits
    touched = touched_functions(*commits, files[-1]) if commits else None
    return FileCounts(counts, functions, overlaps, touched)
