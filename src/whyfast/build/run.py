"""Making builds: each once, under a lock, with a log and a provenance record."""

from __future__ import annotations

import json
import math
import os
import platform
import shlex
import shutil
import time
import uuid
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from whyfast import __version__
from whyfast.build import cargo
from whyfast.build.pieces import libraries_beside
from whyfast.build.reading import as_record, built_alike, forget_again, spoilt_since, unread
from whyfast.build.recipe import (
    Recipe,
    forget_reading,
    hash_files,
    include_folder,
    source_size,
    unread_of,
)
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
    without_folder,
    without_folders,
)
from whyfast.build.unfinished import Begun, leave, take_up
from whyfast.model.build import Build, BuildFailure, BuildOutcome, Interpreter
from whyfast.model.errors import CannotBuildHere
from whyfast.model.study import HIDDEN
from whyfast.store.builds import BuildStore, StoredBuild
from whyfast.store.files import exclusive, lacking, sha256_of, write_whole
from whyfast.store.home import Home
from whyfast.toolchain.provider import Progress
from whyfast.toolchain.sandbox import Box, bubblewrap_words


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
    cpus = os.cpu_count() or 1
    if workers is None:
        workers = 1 if any(map(is_long, recipes)) else cpus
    pool = ThreadPoolExecutor(max_workers=max(1, workers))
    steps = Steps()
    try:
        futures = [pool.submit(_build_one, r, store, progress, cpus, steps) for r in recipes]
        with steps.limited(seconds, f"building takes longer than {seconds:.0f} s"):
            for future in futures:
                # An endless wait would miss an interrupt that comes just before it begins.
                while wait([future], timeout=0.5).not_done:
                    pass
                future.result()
        return [future.result() for future in futures]
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        steps.cancel()
        raise
    finally:
        pool.shutdown()


def _build_one(
    recipe: Recipe, store: BuildStore, progress: Progress, jobs: int, steps: Steps
) -> BuildOutcome:
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
            return make_build(recipe, store, jobs, steps, progress)
    except CannotBuildHere as error:
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


def copy_headers(recipe: Recipe, work: Path) -> None:
    """Those that whyfast brings, where a step uses them."""
    if recipe.inputs["include"]:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(include_folder(), work / "include", ignore=ignored)


def make_build(
    recipe: Recipe, store: BuildStore, jobs: int, runner: Steps, progress: Progress
) -> BuildOutcome:
    """Copy the source, run the steps and keep what they make, whether or not it is there.
    CannotBuildHere when the toolchain has a root that cannot be entered here."""
    folder = store.folder(recipe.digest)
    work = folder / "work"
    # Cargo goes on by itself, as it can tell what is whole.
    begun = None if recipe.toolchain.language == "cargo" else take_up(recipe, folder)
    if begun is None and (reason := _with_source(recipe, folder, store)):
        return BuildFailure(recipe.variant, "failed", reason)
    names, noted = [*recipe.source.files], False
    if begun is None:
        noted = forget_reading(work / "src", names)
        forget_again(work / "src", names)
    else:
        noted = len(unread_of(work / "src", names)) < len(names)
        progress(f"{recipe.variant}: going on at step {begun.step}, which was ended before")
    steps = expand_steps(recipe, work, jobs)
    watch = Stopwatch(begun.seconds if begun else 0.0)
    env, sandbox, reason = run_steps(recipe, folder, store, steps, runner, progress, begun)
    if reason and begun and not runner.cancelled.is_set():
        return make_build(recipe, store, jobs, runner, progress)
    if reason:
        failure = keep_failure(recipe, store, reason)
        return replace(failure, kind="late") if runner.cancelled.is_set() else failure
    seen = as_record(unread(work / "src", names)) if noted else {}
    program = work / recipe.program
    if not program.is_file():
        reason = f"the steps succeeded but did not create {recipe.program!r}"
        made = programs_made(recipe, work)
        failure = keep_failure(recipe, store, reason + instead(recipe, made))
        alike = (name for name in made if Path(name).name == Path(recipe.program).name)
        return replace(failure, elsewhere=next(alike, ""))
    record = provenance_of(recipe, steps, env, program, watch, sandbox)
    return keep_build(recipe, store, {**record, **seen})


def _with_source(recipe: Recipe, folder: Path, store: BuildStore) -> str:
    """Copy the source into the empty folder of its build; why it could not be, empty if it was."""
    cargo.set_aside(folder)
    shutil.rmtree(folder, ignore_errors=True)  # remains of an interrupted build
    if short := lacking(folder, NEED_FACTOR * source_size(recipe.source) + NEED_LEAST):
        return f"not enough disk space to build: {short}"
    work = folder / "work"
    work.mkdir(parents=True)
    for name in recipe.source.files:
        target = work / "src" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(recipe.source.folder / name, target)
    if hash_files(work / "src", recipe.source.files).digest != recipe.source.digest:
        return f"{recipe.source.folder} changed while the build started; run it again"
    copy_headers(recipe, work)
    if recipe.toolchain.language == "cargo":
        cargo.take_over(recipe, work, store)
    return ""


def keep_build(recipe: Recipe, store: BuildStore, provenance: dict[str, Any]) -> Build:
    """The build that has just ended, complete with its record."""
    complete(store.folder(recipe.digest), provenance)
    stored = store.find(recipe.digest)
    assert stored is not None
    return as_build(recipe, stored, reused=False)


def run_steps(
    recipe: Recipe,
    folder: Path,
    store: BuildStore,
    steps: Sequence[str],
    runner: Steps,
    progress: Progress,
    begun: Begun | None = None,
) -> tuple[dict[str, str], str, str]:
    """Run the shell lines in ``folder / "work"``, those from ``begun`` on, with a log beside it:
    their environment, the sandbox in words, and why they failed, empty when they did not.
    CannotBuildHere when the toolchain has a root that cannot be entered here."""
    work, log = folder / "work", folder / "log.txt"
    env, within, sandbox = surround(recipe, folder, store)
    first, before = (begun.step, begun.seconds) if begun else (1, 0.0)
    with log.open("ab" if begun else "wb") as out:
        for number, step in enumerate(steps[first - 1 :], first):
            since = time.time()
            if is_long(recipe):
                progress(
                    f"{recipe.variant}: step {number} of {len(steps)}: {without_folders(step)}"
                )
            out.write(f"+ {step}\n".encode())
            out.flush()
            start = os.fstat(out.fileno()).st_size
            status = runner.run(step, work, env, out.fileno(), within)
            if status != 0 and runner.cancelled.is_set():
                leave(folder, Begun(number, before + runner.seconds, since))
                return env, sandbox, f"{runner.why}, in the step: {without_folders(step)}"
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
    steps: list[str],
    env: dict[str, str],
    program: Path,
    watch: Stopwatch,
    sandbox: str,
) -> dict[str, Any]:
    """The record of a build that has just ended."""
    toolchain = recipe.toolchain
    libraries = libraries_beside(program, program.parents[len(Path(recipe.program).parts) - 1])
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
        "commands": steps,
        "program": recipe.program,
        "program_sha256": sha256_of(program),
        **({"libraries": list(libraries)} if libraries else {}),
        "variant": recipe.variant,
        "started": watch.started,
        "seconds": watch.seconds(),
        "host": platform.node(),
        "system": f"{platform.system()} {platform.release()}",
        "whyfast": __version__,
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


def repeat_script(provenance: Mapping[str, Any], folder: Path) -> str:
    """A shell script that makes the same program again in the present folder. ``folder`` is where
    the store keeps the build, source included."""
    steps = [_from_here(c, folder / "work") for c in provenance["commands"]]
    include = provenance["inputs"].get("include")
    by_cargo = cargo.repeat_lines(provenance["env"])
    here = ("HOME", "TMPDIR", *(("CARGO_HOME", "RUSTC_WRAPPER") if by_cargo else ()))
    env = {k: v for k, v in provenance["env"].items() if k not in here}
    root = provenance["toolchain"].get("root")
    gone = root is not None and not Path(root).is_dir()
    removed = ""
    if gone:
        again = f"whyfast toolchain install --from {provenance['digest'][:12]}"
        removed = shlex.quote(f"the root {root} was removed; run {again} to make it again")
    exports = (
        f'export {name}="${{{name}:?its value is hidden in the record of the build}}"'
        if value.startswith(HIDDEN)
        else f"export {name}={shlex.quote(value)}"
        for name, value in env.items()
    )
    lines = [
        "#!/bin/sh",
        f"# {provenance['variant']}: {provenance['toolchain']['version']} "
        f"({provenance['toolchain']['name']}), program sha256 {provenance['program_sha256']}",
        "set -eu",
        *([f"echo {removed} >&2; exit 1"] if gone else []),
        "export here=$PWD",
        f"cp -r {shlex.quote(str(folder / 'work' / 'src'))} src",
        *([f"cp -r {shlex.quote(str(folder / 'work' / 'include'))} include"] if include else []),
        *exports,
        *by_cargo,
        # Each step in a shell of its own, as when it was built: a cd ends with it.
        *([] if gone else [_in_root(s, root) if root else f"(\n{s}\n)" for s in steps]),
    ]
    return "\n".join(lines) + "\n"


def _from_here(step: str, work: Path) -> str:
    """The step with this folder kept out of the program, as where it was built was."""
    for flag in (*without_folder(work, "c"), *without_folder(work, "rust")):
        name, _, _ = flag.partition("=")
        step = step.replace(shlex.quote(flag), f'{name}="$here"=/whyfast')
    return step


def _in_root(step: str, root: str) -> str:
    """The step as run in the root of its toolchain, where a shell expands ``$here`` too."""
    words = bubblewrap_words("bwrap", Box(Path(root)), [])
    words = words[: words.index("--chdir")]
    return (
        f'{shlex.join(words)} --bind "$here" "$here" --chdir "$here" -- '
        f"/bin/sh -euc {shlex.quote(step)}"
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
        outcome = make_build(recipe, store, os.cpu_count() or 1, steps, lambda text: None)
        if isinstance(outcome, BuildFailure):
            return outcome
        return Rebuilt(steps.seconds, steps.peak or None)
    except BaseException:
        steps.cancel()
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
