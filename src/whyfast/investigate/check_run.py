"""Did this change make it slower? Two revisions of one repository, the cheapest answer first."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.revisions import Range, change_between, commits_between, top_level
from whyfast.build.source import obtain
from whyfast.explain.same_builds import same_builds
from whyfast.investigate.block_loop import LiveSink, measure_blocks
from whyfast.investigate.building import build
from whyfast.investigate.events import Observer, Silent
from whyfast.investigate.judging import judge
from whyfast.investigate.measuring import (
    Measurer,
    Processes,
    check_programs,
    entries_of,
    tell_earlier,
)
from whyfast.investigate.observing import observe
from whyfast.investigate.outside import Outside
from whyfast.investigate.reaching import reached_by
from whyfast.investigate.recording import OpenRun, recording, run_key
from whyfast.investigate.work import Work
from whyfast.model.build import Build
from whyfast.model.check import Check
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.result import Result
from whyfast.model.study import EvidenceSpec, MeasureSpec, Source, Study
from whyfast.model.variant import Variant
from whyfast.store.home import Home
from whyfast.study.find import ROOT_FILE
from whyfast.study.load import load_study

BASE, HEAD = "base", "head"

#: Seconds of measuring where nobody says otherwise, and of one run under the simulator at most.
BUDGET, SIMULATED = 300.0, 120.0


GOES_ON = "The time is used up; the same command goes on from what it measured."


@dataclass(frozen=True)
class Request:
    """``folder`` is anywhere in the repository, ``range`` ``BASE..HEAD`` or empty; ``study`` is
    that of the repository's root by default. ``margin`` None: the study's own."""

    folder: Path
    range: str = ""
    study: Path | None = None
    budget: float = BUDGET
    margin: float | None = None


@dataclass(frozen=True)
class Asked:
    """The question of a check, and what is to be said of it beside the answer."""

    study: Study
    change: Range
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def run_check(
    request: Request,
    home: Home,
    observer: Observer,
    *,
    outside: Outside | None = None,
    elsewhere: Measurer | None = None,
) -> Result:
    """Build both sides, compare what runs, and measure only what can have changed; ``elsewhere``
    measures on other machines than this one.

    UserError, one line, for whatever keeps the two sides from being compared.
    """
    asked = ask(request, home, observer)
    outside = outside or Outside()
    if elsewhere is not None:
        elsewhere.check(Work(asked.study, home, observer, outside))
    plain = replace(asked.study, measure=replace(asked.study.measure, layouts=0))
    work = _built(build(Work(plain, home, observer, outside)), asked.change)
    code = same_builds(*(_place(work, b) for b in work.usable))
    count = commits_between(asked.study.source.folder, asked.change)
    check = Check(
        **{k: getattr(asked.change, k) for k in ("base", "head", "base_name", "head_name")},
        code=code,
        added=asked.added,
        removed=asked.removed,
        notes=asked.notes,
        commits=count,
        search=_search(request, asked.change) if count > 1 else "",
    )
    if code.same or not work.question.benchmarks:
        with recording(work, None, alone=False) as run:
            pass
        return _said(judge(work, run.recorded), check)
    check = replace(check, reaches=reached_by(work, code, min(SIMULATED, request.budget)))
    if asked.study.measure.layouts:
        work = build(Work(asked.study, home, observer, outside))
    work = (elsewhere or Processes()).ready(work)
    observer.phase("measure")
    with recording(work, run_key(work), alone=elsewhere is None) as run:
        work = observe(work)
        _measure(work, run, check, elsewhere)
    if run.goes_on:
        check = replace(check, notes=(*check.notes, GOES_ON))
    return _said(judge(work, run.recorded), check)


def _search(request: Request, change: Range) -> str:
    """The command that finds the commit among those between."""
    file = request.study or _nearest(request.folder, top_level(request.folder))
    study = shlex.quote(os.path.relpath(file, request.folder))
    return f"whyfast search {study} --good {change.base[:12]} --bad {change.head[:12]}"


def ask(request: Request, home: Home, observer: Observer) -> Asked:
    """From what was asked for to a study with the variants ``base`` and ``head``."""
    root = top_level(request.folder)
    file = request.study or _nearest(request.folder, root)
    if request.study is None and not file.is_file():
        raise UserError(
            f"there is no {ROOT_FILE} at the root of the repository; write one with "
            "`whyfast new`, or name a study with --study",
            where=root,
        )
    study = load_study(file)
    inner = _inner(study, root)
    change = change_between(root, request.range)
    variant = study.variant(study.baselines[0])
    before, notes = _study_before(file, root, change, home, observer)
    theirs = _same_variant(before, variant) if before else variant
    names = {b.name for b in study.benchmarks}
    earlier = {b.name for b in before.benchmarks} if before else names
    notes += _changes(before, study) if before else ()
    return Asked(
        replace(
            study,
            title=f"Does the change from {change.base_name} to {change.head_name} make it slower?",
            source=Source("git", str(root), root, revision=change.head, inner=inner),
            baselines=(BASE,),
            margin=study.margin if request.margin is None else request.margin,
            variants=(_side(BASE, theirs, change.base), _side(HEAD, variant, change.head)),
            benchmarks=tuple(b for b in study.benchmarks if b.name in earlier),
            evidence=EvidenceSpec(),
            measure=replace(study.measure, budget=request.budget, stop="decided"),
            claim=None,
            twin=False,
        ),
        change,
        added=tuple(b.name for b in study.benchmarks if b.name not in earlier),
        removed=tuple(b.name for b in (before.benchmarks if before else ()) if b.name not in names),
        notes=notes,
    )


def _side(name: str, variant: Variant, commit: str) -> Variant:
    return replace(
        variant,
        name=name,
        revision=commit,
        expect={},
        axes={},
        about="",
        fixes=None,
        evidence_only=False,
    )


def _nearest(folder: Path, root: Path) -> Path:
    """The study of the folder, or of the next one above it that has one; at last the root's."""
    here = folder.resolve()
    for place in (here, *here.parents):
        if place == root.resolve():
            break
        if (place / ROOT_FILE).is_file():
            return place / ROOT_FILE
    return root / ROOT_FILE


def _inner(study: Study, root: Path) -> str:
    """Where in the repository the project lies; UserError when the study cannot be checked."""
    where = study.folder / "study.toml"
    folder = study.source.folder.resolve()
    if study.source.kind != "path" or not folder.is_relative_to(root.resolve()):
        raise UserError(
            f"[source] is not the repository that is checked; write path = the way to {root}",
            where=where,
        )
    if study.in_vms:
        raise UserError("check cannot measure under other kernels; use whyfast run", where=where)
    if not study.measured or not study.benchmarks:
        raise UserError("has no benchmark, so there is nothing to check", where=where)
    inner = folder.relative_to(root.resolve())
    return "" if inner == Path() else str(inner)


def _study_before(
    file: Path, root: Path, change: Range, home: Home, observer: Observer
) -> tuple[Study | None, tuple[str, ...]]:
    """The study as the base has it, and why there is none."""
    path = file.resolve()
    if not path.is_relative_to(root.resolve()):
        return None, ()
    source = Source("git", str(root), root, revision=change.base)
    try:
        folder = obtain(source, home, observer.step).folder
    except CannotBuildHere as error:
        raise UserError(str(error), where=root) from error
    there = folder / path.relative_to(root.resolve())
    if not there.exists():
        return None, ("The base has no such study; that of the head is used for both.",)
    try:
        return load_study(there), ()
    except UserError as error:
        said = error.message
        return None, (f"The study of the base cannot be read ({said}); that of the head is used.",)


def _same_variant(before: Study, variant: Variant) -> Variant:
    names = [v.name for v in before.variants]
    return before.variant(variant.name if variant.name in names else before.baselines[0])


def _changes(before: Study, study: Study) -> tuple[str, ...]:
    """What of the study itself has changed, and how that is dealt with."""
    notes = []
    if before.build != study.build:
        notes.append("The steps of the build differ; both sides are built by those of the head.")
    earlier = {b.name: b for b in before.benchmarks}
    other = [b.name for b in study.benchmarks if b.name in earlier and b != earlier[b.name]]
    if other:
        said = ", ".join(other)
        notes.append(f"Benchmarks that differ are run as the head has them: {said}.")
    return tuple(notes)


def _built(work: Work[Study], change: Range) -> Work[Study]:
    """The work, when both sides have been built; UserError names the side and its log."""
    names = {BASE: (change.base_name, change.base), HEAD: (change.head_name, change.head)}
    for one in work.builds:
        if isinstance(one, Build):
            continue
        name, commit = names[one.variant]
        log = f"; its log is {one.log}" if one.log else ""
        raise UserError(f"{one.variant} ({name}, {commit[:10]}) does not build: {one.reason}{log}")
    return work


def _place(work: Work[Study], built: Build) -> tuple[Path, Path]:
    """The folder that it was built in, and the program in it."""
    program = Path(work.question.build.program)
    folder = built.program
    for _ in program.parts:
        folder = folder.parent
    return folder, program


def _measure(work: Work[Study], run: OpenRun, check: Check, elsewhere: Measurer | None) -> None:
    """First what executes changed code, then what only its place can make differ."""
    last = {r.benchmark for r in check.reaches if r.placement_only}
    benchmarks = work.question.benchmarks
    groups = (
        tuple(b for b in benchmarks if b.name not in last),
        tuple(b for b in benchmarks if b.name in last),
    )
    spec: MeasureSpec = work.question.measure
    clock = work.outside.clock
    began = clock.monotonic()
    whole = True
    if elsewhere is None:
        tell_earlier(work, run)
    for group in groups:
        left = spec.budget - (clock.monotonic() - began)
        if not group or left <= 0:
            continue
        if elsewhere is None:
            entries = entries_of(work, run, group)
            earlier = sum(b.seconds for e in entries for b in e.blocks)  # each check has its budget
            measure_blocks(work, run, entries, replace(spec, budget=left + earlier))
        else:
            asked = replace(work.question, benchmarks=group, measure=replace(spec, budget=left))
            elsewhere.measure(replace(work, question=asked), run)
            whole = run.complete = run.complete and whole
    if elsewhere is None:
        check_programs(work)
        entries = entries_of(work, run, benchmarks)
        live = LiveSink(replace(work, observer=Silent()), run, entries, spec)
        run.goes_on = not run.failures() and not all(live.settled(e) for e in entries)


def _said(result: Result, check: Check) -> Result:
    return replace(result, found=replace(result.found, check=check))
