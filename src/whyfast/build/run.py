"""Making builds: each once, under a lock, with a log and a provenance record."""

from __future__ import annotations

import contextlib
import json
import math
import os
import platform
import shutil
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from typing import Any

from whyfast import __version__
from whyfast.build import cargo
from whyfast.build.left import Left, copy_source, forget_made, forget_record, spoilt
from whyfast.build.pieces import libraries_beside
from whyfast.build.reading import as_record, built_alike, forget_again, spoilt_since
from whyfast.build.recipe import Recipe, include_folder, source_size
from whyfast.build.steps import (
    SEARCHED,
    Steps,
    because,
    expand_steps,
    instead,
    programs_made,
    surround,
    tail,
    why,
    without_folders,
)
from whyfast.model.build import Build, BuildFailure, BuildOutcome, Interpreter
from whyfast.model.errors import CannotBuildHere
from whyfast.store.builds import BuildStore, StoredBuild
from whyfast.store.files import exclusive, lacking, sha256_of, write_whole
from whyfast.store.home import Home
from whyfast.toolchain import Progress


class Stopwatch:
    """Runs from its creation, on from ``before`` seconds. ``started`` is wall time, for people; the
    duration comes from a clock that nobody sets."""

    def __init__(self, before: float = 0.0) -> None:
        self.started = time.time()
        self._began = time.monotonic() - before

    def seconds(self) -> float:
        """Since its creation."""
        return time.monotonic() - self._began


#: Bytes that a build needs for each byte of its source, about, and in any case.
NEED_FACTOR, NEED_LEAST = 3, 50_000_000

#: Told where a build stands for another.
UNREAD = "{}: built already, but for files that its steps do not read"


def build_all(
    recipes: Sequence[Recipe],
    store: BuildStore,
    progress: Progress,
    seconds: float = math.inf,
    *,
    workers: int | None = None,
) -> list[BuildOutcome]:
    """Every recipe as a build or a failure, in the given order; equal recipes are built once. Steps
    that use ``{jobs}`` fill the machine by themselves and run one variant at a time; others run as
    many variants at once as there are CPUs. What is not built after so many ``seconds`` is ended:
    a failure that is late."""
    if workers is None:
        workers = 1 if any(map(is_long, recipes)) else os.cpu_count() or 1
    jobs = [partial(build_one, recipe, store, progress) for recipe in recipes]
    return in_threads(jobs, seconds, workers)


def build_beside(
    made: Build,
    recipes: Sequence[Recipe],
    store: BuildStore,
    progress: Progress,
    seconds: float = math.inf,
) -> list[BuildOutcome]:
    """The same, each in a copy of the folder in which CMake made another program of the project,
    which needs most of the same objects; from nothing where it is configured otherwise."""

    def configured(inputs: Mapping[str, Any]) -> dict[str, Any]:
        steps = [step for step in inputs["steps"] if "{jobs}" not in step]
        return {**inputs, "steps": steps, "program": "", "incremental": ""}

    work, before = store.folder(made.digest) / "work", configured(made.provenance["inputs"])
    copied = any(work.rglob("CMakeCache.txt"))
    # It may be a copy itself, of what CMake keeps to the folder that it was made in.
    beside = (work, Path(made.provenance.get("made_in", work)))
    recipes = [
        replace(r, beside=beside) if copied and configured(r.inputs) == before else r
        for r in recipes
    ]
    return build_all(recipes, store, progress, seconds)


def in_threads(
    jobs: Sequence[Callable[[Steps], BuildOutcome]], seconds: float, workers: int
) -> list[BuildOutcome]:
    """What each job has built, so many at once. An interrupt, and the end of the ``seconds``, end
    the steps of all, and each job notes where they were."""
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    steps = Steps()
    # A lock of a future or thread stays taken where an interrupt comes as this thread takes it.
    submitting = Lock()
    ended: SimpleQueue[tuple[int, BuildOutcome | BaseException]] = SimpleQueue()

    def run(number: int, job: Callable[[Steps], BuildOutcome]) -> None:
        with submitting:
            pass
        try:
            ended.put((number, job(steps)))
        except BaseException as error:
            ended.put((number, error))

    outcomes: dict[int, BuildOutcome] = {}
    try:
        with submitting:
            for number, job in enumerate(jobs):
                pool.submit(run, number, job)
        with steps.limited(seconds, f"building takes longer than {seconds:.0f} s"):
            while len(outcomes) < len(jobs):
                # An endless wait would miss an interrupt that comes just before it begins.
                with contextlib.suppress(Empty):
                    number, outcome = ended.get(timeout=0.5)
                    if isinstance(outcome, BaseException):
                        raise outcome
                    outcomes[number] = outcome
        return [outcomes[number] for number in range(len(jobs))]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        steps.cancel()
        raise
    finally:
        pool.shutdown()


def build_one(recipe: Recipe, store: BuildStore, progress: Progress, steps: Steps) -> BuildOutcome:
    """The stored build when there is one whose program is as it was made, else make it."""
    if build := reusable(recipe, store):
        return build
    try:
        with exclusive(
            store.lock(recipe.digest),
            lambda: progress(f"{recipe.variant}: waiting: another whyfast is building it"),
            cancelled=steps.cancelled,
        ):
            stored = store.find(recipe.digest)
            spoilt = spoilt_since(recipe.program, stored) if stored else ""
            if stored and not spoilt:
                return as_build(recipe, stored, reused=True)
            if spoilt:
                progress(f"{recipe.variant}: {spoilt}; building it again")
            if not spoilt and (alike := built_alike(recipe, store)):
                progress(UNREAD.format(recipe.variant))
                return as_build(recipe, alike, reused=True)
            progress(f"building {recipe.variant} with {recipe.toolchain.version}")
            tell_last(recipe, store, progress)
            return make_build(recipe, store, steps, progress)
    except CannotBuildHere as error:
        if recipe.beside:  # without bubblewrap a folder cannot be seen elsewhere
            return build_one(replace(recipe, beside=None), store, progress, steps)
        return BuildFailure(recipe.variant, "not-buildable", str(error))
    except InterruptedError as error:
        return BuildFailure(recipe.variant, "late", str(error))
    except OSError as error:
        return BuildFailure(recipe.variant, "failed", because(error))


def tell_last(recipe: Recipe, store: BuildStore, progress: Progress) -> None:
    """How long the last build by these steps took, of this source if that is known."""
    digests = (recipe.source.digest, None) if is_long(recipe) else ()
    if last := next((b for d in digests if (b := store.last_like(d, recipe.steps))), None):
        seconds = float(last.provenance["seconds"])
        progress(f"{recipe.variant}: the last build by these steps took {seconds:.0f} s")


def reusable(recipe: Recipe, store: BuildStore) -> Build | None:
    """The stored build when there is one whose program is as it was made."""
    stored = store.find(recipe.digest)
    if stored is None or spoilt_since(recipe.program, stored):
        return None
    return as_build(recipe, stored, reused=True)


def make_build(
    recipe: Recipe, store: BuildStore, runner: Steps, progress: Progress
) -> BuildOutcome:
    """Copy the source, run the steps and keep what they make, whether or not it is there; where
    that was ended, go on; where they fail in a copy, begin anew. CannotBuildHere when the
    toolchain has a root that cannot be entered here."""
    folder = store.folder(recipe.digest)
    work, files = folder / "work", recipe.source.files
    # Cargo goes on by itself, as it can tell what is whole.
    left = None if recipe.toolchain.language == "cargo" else Left.read(folder)
    if gone_on := left is not None and not spoilt(work / "src", files):
        progress(f"{recipe.variant}: going on at step {left.first + 1}, which was ended before")
        forget_record(folder)
        forget_made(work, files, left.begun)
    else:
        left = Left(files, noted=_with_source(recipe, folder, store))
        if recipe.beside:
            shutil.rmtree(work)
            shutil.copytree(recipe.beside[0], work, symlinks=True)
            left.noted = False
    watch = Stopwatch(left.seconds)
    env, sandbox, reason = run_steps(recipe, folder, store, left, runner, progress)
    left.seconds = watch.seconds()
    if reason and runner.cancelled.is_set():
        left.write(folder)
        return replace(keep_failure(recipe, store, reason), kind="late")
    if reason and (gone_on or recipe.beside):
        return make_build(replace(recipe, beside=None), store, runner, progress)
    if reason:
        return keep_failure(recipe, store, reason)
    program = work / recipe.program
    if not program.is_file():
        reason = f"the steps succeeded but did not create {recipe.program!r}"
        made = programs_made(recipe, work)
        failure = keep_failure(recipe, store, reason + instead(recipe, made))
        alike = (name for name in made if Path(name).name == Path(recipe.program).name)
        return replace(failure, elsewhere=next(alike, ""))
    record = provenance_of(recipe, folder, left, env, watch.started, sandbox)
    made_in = {"made_in": str(recipe.beside[1])} if recipe.beside else {}
    return keep_build(recipe, store, {**record, **made_in})


def _with_source(recipe: Recipe, folder: Path, store: BuildStore) -> bool:
    """Copy the source into the empty folder of its build; whether reading it is noted. OSError."""
    cargo.set_aside(folder)
    noted = empty_folder(recipe, folder, NEED_FACTOR)
    if recipe.toolchain.language == "cargo":
        cargo.take_over(recipe, folder / "work", store)
    return noted


def empty_folder(recipe: Recipe, folder: Path, factor: int) -> bool:
    """Make the folder of a build one in which no step has run, which needs so many times the size
    of the source; whether reading it is noted. OSError."""
    shutil.rmtree(folder, ignore_errors=True)  # remains of an interrupted build
    if short := lacking(folder, factor * source_size(recipe.source) + NEED_LEAST):
        raise OSError(f"not enough disk space to build: {short}")
    work = folder / "work"
    work.mkdir(parents=True)
    if recipe.inputs["include"]:  # the headers that whyfast brings
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(include_folder(), work / "include", ignore=ignored)
    return copy_source(recipe.source, work / "src")


def keep_build(recipe: Recipe, store: BuildStore, provenance: dict[str, Any]) -> Build:
    """The build that has just ended, complete with its record."""
    complete(store.folder(recipe.digest), provenance)
    stored = store.find(recipe.digest)
    assert stored is not None
    return as_build(recipe, stored, reused=False)


#: Seconds in which the clock of files moves on: one at 100 Hz, the slowest that kernels have.
_TICK = 0.011


def run_steps(
    recipe: Recipe, folder: Path, store: BuildStore, left: Left, runner: Steps, progress: Progress
) -> tuple[dict[str, str], str, str]:
    """Run the shell lines in ``folder / "work"`` that did not run whole, and note in ``left`` what
    they read, with a log beside it: their environment, the sandbox in words, and why they failed,
    empty when they did not. CannotBuildHere when the toolchain has a root that cannot be entered
    here."""
    work, log = folder / "work", folder / "log.txt"
    made_in = recipe.beside[1] if recipe.beside else None
    env, within, sandbox = surround(recipe, folder, store, made_in)
    steps, first = expand_steps(recipe, made_in or work, os.cpu_count() or 1), left.first
    forget_again(work / "src", left.files)  # we have listed its folders
    with log.open("ab" if left.begun else "wb") as out:
        left.begun = 0.0
        for number, step in enumerate(steps[first:], first):
            shown = without_folders(step)
            if runner.cancelled.is_set():
                left.begun = time.time()
                return env, sandbox, f"{runner.why}, before the step: {shown}"
            if is_long(recipe):
                progress(f"{recipe.variant}: step {number + 1} of {len(steps)}: {shown}")
            time.sleep(_TICK)
            out.write(f"+ {step}\n".encode())
            out.flush()
            # By the clock of files: none that an earlier step has made is as young.
            start, since = os.fstat(out.fileno()).st_size, os.fstat(out.fileno()).st_mtime
            status = runner.run(step, work, env, out.fileno(), within)
            left.has_run(work / "src")
            if status != 0 and runner.cancelled.is_set():
                left.was_ended(since)
                return env, sandbox, f"{runner.why}, in the step: {shown}"
            if status != 0:
                return env, sandbox, why(step, status, tail(log, SEARCHED, start))
    return env, sandbox, ""


def complete(folder: Path, provenance: dict[str, Any]) -> None:
    """Write the record, by whose presence the build is complete."""
    write_whole(folder / "provenance.json", json.dumps(provenance, indent=1))


def keep_failure(recipe: Recipe, store: BuildStore, reason: str) -> BuildFailure:
    """The failure, kept for ``whyfast builds`` until the same is built again."""
    store.add_failure(recipe.digest, recipe.variant, recipe.toolchain.version, reason)
    log = store.folder(recipe.digest) / "log.txt"
    return BuildFailure(recipe.variant, "failed", reason, log, tail(log))


def is_long(recipe: Recipe) -> bool:
    """Whether its steps are worth a message each: those of a parallel make are."""
    return any("{jobs}" in step for step in recipe.steps)


def provenance_of(
    recipe: Recipe,
    folder: Path,
    left: Left,
    env: dict[str, str],
    started: float,
    sandbox: str,
) -> dict[str, Any]:
    """The record of a build that has just ended and lies in that folder."""
    toolchain, work = recipe.toolchain, folder / "work"
    program = work / recipe.program
    libraries = libraries_beside(program, work)
    return {
        "digest": recipe.digest,
        "inputs": recipe.inputs,
        "source": {
            "folder": recipe.source.folder.name,
            "digest": recipe.source.digest,
            "files": recipe.source.files,
        },
        "toolchain": {
            **{key: getattr(toolchain, key) for key in ("name", "version", "target", "digest")},
            "cc": list(toolchain.cc),
            "features": sorted(toolchain.features),
            **({"root": str(toolchain.root)} if toolchain.root else {}),
            **({"packages": dict(toolchain.packages)} if toolchain.packages else {}),
        },
        **({"interpreter": _interpreter_record(recipe.interpreter)} if recipe.interpreter else {}),
        "sandbox": sandbox,
        "env": {**env, **recipe.hidden},
        "commands": expand_steps(recipe, work, os.cpu_count() or 1),
        "program": recipe.program,
        "program_sha256": sha256_of(program),
        **({"libraries": list(libraries)} if libraries else {}),
        "variant": recipe.variant,
        "started": started,
        "seconds": left.seconds,
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()}",
        "whyfast": __version__,
        **(as_record(left.unread()) if left.noted else {}),
    }


def _interpreter_record(python: Interpreter) -> dict[str, Any]:
    return {
        "name": python.name,
        "version": python.version,
        "program": str(python.program),
        "digest": python.digest,
        "readable": [str(folder) for folder in python.readable],
        "root": str(python.root) if python.root else None,
        "facts": dict(python.facts),
    }


def as_build(recipe: Recipe, stored: StoredBuild, *, reused: bool) -> Build:
    """A stored build as that of the recipe's variant."""
    return Build(
        variant=recipe.variant,
        digest=stored.digest,
        program=stored.folder / "work" / recipe.program,
        program_sha256=stored.provenance["program_sha256"],
        provenance=stored.provenance,
        reused=reused,
    )


@dataclass(frozen=True)
class Rebuilt:
    """One build from scratch: ``seconds`` of all its steps, and the ``peak`` memory in bytes of the
    largest process among them; None where none was larger than this one, see
    :class:`whyfast.build.steps.Steps`."""

    seconds: float
    peak: float | None


def rebuild(recipe: Recipe, home: Home) -> Rebuilt | BuildFailure:
    """Make the build in a folder of its own, which is removed; the stored build stays as it is.
    Copying the source is not part of the time, linking is."""
    folder = home.cache / "rebuilt" / uuid.uuid4().hex
    store, steps = BuildStore(folder / "builds"), Steps()
    try:
        store.root.mkdir(parents=True)
        outcome = make_build(recipe, store, steps, lambda text: None)
        if isinstance(outcome, BuildFailure):
            return outcome
        return Rebuilt(steps.seconds, steps.peak or None)
    except BaseException:
        steps.cancel()
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
