"""``whyfast explain``: machine code of programs or objects side by side; ``whyfast survey``: one
question about many programs."""

from __future__ import annotations

import argparse
import os
import shlex

from rich.console import Console
from rich.text import Text

from whyfast.api.programs import ProgramsRequest, read_programs
from whyfast.cli.output import FAILED, INTERRUPTED, check_outputs, duration, show
from whyfast.cli.results import keep
from whyfast.investigate.study_run import Choice
from whyfast.investigate.survey_run import (
    SUITES,
    shipped_programs,
    survey_shipped,
    survey_studies,
    surveyed_studies,
)
from whyfast.model.codec import dump, encode
from whyfast.model.errors import UserError
from whyfast.report.formatting import escape_controls
from whyfast.report.pages.survey_page import shipped_page, survey_page
from whyfast.report.progress import watching
from whyfast.store.builds import BuildStore
from whyfast.store.home import own_home
from whyfast.toolchain.archive import Packages


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
    request = ProgramsRequest(
        files=args.files,
        functions=args.function,
        diff=args.diff,
        run=None if args.run is None else _words(args.run),
        arch=args.arch,
        debug=args.debug_dir,
        profile=args.profile,
        profiler=args.profiler,
        timeout=duration(args.timeout, f"--timeout {args.timeout}"),
        commits=None if args.commits is None else (args.repo, *_revisions(args.commits)),
    )
    console = Console(stderr=True)
    facts = read_programs(
        request,
        lambda text: console.print(Text(escape_controls(text))),
        lambda text: console.status(Text(escape_controls(text))),
    )
    show(facts.page, args, json=lambda: dump("explain", facts.data), paged=args.diff)
    return FAILED if facts.incomplete else 0


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UserError(str(error), where=f"--run {text}") from None


def _revisions(text: str) -> tuple[str, str]:
    base, dots, head = text.partition("..")
    if not (base and dots and head) or head.startswith("."):
        raise UserError("expected BASE..HEAD", where=f"--commits {text}")
    return base, head


# ``whyfast survey``.


def run_survey(args: argparse.Namespace) -> int:
    """Survey shipped interpreters, or the studies of a folder; 1 when a package or build failed."""
    check_outputs(args)
    return _run_studies(args) if args.action == "run" else _run_shipped(args)


def _run_studies(args: argparse.Namespace) -> int:
    """Read what compilers make of each program, and measure where it differs."""
    studies = surveyed_studies(args.folder, args.only)
    choice = Choice(
        budget=duration(args.budget, "--budget") if args.budget else None,
        quick=args.quick,
        evidence_only=args.evidence_only,
    )
    home, programs, complete = own_home(), [], True
    with BuildStore(home.builds).in_use(), watching(args.folder, studies[0].margin) as observer:
        for program, result in survey_studies(studies, choice, home, observer, fresh=args.fresh):
            programs.append(program)
            if result is not None:
                keep(result)
                complete = complete and result.recorded.complete
            if not complete:
                break
    show(survey_page(programs), args, json=lambda: dump("survey", {"programs": encode(programs)}))
    if not complete:
        return INTERRUPTED
    return FAILED if any(p.failures for p in programs) else 0


def _run_shipped(args: argparse.Namespace) -> int:
    programs = shipped_programs(args.only)
    suites = tuple(dict.fromkeys(args.suite)) or SUITES
    place = own_home()
    console = Console(stderr=True)
    with console.status("starting") as status:

        def progress(text: str) -> None:
            status.update(Text(escape_controls(text)))
            if not console.is_terminal:
                console.print(Text(escape_controls(text)))

        source = Packages(place, progress)
        kept = place.cache / "shipped"
        rows = list(survey_shipped(programs, suites, source, kept, progress))
    show(shipped_page(rows), args, json=lambda: dump("shipped", {"rows": encode(rows)}))
    return FAILED if any(row.verdict == "failed" for row in rows) else 0
