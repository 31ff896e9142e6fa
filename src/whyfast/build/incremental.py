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

import contextlib
import hashlib
import json
import math
import os
import shutil
import time
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whyfast.build import run
from whyfast.build.compiled import FOUND_BY, Compiles, noted, noting
from whyfast.build.reading import (
    Unread,
    as_record,
    built_alike,
    differing,
    forget_again,
    loaded_part,
    recorded,
    unread,
)
from whyfast.build.recipe import BASE_ENVIRONMENT, Recipe, SourceTree, forget_reading, source_size
from whyfast.build.steps import MADE_IN, Steps, expand_steps, tail
from whyfast.build.unfinished import COMPILED, Begun
from whyfast.model.build import Build, BuildFailure, BuildOutcome
from whyfast.model.errors import CannotBuildHere
from whyfast.store.builds import BuildStore
from whyfast.store.files import exclusive, lacking, sha256_of
from whyfast.toolchain.provider import Progress

#: Inputs that change what is compiled, and nothing that make could see.
_FLAGS = ("cflags", "ldflags")

#: Seconds before the end of a step that was ended in which it may have begun a file.
_BEGUN = 10.0


class _CannotGoOn(Exception):
    """Why the folder cannot be used for this build."""


class _Late(Exception):
    """The step that the limit ended."""


@dataclass(frozen=True)
class _Left:
    """What is known of the folder that a build left: names and digests of the source's ``files``,
    the flags, what each of its ``steps`` that ended did not read, and what was compiled.
    ``whole``: all of them have ended; else the last of ``steps`` has not. ``seconds`` are those of
    the build in the empty folder."""

    files: dict[str, str]
    flags: list[list[str]]
    steps: list[Unread] = field(default_factory=list)
    compiles: Compiles = field(default_factory=Compiles)
    whole: bool = True
    seconds: float = 0.0

    def write(self, file: Path) -> None:
        """For :meth:`read`."""
        steps = [as_record(step) for step in self.steps]
        compiles = [self.compiles.reads, self.compiles.times]
        whole = [self.whole, self.seconds]
        file.write_text(json.dumps([self.files, self.flags, steps, compiles, *whole]))

    @staticmethod
    def read(file: Path) -> _Left | None:
        """None where nobody knows."""
        with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
            files, flags, steps, compiles, whole, seconds = json.loads(file.read_text())
            steps = [recorded(step) for step in steps]
            return _Left(dict(files), flags, steps, Compiles(*compiles), whole, seconds)
        return None


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
    return [_build_one(r, store, progress, end, checked=False) for r in recipes]


def build_checked(
    recipes: Sequence[Recipe],
    store: BuildStore,
    progress: Progress,
    seconds: float = math.inf,
) -> list[BuildOutcome]:
    """The same, as :func:`whyfast.build.run.build_all` would have made them; what the limit ends
    is gone on with by the next call. Builds that are not of C, or whose steps do not use ``{jobs}``
    and so are short, are made anew."""
    if not all(r.toolchain.language in ("c", "c++") and run.is_long(r) for r in recipes):
        return run.build_all(recipes, store, progress, seconds)
    end = time.monotonic() + seconds
    return [_build_one(r, store, progress, end, checked=True) for r in recipes]


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


def update_source(source: SourceTree, to: Path, before: Sequence[str] | None) -> set[str]:
    """Make the files of ``to`` those of the source; what else is there stays. ``before``: the files
    of the last source, None for an empty folder. Equal files keep their date, others get one later
    than that of all that was made of the last source, and their names are returned. OSError."""
    written = set[str]()
    for name in set(before or ()) - set(source.files):
        _make_way(to, to / name)
    date = int(BASE_ENVIRONMENT["SOURCE_DATE_EPOCH"])
    for name, wanted in source.files.items():
        target = to / name
        if before is not None:
            if target.is_file() and _hash(target) == wanted:
                continue
            _make_way(to, target)
        written.add(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source.folder / name, target)
        if _hash(target) != wanted:
            raise _CannotGoOn(f"{source.folder / name} changed while the build started")
        if before is None:
            os.utime(target, (date, date))
    return written


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
    recipe: Recipe, store: BuildStore, progress: Progress, end: float, *, checked: bool
) -> BuildOutcome:
    incremental = marked(recipe, checked)
    for known in (recipe, incremental):
        if build := run.reusable(known, store):
            return build
    if checked and (alike := built_alike(recipe, store)):
        progress(run.UNREAD.format(recipe.variant))
        return run.as_build(recipe, alike, reused=True)
    slot = slot_of(incremental, store)
    steps, seconds = Steps(), end - time.monotonic()
    with (
        exclusive(
            store.lock(slot.name),
            lambda: progress(f"{recipe.variant}: waiting for another build in the same folder"),
        ),
        steps.limited(seconds, f"building takes longer than {max(seconds, 0):.0f} s"),
    ):
        # Once more in the emptied folder: the next build can go on from that.
        for _ in range(2 if checked else 1):
            used = _Left.read(slot / "source.json") is not None
            try:
                return _go_on(incremental, slot, store, progress, steps)
            except (_Late, InterruptedError) as error:
                log = slot / "log.txt"
                return BuildFailure(
                    recipe.variant, "late", str(error), log, tail(log) if log.is_file() else ()
                )
            except (_CannotGoOn, CannotBuildHere, OSError) as error:
                shutil.rmtree(slot, ignore_errors=True)
                progress(f"{recipe.variant}: not built incrementally: {error}; building it clean")
                if not used:
                    break
            except BaseException:
                steps.cancel()
                raise
    (outcome,) = run.build_all([recipe], store, progress, end - time.monotonic())
    return outcome


def _go_on(
    recipe: Recipe, slot: Path, store: BuildStore, progress: Progress, runner: Steps
) -> Build:
    """Build in the slot and copy what came out. Raises _CannotGoOn, _Late, CannotBuildHere or
    OSError."""
    if short := lacking(slot, 2 * run.NEED_FACTOR * source_size(recipe.source) + run.NEED_LEAST):
        raise _CannotGoOn(f"not enough disk space to build: {short}")
    listing, work = slot / "source.json", slot / "work"
    flags = [list(recipe.inputs[key]) for key in _FLAGS]
    left = _Left.read(listing)
    if left is None:
        shutil.rmtree(slot, ignore_errors=True)
        work.mkdir(parents=True)
        run.copy_headers(recipe, work)
    # Until the build has succeeded, nobody knows what the folder holds.
    listing.write_text("")
    progress(
        f"building {recipe.variant} with {recipe.toolchain.version}"
        + (", reusing the previous build directory" if left is not None else "")
    )
    if left is None:
        run.tell_last(recipe, store, progress)
    written = update_source(recipe.source, work / "src", [*left.files] if left else None)
    if left is None:
        reading_is_noted = forget_reading(work / "src", [*recipe.source.files])
    else:
        reading_is_noted = any(step.files for step in left.steps)
    forget_again(work / "src", recipe.source.files)
    first, again = _to_do(recipe, left, work, written) if left else (0, set[str]())
    if left and left.flags != flags:
        forget_compiled(work, {work / "src" / name for name in recipe.source.files})
        first = 0
    watch = run.Stopwatch()
    jobs = os.cpu_count() or 1
    ended = [*left.steps[:first]] if left else []
    before = left.steps[first:] if left else []

    def after() -> None:
        found = unread(work / "src", recipe.source.files) if reading_is_noted else Unread()
        if before:  # what it does not read now as it has not changed
            last = before.pop(0)
            found = Unread(found.files & last.files, found.folders & last.folders)
        ended.append(found)
        forget_again(work / "src", recipe.source.files)

    steps = expand_steps(recipe, work, jobs)
    with_notes = noting(recipe, slot)
    env, sandbox, reason = run.run_steps(with_notes, slot, store, [], runner, progress)
    for number in range(first + 1, len(steps) + 1):
        one = (with_notes, slot, store, steps[:number], runner, progress, Begun(number))
        _, _, reason = run.run_steps(*one)
        if reason:
            break
        after()
    made, seconds = noted(slot), watch.seconds()
    if left:
        seconds = max(left.seconds, seconds + (0.0 if left.whole else left.seconds))
    compiles = left.compiles.after(made) if left else made
    now = _Left(recipe.source.files, flags, ended, compiles, seconds=seconds)
    if reason and runner.cancelled.is_set():
        after()
        _forget_begun(work, {work / "src" / name for name in recipe.source.files})
        replace(now, whole=False).write(listing)
        raise _Late(f"{reason}; the next build goes on from there")
    if reason:
        raise _CannotGoOn(reason)
    for name in sorted(again):
        if left and made.times.get(name, 0) < left.compiles.times[name]:
            raise _CannotGoOn(f"its steps do not compile {name} again, which has changed")
    program = work / recipe.program
    if not program.is_file():
        raise _CannotGoOn(f"the steps succeeded but did not create {program.name!r}")
    if os.fsencode(slot) in loaded_part(program):
        # It would load what the next commit leaves there.
        raise _CannotGoOn("its program names the folder that it was built in")
    kept = store.folder(recipe.digest)
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    shutil.copytree(work, kept / "work", symlinks=True)
    shutil.copy(slot / "log.txt", kept / "log.txt")
    (kept / MADE_IN).write_text(str(slot))
    program = kept / "work" / recipe.program
    steps = expand_steps(recipe, kept / "work", jobs)
    env = {k: v for k, v in env.items() if k != FOUND_BY}
    record = run.provenance_of(recipe, steps, env, program, watch, sandbox)
    record["seconds"] = seconds
    if reading_is_noted:
        files = frozenset.intersection(*(step.files for step in ended))
        folders = frozenset.intersection(*(step.folders for step in ended))
        record = {**record, **as_record(Unread(files, folders))}
    build = run.keep_build(recipe, store, record)
    now.write(listing)
    return build


def _to_do(
    recipe: Recipe, left: _Left, work: Path, written: Container[str]
) -> tuple[int, set[str]]:
    """After ``written`` files have become those of the source, the number of the first step that
    reads what has changed, and for a build that is to be as a clean one, what its steps must
    compile again, which gets a new date. _CannotGoOn where such a build could be another."""
    changed, come_or_gone = differing(left.files, recipe.source.files)
    names = {*left.files}
    first = next(
        (i for i, step in enumerate(left.steps) if not step.misses(changed, come_or_gone, names)),
        len(left.steps) - (0 if left.whole else 1),
    )
    spoilt = [n for n in sorted(left.files) if n in written and n not in changed | come_or_gone]
    if recipe.inputs["incremental"] is True:
        return 0 if spoilt else first, set()
    if spoilt:
        raise _CannotGoOn(f"its steps write {spoilt[0]}, which is of the source")
    if not left.steps or (not left.whole and (changed or come_or_gone)):
        raise _CannotGoOn("what its steps read is not known")
    if not all(step.misses((), come_or_gone, names) for step in left.steps):
        raise _CannotGoOn("files of the source come or go")
    read = {n for n in changed if any(n not in step.files for step in left.steps)}
    if read and not left.compiles.reads:
        raise _CannotGoOn("its compiler does not note what it reads, as gcc does here")
    compiled = {name for reads in left.compiles.reads.values() for name in reads}
    if others := sorted(n for n in read if f"src/{n}" not in compiled):
        raise _CannotGoOn(f"{others[0]} has changed, which is not only compiled")
    again = left.compiles.of(f"src/{n}" for n in read)
    for name in again:
        os.utime(work / name)
    return first, again


def _forget_begun(work: Path, source: Container[Path]) -> None:
    """Remove what a step that was ended may have begun to write: what is new, and what is empty."""
    since = time.time() - _BEGUN
    for path in work.rglob("*"):
        made = path not in source and path.is_file() and not path.is_symlink()
        if made and (path.stat().st_mtime > since or not path.stat().st_size):
            path.unlink()


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
