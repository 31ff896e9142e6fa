"""What an optimiser does with one source file of a study, as candidates of a search."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from whyfast.build.mixed import CannotMix
from whyfast.investigate.outside import Outside
from whyfast.investigate.work import Work
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.model.toolchain import Toolchain
from whyfast.model.variant import Variant
from whyfast.search.axes.candidate import AxisCandidate
from whyfast.search.axes.compilers import compiler_of
from whyfast.search.axes.counters import LIST as LIST_COUNTERS
from whyfast.search.axes.counters import read_counters
from whyfast.search.axes.line import CandidateLine, LineSearch
from whyfast.search.axes.objects import as_asked, built_with, link_of, link_one, linked
from whyfast.search.axes.passes import LIST as LIST_PASSES
from whyfast.search.axes.passes import (
    OptimiserRun,
    functions_of,
    limited,
    passes,
    read_passes,
    run_of,
)
from whyfast.search.study_subject import build_alone, without_layouts
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.toolchain.provider import Progress

#: Of source files, as compilers know them.
_SUFFIXES = ("c", "cc", "cpp", "cxx", "C")


def pass_line(work: Work[Study], variant: Variant, search: LineSearch) -> CandidateLine:
    """A candidate a limit; with ``search.object`` that object alone is limited and linked with the
    others as they are. LLVM's passes are limited, and gcc's counters of what its passes do.

    UserError for a compiler that has no such limit, for objects that are not there, and where
    several files are compiled and no object is named.
    """
    work = replace(work, question=without_layouts(work.question))  # but for candidates
    by_gcc = compiler_of(work, variant, "--axis passes").startswith("gcc")
    flags, read = (LIST_COUNTERS, read_counters) if by_gcc else (LIST_PASSES, read_passes)
    what = f"{variant.toolchain} with {' '.join(flags)}"
    if search.object:
        limiting = replace(work, outside=limiting_one(work.outside, search.object, flags))
        listing = _built(limiting, replace(variant, expect={}, axes={}), what)
    else:
        listing = _built(work, limited(variant, flags), what)
    log = BuildStore(work.home.builds).folder(built_with(listing).build.digest) / "log.txt"
    runs: Sequence[OptimiserRun] = read(log.read_text("utf-8", "replace"))
    functions = _functions(listing, search.object) if search.object else frozenset[str]()
    if not runs:
        raise UserError(
            f"{variant.toolchain} tells of no passes; they are searched with clang and gcc",
            where="--axis passes",
        )
    if not search.object:
        if len(runs) > 1:
            raise UserError(
                f"{len(runs)} files are compiled; name the object of one, of {_objects(listing)}",
                where="--object",
            )
        return CandidateLine(passes(runs[0], search.good, search.bad, variant))
    return _of_object(work, variant, search, run_of(runs, functions))


def _of_object(
    work: Work[Study], variant: Variant, search: LineSearch, run: OptimiserRun
) -> CandidateLine:
    link_of(work)
    whole = _built(work, variant, variant.name)

    def make(work: Work[Study], candidate: AxisCandidate, name: str) -> Work[Study]:
        limiting = limiting_one(work.outside, search.object, run.flags(int(candidate.name)))
        plain = replace(variant, name=name, expect={}, axes={})
        bare = without_layouts(work.question)
        made = build_alone(replace(work, outside=limiting, question=bare), plain)
        (outcome,) = made.builds
        if isinstance(outcome, BuildFailure):
            return made
        try:
            program = link_one(whole, made, search.object, BuildStore(work.home.builds))
        except CannotMix as why:
            return replace(made, builds=(BuildFailure(name, "failed", str(why)),), evidence=())
        return linked(as_asked(whole, work), name, program, built_with(whole))

    return CandidateLine(passes(run, search.good, search.bad, variant), make)


def limiting_one(outside: Outside, name: str, flags: Sequence[str]) -> Outside:
    """With compilers that get ``flags`` where they compile the source of that object alone: what is
    limited crashes here and there, and the other files are not what is asked about."""
    stem = PurePosixPath(name).stem
    sources = "|".join(shlex.quote(n) for n in (stem, *(f"{stem}.{s}" for s in _SUFFIXES)))
    script = (
        f'for w in "$@"; do case "${{w##*/}}" in {sources}) '
        f'exec "$@" {shlex.join(flags)};; esac; done; exec "$@"'
    )

    def resolve(
        name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        found = outside.toolchain(name, home, progress, packages)
        seen = found.readable if found.root else (*found.readable, Path(found.cc[0]).parent)
        return replace(found, cc=("/bin/sh", "-c", script, "cc", *found.cc), readable=seen)

    return replace(outside, toolchain=resolve)


def _functions(listing: Work[Study], name: str) -> frozenset[str]:
    """Those of an object that was made; UserError when there are none, or no such object."""
    file = built_with(listing).work / name
    functions = functions_of(file) if file.is_file() else frozenset()
    if not functions:
        raise UserError(
            f"no object with functions; there are {_objects(listing)}", where=f"--object {name}"
        )
    return functions


def _objects(made: Work[Study]) -> str:
    folder = built_with(made).work
    names = [str(p.relative_to(folder)) for p in sorted(folder.rglob("*.o"))]
    return ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")


def _built(work: Work[Study], variant: Variant, what: str) -> Work[Study]:
    made = build_alone(work, variant)
    (outcome,) = made.builds
    if not isinstance(outcome, Build):
        raise UserError(f"{what} cannot be built: {outcome.reason}", where="--axis passes")
    return made
