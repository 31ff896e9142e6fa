"""``whyfast timeit``: Python statements or functions against each other."""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from whyfast.cli.output import check_outputs, duration, percent
from whyfast.interpreter.command_line import python_command
from whyfast.investigate.timeit_run import TURNS, TimedSide, TimeitOptions
from whyfast.investigate.timeit_run import run_timeit as compare_loops
from whyfast.model.errors import UserError
from whyfast.model.variant import distinct_names
from whyfast.report.progress import watching
from whyfast.store.home import Home, own_home

#: More sides than this in one comparison is surely a mistake.
MOST = 50

#: The longest statement that is a name of its own in reports.
LONGEST_NAME = 48


def run_timeit(args: argparse.Namespace) -> int:
    """Compare the statements or functions and report; 3 when --fail-on is met."""
    check_outputs(args)
    for option in ("number", "repeat"):
        value = getattr(args, option)
        if value is not None and value < 1:
            raise UserError("must be 1 or more", where=f"--{option} {value}")
    budget = args.budget or ("20s" if args.repeat is None else "1h")  # else the blocks decide
    options = TimeitOptions(
        budget=duration(budget, f"--budget {budget}"),
        margin=percent(args.margin, f"--margin {args.margin}"),
        number=args.number,
        repeat=args.repeat,
        clock="process" if args.process else "wall",
        different=args.different,
        unit=args.unit or "",
    )
    home = own_home()
    with watching("timeit", options.margin, runs=args.repeat) as observer:
        sides = _sides(args, home, observer.note)
        result = compare_loops(sides, options, home, observer, meanwhile=_load_reports)
    from whyfast.cli.results import finish

    return finish(result, args)


def _load_reports() -> None:
    """All reports, the judge and numpy: as long as looking at a statement takes."""
    import whyfast.cli.results
    import whyfast.report.render.terminal  # noqa: F401


def _sides(args: argparse.Namespace, home: Home, note: Callable[[str], None]) -> list[TimedSide]:
    """Every statement (or function of every file) in every interpreter."""
    works = _functions(args) if args.file else _statements(args)
    names = args.python or [os.environ.get("PYTHON") or "python3"]
    pythons = [(n, python_command(n, home, note, seen=(TURNS, Path.cwd()))) for n in names]
    if len(works) * len(pythons) > MOST:
        raise UserError(f"that makes {len(works) * len(pythons)} sides; at most {MOST}")
    sides = []
    for label, work in works:
        for python, words in pythons:
            parts = [label] if len(works) > 1 or len(pythons) == 1 else []
            if len(pythons) > 1:  # by name, or by the place of a virtual environment
                parts.append(f"python{python}" if python[:1].isdigit() else python)
            sides.append(TimedSide(" in ".join(parts), words, **work))
    named = distinct_names([side.name for side in sides], args.name)
    return [replace(side, name=name) for side, name in zip(sides, named, strict=True)]


def _statements(args: argparse.Namespace) -> list[tuple[str, dict[str, str]]]:
    statements = args.statements or ["pass"]
    each = args.setup_each
    if each and len(each) != len(statements):
        # One statement with several setups is a comparison of the setups.
        if len(statements) != 1:
            raise UserError(
                f"{len(each)} setups for {len(statements)} statements; expected one for each",
                where="--setup-each",
            )
        statements = statements * len(each)
    named = each if len(each) > 1 and len(set(statements)) == 1 else statements
    shared = "\n".join(args.setup)
    works = []
    for i, statement in enumerate(map(textwrap.dedent, statements)):
        setup = "\n".join(filter(None, (shared, *each[i : i + 1])))
        works.append((_label(textwrap.dedent(named[i])), {"statement": statement, "setup": setup}))
    return works


def _functions(args: argparse.Namespace) -> list[tuple[str, dict[str, str]]]:
    for file in args.file:
        if not Path(file).is_file():
            raise UserError("no such file", where=f"--file {file}")
    if not args.statements:
        raise UserError("expected the names of functions in it", where=f"--file {args.file[0]}")
    if args.setup_each:
        raise UserError("is for statements; --setup runs after the file", where="--setup-each")
    setup = "\n".join(args.setup)
    several = len(args.file) > 1
    return [
        (f"{file}:{name}" if several else name, {"file": file, "function": name, "setup": setup})
        for name in args.statements
        for file in args.file
    ]


def _label(statement: str) -> str:
    """The statement or setup on one line, cut where it is long."""
    lines = [line.strip() for line in statement.strip().splitlines() if line.strip()]
    text = "; ".join(lines).replace(":; ", ": ").replace(";; ", "; ") or "pass"
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 1]}…"
