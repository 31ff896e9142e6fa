"""The first study of a project, for ``whyfast new``: what its files suggest is fetched and built
once before it is written, and the built program names its benchmarks.

A project that does not build still gets its file, with the reason: people can mend a step, which
whyfast cannot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from whyfast.build.revisions import lacking_submodules
from whyfast.investigate.building import build
from whyfast.investigate.context import RunContext
from whyfast.investigate.counting import scratch_folder
from whyfast.investigate.first_commands import commands_of_tests
from whyfast.investigate.first_failure import (
    FETCHING,
    advice,
    fetched,
    lacks_tool,
    portable,
    to_check_out,
)
from whyfast.investigate.first_tries import (
    LEFT_OUT,
    TRIED,
    TROUBLE,
    Limit,
    Tries,
    copied,
    lacking,
    to_install,
    tried_ones,
)
from whyfast.investigate.first_work import with_work
from whyfast.investigate.services import Observer, Services, Silent
from whyfast.measure.harnesses import HARNESSES, benchmark_names
from whyfast.measure.invocation import InvocationFailed
from whyfast.model.build import Build, BuildFailure
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Source, Study
from whyfast.store.builds import BuildStore
from whyfast.store.home import Home
from whyfast.study.load import ROOT_FILE, load_study
from whyfast.study.project import (
    MOST,
    MOST_LISTED,
    WHOLE,
    Commands,
    Project,
    benchmark_key,
    literal,
    placed_at,
    program_name,
    some,
    some_names,
    spread,
)
from whyfast.study.skeleton import check_file

#: Seconds that a program that lists its benchmarks and a link in another layout may take; a check
#: has no time for twenty slower ones.
_LIST, _LINK = 120.0, 20.0
#: Seconds that listing them may take for it to be done twice.
_QUICK = 2.0
#: Seconds after which no further program is built in place of one without work.
_OTHERS = 60.0

#: Seconds for all of it where nobody says otherwise: with it a first check takes ten minutes.
LIMIT = 240.0


_NO_BENCHMARK = "it has no benchmark that runs; add [benchmarks.NAME] with a command"


@dataclass(frozen=True)
class FirstStudy:
    """``text`` is that of the file. ``failure`` says why the project does not build or what else
    must be changed in the file before it can be used; empty when nothing must. ``beside`` are
    further files by name, ``notes`` what was chosen and left out, in words. ``builds``: whether it
    does. ``lacks``: it needs what is not here, and ``failure`` is how to get it; no file helps.
    ``tool``: that is what builds it. ``idle``: no program of it does work."""

    text: str
    failure: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    builds: bool = True
    lacks: bool = False
    tool: bool = False
    idle: bool = False


def first_that_builds(
    folder: Path,
    kinds: Iterable[tuple[str, Project]],
    home: Home,
    observer: Observer,
    services: Services,
    seconds: float = LIMIT,
) -> tuple[str, FirstStudy]:
    """The study of the first kind of project as which the folder builds, and that kind; else of the
    first. After so many ``seconds`` it is what is known until then."""
    limit = Limit(services.clock, seconds, services.clock.monotonic() + seconds)
    tried: list[tuple[str, FirstStudy]] = []
    for kind, project in kinds:
        if tried:
            before, failed = tried[-1]
            # Of others the build has said why.
            reason = f" ({failed.failure})" if failed.lacks else ""
            observer.note(f"it does not build as a {before} project{reason}: as {kind} now")
        study = first_study(folder, project, home, observer, services, limit)
        # What does work may need a library: to get that is better than a program without, or one
        # that has to be written.
        wanted = any(other.lacks and not other.tool for _, other in tried)
        if study.builds and not ((study.idle or study.failure) and wanted):
            return kind, study
        tried.append((kind, study))
        if not limit.left():
            break
    return tried[0]


def first_study(
    folder: Path,
    project: Project,
    home: Home,
    observer: Observer,
    services: Services,
    limit: Limit | None = None,
) -> FirstStudy:
    """The study of the project in ``folder``, by the first of its ways that builds.

    Nothing is raised for a project that does not build, nor where the limit is reached.
    """
    limit = limit or Limit(services.clock, math.inf, math.inf)
    if project.fetch and (reason := fetched(folder, project.fetch, observer, limit.left(FETCHING))):
        return FirstStudy(check_file(_noted(project, reason)), reason, builds=False, lacks=True)
    failures: list[BuildFailure | str] = []
    bare = project.as_linked or project
    bare = _with_some_benchmark(bare)
    for way in _ways(project):
        way, outcome = _built(folder, way, home, observer, services, limit)
        if isinstance(outcome, Build):
            tries = Tries(outcome, observer, limit)
            way = _with_a_program_that_works(folder, way, tries, home, services)
            if failures:  # what was meant first needs what is not here
                reason, lacks = advice(folder, project, failures[0])
                note = f"{Path(project.program).name} does not build: {reason}"
                way = replace(way, comments=(*way.comments, note)) if lacks else way
            elif absent := lacking_submodules(folder):
                note = f"It builds without its submodules, where work may be{to_check_out(absent)}"
                way = replace(way, comments=(*way.comments, note))
            failure = way.incomplete
            if not way.benchmarks:
                told = [c for c in way.comments if c.startswith(LEFT_OUT)] or [*way.comments]
                failure = "; ".join([_NO_BENCHMARK, *told[:1]])
                if not limit.left():
                    failure = _over(limit, "its benchmarks were known")
                way = _with_some_benchmark(way)
                if to_install(way) in way.comments:
                    failure = f"modules are not installed for this interpreter: {way.install}"
                    return FirstStudy(check_file(way), failure, lacks=True)
            text, idle = check_file(way), way.idle
            return FirstStudy(text, failure, way.beside, way.comments, idle=idle)
        failures.append(outcome)
        if isinstance(outcome, BuildFailure) and lacks_tool(outcome):
            break
        if not limit.left():
            reason = _over(limit, "it was built, so nothing was tried")
            return FirstStudy(check_file(bare), reason, builds=False)
    reason, lacks = advice(folder, project, failures[0])
    text = check_file(_noted(bare, f"It does not build: {portable(reason)}"))
    tool = any(isinstance(f, BuildFailure) and lacks_tool(f) for f in failures)
    return FirstStudy(text, reason, builds=False, lacks=lacks, tool=tool)


def _with_some_benchmark(project: Project) -> Project:
    """The project with what might be timed of it: a study needs a benchmark. The program without
    words is none of its harness, which needs a name."""
    if project.benchmarks or project.candidates:
        return replace(project, benchmarks=project.benchmarks or project.candidates)
    return replace(project, benchmarks=WHOLE, runner="command")


def _over(limit: Limit, what: str) -> str:
    return (
        f"{limit.seconds:.0f} s were over before {what}; to go on from there, with more time: "
        f"rm {ROOT_FILE} && whyfast new --limit {2 * limit.seconds:.0f}s"
    )


def _with_a_program_that_works(
    folder: Path, way: Project, tries: Tries, home: Home, services: Services
) -> Project:
    """The built project with its benchmarks; where no work is found for its program, the first of
    the others that has some."""
    anew = float(tries.made.provenance["seconds"])
    with copied(folder, home) as copy:
        found = _with_benchmarks(copy, way, tries)
        end = services.clock.monotonic() + tries.limit.left(_OTHERS)
        others = sorted(
            found.others if found.idle or not found.benchmarks else (),
            # Those first whose work the tests name; all are configured alike.
            key=lambda other: (
                not commands_of_tests(copy, tries.made.program, program_name(other))[0]
            ),
        )
        for other in others:
            if services.clock.monotonic() > end:
                comment = f"Not built, for want of time: {Path(other.program).name}."
                return replace(found, comments=(*found.comments, comment))
            beside = replace(services, build=partial(services.build_beside, tries.made))
            other, built = _built(folder, other, home, tries.observer, beside, tries.limit)
            if isinstance(built, Build):
                left = max(tries.left, TRIED / 4)  # the first may have taken all
                tries = replace(tries, made=built, untried=[], left=left, late=0)
                instead = _with_benchmarks(copy, other, tries)
                if instead.benchmarks and not instead.idle:
                    # Beside the first it took less than by itself.
                    return replace(instead, takes=max(instead.takes, anew))
                if instead.benchmarks and found.incomplete and not instead.incomplete:
                    found = instead  # it has little to do, but does not fail
            elif found.incomplete and not tries.limit.left():
                over = _over(tries.limit, "another program, or its tests, was built in its place")
                return replace(found, incomplete=f"{found.incomplete}; {over}")
    return found


def _ways(project: Project) -> Iterator[Project]:
    way: Project | None = project
    while way is not None:
        yield way
        way = way.otherwise


def _noted(project: Project, reason: str) -> Project:
    return replace(project, comments=(*project.comments, *reason.splitlines()[:3]))


def _built(
    folder: Path,
    project: Project,
    home: Home,
    observer: Observer,
    services: Services,
    limit: Limit,
) -> tuple[Project, Build | BuildFailure | str]:
    """The build of the project's files as they are, or why there is none; and the project without
    its step that links, where the program cannot be linked again by it."""
    heard = _Layouts(observer)
    context = _build_once(folder, project, home, heard, services, limit)
    if isinstance(context, str):
        return project, context
    (outcome,) = context.builds
    bare = project.as_linked
    if bare is not None and (heard.reason or not isinstance(outcome, Build)):
        if isinstance(outcome, Build):
            comment = f"It is measured as linked, as it has no other layouts: {heard.reason}."
            # Without the last step it is the same program, which need not be built again.
            comments = (*bare.comments, comment)
            takes = float(outcome.provenance["seconds"])
            return replace(bare, comments=comments, others=project.others, takes=takes), outcome
        if not limit.left() or not _links(project, outcome.reason):
            return project, outcome
        bare = replace(bare, others=project.others)
        found, again = _built(folder, bare, home, observer, services, limit)
        if isinstance(again, Build) and found.program != bare.program:
            project = placed_at(project, found.program)
            return _built(folder, project, home, observer, services, limit)
        return found, again
    if isinstance(outcome, BuildFailure) and outcome.elsewhere:
        project = placed_at(project, outcome.elsewhere)
        return _built(folder, project, home, observer, services, limit)
    return project, outcome


class _Layouts(Silent):
    """Passes steps and notes on, but keeps the reason why there are no other layouts."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.reason = ""

    def phase(self, name: str) -> None:
        self._observer.phase(name)

    def step(self, text: str) -> None:
        self._observer.step(text)

    def note(self, text: str) -> None:
        if text.startswith("no other layouts"):
            self.reason = text.partition(": ")[2]
        else:
            self._observer.note(text)


def _links(project: Project, reason: str) -> bool:
    """Whether it was the step that links which failed."""
    return any(
        mark in project.link and mark in reason for mark in ("rm -f ", "-ldflags=", "save-temps")
    )


def _build_once(
    folder: Path,
    project: Project,
    home: Home,
    observer: Observer,
    services: Services,
    limit: Limit,
) -> RunContext[Study] | str:
    with scratch_folder(home) as scratch:
        file = scratch / ROOT_FILE
        # A study needs a benchmark; those of the program are known after the build.
        whole = project
        if not project.benchmarks:
            whole = replace(project, benchmarks=WHOLE, runner="command")
        file.write_text(check_file(whole), encoding="utf-8")
        if limit.seconds < math.inf:
            observer.step(f"building it once, for {limit.left():.0f} s at most")
        try:
            study = replace(load_study(file), source=Source("path", str(folder), folder))
            # The control alone is linked again, which shows whether there are other layouts.
            measure = replace(study.measure, layouts=0)
            study = replace(study, measure=measure, control=bool(project.link))
            with BuildStore(home.builds).in_use():
                context = RunContext(study, home, observer, services)
                return build(context, limit.left(), min(_LINK, limit.left()))
        except (UserError, CannotBuildHere) as error:
            return str(error)


def _with_benchmarks(folder: Path, project: Project, tries: Tries) -> Project:
    """The project with the benchmarks that its program lists, or that end well when tried; those
    of ``instead`` where there are none."""
    way: Project | None = project
    found, reasons = project, tuple[str, ...]()
    while way is not None:
        found = way
        if way.candidates:
            found = tried_ones(folder, way, tries)
        elif not way.benchmarks:
            found = _listed(folder, way, tries)
        elif way.benchmarks == WHOLE and not way.incomplete:
            found = with_work(folder, way, tries)
        if found.benchmarks or way.instead is None:
            break
        reasons = (*reasons, *(c for c in found.comments if c not in way.comments))
        way = way.instead
    if found.runner == "pyperf":  # which is not here to try them: the last way, the import, is
        while way is not None and way.instead is not None:
            way = way.instead
        if way and to_install(way) in tried_ones(folder, way, tries).comments:
            reasons, found = (*reasons, to_install(way)), replace(found, benchmarks={})
    return replace(found, comments=tuple(dict.fromkeys((*reasons, *found.comments))))


def _listed(folder: Path, project: Project, tries: Tries) -> Project:
    most = tries.limit.left(_LIST)
    end = tries.limit.clock.monotonic() + most
    tries.observer.step(f"listing its benchmarks, for {most:.0f} s at most")
    harness = HARNESSES[project.runner]
    place = Path(project.folder.format(source=folder)) if project.folder else folder
    try:
        listing = partial(benchmark_names, harness, tries.made.program, place, most, project.files)
        names = listing()
        if tries.limit.clock.monotonic() < end - most + _QUICK:
            # No run finds one again whose name holds the time of day.
            again = listing()
            names = [name for name in names if name in again]
    except InvocationFailed as error:
        lines = [line for line in error.output.splitlines() if TROUBLE.search(line)]
        reason = "; ".join([str(error), *lines[-1:]])
        comment = f"{project.runner} benchmarks cannot be listed: {reason}"
        more = [to_install(project)] if lacking(error.output) and project.install else []
        return replace(project, comments=(*project.comments, comment, *more))
    # Of Python the program is the interpreter, whose words for pytest come first.
    before = harness.list[:2] if project.files else ()
    keys = {benchmark_key(name.removeprefix("Benchmark")): name for name in names}
    commands: Commands = {
        key: (
            "{program}",
            *before,
            *harness.only(name if project.files else literal(name)),
            *project.options,
        )
        for key, name in keys.items()
    }
    # `BenchmarkParse/small` and `parse/small/8` are of one group, `bench::parse::8` as well.
    commands = spread(
        commands, lambda key: keys[key].rpartition("::")[0] or keys[key].partition("/")[0]
    )
    if tries.limit.clock.monotonic() >= end:
        comment = f"Its benchmarks were listed for {most:.0f} s: there may be more."
        project = replace(project, comments=(*project.comments, comment))
    if project.files:  # a test may be listed whose modules are not there
        few = replace(project, candidates=some(commands, 2 * MOST))
        project = tried_ones(folder, few, tries, harness.once)
        kept, commands = MOST, {**project.benchmarks, **dict([*commands.items()][2 * MOST :])}
    else:
        kept = MOST_LISTED
    comments = project.comments
    if left_out := [*commands][kept:]:
        comments = (
            *comments,
            f"{len(commands)} benchmarks, of which {kept} are here; left out: "
            f"{some_names(left_out)}.",
        )
    return replace(project, benchmarks=some(commands, kept), comments=comments)
