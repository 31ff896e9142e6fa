"""What differs between culprit and parent of a search over the variants of a study."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from whyfast.build.revisions import top_level
from whyfast.build.source import with_source
from whyfast.investigate.building import build
from whyfast.investigate.check_run import reached_by
from whyfast.investigate.context import RunContext, narrow
from whyfast.investigate.services import Observer, Services
from whyfast.model.build import Build
from whyfast.model.errors import UserError
from whyfast.model.evidence import DispatchFacts
from whyfast.model.study import Source, Study
from whyfast.model.variant import Variant
from whyfast.search.axes.axis import Bisection
from whyfast.search.axes.commits import changed_files, commits, leads, merged_branch, uncommitted
from whyfast.search.axes.registry import LINES
from whyfast.search.axes.toolchains import is_backwards, toolchains, way_back
from whyfast.search.keep import search_key
from whyfast.search.run import SearchResult, StepEvidence, begun, compared, run_search
from whyfast.search.script_subject import ScriptSubject
from whyfast.search.state import AxisCandidate, Quantity, Task, check_quantity, remainders
from whyfast.search.study_subject import StudySubject, as_linked, incrementally, without_layouts
from whyfast.store.home import Home

#: Seconds that one run under the simulator may take.
SIMULATED = 120.0


def study_evidence(
    work: RunContext[Study], result: SearchResult, repository: Path | None
) -> StepEvidence | None:
    """None where no single culprit was found. ``repository``: that of the commits."""
    where = result.answer.where
    if result.answer.outcome != "culprit" or where is None:
        return None
    pair = tuple(result.candidates[i] for i in result.sides(where))
    variants = tuple(
        replace(c.variant, name=name)
        for c, name in zip(pair, ("parent", "culprit"), strict=True)
        if c.variant is not None
    )
    if len(variants) != 2:
        return None
    work.observer.phase("explain")
    study = replace(
        work.question,
        variants=variants,
        baselines=("parent",),
        claim=None,
        control=False,
        measure=replace(work.question.measure, layouts=0),
    )
    made = build(replace(work, question=study))  # both are in the store
    builds = [b for b in made.builds if isinstance(b, Build)]
    if len(builds) != 2:
        return None
    parent, culprit = (_place(made, b) for b in builds)
    files = changed_files(repository, pair[0], pair[1]) if repository else ()
    found = compared(parent, culprit, files)
    reaches = () if found.code.same else reached_by(made, found.code, SIMULATED)
    return replace(found, reaches=reaches, dispatch=_dispatch(made))


def _dispatch(work: RunContext[Study]) -> tuple[DispatchFacts, DispatchFacts] | None:
    facts = [e.dispatch for e in work.evidence if e.dispatch is not None]
    return (facts[0], facts[1]) if len(facts) == 2 else None


def _place(work: RunContext[Study], built: Build) -> tuple[Path, Path]:
    """The folder that it was built in, and the program in it."""
    program = Path(work.question.build.program)
    return built.program.parents[len(program.parts) - 1], program


# ---- A search over the variants of a study.


@dataclass(frozen=True)
class StudySearch:
    """What a user asks: ``variant`` None is the study's main baseline, ``benchmarks`` all of them
    when empty; ``margin`` None is the study's, ``blocks`` the most to take.
    ``everything``: further steps too. ``quantity``: what is compared.
    ``incremental``: commits are built from what the last one left, also where the study says so."""

    axis: str
    good: str
    bad: str
    variant: str | None = None
    among: tuple[str, ...] = ()
    benchmarks: tuple[str, ...] = ()
    margin: float | None = None
    blocks: int | None = None
    fresh: bool = False
    everything: bool = False
    quantity: Quantity = "time"
    incremental: bool = False


def search_by_study(
    study: Study, search: StudySearch, home: Home, observer: Observer, services: Services
) -> SearchResult:
    """Since which candidate the variant is slower, or faster. UserError for ends that cannot be."""
    study = narrow(study, (), search.benchmarks)
    variant = _variant(study, search.variant)
    repository = None
    if search.axis == "commits":
        study = _of_commits(study, search)
        repository = _repository(study, home, observer)
    found = _candidates(variant, search, repository)
    if repository is None:
        backwards = is_backwards(_among(search), search.good, search.bad)
    else:
        backwards = leads(repository, found[-1].name, found[0].name)
        if said := uncommitted(repository, found[0 if backwards else -1]):
            observer.note(said)
    check_quantity(search.quantity, study)
    incremental = repository is not None and (search.incremental or study.build.incremental)
    if incremental and services.build_ahead is not None:
        incremental = False
        observer.note("commits are built clean, as other machines build them ahead")
    timed = search.quantity == "time"
    relinkable = timed and study.build.link is not None and study.measure.layouts > 0
    between = as_linked if relinkable else None
    margin = study.margin if search.margin is None else search.margin
    if not timed:  # a count is the same in every layout
        study = without_layouts(study)
    work = RunContext(replace(study, control=False), home, observer, services)

    def one(candidates: Sequence[AxisCandidate], backwards: bool) -> SearchResult:
        names, benchmarks = [repr(c) for c in candidates], repr(study.benchmarks)
        key = search_key(study.name, search.axis, names, benchmarks, margin, search.quantity)
        file = home.data / "searches" / f"{key}.json"
        if search.fresh:
            file.unlink(missing_ok=True)
        seed = zlib.crc32(key.encode())
        subject = StudySubject(
            work,
            candidates,
            seed,
            relinkable,
            search.quantity,
            unsettled=incrementally if incremental else between,
        )
        observer.phase("search")
        task = Task(len(candidates) - 1, margin, subject.can_vary(), budget=search.blocks)
        blank = begun(search.axis, candidates, task, search.quantity, backwards=backwards)
        result = run_search(subject, blank, file, home, observer)
        return replace(result, evidence=study_evidence(work, result, repository))

    def inside(merge: AxisCandidate) -> Sequence[AxisCandidate] | None:
        return merged_branch(repository, merge, variant) if repository else None

    back = way_back(_among(search), search.good, search.bad, variant) if not repository else ()
    return follow(one(found, backwards), Ways(one, inside, search.everything, back))


def _variant(study: Study, name: str | None) -> Variant:
    wanted = name or study.baselines[0]
    names = [v.name for v in study.measured]
    if wanted not in names:
        raise UserError(f"no variant {wanted!r}; there are {', '.join(names)}", where="--variant")
    return study.variant(wanted)


def _candidates(
    variant: Variant, search: StudySearch, repository: Path | None
) -> tuple[AxisCandidate, ...]:
    if repository is None:
        return toolchains(_among(search), search.good, search.bad, variant)
    return commits(repository, search.good, search.bad, variant)


def _among(search: StudySearch) -> tuple[str, ...]:
    return search.among or (search.good, search.bad)


def _of_commits(study: Study, search: StudySearch) -> Study:
    """The study; where its source is a folder of a repository, with that repository as the source:
    its commits are built, not the files as they are."""
    folder = study.source.folder
    if study.source.kind == "path":
        with contextlib.suppress(UserError):
            root = top_level(folder)
            inner = str(folder.resolve().relative_to(root.resolve())).removeprefix(".")
            source = Source("git", str(root), root, revision=search.bad, inner=inner)
            return replace(study, source=source)
    return study


def _repository(study: Study, home: Home, observer: Observer) -> Path:
    repository = with_source(study, home, observer.step).source.repository
    if repository is None:
        raise UserError(
            f"its source is no git repository but a {study.source.kind}; write git = … in "
            "[source], or search by a command",
            where=study.folder / "study.toml",
        )
    return repository


# ---- A search over commits by a command of the user's own, without a study.


@dataclass(frozen=True)
class CommandSearch:
    """``command`` runs in the checkout of a commit, ``build`` (a line of shell) once before.
    ``margin`` is relative, ``blocks`` the most to take. ``prints_number``: the command prints what
    counts. ``program``: what is built, in the checkout, to compare its code in the end; empty for
    the command's first word, where that is a file there. ``everything``: further steps too.
    ``either``: which end is the faster is not known, so checkouts stay where the bad one is."""

    command: tuple[str, ...]
    build: str
    repository: Path
    good: str
    bad: str
    margin: float = 0.01
    blocks: int | None = None
    fresh: bool = False
    prints_number: bool = False
    program: str = ""
    everything: bool = False
    either: bool = False


def search_by_command(
    search: CommandSearch, home: Home, observer: Observer, services: Services
) -> SearchResult:
    """Since which commit the command is slower, or faster. UserError for ends that cannot be."""
    place = str(search.repository.resolve())
    common = (place, search.command, search.build, search.margin, search.prints_number)
    folder = home.cache / "checkouts" / search_key(*common)
    found = commits(search.repository, search.good, search.bad)
    backwards = leads(search.repository, found[-1].name, found[0].name)
    if said := uncommitted(search.repository, found[0 if backwards else -1]):
        observer.note(said)
    subjects = []

    def one(candidates: Sequence[AxisCandidate], backwards: bool) -> SearchResult:
        key = search_key([c.name for c in candidates], *common)
        file = home.data / "searches" / f"{key}.json"
        if search.fresh:
            file.unlink(missing_ok=True)
        subject = ScriptSubject(
            search.repository,
            candidates,
            search.command,
            search.build,
            folder,
            services,
            zlib.crc32(key.encode()),
            prints_number=search.prints_number,
        )
        subjects.append(subject)
        task = Task(len(candidates) - 1, search.margin, budget=search.blocks)
        observer.phase("search")
        blank = begun("commits", candidates, task, backwards=backwards)
        result = run_search(subject, blank, file, home, observer)
        return replace(result, evidence=_evidence(search, subject, result))

    def inside(merge: AxisCandidate) -> Sequence[AxisCandidate] | None:
        return merged_branch(search.repository, merge)

    try:
        result = follow(one(found, backwards), Ways(one, inside, search.everything))
    except UserError:
        for subject in subjects:
            subject.close(logs=True)  # the message may name one
        raise
    for subject in subjects if not (search.either and result.answer.outcome == "swapped") else ():
        subject.close()  # an interrupted search keeps its checkouts
    return result


def _evidence(
    search: CommandSearch, subject: ScriptSubject, result: SearchResult
) -> StepEvidence | None:
    """What differs between culprit and parent, where there is a program to look at."""
    where = result.answer.where
    if result.answer.outcome != "culprit" or where is None:
        return None
    pair = result.sides(where)
    program = Path(search.program or search.command[0])
    for number in pair:
        subject.build(number)  # a search that was gone on with may have only its numbers
    missing = not all((subject.place(n) / program).is_file() for n in pair)
    if program.is_absolute() or missing:
        if search.program:
            raise UserError("is not in the checkout once it is built", where=search.program)
        return None
    parent, culprit = ((subject.place(n), program) for n in pair)
    files = changed_files(search.repository, *(subject.candidates[n] for n in pair))
    return compared(parent, culprit, files)


# ---- Searches of a study along lines that are neither commits nor compilers: passes and kernels.


@dataclass(frozen=True)
class LineResult:
    """A search along a line, and what was compared: everything that ``search`` calls a time is a
    cost of that kind. ``back`` is that beyond the bad end: from its culprit's parent on it is good
    again. ``notes``: what is to be said beside, a sentence each."""

    quantity: Quantity
    search: SearchResult
    back: SearchResult | None = None
    notes: tuple[str, ...] = ()


def search_by_line(
    study: Study, search: Bisection, home: Home, observer: Observer, services: Services
) -> LineResult:
    """Since which candidate the variant costs more. UserError for ends that cannot be."""
    study = narrow(study, (), search.benchmarks)
    work = RunContext(replace(study, control=False), home, observer, services)
    line = LINES[search.axis](work, _variant(study, search.variant), search)
    quantity = line.quantity or search.quantity
    if line.quantity is None:
        check_quantity(quantity, study)
    timed = quantity == "time"
    if not timed:  # a count is the same in every layout
        work = replace(work, question=without_layouts(work.question))
    relinkable = timed and study.build.link is not None and study.measure.layouts > 0
    margin = study.margin if search.margin is None else search.margin
    observer.phase("search")

    def one(candidates: tuple[AxisCandidate, ...]) -> SearchResult:
        names = [repr(c) for c in candidates]
        key = search_key(study.name, search.axis, quantity, names, repr(study.benchmarks), margin)
        file = home.data / "searches" / f"{key}.json"
        if search.fresh:
            file.unlink(missing_ok=True)
        seed = zlib.crc32(key.encode())
        subject = StudySubject(
            work,
            candidates,
            seed,
            relinkable=relinkable,
            quantity=quantity,
            make=line.make,
            count=line.count,
            unsettled=as_linked if relinkable else None,
        )
        task = Task(len(candidates) - 1, margin, subject.can_vary(), budget=search.blocks)
        blank = begun(search.axis, candidates, task, quantity)
        return run_search(subject, blank, file, home, observer, alone=timed)

    found = one(line.candidates)
    if not line.back or found.answer.outcome not in ("culprit", "one of"):
        return LineResult(quantity, found)
    try:
        return LineResult(quantity, found, one(line.back))
    except UserError as error:
        return LineResult(quantity, found, notes=(f"Beyond the bad end: {error}",))


# ---- From a first answer to what is behind it: into merged branches, and on to further steps.

#: Branches in branches are followed so deep.
DEEPEST = 6


@dataclass(frozen=True)
class Ways:
    """How to go on. ``search`` searches a range of candidates, backwards or not. ``inside`` gives
    the range of what a candidate merged, the oldest first, None where it is no merge.
    ``everything``: further steps too. ``back`` are the candidates beyond the bad end, the last
    first: where is it good again?"""

    search: Callable[[Sequence[AxisCandidate], bool], SearchResult]
    inside: Callable[[AxisCandidate], Sequence[AxisCandidate] | None]
    everything: bool = False
    back: Sequence[AxisCandidate] = ()


def follow(result: SearchResult, ways: Ways, depth: int = 0) -> SearchResult:
    """The result with further ones in it.

    A culprit that merged a branch is searched in that branch, and so on; its own verdict stays. A
    remainder over which it became better is searched backwards, for what repaired it. A
    further search that cannot be made, for want of an end that builds, is told in ``notes``.
    """
    further: list[SearchResult] = []
    notes: list[str] = []

    def add(why: str, candidates: Sequence[AxisCandidate], backwards: bool) -> None:
        try:
            found = replace(ways.search(candidates, backwards), why=why)
        except UserError as error:
            notes.append(f"the {why} could not be searched: {error}")
        else:
            further.append(follow(found, ways, depth + 1))
            if why == "remainder" and found.answer.outcome == "swapped":
                add("repair", candidates[::-1], not backwards)

    answer = result.answer
    onwards, backwards = result.why != "repair", result.backwards
    if onwards and answer.outcome == "culprit" and answer.where is not None and depth < DEEPEST:
        branch = ways.inside(result.at(answer.where.first))
        if branch is not None:
            add("merged branch", branch[::-1] if backwards else branch, backwards)
    if ways.back and depth == 0 and answer.outcome in ("culprit", "one of"):
        add("way back", ways.back, not backwards)
    if ways.everything and onwards and depth < DEEPEST:
        for good, bad in remainders(answer, len(result.candidates) - 1):
            add("remainder", result.candidates[good : bad + 1], backwards)
    return replace(result, further=tuple(further), notes=(*result.notes, *notes))


def deepest(result: SearchResult) -> SearchResult:
    """The result of the innermost merged branch in which a culprit was found, or the result."""
    for one in result.further:
        if one.why == "merged branch" and one.answer.outcome in ("culprit", "one of"):
            return deepest(one)
    return result


def merged_by(result: SearchResult) -> tuple[AxisCandidate, ...]:
    """The merges by which the deepest culprit came in, the outermost first."""
    inner = deepest(result)
    merges = []
    while result is not inner:
        where = result.answer.where
        assert where is not None
        merges.append(result.at(where.first))
        (result,) = [r for r in result.further if r.why == "merged branch"]
    return tuple(merges)
