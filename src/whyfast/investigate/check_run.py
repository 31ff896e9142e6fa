"""Did this change make it slower? Two revisions of one repository, the cheapest answer first."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.recipe import steps_of
from whyfast.build.revisions import Range, called, change_between, commits_between, top_level
from whyfast.build.source import obtain
from whyfast.explain.python_changes import with_functions
from whyfast.explain.same_builds import same_builds, without_go_tests
from whyfast.investigate.beside_program import with_files_opened, with_unused
from whyfast.investigate.building import build
from whyfast.investigate.change_reach import reached_by, reached_in_python
from whyfast.investigate.check_measuring import (
    KEPT,
    affordable,
    can_link,
    chosen,
    chosen_in_python,
    groups,
    measure_layouts,
    with_files,
    without_one_sided,
)
from whyfast.investigate.context import RunContext
from whyfast.investigate.costs import count_costs, repeat_builds
from whyfast.investigate.first_failure import built, fetched_for
from whyfast.investigate.judging import judge
from whyfast.investigate.measuring import (
    Measurer,
    Processes,
    check_programs,
    entries_of,
    observe,
    tell_earlier,
)
from whyfast.investigate.recording import LiveSink, OpenRun, measure_blocks, recording, run_key
from whyfast.investigate.services import Observer, Services, Silent, build_checked
from whyfast.investigate.why.why_builds import BESIDE, MOST_BESIDE, explain_builds, largest
from whyfast.model.code import Check
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.result import Result
from whyfast.model.study import EvidenceSpec, MeasureSpec, Source, Study
from whyfast.model.variant import Variant
from whyfast.model.why import Account
from whyfast.store.builds import BuildStore
from whyfast.store.git import changed_files
from whyfast.store.home import Home
from whyfast.study.library import FILL_IN
from whyfast.study.load import ROOT_FILE, load_study
from whyfast.study.project import some_names

BASE, HEAD = "base", "head"

#: Seconds where nobody says otherwise, so that a check takes five minutes: of building, of
#: measuring, of which what building took is taken away but for a third, and of all runs under the
#: simulator together, a third of the time for measuring at most.
BUILDING, BUDGET, SIMULATED = 180.0, 180.0, 60.0


GOES_ON = "The time is used up; the same command goes on from what it measured."


@dataclass(frozen=True)
class Request:
    """``folder`` is anywhere in the repository, ``range`` ``BASE..HEAD`` or empty; ``study`` is
    that of the repository's root by default. ``budget`` is for measuring, ``building`` for both
    builds; None: what is usual. ``margin`` None: the study's own. ``costs``: count them even where
    the study does not ask for it."""

    folder: Path
    range: str = ""
    study: Path | None = None
    budget: float | None = None
    building: float | None = None
    margin: float | None = None
    costs: bool = False


@dataclass(frozen=True)
class Asked:
    """The question of a check, and notes on it."""

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
    services: Services | None = None,
    elsewhere: Measurer | None = None,
) -> Result:
    """Build both sides, compare what runs, and measure only what can have changed; ``elsewhere``
    measures on other machines than this one.

    UserError, one line, for whatever keeps the two sides from being compared.
    """
    asked = ask(request, home, observer)
    services = services or (Services() if elsewhere else Services(build=build_checked))
    if elsewhere is not None:
        elsewhere.check(RunContext(asked.study, home, observer, services))
    building, took = _building(request, asked.study, home)
    observer.note(_announced(asked.study, request, building, took, explains=elsewhere is None))
    plain = replace(asked.study, measure=replace(asked.study.measure, layouts=0))
    context = build(RunContext(plain, home, observer, services), building)
    if fetched_for(context, asked.change, asked.study.source):
        context = build(RunContext(plain, home, observer, services), building)
    context = built(context, asked.change, building)
    budget = request.budget or max(BUDGET / 3, BUDGET - context.seconds["prepare"])
    limit = min(SIMULATED, budget / 3)
    asked = replace(asked, study=_within(asked.study, budget))
    context = replace(context, question=_within(context.question, budget))
    context, absent = with_files(context, asked.change)
    program = Path(context.question.build.program)
    folders = [b.program.parents[len(program.parts) - 1] for b in context.usable]
    code = same_builds(*((folder, program) for folder in folders))
    unopened: tuple[str, ...] = ()
    in_python = context.question.in_python
    if in_python:
        commands = [word for b in context.question.benchmarks for word in b.command]
        code = with_functions(code, folders[0], folders[1], commands)
    else:
        code, unopened = with_files_opened(context, code, limit / 2)
        in_python = any(f.sizes == (0, 0) for f in code.functions)
    if {b.runner for b in context.question.benchmarks} == {"go"}:
        code = without_go_tests(code)
    count = commits_between(asked.study.source.folder, asked.change)
    search = ""  # the command that finds the commit among those between
    if count > 1:
        file = request.study or _nearest(request.folder, top_level(request.folder))
        path = shlex.quote(os.path.relpath(file, request.folder))
        ends = f"--good {asked.change.base[:12]} --bad {asked.change.head[:12]}"
        search = f"whyfast search {path} {ends}"
    check = Check(
        **{k: getattr(asked.change, k) for k in ("base", "head", "base_name", "head_name")},
        code=code,
        added=asked.added,
        removed=asked.removed,
        notes=(*asked.notes, *absent, *(() if code.same else _beside(asked))),
        commits=count,
        search=search,
    )
    if code.same:
        check = with_unused(check, context, unopened)
    if code.same or not context.question.benchmarks:
        return _unmeasured(context, check)
    clock = services.clock
    end = clock.monotonic() + limit
    context, few = chosen(context, code, limit / 2)
    check = replace(check, notes=(*few, *check.notes))
    limit = max(limit / 2, end - clock.monotonic())
    if in_python and code.reached:
        reaches = reached_in_python(context, code, limit, len(program.parts))
        context, reaches, few = chosen_in_python(context, reaches)
        check = replace(check, notes=(*few, *check.notes))
    else:
        reaches = reached_by(context, code, limit)
    check = replace(check, reaches=reaches)
    if all(r.placement_only for r in reaches) or not context.question.benchmarks:
        return _unmeasured(context, check)
    if asked.study.measure.layouts:
        study = replace(asked.study, benchmarks=context.question.benchmarks)
        context = build(RunContext(study, home, observer, services))
    context = (elsewhere or Processes()).ready(context)
    observer.phase("measure")
    with recording(context, run_key(context), alone=elsewhere is None) as run:
        context = observe(context)
        if elsewhere is None:
            context, too_long = affordable(context, run, check)
            check = replace(check, notes=(*too_long, *check.notes))
            tell_earlier(context, run)
            if can_link(asked.study):
                _measure(context, run, check, share=1 - KEPT, done=_linked_anew(run))
                context, notes = measure_layouts(asked.study, context, run, check)
                check = replace(check, notes=(*check.notes, *notes))
            done = _linked_anew(run) if can_link(asked.study) else set()
            _measure(context, run, check, done=done)
            run.goes_on = _goes_on(context, run, done)
        else:
            _measure_elsewhere(context, run, check, elsewhere)
        context = repeat_builds(count_costs(context))
    if run.goes_on:
        check = replace(check, notes=(*check.notes, GOES_ON))
    names = {BASE: called(check.base_name, check.base), HEAD: called(check.head_name, check.head)}
    result = judge(context, without_one_sided(run.recorded, names))
    account = _account(context, result, check) if elsewhere is None else None
    return replace(result, found=replace(result.found, check=check, account=account))


def _building(request: Request, study: Study, home: Home) -> tuple[float, float | None]:
    """The limit for both builds, which leaves twice the time that one is known to take, as the
    study says where the last went on from another; and that time, None where it is not known."""
    steps = steps_of(study.build, study.variants[0])[0]
    last = BuildStore(home.builds).last_like(None, steps)
    took = float(last.provenance["seconds"]) if last else None
    took = max(took or 0.0, study.build.takes or 0.0) or None
    return request.building or max(BUILDING, 2 * 2 * (took or 0.0)), took


def _within(study: Study, budget: float) -> Study:
    return replace(study, measure=replace(study.measure, budget=budget))


def _announced(
    study: Study, request: Request, building: float, took: float | None, explains: bool
) -> str:
    """What the check will do, and how long each of it takes at most."""
    last = f" (one takes {took:.0f} s)" if took else ""
    budget = study.measure.budget
    costs = study.costs.count or study.costs.build
    parts = [
        f"{building:.0f} s to build 2 revisions where they are not known{last}",
        f"{min(SIMULATED, budget / 3):.0f} s to see what executes the change",
        f"{budget:.0f} s of measuring{'' if request.budget else ', less what building takes'}",
        *(["the costs, without a limit"] if costs else []),
        *([f"{MOST_BESIDE:.0f} s to say why"] if explains else []),
    ]
    return f"at most: {', '.join(parts)}"


def _account(context: RunContext[Study], result: Result, check: Check) -> Account | None:
    """Of the largest difference that the change can have made."""
    moved = [r.benchmark for r in check.reaches if r.placement_only]
    verdict = largest(result.judged.verdicts, moved)
    if verdict is None or not result.recorded.complete:
        return None
    benchmark = next(b for b in context.question.benchmarks if b.name == verdict.benchmark)
    return explain_builds(context, benchmark, verdict, BESIDE)


def ask(request: Request, home: Home, observer: Observer) -> Asked:
    """From what was asked for to a study with the variants ``base`` and ``head``."""
    root = top_level(request.folder)
    file = request.study or _nearest(request.folder, root)
    if request.study is None and not file.is_file():
        raise UserError(
            f"no {ROOT_FILE} at the root of the repository; write one with "
            "`whyfast new`, or name a study with --study",
            where=root,
        )
    study = load_study(file)
    inner = _inner(study, root)
    change = change_between(root, request.range)
    variant = study.variant(study.baselines[0])
    before, notes = _study_before(file, root, change, home, observer)
    theirs = variant
    if before:
        known = variant.name in {v.name for v in before.variants}
        theirs = before.variant(variant.name if known else before.baselines[0])
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
            measure=replace(study.measure, budget=request.budget or BUDGET, stop="decided"),
            claim=None,
            control=False,
            costs=replace(study.costs, count=study.costs.count or request.costs),
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
    if any(FILL_IN in step for step in study.build.steps):
        raise UserError(
            f"its benchmark is still to be filled in: in [build] steps, put what should be fast in "
            f"the place of the line `{FILL_IN}`",
            where=where,
        )
    inner = folder.relative_to(root.resolve())
    return "" if inner == Path() else str(inner)


def _study_before(
    file: Path, root: Path, change: Range, home: Home, observer: Observer
) -> tuple[Study | None, tuple[str, ...]]:
    """The study as the base has it, or a note on why it has none."""
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
        return None, ("The base has no study file; the head's is used for both.",)
    try:
        return load_study(there), ()
    except UserError as error:
        note = f"The study of the base cannot be read ({error.message}); that of the head is used."
        return None, (note,)


def _changes(before: Study, study: Study) -> tuple[str, ...]:
    """What of the study itself has changed, and how that is dealt with."""
    notes = []
    if before.build != study.build:
        notes.append("The steps of the build differ; both sides are built by those of the head.")
    earlier = {b.name: b for b in before.benchmarks}
    other = [b.name for b in study.benchmarks if b.name in earlier and b != earlier[b.name]]
    if other:
        notes.append(f"Benchmarks that differ are run as the head has them: {', '.join(other)}.")
    return tuple(notes)


#: What is beside a project's own code, but may be what a benchmark runs; and what is not compiled.
_BESIDE = re.compile(
    r"(^|/)((\w+[_-]|unit)?tests?|bench\w*|examples?|fuzz\w*)/|(^|[/_-])tests?\.\w+$"
)
_DOCUMENT = re.compile(r"\.(md|rst|adoc|txt)$|^\.")


def _beside(asked: Asked) -> tuple[str, ...]:
    """That the two sides may run different work, where only that has changed."""
    names = changed_files(asked.study.source.folder, asked.change.base, asked.change.head)
    code = [name for name in names if not _DOCUMENT.search(name)]
    if asked.study.in_python or not code or not all(map(_BESIDE.search, code)):
        return ()
    shown = some_names(code, 3)
    return (f"Only tests, benchmarks or examples changed ({shown}): the sides may do other work.",)


def _measure(
    context: RunContext[Study],
    run: OpenRun,
    check: Check,
    *,
    done: Collection[str],
    share: float = 1.0,
) -> None:
    """All benchmarks but those ``done``, in that share of the budget."""
    spec: MeasureSpec = context.question.measure
    clock = context.services.clock
    began, before = clock.monotonic(), run.seconds.get("measure", 0.0)
    for group in groups(context, check):
        left = share * spec.budget - before - (clock.monotonic() - began)
        open_ = [b for b in group if b.name not in done]
        if open_ and left > 0:
            entries = entries_of(context, run, open_)
            earlier = sum(b.seconds for e in entries for b in e.blocks)  # each check has its budget
            measure_blocks(context, run, entries, replace(spec, budget=left + earlier))
    check_programs(context)


def _measure_elsewhere(
    context: RunContext[Study], run: OpenRun, check: Check, elsewhere: Measurer
) -> None:
    spec: MeasureSpec = context.question.measure
    clock = context.services.clock
    began, whole = clock.monotonic(), True
    for group in groups(context, check):
        left = spec.budget - (clock.monotonic() - began)
        if group and left > 0:
            asked = replace(context.question, benchmarks=group, measure=replace(spec, budget=left))
            elsewhere.measure(replace(context, question=asked), run)
            whole = run.complete = run.complete and whole


def _linked_anew(run: OpenRun) -> set[str]:
    """The benchmarks that were measured in other layouts."""
    return {b.benchmark for b in run.blocks() if b.layouts}


def _goes_on(context: RunContext[Study], run: OpenRun, anew: Collection[str]) -> bool:
    """Whether a further check of the same builds has something to decide; of benchmarks in ``anew``
    it takes further layouts."""
    if run.failures():
        return False
    entries = entries_of(context, run, context.question.benchmarks)
    live = LiveSink(replace(context, observer=Silent()), run, entries, context.question.measure)
    return not all(
        all(v.outcome != "undecided" for v in live.verdicts(e.name))
        if e.name in anew
        else live.settled(e)
        for e in entries
    )


def _unmeasured(context: RunContext[Study], check: Check) -> Result:
    with recording(context, None, alone=False) as run:
        pass
    result = judge(context, run.recorded)
    return replace(result, found=replace(result.found, check=check))
