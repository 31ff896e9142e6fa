"""``whyfast explain``: machine code of programs or objects side by side."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from whyfast.explain.objects.elf import Architecture

#: Written into ``--json`` files; the number changes when a field changes its meaning or goes.
SCHEMA = "whyfast-explain/1"


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
        "--arch",
        choices=["aarch64", "x86-64"],
        help="which part of a universal Mach-O file (default: aarch64 if it has one)",
    )
    parser.add_argument(
        "--run",
        metavar="ARGS",
        help="run each program with these arguments, in quotes, and show its counters and hot "
        "functions",
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
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the facts to FILE")


def run(args: argparse.Namespace) -> int:
    """Print the facts; 0 when done, 1 when a program failed.

    Raises UserError for files, arguments and patterns that cannot do.
    """
    import json

    from rich.console import Console

    from whyfast.cli.arguments import check_outputs
    from whyfast.cli.output import piped, write
    from whyfast.model.errors import UserError

    check_outputs(args)
    if args.commits is not None and args.run is None:
        raise UserError("needs --run, which finds the hot functions", where="--commits")
    labels = _labels(args.files)
    console = Console(quiet=piped(args))
    document: dict[str, object] = {}
    failed = False
    if args.function:
        document = _explain(console, args.files, labels, args.function, args.arch)
    elif args.run is None:
        document = _survey(console, args.files, labels, args.arch)
    if args.run is not None:
        from whyfast.cli.explain_run import count

        counted, failed = count(console, args, labels)
        document = {**document, **counted}
    if args.json is not None:
        write(args.json, json.dumps({"schema": SCHEMA, **document}, indent=2) + "\n")
    return 1 if failed else 0


def _explain(
    console: Any,
    files: Sequence[Path],
    labels: Sequence[str],
    globs: Sequence[str],
    arch: Architecture | None,
) -> dict[str, object]:
    from dataclasses import asdict

    from whyfast.explain.function_differences import compare_functions, unmatched_functions
    from whyfast.explain.program import explain_program
    from whyfast.explain.troubles import program_troubles
    from whyfast.model.errors import UserError
    from whyfast.report import explain_table as table

    programs = [
        explain_program(file, variant=label, dispatch=globs, functions=globs, architecture=arch)
        for file, label in zip(files, labels, strict=True)
    ]
    for glob in globs:
        if all(glob in program.missing for program in programs):
            notes = "".join(f"; {p.variant}: {note}" for p in programs for note in p.notes)
            raise UserError(f"no function of {', '.join(labels)} matches it{notes}", where=glob)
    table.print_dispatch(console, programs)
    for program in programs:
        table.print_functions(console, program)
    table.print_architectures(console, programs)
    comparisons = []
    for other in programs[1:]:
        differences = compare_functions(programs[0], other)
        unmatched = unmatched_functions(programs[0], other)
        table.print_comparison(console, programs[0], other, differences, unmatched)
        comparisons.append(
            {
                "a": programs[0].variant,
                "b": other.variant,
                "functions": [asdict(d) for d in differences],
                "only_in_a": unmatched[0],
                "only_in_b": unmatched[1],
            }
        )
    troubles = [trouble for program in programs for trouble in program_troubles(program)]
    table.print_traces(console, programs, troubles)
    return {
        "programs": [asdict(p) for p in programs],
        "comparisons": comparisons,
        "troubles": [asdict(t) for t in troubles],
    }


def _survey(
    console: Any, files: Sequence[Path], labels: Sequence[str], arch: Architecture | None
) -> dict[str, object]:
    from dataclasses import asdict

    from whyfast.explain.survey import survey_program
    from whyfast.report.explain_table import print_survey

    surveys = [
        survey_program(file, variant=label, architecture=arch)
        for file, label in zip(files, labels, strict=True)
    ]
    for survey in surveys:
        print_survey(console, survey)
    return {
        "programs": [
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
    }


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
