"""Searches from a request to the result: of a study, or of commits with a command."""

from __future__ import annotations

import contextlib
import math
import shlex
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from whyfast.build.revisions import top_level
from whyfast.build.source import with_source
from whyfast.investigate.ab_run import Command, Options
from whyfast.investigate.building import build
from whyfast.investigate.change_reach import reached_by
from whyfast.investigate.context import RunContext, study_prefixes
from whyfast.investigate.services import Observer, Services, asking_compilers_once
from whyfast.investigate.study_run import narrow
from whyfast.investigate.why.why_builds import explain_builds
from whyfast.investigate.why.why_inquiry import AccountLimits
from whyfast.investigate.why.why_run import explain_commands
from whyfast.judge.decide import ALPHA
from whyfast.model.build import Build
from whyfast.model.code import CodeComparison
from whyfast.model.errors import UserError
from whyfast.model.study import Source, Study
from whyfast.model.variant import Variant
from whyfast.model.verdict import Outcome, Verdict
from whyfast.model.why import Account
from whyfast.search.axes import CandidateRange, DifferenceSet, SearchRequest
from whyfast.search.axes.flags import mix_flags, with_flags
from whyfast.search.axes.objects import mix_functions, mix_objects
from whyfast.search.axes.passes import pass_range
from whyfast.search.axes.ranges import commit_range, kernel_range, toolchain_range
from whyfast.search.ddmin import Minimal
from whyfast.search.results import (
    SearchFile,
    SearchResult,
    SetResult,
    StepEvidence,
    begun,
    compared,
    deepest,
    search_key,
)
from whyfast.search.run import BAD_END, GOOD_END, run_search, run_set
from whyfast.search.state import MEASURED, AxisCandidate, Quantity, Task, check_quantity, remainders
from whyfast.search.study_subject import StudySubject, without_layouts
from whyfast.search.subject import TIMEOUT, ScriptSubject, UserCommand
from whyfast.store.git import changed_files
from whyfast.store.home import Home

# The axes of a study by name, beside commits. A new one is one file and one line here.

#: Candidates in order; UserError for impossible ends.
RANGES: Mapping[str, Callable[[RunContext[Study], Variant, SearchRequest], CandidateRange]] = {
    "kernels": kernel_range,
    "passes": pass_range,
    "toolchains": toolchain_range,
}
#: The differences between the good and the bad variant, with the name of an object file for
#: ``functions``; UserError for impossible ends.
SETS: Mapping[str, Callable[[RunContext[Study], Variant, Variant, str], DifferenceSet]] = {
    "flags": mix_flags,
    "functions": mix_functions,
    "objects": mix_objects,
}


def _margin(study: Study, request: SearchRequest) -> float:
    return study.margin if request.margin is None else request.margin


def _context(
    study: Study, quantity: Quantity, home: Home, observer: Observer, services: Services
) -> RunContext[Study]:
    """The study without a control; a count is the same in every layout."""
    study = replace(study if quantity in MEASURED else without_layouts(study), control=False)
    return RunContext(study, home, observer, asking_compilers_once(services))


def search_range(
    study: Study, request: SearchRequest, home: Home, observer: Observer, services: Services
) -> SearchResult:
    """Find the candidate that made the variant slower, or faster. UserError for impossible ends."""
    study = narrow(study, (), request.benchmarks)
    names = [v.name for v in study.measured]
    variant = _variant(study, request.variant or study.baselines[0], names, "--variant")
    repository = None
    if request.axis == "commits":
        study = _of_commits(study, request)
        repository = _repository(study, home, observer)
        axis = commit_range(repository, request, observer, variant)
    else:
        context = _context(study, "time", home, observer, services)
        axis = RANGES[request.axis](context, variant, request)
    if axis.quantity is None:
        check_quantity(request.quantity, study)
    incremental = repository is not None and (request.incremental or study.build.incremental)
    if incremental and services.build_ahead is not None:
        incremental = False
        observer.note("commits are built clean, as other machines prefetch builds")
    quantity, margin = axis.quantity or request.quantity, _margin(study, request)
    context = _context(study, quantity, home, observer, services)

    def search(candidates: Sequence[AxisCandidate], backwards: bool) -> Searched:
        titles, benchmarks = [repr(c) for c in candidates], repr(study.benchmarks)
        key = search_key(study.name, request.axis, titles, benchmarks, margin, quantity)
        observer.phase("search")
        subject = StudySubject(
            *(context, candidates, zlib.crc32(key.encode()), quantity, axis.make, axis.count),
            incremental=incremental,
        )
        task = Task(len(candidates) - 1, margin, subject.can_vary(), budget=request.blocks)
        blank = begun(request.axis, candidates, task, quantity, backwards=backwards)
        file = _file(home, key, request, [c.name for c in candidates])
        result = run_search(subject, blank, file, home, observer)

        def differences(pair: tuple[int, int]) -> StepEvidence | None:
            if request.axis not in ("commits", "toolchains"):
                return None
            return file.evidence(pair, lambda: _study_evidence(context, result, pair, repository))

        return result, differences

    return follow(axis, search, everything=request.everything)


def _file(home: Home, key: str, request: SearchRequest, names: Sequence[str]) -> SearchFile:
    path = home.data / "searches" / f"{key}.json"
    if request.fresh:
        path.unlink(missing_ok=True)
    return SearchFile(path, names)


def _variant(study: Study, name: str, names: Sequence[str], where: str, hint: str = "") -> Variant:
    if name not in names:
        message = f"unknown variant {name!r}; available: {', '.join(names)}{hint}"
        raise UserError(message, where=where)
    return study.variant(name)


def _of_commits(study: Study, request: SearchRequest) -> Study:
    """The study; if its source is a folder in a repository, with the repository as the source."""
    folder = study.source.folder
    if study.source.kind == "path":
        with contextlib.suppress(UserError):
            root = top_level(folder)
            inner = str(folder.resolve().relative_to(root.resolve())).removeprefix(".")
            source = Source("git", str(root), root, revision=request.bad, inner=inner)
            return replace(study, source=source)
    return study


def _repository(study: Study, home: Home, observer: Observer) -> Path:
    repository = with_source(study, home, observer.step).source.repository
    if repository is None:
        raise UserError(
            f"the source is not a git repository: {study.source.kind}; write git = … in [source], "
            "or search with a command",
            where=study.folder / "study.toml",
        )
    return repository


#: Seconds that one run under the simulator may take.
SIMULATED = 120.0
#: Of the account of a command: measuring and simulating take so long each, and no step begins
#: after five minutes.
ACCOUNT = AccountLimits(30.0, 300.0)


def _study_evidence(
    context: RunContext[Study],
    result: SearchResult,
    pair: tuple[int, int],
    repository: Path | None,
) -> StepEvidence | None:
    """The differences between parent and culprit. ``repository``: that of the commits."""
    sides = [result.candidates[i] for i in pair]
    variants = tuple(
        replace(c.variant, name=name)
        for c, name in zip(sides, ("parent", "culprit"), strict=True)
        if c.variant is not None
    )
    if len(variants) != 2:
        return None
    context.observer.phase("explain")
    study = replace(
        context.question,
        variants=variants,
        baselines=("parent",),
        claim=None,
        control=False,
        measure=replace(context.question.measure, layouts=0),
    )
    both = build(replace(context, question=study))  # found in the store
    builds = [b for b in both.builds if isinstance(b, Build)]
    if len(builds) != 2:
        return None
    program = Path(study.build.program)
    parent, culprit = ((b.program.parents[len(program.parts) - 1], program) for b in builds)
    files = changed_files(repository, *(s.name for s in sides)) if repository else ()
    evidence = compared(parent, culprit, files)
    dispatch = [e.dispatch for e in both.evidence if e.dispatch is not None]
    reaches = () if evidence.code.same else reached_by(both, evidence.code, SIMULATED)
    return replace(
        evidence,
        reaches=reaches,
        dispatch=(dispatch[0], dispatch[1]) if len(dispatch) == 2 else None,
        account=_account(both, result, [r.benchmark for r in reaches if r.placement_only]),
    )


def _account(both: RunContext[Study], result: SearchResult, moved: Sequence[str]) -> Account | None:
    """The account of the step, on the first benchmark that may execute the changed functions."""
    step = result.answer.step
    benchmark = next((b for b in both.question.benchmarks if b.name not in moved), None)
    if step is None or benchmark is None or result.quantity != "time":
        return None
    ratio, low, high = (math.exp(x) for x in (step.estimate, step.low, step.high))
    outcome: Outcome = "slower" if ratio > 1 else "faster"
    verdict = Verdict(
        "culprit", "parent", benchmark.name, outcome, ratio, low, high,
        1 - ALPHA, 0.0, step.blocks,
    )  # fmt: skip
    return explain_builds(replace(both, prefixes=study_prefixes(both)), benchmark, verdict)


def search_set(
    study: Study, request: SearchRequest, home: Home, observer: Observer, services: Services
) -> SetResult:
    """Find the differences that carry the slowdown. UserError for impossible ends."""
    study = narrow(study, (), request.benchmarks)
    check_quantity(request.quantity, study)
    context = _context(study, request.quantity, home, observer, services)
    good = _end(study, request, request.good, "--good")
    bad = _end(study, request, request.bad, "--bad")
    differences = SETS[request.axis](context, good, bad, request.object)
    study, margin = context.question, _margin(study, request)

    def search(ends: DifferenceSet) -> SetResult:
        titles, candidates = ends.differences, list(ends.ends())
        key = search_key(
            *(study.name, request.axis, request.object, request.quantity, titles, margin),
            *(repr(replace(v, name="")) for v in (ends.good, ends.bad)),
            *(repr(study.benchmarks), study.source.folder, study.source.revision),
        )
        subject = StudySubject(
            *(context, candidates, zlib.crc32(key.encode()), request.quantity, ends.make),
            incremental=request.incremental,
            ends=(GOOD_END, BAD_END),
        )
        blank = SetResult(
            *(request.axis, ends.good.name, ends.bad.name, titles, request.quantity),
            *((), Minimal("undecided"), ends.vanishing, ends.reverted),
        )
        return run_set(
            Task(len(titles), margin, budget=request.blocks, relinkable=subject.can_vary()),
            *(subject, candidates, blank, _file(home, key, request, titles), home, observer),
        )

    observer.phase("search")
    return search_all(differences, search) if request.everything else search(differences)


def _end(study: Study, request: SearchRequest, text: str, where: str) -> Variant:
    names = [v.name for v in study.variants if not v.control_of]
    if not text.startswith("-"):
        return _variant(study, text, names, where, "; or write flags")
    base = _variant(study, request.variant or study.baselines[0], names, "--variant")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UserError(f"{text!r} cannot be split into flags: {error}", where=where) from error
    return with_flags(base, words, text)


def search_by_command(
    command: UserCommand, request: SearchRequest, home: Home, observer: Observer, services: Services
) -> SearchResult:
    """Find the commit that made the command slower, or faster. UserError for impossible ends."""
    repository, margin = command.repository, request.margin or 0.01
    place = str(repository.resolve())
    common = (place, command.words, command.build, margin, command.prints_number)
    folder = home.cache / "checkouts" / search_key(*common)
    axis = commit_range(repository, request, observer)
    subjects = []

    def search(candidates: Sequence[AxisCandidate], backwards: bool) -> Searched:
        names = [c.name for c in candidates]
        key = search_key(names, *common)
        subject = ScriptSubject(command, candidates, folder, services, zlib.crc32(key.encode()))
        subjects.append(subject)
        task = Task(len(candidates) - 1, margin, budget=request.blocks)
        observer.phase("search")
        blank = begun("commits", candidates, task, backwards=backwards)
        file = _file(home, key, request, names)
        result = run_search(subject, blank, file, home, observer)
        return result, lambda pair: file.evidence(
            pair, lambda: _command_evidence(subject, pair, home, observer)
        )

    try:
        result = follow(axis, search, everything=request.everything)
    except UserError:
        for subject in subjects:
            subject.close(logs=True)  # the message may name one
        raise
    if not (command.either and result.answer.outcome == "swapped"):
        for subject in subjects:
            subject.close()  # an interrupted search keeps its checkouts
    return result


def _command_evidence(
    subject: ScriptSubject, pair: tuple[int, int], home: Home, observer: Observer
) -> StepEvidence:
    """The differences between parent and culprit: of the program, where the checkouts hold it, of
    the source, and in what takes the time."""
    command = subject.command
    program = Path(command.program or command.words[0])
    for number in pair:
        subject.build(number)  # a resumed search may have only its numbers
    files = changed_files(command.repository, *(subject.candidates[n].name for n in pair))
    parent, culprit = ((subject.place(n), program) for n in pair)
    if not program.is_absolute() and all((subject.place(n) / program).is_file() for n in pair):
        evidence = compared(parent, culprit, files)
    elif command.program:
        raise UserError("not found in the checkout after the build", where=command.program)
    else:
        evidence = StepEvidence(CodeComparison(identical=False, same=False), files=tuple(files))
    if command.prints_number or evidence.code.same:
        return evidence
    observer.phase("explain")
    sides = [
        Command(name, shlex.join(subject.words(number)))
        for name, number in zip(("parent", "culprit"), pair, strict=True)
    ]
    options = Options(budget=ACCOUNT.seconds, shell="", timeout=TIMEOUT)
    try:
        done = explain_commands(sides, options, ACCOUNT, home, observer, services=subject.services)
    except UserError as error:
        observer.note(f"no account of the difference: {error}")
        return evidence
    return replace(evidence, account=done.found.account)


#: The most levels of branches in branches, and of remainders in remainders.
DEEPEST = 6


#: A search of candidates alone, and what finds the differences between two of them, the parent and
#: the culprit.
Searched = tuple[SearchResult, Callable[[tuple[int, int]], StepEvidence | None]]


def follow(
    axis: CandidateRange,
    search: Callable[[Sequence[AxisCandidate], bool], Searched],
    *,
    everything: bool = False,
    why: str = "",
    depth: int = 0,
) -> SearchResult:
    """The search of the candidates, with the searches that follow: of the branch that a culprit
    merged, beyond the bad end for where it is good again, and with ``everything`` of the
    remainders, backwards for a repair where one became better. One that fails, because an end does
    not build, becomes a note. A culprit has its evidence, but not a merge whose branch has some.
    ``why`` and ``depth`` are those of a further search."""
    result, differences = search(axis.candidates, axis.backwards)
    further: list[SearchResult] = []
    notes: list[str] = []

    def add(why: str, candidates: Sequence[AxisCandidate], backwards: bool) -> None:
        part = replace(axis, candidates=tuple(candidates), backwards=backwards, back=())
        try:
            added = follow(part, search, everything=everything, why=why, depth=depth + 1)
        except UserError as error:
            notes.append(f"the {why} could not be searched: {error}")
            return
        further.append(added)
        if why == "remainder" and added.answer.outcome == "swapped":
            add("repair", candidates[::-1], not backwards)

    answer, backwards = result.answer, axis.backwards
    onwards = why != "repair" and depth < DEEPEST
    if onwards and answer.outcome == "culprit" and answer.where is not None:
        branch = axis.branch(result.at(answer.where.first))
        if branch is not None:
            add("merged branch", branch[::-1] if backwards else branch, backwards)
    if axis.back and answer.outcome in ("culprit", "one of"):
        add("way back", axis.back, not backwards)
    if everything and onwards:
        for good, bad in remainders(answer, len(result.candidates) - 1):
            add("remainder", result.candidates[good : bad + 1], backwards)
    result = replace(result, why=why, further=tuple(further), notes=(*result.notes, *notes))
    if answer.outcome != "culprit" or answer.where is None or deepest(result).evidence is not None:
        return result
    return replace(result, evidence=differences(result.sides(answer.where)))


def search_all(ends: DifferenceSet, search: Callable[[DifferenceSet], SetResult]) -> SetResult:
    """The search of a set, with those of the remaining difference in ``further``: each takes the
    culprits from the good end, and the first without culprits is the last. One that fails, because
    an end does not build, becomes the ``note``."""
    result = search(ends)
    culprits = frozenset(d for part in result.answer.parts for d in part)
    if not culprits or len(culprits) == len(ends.differences):
        return result
    try:
        return replace(result, further=search_all(ends.without(culprits), search))
    except UserError as error:
        return replace(result, note=f"the remaining difference could not be searched: {error}")
