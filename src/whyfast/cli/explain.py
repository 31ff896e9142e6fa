"""``whyfast explain``: machine code of programs or objects side by side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from whyfast.cli.output import add_outputs

if TYPE_CHECKING:
    from whyfast.explain.objects.elf import Architecture
    from whyfast.model.counters import Heat
    from whyfast.model.evidence import Evidence, Trouble
    from whyfast.report.document import ReportSection, Table
    from whyfast.report.sections.summary_of_programs import Looked

#: So many functions are laid side by side where none is asked for.
MOST_FUNCTIONS = 20


@dataclass(frozen=True)
class ProgramsAsked:
    """The programs, what they are called, and how they are to be read."""

    files: Sequence[Path]
    labels: Sequence[str]
    arch: Architecture | None
    debug: Sequence[Path]
    heat: Heat | None


@dataclass
class Shown:
    """What is shown, the same as data for ``--json``, and for the first screen what each program
    is, the first one's table and headline, and troubles of compilers."""

    sections: list[ReportSection | None] = field(default_factory=list)
    data: dict[str, object] = field(default_factory=dict)
    looked: list[Looked] = field(default_factory=list)
    candidates: Table | None = None
    troubles: tuple[Trouble, ...] = ()
    headline: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="programs, shared or relocatable objects (ELF, PE, COFF, Mach-O); all others are "
        "compared with the first",
    )
    parser.add_argument(
        "--function",
        action="append",
        default=[],
        metavar="GLOB",
        help="functions to look at, by symbol name; may be repeated "
        "(without it: the likeliest dispatching functions)",
    )
    parser.add_argument(
        "--diff",
        action="store_true",
        help="lay the functions that differ side by side, the most relevant first",
    )
    parser.add_argument(
        "--arch",
        choices=["aarch64", "x86-64"],
        help="which part of a universal Mach-O file (default: aarch64 if it has one)",
    )
    parser.add_argument(
        "--debug-dir",
        action="append",
        type=Path,
        default=[],
        metavar="DIR",
        help="where debug files are looked for, by build id or by name; may be repeated",
    )
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FILE",
        help="a profile of one of the programs (callgrind.out, or the text of perf script): the "
        "hottest functions go first",
    )
    parser.add_argument(
        "--run",
        metavar="ARGS",
        help="run each program with these arguments, in quotes ('' for none), and show its "
        "counters and hot functions",
    )
    parser.add_argument(
        "--profiler",
        choices=["callgrind", "cachegrind", "perf"],
        default="callgrind",
        help="with --run: what finds the hot functions; perf samples, the others simulate "
        "(default: callgrind)",
    )
    parser.add_argument(
        "--timeout", metavar="TIME", default="10m", help="with --run: for one run (default: 10m)"
    )
    parser.add_argument(
        "--commits",
        metavar="BASE..HEAD",
        help="with --run: which hot functions do these commits touch? The last FILE is to be built "
        "from HEAD, with -g",
    )
    parser.add_argument(
        "--repo",
        type=Path,
        metavar="DIR",
        default=Path(),
        help="with --commits: the git repository (default: here)",
    )
    add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    """Print the facts; 0 when done, 1 when a program failed or a pattern matched nowhere.

    Raises UserError for files and arguments that cannot do.
    """
    import os
    import shlex
    import tempfile

    from whyfast.cli.output import check_outputs
    from whyfast.model.errors import UserError

    check_outputs(args)
    if args.run and os.path.isfile(args.run) and os.access(args.run, os.X_OK):
        right = shlex.join(["--run", "", args.run, *map(str, args.files)])
        raise UserError(
            f"is a program, not arguments of one; to run all without arguments: {right}; to give "
            f"it to them as an argument, add a space: --run {shlex.quote(args.run + ' ')}",
            where=f"--run {args.run}",
        )
    if args.diff and len(args.files) < 2:
        raise UserError("needs two files to compare", where="--diff")
    if args.commits is not None and args.run is None:
        raise UserError("needs --run, which finds the hot functions", where="--commits")
    with tempfile.TemporaryDirectory(prefix="whyfast-") as folder:
        return _explain(args, Path(folder))


def _explain(args: argparse.Namespace, folder: Path) -> int:
    from whyfast.cli.output import FAILED, show
    from whyfast.explain.objects.containers import taken_out
    from whyfast.model.codec import dump
    from whyfast.report.document import section, sentences
    from whyfast.report.pages.code_page import code_page, programs_brief
    from whyfast.report.sections.summary_of_programs import programs_headline

    found_in = [taken_out(file, folder) for file in args.files]
    labels = _labels(args.files)
    labels = [one.name or label for one, label in zip(found_in, labels, strict=True)]
    if len(set(labels)) < len(labels):
        labels = [str(file) for file in args.files]
    args.files = [one.path for one in found_in]
    parts = [one.note for one in found_in if one.note]
    asked = ProgramsAsked(args.files, labels, args.arch, args.debug_dir, _heat(args))
    shown = Shown()
    failed = False
    unmatched: list[str] = []
    if args.function:
        shown = _functions(asked, args.function)
        unmatched = _unmatched(asked, [one.program for one in shown.looked])
        shown.data["unmatched"] = unmatched
    elif args.run is None:
        shown = _survey(asked)
    sections, data = shown.sections, shown.data
    if args.run is not None:
        from whyfast.cli.explain_run import count

        counted, facts, failed = count(args, labels)
        sections, data = [*sections, counted], {**data, **facts}
    looked_at = any(one.program.functions for one in shown.looked)
    headline = shown.headline
    summary, changed = None, None
    if args.diff:
        beside, code, changed = _beside(asked, args.function)
        sections, data = [*beside, *([] if args.function else sections)], {**data, **code}
    elif looked_at and args.run is None:
        warnings = [f"Warning: {one}" for one in unmatched]
        said = (*warnings, *parts)
        summary = programs_brief(shown.looked, shown.candidates, shown.troubles, said, asked.heat)
    if len(shown.looked) > 1:
        headline = programs_headline(shown.looked, asked.heat, changed) if looked_at else ""
    if asked.heat is not None:
        data["profile"] = asdict(asked.heat)
    which = section("parts", "", sentences(parts))
    show(
        code_page(which, _warnings(unmatched), *sections, headline=headline, summary=summary),
        args,
        json=lambda: dump("explain", data),
        paged=args.diff,
    )
    return FAILED if failed or unmatched else 0


def _heat(args: argparse.Namespace) -> Heat | None:
    from whyfast.explain.hot import read_heat

    return read_heat(args.profile, args.files) if args.profile is not None else None


def _functions(asked: ProgramsAsked, globs: Sequence[str]) -> Shown:
    from whyfast.explain.program import explain_program
    from whyfast.explain.troubles import program_troubles
    from whyfast.report.pages.code_page import (
        compare_programs,
        function_sections,
        function_table,
    )
    from whyfast.report.sections.summary_of_programs import Looked

    programs = [
        explain_program(
            file,
            variant=label,
            dispatch=globs,
            functions=globs,
            architecture=asked.arch,
            debug=asked.debug,
        )
        for file, label in zip(asked.files, asked.labels, strict=True)
    ]
    comparisons = [compare_programs(programs[0], other, asked.heat) for other in programs[1:]]
    troubles = [trouble for program in programs for trouble in program_troubles(program)]
    data: dict[str, object] = {
        "programs": [asdict(p) for p in programs],
        "comparisons": [asdict(c) for c in comparisons],
        "troubles": [asdict(t) for t in troubles],
    }
    return Shown(
        list(function_sections(programs, comparisons, troubles, asked.heat)),
        data,
        [Looked(p, p.dispatch) for p in programs],
        function_table(programs[0]),
        tuple(troubles),
    )


def _unmatched(asked: ProgramsAsked, programs: Sequence[Evidence]) -> list[str]:
    """A warning for each pattern that matches in no program."""
    from whyfast.explain.program import hint_for
    from whyfast.model.evidence import unmatched

    said = []
    for glob in unmatched(programs):
        hint = hint_for(asked.files[0], glob, asked.arch)
        said.append(
            f"{glob}: no function of {', '.join(asked.labels)} matches it"
            + (f"; {hint}" if hint else "")
        )
    return said


def _warnings(said: Sequence[str]) -> ReportSection | None:
    from whyfast.report.document import section, sentences

    return section("unmatched", "", sentences(f"Warning: {one}" for one in said))


def _survey(asked: ProgramsAsked) -> Shown:
    from whyfast.explain.survey import survey_program
    from whyfast.report.pages.code_page import (
        compare_programs,
        comparison_sections,
        survey_headline,
        survey_sections,
        survey_table,
        surveyed,
    )

    surveys = [
        survey_program(file, variant=label, architecture=asked.arch, debug=asked.debug)
        for file, label in zip(asked.files, asked.labels, strict=True)
    ]
    first, *others = (s.evidence for s in surveys)
    comparisons = [compare_programs(first, other, asked.heat) for other in others]
    programs = [
        {
            **asdict(survey.evidence),
            "totals": asdict(survey.totals),
            "candidates": [
                {"function": facts.name, "dispatch": asdict(dispatch)}
                for facts, dispatch in survey.candidates
            ],
            "handlers": survey.handlers
            and {"functions": survey.handlers[0], "dispatch": asdict(survey.handlers[1])},
        }
        for survey in surveys
    ]
    return Shown(
        [*comparison_sections(comparisons, asked.heat), *survey_sections(surveys)],
        {"programs": programs},
        [surveyed(s) for s in surveys],
        survey_table(surveys[0], totals_too=False),
        headline=survey_headline(surveys[0]),
    )


def _beside(
    asked: ProgramsAsked, globs: Sequence[str]
) -> tuple[list[ReportSection | None], dict[str, object], list[int]]:
    """The functions that differ side by side, as data too, and of each program how many do."""
    from whyfast.explain.code_diff import code_pair
    from whyfast.explain.code_listing import Listings
    from whyfast.explain.program import load
    from whyfast.report.sections.code_sides import code_section

    first, *others = (Listings(load(f, asked.arch, asked.debug)) for f in asked.files)
    pairs = [
        code_pair(
            first,
            other,
            (asked.labels[0], label),
            globs,
            0 if globs else MOST_FUNCTIONS,
            asked.heat,
        )
        for other, label in zip(others, asked.labels[1:], strict=True)
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


def _labels(files: Sequence[Path]) -> list[str]:
    """File names where they tell the files apart, else the variants of builds that whyfast made,
    else paths as given."""
    names = [file.name for file in files]
    if len(set(names)) == len(names):
        return names
    variants = [_variant(file) or str(file) for file in files]
    return variants if len(set(variants)) == len(variants) else [str(file) for file in files]


def _variant(file: Path) -> str | None:
    """The variant of a program in the store of builds."""
    from whyfast.store.builds import BuildStore
    from whyfast.store.home import home

    root = home().builds.resolve()
    path = file.resolve()
    if not path.is_relative_to(root):
        return None
    build = BuildStore(root).find(path.relative_to(root).parts[0])
    return None if build is None else str(build.provenance["variant"])
