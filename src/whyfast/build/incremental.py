"""Builds that go on from what the last one left, for a search over commits or over flags.

One folder serves all builds that are equal but for source and flags: equal files keep their date,
and the steps compile what has changed. With other flags all that was compiled is removed first.
What came out is copied away under a digest of its own: it is no build by its inputs alone."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import shutil
import time
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.build import run
from whyfast.build.recipe import BASE_ENVIRONMENT, Recipe, SourceTree, source_size
from whyfast.build.steps import Steps, expand_steps
from whyfast.build.unfinished import COMPILED
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.errors import CannotBuildHere
from whyfast.store.builds import BuildStore
from whyfast.store.files import exclusive, lacking, sha256_of
from whyfast.toolchain.provider import Progress

#: Inputs that change what is compiled, and nothing that make could see.
_FLAGS = ("cflags", "ldflags")


class _CannotGoOn(Exception):
    """Why the folder cannot be used for this build."""


def build_incrementally(
    recipes: Sequence[Recipe],
    store: BuildStore,
    progress: Progress,
    seconds: float = math.inf,
) -> list[BuildOutcome]:
    """Every recipe as a build or a failure, in the given order, one after the other. A clean build
    that is there already is taken. Where the steps fail in the used folder, it is emptied and the
    build is made clean: only that can fail a candidate. ``seconds`` is the limit of all."""
    end = time.monotonic() + seconds
    return [_build_one(r, store, progress, end - time.monotonic()) for r in recipes]


def marked(recipe: Recipe) -> Recipe:
    """The recipe under whose digest the store keeps a build from a used folder."""
    return replace(recipe, inputs={**recipe.inputs, "incremental": True})


def slot_of(recipe: Recipe, store: BuildStore) -> Path:
    """The folder of all builds that differ in their source and flags alone. It has no record of a
    build, so that it goes with the remains of interrupted ones when it has not been used for
    long."""
    inputs = {k: v for k, v in recipe.inputs.items() if k not in ("source", "incremental", *_FLAGS)}
    text = json.dumps(["slot", inputs], sort_keys=True)
    return store.folder(hashlib.sha256(text.encode()).hexdigest())


def update_source(source: SourceTree, to: Path, before: Sequence[str] | None) -> None:
    """Make the files of ``to`` those of the source; what else is there stays. ``before``: the files
    of the last source, None for an empty folder. Equal files keep their date, others get one later
    than that of all that was made of the last source. OSError."""
    for name in set(before or ()) - set(source.files):
        _make_way(to, to / name)
    date = int(BASE_ENVIRONMENT["SOURCE_DATE_EPOCH"])
    for name, wanted in source.files.items():
        target = to / name
        if before is not None:
            if target.is_file() and _hash(target) == wanted:
                continue
            _make_way(to, target)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source.folder / name, target)
        if _hash(target) != wanted:
            raise _CannotGoOn(f"{source.folder / name} changed while the build started")
        if before is None:
            os.utime(target, (date, date))


def forget_compiled(folder: Path, but: Container[Path]) -> None:
    """Remove every file that a compiler or linker made, ``but`` those of the source. OSError."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_file() or path in but:
            continue
        with path.open("rb") as file:
            begin = file.read(8)
        if begin.startswith(COMPILED):
            path.unlink()


def _build_one(
    recipe: Recipe, store: BuildStore, progress: Progress, seconds: float
) -> BuildOutcome:
    incremental = marked(recipe)
    for known in (recipe, incremental):
        if build := run.reusable(known, store):
            return build
    slot = slot_of(recipe, store)
    steps, end = Steps(), time.monotonic() + seconds
    with exclusive(
        store.lock(slot.name),
        lambda: progress(f"{recipe.variant}: waiting for another build in the same folder"),
    ):
        try:
            with steps.limited(seconds, "late"):
                return _go_on(incremental, slot, store, progress, steps)
        except (_CannotGoOn, CannotBuildHere, OSError) as error:
            shutil.rmtree(slot, ignore_errors=True)
            progress(f"{recipe.variant}: not built incrementally: {error}; building it clean")
        except BaseException:
            steps.cancel()
            raise
    (outcome,) = run.build_all([recipe], store, progress, end - time.monotonic())
    return outcome


def _go_on(
    recipe: Recipe, slot: Path, store: BuildStore, progress: Progress, runner: Steps
) -> Build:
    """Build in the slot and copy what came out. Raises _CannotGoOn, CannotBuildHere or OSError."""
    if short := lacking(slot, 2 * run.NEED_FACTOR * source_size(recipe.source) + run.NEED_LEAST):
        raise _CannotGoOn(f"not enough disk space to build: {short}")
    listing, work = slot / "source.json", slot / "work"
    # The files of the source that the folder was last built from, and the flags.
    before, last_flags = None, None
    with contextlib.suppress(OSError, ValueError, TypeError):
        names, last_flags = json.loads(listing.read_text())
        before = [str(name) for name in names]
    if before is None:
        shutil.rmtree(slot, ignore_errors=True)
        work.mkdir(parents=True)
        run.copy_headers(recipe, work)
    # Until the build has succeeded, nobody knows what the folder holds.
    listing.unlink(missing_ok=True)
    progress(
        f"building {recipe.variant} with {recipe.toolchain.version}"
        + (", reusing the previous build directory" if before is not None else "")
    )
    update_source(recipe.source, work / "src", before)
    flags = [list(recipe.inputs[key]) for key in _FLAGS]
    if before is not None and last_flags != flags:
        forget_compiled(work, {work / "src" / name for name in recipe.source.files})
    watch = run.Stopwatch()
    jobs = os.cpu_count() or 1
    env, sandbox, reason = run.run_steps(
        recipe, slot, store, expand_steps(recipe, work, jobs), runner, progress
    )
    if reason:
        raise _CannotGoOn(reason)
    program = work / recipe.program
    if not program.is_file():
        raise _CannotGoOn(f"the steps succeeded but did not create {program.name!r}")
    if os.fsencode(slot) in program.read_bytes():
        # It would load what the next commit leaves there.
        raise _CannotGoOn("its program names the folder that it was built in")
    kept = store.folder(recipe.digest)
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    shutil.copytree(work, kept / "work", symlinks=True)
    shutil.copy(slot / "log.txt", kept / "log.txt")
    steps = expand_steps(recipe, kept / "work", jobs)
    program = kept / "work" / recipe.program
    build = run.keep_build(
        recipe, store, run.provenance_of(recipe, steps, env, program, watch, sandbox)
    )
    listing.write_text(json.dumps([sorted(recipe.source.files), flags]))
    return build


def _hash(path: Path) -> str:
    """As :func:`whyfast.build.recipe.scan_source` has it."""
    return ("x" if path.stat().st_mode & 0o100 else "-") + sha256_of(path)


def _make_way(root: Path, target: Path) -> None:
    """Remove what lies where a file is to be, or one of its folders: from above, as below a link
    that a step has made lie files of others."""
    for parent in reversed(target.relative_to(root).parents):
        if (root / parent).is_symlink() or (root / parent).is_file():
            (root / parent).unlink()
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    elif target.is_symlink() or target.exists():
        target.unlink()
