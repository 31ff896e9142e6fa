"""Did this change make it slower? Two revisions of one repository, the cheapest answer first."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.revisions import Range, change_between, commits_between, top_level
from whyfast.build.source import obtain
from whyfast.explain.functions import base_name
from whyfast.explain.program import load
from whyfast.explain.python_changes import with_functions
from whyfast.explain.same_code import same_builds
from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.costs import count_costs, repeat_builds
from whyfast.investigate.counting import BuildCounter, scratch_folder
from whyfast.investigate.judging import judge
from whyfast.investigate.measuring import (
    Measurer,
    Processes,
    check_programs,
    entries_of,
    observe,
    tell_earlier,
)
from whyfast.investigate.python_reach import python_reach
from whyfast.investigate.recording import LiveSink, OpenRun, measure_blocks, recording, run_key
from whyfast.investigate.services import Observer, Services, Silent
from whyfast.investigate.why_builds import BESIDE, explain_builds, largest
from whyfast.measure.harnesses import LONG, ONCE
from whyfast.measure.registry import MAKERS
from whyfast.model.build import Build
from whyfast.model.code import ChangeCoverage, Check, CodeComparison
from whyfast.model.counters import Counts, Profile
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.result import Result
from whyfast.model.study import EvidenceSpec, MeasureSpec, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.model.why import Account
from whyfast.store.home import Home
from whyfast.study.find import ROOT_FILE
from whyfast.study.load import load_study


def reached_by(
    context: RunContext[Study], code: CodeComparison, timeout: float
) -> tuple[ChangeCoverage, ...]:
    """One entry a benchmark, by runs of both builds under a simulator, ``timeout`` seconds in all.

    Each run may take an equal share of what is left; a benchmark that needs further runs takes from
    those after it. Nothing is raised for what cannot be simulated. Nothing is run where no function
    is known to have changed, as then it cannot be told who executes it.
    """
    benchmarks = context.question.benchmarks
    if not code.reached:
        why = "what has changed is not machine code with names"
        return tuple(ChangeCoverage(b.name, None, why) for b in benchmarks)
    try:
        names = {
            b.variant: {
                base_name(name): base_name(function.name)
                for function in load(b.program).functions
                for name in function.names
            }
            for b in context.usable
        }
    except UserError as error:
        return tuple(ChangeCoverage(b.name, None, error.message) for b in benchmarks)
    with scratch_folder(context.home) as folder:
        counter = BuildCounter(context, {}, folder, timeout)
        clock, observer = context.services.clock, context.observer
        end = clock.monotonic() + timeout
        reaches = []
        for number, benchmark in enumerate(benchmarks):
            left = end - clock.monotonic()
            if left <= 0:
                reaches.append(ChangeCoverage(benchmark.name, None, _no_time(timeout)))
                continue
            observer.step(
                f"what executes the change: {benchmark.name}, {number + 1} of {len(benchmarks)}; "
                f"at most {left:.0f} s more for all"
            )
            counter.timeout = left / (len(benchmarks) - number) / len(context.usable)
            reaches.append(_reach(counter, benchmark, names, code))
        return tuple(reaches)


def _reached_in_python(
    context: RunContext[Study], code: CodeComparison, timeout: float, parts: int
) -> tuple[ChangeCoverage, ...]:
    folders = {b.variant: b.program.parents[parts - 1] for b in context.usable}
    benchmarks = context.question.benchmarks
    reaches = []
    with scratch_folder(context.home) as folder:
        end = context.services.clock.monotonic() + timeout
        counter = BuildCounter(context, {}, folder, timeout)
        for number, benchmark in enumerate(benchmarks):
            left = end - context.services.clock.monotonic()
            if left <= 0:
                reaches.append(ChangeCoverage(benchmark.name, None, _no_time(timeout)))
                continue
            context.observer.step(f"what executes the change: {benchmark.name}")
            counter.timeout = left / (len(benchmarks) - number) / len(context.usable)
            reaches.append(python_reach(benchmark, counter.tasks(benchmark), folders, code))
    return tuple(reaches)


def _no_time(timeout: float) -> str:
    return f"the {timeout:g} s for simulation were used up before its turn"


def _reach(
    counter: BuildCounter,
    benchmark: Benchmark,
    names: Mapping[str, Mapping[str, str]],
    code: CodeComparison,
) -> ChangeCoverage:
    if benchmark.kind.countable:
        return _reach_of(benchmark, counter.simulated(benchmark)[0], names, code)
    if MAKERS[benchmark.runner].to_see is None:
        return ChangeCoverage(
            benchmark.name, None, f"a {benchmark.runner} benchmark cannot be simulated"
        )
    # Once shows what most changes are about. That something is not executed takes as many
    # iterations as are measured: inputs may differ from one to the next.
    seen = _reach_of(benchmark, counter.seen(benchmark, ONCE), names, code)
    if seen.placement_only:
        seen = _reach_of(benchmark, counter.seen(benchmark, LONG), names, code)
    return replace(seen, instructions=None)


def _reach_of(
    benchmark: Benchmark,
    counts: list[Counts],
    names: Mapping[str, Mapping[str, str]],
    code: CodeComparison,
) -> ChangeCoverage:
    broken = next((c for c in counts if c.profile is None or c.failed), None)
    if broken is not None or not counts:
        notes = broken.notes if broken else ()
        return ChangeCoverage(benchmark.name, None, notes[0] if notes else "it was not simulated")
    changed = {base_name(f.name) for f in code.reached}
    sides = [_costs_by_name(c.profile, names[c.variant]) for c in counts if c.profile is not None]
    costs = {n: [s.get(n, 0.0) for s in sides] for s in sides for n in s if n in changed}
    # What takes more or fewer instructions than before says most of why.
    executed = tuple(
        sorted(costs, key=lambda n: (min(costs[n]) - max(costs[n]), -max(costs[n]), n))
    )
    totals = [c.profile.totals.get(c.profile.main) for c in counts if c.profile]
    both = len(totals) == 2 and totals[0] is not None and totals[1] is not None
    instructions = (totals[0] or 0.0, totals[1] or 0.0) if both else None
    if not executed and not code.traced:
        return ChangeCoverage(benchmark.name, None, "; ".join(code.reasons), instructions)
    return ChangeCoverage(benchmark.name, executed, "", instructions)


def _costs_by_name(profile: Profile, names: Mapping[str, str]) -> dict[str, float]:
    """Self cost by the name that the program puts first; libraries' functions by their own."""
    costs: dict[str, float] = {}
    for function in profile.functions:
        plain = base_name(function.name.split("'")[0])
        name = names.get(plain, plain)
        costs[name] = costs.get(name, 0.0) + function.costs.get(profile.main, 0.0)
    return costs


BASE, HEAD = "base", "head"

#: Seconds of measuring where nobody says otherwise, and of all runs under the simulator together:
#: with two builds a check takes five minutes.
BUDGET, SIMULATED = 180.0, 60.0


GOES_ON = "The time is used up; the same command goes on from what it measured."


@dataclass(frozen=True)
class Request:
    """``folder`` is anywhere in the repository, ``range`` ``BASE..HEAD`` or empty; ``study`` is
    that of the repository's root by default. ``margin`` None: the study's own. ``costs``: count
    them even where the study does not ask for it."""

    folder: Path
    range: str = ""
    study: Path | None = None
    budget: float = BUDGET
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
    services = services or Services()
    if elsewhere is not None:
        elsewhere.check(RunContext(asked.study, home, observer, services))
    plain = replace(asked.study, measure=replace(asked.study.measure, layouts=0))
    context = _built(build(RunContext(plain, home, observer, services)), asked.change)
    program = Path(context.question.build.program)
    folders = [b.program.parents[len(program.parts) - 1] for b in context.usable]
    code = same_builds(*((folder, program) for folder in folders))
    in_python = context.question.variants[0].toolchain.startswith("path:python")
    if in_python:
        code = with_functions(code, *folders)
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
        notes=asked.notes,
        commits=count,
        search=search,
    )
    if code.same or not context.question.benchmarks:
        with recording(context, None, alone=False) as run:
            pass
        return _with_check(judge(context, run.recorded), check)
    limit = min(SIMULATED, request.budget)
    if in_python and code.reached:
        reaches = _reached_in_python(context, code, limit, len(program.parts))
    else:
        reaches = reached_by(context, code, limit)
    check = replace(check, reaches=reaches)
    if asked.study.measure.layouts:
        context = build(RunContext(asked.study, home, observer, services))
    context = (elsewhere or Processes()).ready(context)
    observer.phase("measure")
    with recording(context, run_key(context), alone=elsewhere is None) as run:
        context = observe(context)
        _measure(context, run, check, elsewhere)
        context = repeat_builds(count_costs(context))
    if run.goes_on:
        check = replace(check, notes=(*check.notes, GOES_ON))
    result = judge(context, run.recorded)
    account = _account(context, result, check) if elsewhere is None else None
    return replace(result, found=replace(result.found, check=check, account=account))


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
            measure=replace(study.measure, budget=request.budget, stop="decided"),
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
        return None, ("The base has no such study; that of the head is used for both.",)
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


def _built(context: RunContext[Study], change: Range) -> RunContext[Study]:
    """The context, when both sides have been built; UserError names the side and its log."""
    names = {BASE: (change.base_name, change.base), HEAD: (change.head_name, change.head)}
    for outcome in context.builds:
        if isinstance(outcome, Build):
            continue
        name, commit = names[outcome.variant]
        log = f"; its log is {outcome.log}" if outcome.log else ""
        raise UserError(
            f"{outcome.variant} ({name}, {commit[:10]}) does not build: {outcome.reason}{log}"
        )
    return context


def _measure(
    context: RunContext[Study], run: OpenRun, check: Check, elsewhere: Measurer | None
) -> None:
    """First what executes changed code, then what only its place can make differ."""
    last = {r.benchmark for r in check.reaches if r.placement_only}
    benchmarks = context.question.benchmarks
    groups = (
        tuple(b for b in benchmarks if b.name not in last),
        tuple(b for b in benchmarks if b.name in last),
    )
    spec: MeasureSpec = context.question.measure
    clock = context.services.clock
    began = clock.monotonic()
    whole = True
    if elsewhere is None:
        tell_earlier(context, run)
    for group in groups:
        left = spec.budget - (clock.monotonic() - began)
        if not group or left <= 0:
            continue
        if elsewhere is None:
            entries = entries_of(context, run, group)
            earlier = sum(b.seconds for e in entries for b in e.blocks)  # each check has its budget
            measure_blocks(context, run, entries, replace(spec, budget=left + earlier))
        else:
            asked = replace(context.question, benchmarks=group, measure=replace(spec, budget=left))
            elsewhere.measure(replace(context, question=asked), run)
            whole = run.complete = run.complete and whole
    if elsewhere is None:
        check_programs(context)
        entries = entries_of(context, run, benchmarks)
        live = LiveSink(replace(context, observer=Silent()), run, entries, spec)
        run.goes_on = not run.failures() and not all(live.settled(e) for e in entries)


def _with_check(result: Result, check: Check) -> Result:
    return replace(result, found=replace(result.found, check=check))
