"""Builds that go on from what the last one left, for a search over commits or over flags, and for
the two sides of a check.

One folder serves all builds that are equal but for source and flags: equal files keep their date,
and the steps compile what has changed. With other flags all that was compiled is removed first. The
first steps, of which none read what has changed, are left out. What came out is copied away under a
digest of its own: it is no build by its inputs alone.

A search trusts the project's makefiles, as it builds what it finds once more. Nothing does so after
a check, which goes on only where each compile that read a changed file was made again, by the
compiler's own word. What was read, but by no compile, is built anew; a tool that reads what is
compiled, too, is left to the makefiles."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from whyfast.build import run
from whyfast.build.compiled import FOUND_BY, noted, noting
from whyfast.build.left import Left, forget_made, forget_record, spoilt, update_source
from whyfast.build.reading import built_alike, differing, loaded_part
from whyfast.build.recipe import Recipe
from whyfast.build.steps import Steps, tail
from whyfast.model.build import BuildFailure, BuildOutcome
from whyfast.model.errors import CannotBuildHere
from whyfast.store.builds import BuildStore
from whyfast.store.files import exclusive
from whyfast.toolchain import Progress

#: Inputs that change what is compiled, and nothing that make could see.
_FLAGS = ("cflags", "ldflags")


class _CannotGoOn(Exception):
    """Why the folder cannot be used for this build; it is as it was."""


class _Spoilt(_CannotGoOn):
    """The same where the folder is of no use to any other build, either."""


def build_incrementally(
    recipes: Sequence[Recipe],
    store: BuildStore,
    progress: Progress,
    seconds: float = math.inf,
) -> list[BuildOutcome]:
    """Every recipe as a build or a failure, in the given order, one after the other. A clean build
    that is there already is taken. Where the steps fail in the used folder, it is emptied and the
    build is made clean: only that can fail a candidate. ``seconds`` is the limit of all."""
    jobs = [partial(_build_one, r, store, progress, checked=False, later=()) for r in recipes]
    return run.in_threads(jobs, seconds, 1)


def build_checked(
    recipes: Sequence[Recipe],
    store: BuildStore,
    progress: Progress,
    seconds: float = math.inf,
) -> list[BuildOutcome]:
    """The same, as :func:`whyfast.build.run.build_all` would have made them; what the limit or an
    interrupt ends is gone on with by the next call. A folder from which a later one of the recipes
    can go on is not emptied for an earlier one. Builds that are not of C, or whose steps do not
    use ``{jobs}`` and so are short, are made anew."""
    if not all(r.toolchain.language in ("c", "c++") and run.is_long(r) for r in recipes):
        return run.build_all(recipes, store, progress, seconds)
    jobs = [
        partial(_build_one, r, store, progress, checked=True, later=recipes[number:])
        for number, r in enumerate(recipes, 1)
    ]
    return run.in_threads(jobs, seconds, 1)


def marked(recipe: Recipe, checked: bool = False) -> Recipe:
    """The recipe under whose digest the store keeps a build from a used folder."""
    mark = "checked" if checked else True
    return replace(recipe, inputs={**recipe.inputs, "incremental": mark})


def slot_of(recipe: Recipe, store: BuildStore) -> Path:
    """The folder of all builds that differ in their source and flags alone. It has no record of a
    build, so that it goes with the remains of interrupted ones when it has not been used for
    long."""
    inputs = {k: v for k, v in recipe.inputs.items() if k not in ("source", *_FLAGS)}
    if inputs.get("incremental") is True:  # a check has folders of its own
        del inputs["incremental"]
    text = json.dumps(["slot", inputs], sort_keys=True)
    return store.folder(hashlib.sha256(text.encode()).hexdigest())


def _build_one(
    recipe: Recipe,
    store: BuildStore,
    progress: Progress,
    steps: Steps,
    *,
    checked: bool,
    later: Sequence[Recipe],
) -> BuildOutcome:
    incremental = marked(recipe, checked)
    for known in (recipe, incremental):
        if build := run.reusable(known, store):
            return build
    if checked and (alike := built_alike(recipe, store)):
        progress(run.UNREAD.format(recipe.variant))
        return run.as_build(recipe, alike, reused=True)
    slot = slot_of(incremental, store)
    with exclusive(
        store.lock(slot.name),
        lambda: progress(f"{recipe.variant}: waiting for another build in the same folder"),
        cancelled=steps.cancelled,
    ):
        # Once more in the emptied folder: the next build can go on from that.
        for _ in range(2 if checked else 1):
            used = Left.read(slot) is not None
            try:
                return _go_on(incremental, slot, store, steps, progress)
            except InterruptedError as error:
                return BuildFailure(recipe.variant, "late", str(error))
            except (_CannotGoOn, CannotBuildHere, OSError) as error:
                progress(f"{recipe.variant}: not built incrementally: {error}; building it clean")
                kept = type(error) is _CannotGoOn and any(_can_go_on(r, slot, store) for r in later)
                if not kept:
                    shutil.rmtree(slot, ignore_errors=True)
                if kept or not used:
                    break
    return run.build_one(recipe, store, progress, steps)


def _can_go_on(recipe: Recipe, slot: Path, store: BuildStore) -> bool:
    """Whether a build for a check could from what lies there."""
    checked, left = marked(recipe, True), Left.read(slot)
    if left is None or slot_of(checked, store) != slot:
        return False
    try:
        _owed(checked, left)
    except _CannotGoOn:
        return False
    return True


def _go_on(
    recipe: Recipe, slot: Path, store: BuildStore, runner: Steps, progress: Progress
) -> BuildOutcome:
    """Build in the slot and copy what came out. Raises _CannotGoOn, CannotBuildHere or OSError."""
    work, left = slot / "work", Left.read(slot)
    progress(
        f"building {recipe.variant} with {recipe.toolchain.version}"
        + (", reusing the previous build directory" if left is not None else "")
    )
    if left is None:
        run.tell_last(recipe, store, progress)
        left = Left({}, noted=run.empty_folder(recipe, slot, 2 * run.NEED_FACTOR))
    else:
        _prepare(recipe, left, slot)
    left.files, left.flags = recipe.source.files, _flags(recipe)
    watch = run.Stopwatch(left.seconds if left.begun else 0.0)
    env, sandbox, reason = run.run_steps(noting(recipe, slot), slot, store, left, runner, progress)
    made = noted(slot)
    left.compiles = left.compiles.after(made)
    left.owed = {n: count - made.times.get(n, 0) for n, count in left.owed.items()}
    left.seconds = max(left.seconds, watch.seconds())
    if reason and runner.cancelled.is_set():
        left.write(slot)
        log = slot / "log.txt"
        return BuildFailure(recipe.variant, "late", reason, log, tail(log))
    if reason:
        raise _Spoilt(reason)
    for name in sorted(n for n, count in left.owed.items() if count > 0):
        raise _Spoilt(f"its steps do not compile {name} again, which has changed")
    left.owed, program = {}, work / recipe.program
    if not program.is_file():
        raise _Spoilt(f"the steps succeeded but did not create {program.name!r}")
    if os.fsencode(slot) in loaded_part(program):
        # It would load what the next commit leaves there.
        raise _Spoilt("its program names the folder that it was built in")
    kept = store.folder(recipe.digest)
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    shutil.copytree(work, kept / "work", symlinks=True)
    shutil.copy(slot / "log.txt", kept / "log.txt")
    env = {k: v for k, v in env.items() if k != FOUND_BY}
    record = run.provenance_of(recipe, kept, left, env, watch.started, sandbox)
    build = run.keep_build(recipe, store, {**record, "made_in": str(work)})
    left.write(slot)
    return build


def _flags(recipe: Recipe) -> list[list[str]]:
    return [list(recipe.inputs[key]) for key in _FLAGS]


def _prepare(recipe: Recipe, left: Left, slot: Path) -> None:
    """Make the source that of the recipe, and note which steps it needs again. _CannotGoOn where a
    build that is to be as a clean one could be another, OSError."""
    work, checked = slot / "work", recipe.inputs["incremental"] == "checked"
    owed = _owed(recipe, left) if checked else {}
    wrong = spoilt(work / "src", left.files)
    if checked and wrong:
        raise _Spoilt(f"its steps write {wrong[0]}, which is of the source")
    changed, come_or_gone = differing(left.files, recipe.source.files)
    names, steps = {*left.files}, left.steps[: left.first]
    first = (i for i, step in enumerate(steps) if not step.misses(changed, come_or_gone, names))
    left.first = 0 if wrong else next(first, left.first)
    forget_record(slot)
    update_source(recipe.source, work / "src", left.files, {*wrong, *changed, *come_or_gone})
    if left.begun:
        forget_made(work, recipe.source.files, left.begun)
    if left.flags != _flags(recipe):
        forget_made(work, recipe.source.files)
        left.first = 0
    for name in owed:
        os.utime(work / name)
    left.owed = {**left.owed, **owed}


def _owed(recipe: Recipe, left: Left) -> dict[str, int]:
    """What must be compiled again for the source of the recipe, and how many times. _CannotGoOn
    where that cannot be known."""
    changed, come_or_gone = differing(left.files, recipe.source.files)
    if not left.steps or (left.begun and (changed or come_or_gone)):
        raise _CannotGoOn("what its steps read is not known")
    if not all(step.misses((), come_or_gone, {*left.files}) for step in left.steps):
        raise _CannotGoOn("files of the source come or go")
    read = {n for n in changed if any(n not in step.files for step in left.steps)}
    if read and not left.compiles.reads:
        raise _CannotGoOn("its compiler does not note what it reads, as gcc does here")
    compiled = {name for reads in left.compiles.reads.values() for name in reads}
    if others := sorted(n for n in read if f"src/{n}" not in compiled):
        raise _CannotGoOn(f"{others[0]} has changed, which is not only compiled")
    again = left.compiles.of(f"src/{n}" for n in read)
    return {name: left.compiles.times[name] for name in again}
