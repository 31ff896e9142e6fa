"""``whyfast explain``: machine code of programs or objects side by side."""

from __future__ import annotations

import argparse
import os
import shlex

from rich.console import Console
from rich.text import Text

from whyfast.api.programs import ProgramsRequest, read_programs
from whyfast.cli.output import FAILED, check_outputs, duration, show
from whyfast.model.codec import dump
from whyfast.model.errors import UserError
from whyfast.report.formatting import escape_controls


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
