"""``whyfast explain``: machine code of programs or objects side by side."""

from __future__ import annotations

import argparse
import os
import shlex
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from rich.console import Console
from rich.text import Text

from whyfast.cli.output import FAILED, check_outputs, duration, show
from whyfast.explain.code_diff import Listings, code_pair
from whyfast.explain.hot import read_heat
from whyfast.explain.objects import Architecture
from whyfast.explain.objects.containers import debug_files, taken_out
from whyfast.explain.program import explain_program, hint_for, load, survey_program
from whyfast.explain.troubles import program_troubles
from whyfast.investigate.counting import CountRequest, FileCounts, count_files
from whyfast.model.codec import dump, encode
from whyfast.model.counters import Heat
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.evidence import Evidence, Trouble, unmatched
from whyfast.report.document import ReportSection, Table, section, sentences
from whyfast.report.formatting import escape_controls
from whyfast.report.pages.code_page import (
    Looked,
    code_page,
    compare_programs,
    comparison_sections,
    function_sections,
    function_table,
    programs_brief,
    programs_headline,
    survey_headline,
    survey_sections,
    survey_table,
    surveyed,
)
from whyfast.report.sections.side_by_side import code_section, counts_section
from whyfast.store.builds import BuildStore
from whyfast.store.home import home, own_home
from whyfast.toolchain.packages import PREFIX, Packages, parse_package

T = TypeVar("T")

#: Functions laid side by side where none is named.
MOST_FUNCTIONS = 20


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
    the table and headline of the first, and problems of compilers."""

    sections: list[ReportSection | None] = field(default_factory=list)
    data: dict[str, object] = field(default_factory=dict)
    looked: list[Looked] = field(default_factory=list)
    candidates: Table | None = None
    troubles: tuple[Trouble, ...] = ()
    headline: str = ""


def run_explain(args: argparse.Namespace) -> int:
    """Print the facts; 1 when a program failed or a pattern matched no function.

    Raises UserError for unsuitable files and arguments.
    """
    check_outputs(args)
    if args.run and os.path.isfile(args.run) and os.access(args.run, os.X_OK):
        right = shlex.join(["--run", "", args.run, *map(str, args.files)])
        raise UserError(
            f"a program; expected its arguments; to run all without arguments: {right}; to pass "
            f"the path as an argument, add a space: --run {shlex.quote(args.run + ' ')}",
            where=f"--run {args.run}",
        )
    if args.diff and len(args.files) < 2:
        raise UserError("expected two files to compare", where="--diff")
    if args.commits is not None and args.run is None:
        raise UserError("requires --run, which finds the hot functions", where="--commits")
    with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
        return _explain(args, Path(folder))


def _explain(args: argparse.Namespace, folder: Path) -> int:
    files, parts = _shipped(args, folder)
    taken = [taken_out(file, folder) for file in files]
    named = [
        str(f) if str(f).startswith(PREFIX) else t.name
        for f, t in zip(args.files, taken, strict=True)
    ]
    labels = _labels(args.files, named)
    files = [t.path for t in taken]
    parts += [t.note for t in taken if t.note]
    heat = read_heat(args.profile, files) if args.profile is not None else None
    programs = Programs(files, labels, args.arch, args.debug_dir, heat)
    content = Content()
    failed = False
    warnings: list[str] = []
    if args.function:
        content = _functions(programs, args.function)
        warnings = _unmatched(programs, [p.program for p in content.looked])
        content.data["unmatched"] = warnings
    elif args.run is None:
        content = _survey(programs)
    sections, data = content.sections, content.data
    if args.run is not None:
        counts = _count(args, files, labels)
        failed = any(c.failed for c in counts.counts)
        sections.append(counts_section(counts.counts, counts.hot, counts.overlaps, counts.touched))
        data |= _counts_data(counts)
    has_functions = any(p.program.functions for p in content.looked)
    headline = content.headline
    summary, changed = None, None
    if args.diff:
        beside, code, changed = _side_by_side(programs, args.function)
        sections = [*beside, *([] if args.function else sections)]
        data |= code
    elif has_functions and args.run is None:
        notes = (*(f"Warning: {w}" for w in warnings), *parts)
        summary = programs_brief(content.looked, content.candidates, content.troubles, notes, heat)
    if len(content.looked) > 1:
        headline = programs_headline(content.looked, heat, changed) if has_functions else ""
    if heat is not None:
        data["profile"] = asdict(heat)
    show(
        code_page(
            section("parts", "", sentences(parts)),
            section("unmatched", "", sentences(f"Warning: {w}" for w in warnings)),
            *sections,
            headline=headline,
            summary=summary,
        ),
        args,
        json=lambda: dump("explain", data),
        paged=args.diff,
    )
    return FAILED if failed or warnings else 0


def _shipped(args: argparse.Namespace, folder: Path) -> tuple[list[Path], list[str]]:
    """The files, packages of an archive fetched and their symbols in a debug folder; and a note on
    each package. UserError for one that the archive does not have."""
    files, notes = [], []
    console = Console(stderr=True)
    source = Packages(home(), lambda text: console.print(Text(escape_controls(text))))
    for file in args.files:
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
            args.debug_dir.append(debug)
            symbols = f"with the symbols of {wanted.name}-dbgsym"
        notes.append(f"{wanted}: version {package.version}, {symbols}")
        files.append(Path(f"{package.path}:{wanted.part}" if wanted.part else package.path))
    return files, notes


def _count(args: argparse.Namespace, files: Sequence[Path], labels: Sequence[str]) -> FileCounts:
    """Run the programs of ``--run`` and count; UserError for unsuitable arguments and files."""
    try:
        arguments = shlex.split(args.run)
    except ValueError as error:
        raise UserError(str(error), where=f"--run {args.run}") from None
    commits = None
    if args.commits is not None:
        base, dots, head = args.commits.partition("..")
        if not (base and dots and head) or head.startswith("."):
            raise UserError("expected BASE..HEAD", where=f"--commits {args.commits}")
        commits = (args.repo, base, head)
    console = Console(stderr=True)
    request = CountRequest(
        list(zip(labels, files, strict=True)),
        arguments,
        duration(args.timeout, f"--timeout {args.timeout}"),
        args.profiler,
        commits,
    )
    return count_files(
        request,
        own_home(),
        console.print,
        lambda name: console.status(Text(f"counting {escape_controls(name)}")),
    )


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
    comparisons = [compare_programs(evidence[0], other, programs.heat) for other in evidence[1:]]
    troubles = [trouble for program in evidence for trouble in program_troubles(program)]
    data: dict[str, object] = {
        "programs": [asdict(p) for p in evidence],
        "comparisons": [asdict(c) for c in comparisons],
        "troubles": [asdict(t) for t in troubles],
    }
    return Content(
        list(function_sections(evidence, comparisons, troubles, programs.heat)),
        data,
        [Looked(p, p.dispatch) for p in evidence],
        function_table(evidence[0]),
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
    first, *others = (s.evidence for s in surveys)
    comparisons = [compare_programs(first, other, programs.heat) for other in others]
    data = [
        {
            **asdict(survey.evidence),
            "totals": asdict(survey.totals),
            "candidates": [
                {
                    "function": c.facts.name,
                    "dispatch": asdict(c.dispatch),
                    "interprets": c.interprets,
                    "why_not": c.shape.why_not if c.shape else "",
                }
                for c in survey.candidates
            ],
            "handlers": survey.handlers
            and {"functions": survey.handlers[0], "dispatch": asdict(survey.handlers[1])},
        }
        for survey in surveys
    ]
    return Content(
        [*comparison_sections(comparisons, programs.heat), *survey_sections(surveys)],
        {"programs": data},
        [surveyed(s) for s in surveys],
        survey_table(surveys[0], totals_too=False),
        headline=survey_headline(surveys[0]),
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
    """Unique names: of the parts taken out of files, else file names, else the variants of stored
    builds, else paths."""
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
