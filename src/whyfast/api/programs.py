"""Machine code of programs or objects side by side: of ``whyfast explain`` and the library.

Start at :func:`read_programs`.
"""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from whyfast.explain.code_diff import Listings, code_pair
from whyfast.explain.hot import read_heat
from whyfast.explain.objects import UNNAMED, Architecture
from whyfast.explain.objects.containers import debug_files, taken_out
from whyfast.explain.options import read_recorded
from whyfast.explain.program import explain_program, hint_for, load, survey_program
from whyfast.explain.troubles import program_troubles
from whyfast.investigate.counting import CountRequest, FileCounts, count_files
from whyfast.measure.count import Profiler
from whyfast.model.codec import encode
from whyfast.model.counters import Heat
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.evidence import Evidence, Trouble, unmatched
from whyfast.report.document import Document, ReportSection, Table, section, sentences
from whyfast.report.pages import code_page
from whyfast.report.sections.side_by_side import code_section, counts_section
from whyfast.store.builds import BuildStore
from whyfast.store.home import home, own_home
from whyfast.toolchain.archive import PREFIX, Packages, parse_package

T = TypeVar("T")

#: Functions laid side by side where none is named.
MOST_FUNCTIONS = 20


#: What is entered while something takes long, with its name.
During = Callable[[str], AbstractContextManager[object]]


@dataclass(frozen=True)
class ProgramsRequest:
    """What is asked of which files, as the options of ``whyfast explain``; times in seconds.

    ``functions`` are globs of symbols, ``run`` the arguments of a run that is counted;
    ``debug`` the folders to search for debug files; ``commits`` a repository and two revisions,
    whose changes of the hot functions of the run are shown.
    """

    files: Sequence[Path]
    functions: Sequence[str] = ()
    diff: bool = False
    run: Sequence[str] | None = None
    arch: Architecture | None = None
    debug: Sequence[Path] = ()
    profile: Path | None = None
    profiler: Profiler = "callgrind"
    timeout: float = 600.0
    commits: tuple[Path, str, str] | None = None


@dataclass(frozen=True)
class ProgramFacts:
    """The answer: its page, its data as ``--json`` has it, and the functions of each program.

    ``incomplete``: a run failed, or a pattern matched no function.
    """

    page: Document
    data: Mapping[str, object]
    programs: tuple[Evidence, ...]
    incomplete: bool = False


@dataclass(frozen=True)
class Programs:
    """The programs, their labels, and how they are read."""

    files: Sequence[Path]
    labels: Sequence[str]
    arch: Architecture | None
    debug: Sequence[Path]
    heat: Heat | None

    def read(self, function: Callable[..., T]) -> list[T]:
        """What ``function`` finds in each program."""
        return [
            function(file, variant=label, architecture=self.arch, debug=self.debug)
            for file, label in zip(self.files, self.labels, strict=True)
        ]


@dataclass
class Content:
    """The sections, the same as data for ``--json``, and for the summary the facts of each program,
    the table and headline of the first, problems of compilers, and what to do about them."""

    sections: list[ReportSection | None] = field(default_factory=list)
    data: dict[str, object] = field(default_factory=dict)
    looked: list[code_page.ProgramDispatch] = field(default_factory=list)
    candidates: Table | None = None
    troubles: tuple[Trouble, ...] = ()
    headline: str = ""
    commands: tuple[str, ...] = ()


def read_programs(
    request: ProgramsRequest, note: Callable[[str], None], during: During = nullcontext
) -> ProgramFacts:
    """Read the programs and compare them with the first one.

    ``note`` is called with lines for the user, ``during`` around what takes long, with its name.
    UserError for unsuitable files and arguments.
    """
    with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
        return _read(request, Path(folder), note, during)


def _read(
    request: ProgramsRequest, folder: Path, note: Callable[[str], None], during: During
) -> ProgramFacts:
    files, parts, debug, packages = _shipped(request, folder, note)
    taken = [taken_out(file, folder) for file in files]
    named = [
        str(f) if str(f).startswith(PREFIX) else t.name
        for f, t in zip(request.files, taken, strict=True)
    ]
    labels = _labels(request.files, named)
    files = [t.path for t in taken]
    for text in (t.note for t in taken if t.note):
        file = text.partition(": ")[0]
        # A package lies in the cache under its digest.
        parts.append(text.replace(file, packages[file]) if file in packages else text)
    heat = read_heat(request.profile, files) if request.profile is not None else None
    programs = Programs(files, labels, request.arch, debug, heat)
    content = Content()
    failed = False
    warnings: list[str] = []
    if request.functions:
        content = _functions(programs, request.functions)
        warnings = _unmatched(programs, [p.program for p in content.looked])
        content.data["unmatched"] = warnings
    elif request.run is None:
        content = _survey(programs)
    sections, data = content.sections, content.data
    if request.run is not None:
        counts = _count(request, programs, note, during)
        failed = any(c.failed for c in counts.counts)
        sections.append(counts_section(counts.counts, counts.hot, counts.overlaps, counts.touched))
        data |= _counts_data(counts)
    has_functions = any(p.program.functions for p in content.looked)
    headline = content.headline
    summary, changed = None, None
    if request.diff:
        beside, code, changed = _side_by_side(programs, request.functions)
        sections = [*beside, *([] if request.functions else sections)]
        data |= code
    elif has_functions and request.run is None:
        notes = (*(f"Warning: {w}" for w in warnings), *parts)
        commands = [c for c in content.commands if str(folder) not in c]  # which is gone soon
        summary = code_page.programs_summary(
            content.looked, content.candidates, content.troubles, notes, heat, commands
        )
    if len(content.looked) > 1:
        headline = (
            code_page.programs_headline(content.looked, heat, changed) if has_functions else ""
        )
    if heat is not None:
        data["profile"] = asdict(heat)
    page = code_page.code_page(
        section("parts", "", sentences(parts)),
        section("unmatched", "", sentences(f"Warning: {w}" for w in warnings)),
        *sections,
        headline=headline,
        summary=summary,
    )
    return ProgramFacts(
        page, data, tuple(p.program for p in content.looked), failed or bool(warnings)
    )


def _shipped(
    request: ProgramsRequest, folder: Path, note: Callable[[str], None]
) -> tuple[list[Path], list[str], list[Path], dict[str, str]]:
    """The files, packages of an archive fetched; a note on each package; the folders to search for
    debug files, with those of the packages; and what a fetched file is called in the request.
    UserError for one that is not in the archive."""
    files, notes, searched, called = [], [], list(request.debug), {}
    source = Packages(home(), note)
    for file in request.files:
        if not str(file).startswith(PREFIX):
            files.append(file)
            continue
        wanted = parse_package(str(file))
        try:
            package = source.fetch(wanted)
        except CannotBuildHere as error:
            raise UserError(str(error), where=str(file)) from None
        symbols = f"no symbols: {package.why_no_debug}"
        if package.debug is not None:
            debug = folder / f"debug-{wanted.name}-{wanted.suite}"
            debug_files(package.debug, debug)
            searched.append(debug)
            symbols = f"with the symbols of {wanted.name}-dbgsym"
        notes.append(f"{wanted}: version {package.version}, {symbols}")
        files.append(Path(f"{package.path}:{wanted.part}" if wanted.part else package.path))
        called[package.path.name] = str(wanted)
    return files, notes, searched, called


def _count(
    request: ProgramsRequest, programs: Programs, note: Callable[[str], None], during: During
) -> FileCounts:
    assert request.run is not None
    wanted = CountRequest(
        list(zip(programs.labels, programs.files, strict=True)),
        request.run,
        request.timeout,
        request.profiler,
        request.commits,
    )
    return count_files(wanted, own_home(), note, lambda name: during(f"counting {name}"))


def _counts_data(counts: FileCounts) -> dict[str, object]:
    data: dict[str, object] = {
        "counts": encode(counts.counts),
        "hot": encode(counts.hot),
        "overlap": encode(counts.overlaps),
    }
    if counts.touched is not None:
        hot = [f.name for f in counts.hot if not f.object]
        data["touched"] = {**encode(counts.touched), "hot": counts.touched.of(hot)}
    return data


def _functions(programs: Programs, globs: Sequence[str]) -> Content:
    evidence = programs.read(partial(explain_program, dispatch=globs, functions=globs))
    comparisons = [
        code_page.compare_programs(evidence[0], other, programs.heat) for other in evidence[1:]
    ]
    troubles = [trouble for program in evidence for trouble in program_troubles(program)]
    data: dict[str, object] = {
        "programs": [asdict(p) for p in evidence],
        "comparisons": [asdict(c) for c in comparisons],
        "troubles": [asdict(t) for t in troubles],
    }
    return Content(
        list(code_page.function_sections(evidence, comparisons, troubles, programs.heat)),
        data,
        [code_page.ProgramDispatch(p, p.dispatch) for p in evidence],
        code_page.function_table(evidence[0]),
        tuple(troubles),
    )


def _unmatched(programs: Programs, evidence: Sequence[Evidence]) -> list[str]:
    """A warning for each pattern that matches in no program."""
    warnings = []
    for glob in unmatched(evidence):
        hint = hint_for(programs.files[0], glob, programs.arch)
        problem = f"{glob}: no matching function in {', '.join(programs.labels)}"
        warnings.append(f"{problem}; {hint}" if hint else problem)
    return warnings


def _survey(programs: Programs) -> Content:
    surveys = programs.read(survey_program)
    troubles: list[Trouble] = []
    commands: list[str] = []
    for survey, file in zip(surveys, programs.files, strict=True):
        flags = read_recorded(file, survey.loop.facts.address).flags if survey.loop else ()
        troubled = program_troubles(survey.of_loop, flags or None)
        if troubled and survey.loop and not UNNAMED.fullmatch(survey.loop.facts.name):
            code = f"objdump -d --disassemble={survey.loop.facts.name} {shlex.quote(str(file))}"
            commands.append(rf"{code} | grep -E 'jmp +\*|\sbr\s'  # the jumps")
        troubles += troubled
    if any(t.flags or t.remedy for t in troubles):
        commands.append("whyfast new && whyfast run . --workarounds  # in its sources: the cost")
    first, *others = (s.evidence for s in surveys)
    comparisons = [code_page.compare_programs(first, other, programs.heat) for other in others]
    data = [
        {
            **asdict(survey.evidence),
            "totals": asdict(survey.totals),
            "candidates": [
                {
                    "function": c.facts.name,
                    "dispatch": asdict(c.dispatch),
                    "interprets": c.interprets,
                    "why_not": c.shape.against if c.shape else "",
                }
                for c in survey.candidates
            ],
            "handlers": survey.handlers
            and {"functions": survey.handlers[0], "dispatch": asdict(survey.handlers[1])},
        }
        for survey in surveys
    ]
    return Content(
        [
            *code_page.comparison_sections(comparisons, programs.heat),
            *code_page.survey_sections(surveys, troubles),
        ],
        {"programs": data, "troubles": [asdict(t) for t in troubles]},
        [code_page.surveyed(s) for s in surveys],
        code_page.survey_table(surveys[0], brief=True),
        tuple(troubles),
        code_page.survey_headline(surveys[0]),
        tuple(dict.fromkeys(commands)),
    )


def _side_by_side(
    programs: Programs, globs: Sequence[str]
) -> tuple[list[ReportSection | None], dict[str, object], list[int]]:
    """The functions that differ side by side, the same as data, and their number per program."""
    first, *others = (Listings(load(f, programs.arch, programs.debug)) for f in programs.files)
    most = 0 if globs else MOST_FUNCTIONS
    pairs = [
        code_pair(first, other, (programs.labels[0], label), globs, most, programs.heat)
        for other, label in zip(others, programs.labels[1:], strict=True)
    ]
    code = [
        {
            "a": pair.a,
            "b": pair.b,
            "functions": [
                {"name": d.function, "rows": [asdict(row) for row in d.rows]}
                for d in pair.differences
            ],
            "others": pair.others,
        }
        for pair in pairs
    ]
    changed = [len(pair.differences) + pair.others for pair in pairs]
    return [code_section(pairs, importance="main")], {"code": code}, changed


def _labels(files: Sequence[Path], inner: Sequence[str]) -> list[str]:
    """Unique names: of inner parts, else of files, else of variants of builds, else paths."""
    paths = [str(file) for file in files]
    for name in (lambda file: file.name, _variant):
        labels = [i or name(f) or str(f) for i, f in zip(inner, files, strict=True)]
        if len(set(labels)) == len(labels):
            return labels
    return paths


def _variant(file: Path) -> str | None:
    """The variant of a program in the store of builds, or None."""
    root = home().builds.resolve()
    path = file.resolve()
    if not path.is_relative_to(root):
        return None
    build = BuildStore(root).find(path.relative_to(root).parts[0])
    return None if build is None else str(build.provenance["variant"])
