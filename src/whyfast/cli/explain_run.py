"""``whyfast explain --run``: what programs do while they run."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whyfast.measure.simulate import RunPlace, Valgrind


def count(
    console: Any, args: argparse.Namespace, labels: Sequence[str]
) -> tuple[dict[str, object], bool]:
    """Run, count and print; returns the JSON data, and whether a program or tool failed.

    Raises UserError for arguments and files that cannot do.
    """
    from whyfast.cli.arguments import duration
    from whyfast.explain.hot import hot_functions
    from whyfast.explain.program import load
    from whyfast.measure.count import count_program
    from whyfast.measure.doctor.system import Files
    from whyfast.measure.geometry import read_geometry
    from whyfast.measure.launch import SystemLauncher
    from whyfast.report.codec import encode
    from whyfast.report.counters_table import print_counts

    arguments = _split(args.run)
    commits = _commits(args.commits)
    timeout = duration(args.timeout, f"--timeout {args.timeout}")
    for file in args.files:
        _check(file)
    programs = [load(file) for file in args.files]
    geometry = read_geometry(Files())
    counts = []
    with _places(args.files, args.profiler, console) as (places, valgrind):
        for file, label, place in zip(args.files, labels, places, strict=True):
            with console.status(f"counting {label}"):
                counts.append(
                    count_program(
                        file,
                        arguments,
                        variant=label,
                        launcher=SystemLauncher(),
                        geometry=geometry,
                        env=os.environ,
                        timeout=timeout,
                        profiler=args.profiler,
                        place=place,
                        valgrind=valgrind,
                    )
                )
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


@contextlib.contextmanager
def _places(
    files: Sequence[Path], profiler: str, console: Any
) -> Iterator[tuple[list[RunPlace], Valgrind | None]]:
    """Where each program is run, and what simulates it: those that were built in a root of their
    own run in it, under a Valgrind that is seen there."""
    import tempfile

    from whyfast.investigate.built_program import entrances_of
    from whyfast.investigate.valgrind_choice import choose_valgrind
    from whyfast.measure.launch import SystemLauncher
    from whyfast.measure.simulate import CannotCount, RunPlace
    from whyfast.store.home import home
    from whyfast.toolchain.valgrind import valgrind_root

    own, here = home(), Path.cwd()
    if not any(entrances_of(files, own, start=here)):
        yield [RunPlace()] * len(files), None
        return
    valgrind = None
    if profiler == "callgrind":
        with contextlib.suppress(CannotCount):
            valgrind = choose_valgrind(
                SystemLauncher(), os.environ, own, rooted=True, note=console.print
            )
    scratch = own.cache / "counting"
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=scratch, prefix="run-") as folder:
        tool = valgrind_root(own)
        enter = entrances_of(files, own, start=here, readable=(tool,), writable=(Path(folder),))
        yield [RunPlace(words, Path(folder)) for words in enter], valgrind


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
