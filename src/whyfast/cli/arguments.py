"""Arguments that several subcommands share, parsed with clear errors."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whyfast.model.errors import UserError

if TYPE_CHECKING:
    from whyfast.model.result import Result
    from whyfast.model.study import Study


def duration(text: str, option: str) -> float:
    """Seconds from ``90s``, ``3m``, ``1.5h``, ``500ms`` or a number of seconds."""
    from whyfast.study.toml_table import parse_duration

    try:
        return parse_duration(float(text) if text.replace(".", "", 1).isdigit() else text)
    except ValueError as error:
        raise UserError(str(error), where=option) from None


def percent(text: str, option: str) -> float:
    """A relative margin from ``1%``: 0.01."""
    from whyfast.study.toml_table import parse_margin

    try:
        return parse_margin(text)
    except ValueError as error:
        raise UserError(str(error), where=option) from None


# ---- Which part of a study is wanted: arguments that ``run`` and ``plan`` share.


def add_choice(parser: argparse.ArgumentParser) -> None:
    """STUDY and the options that restrict it."""
    parser.add_argument("study", metavar="STUDY", help="a folder, a study.toml, or a bundled name")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="what the study's [quick] says, else a fifth of its budget",
    )
    parser.add_argument("--budget", metavar="TIME", help="how long to measure, e.g. 10m")
    parser.add_argument(
        "--only", metavar="VARIANT", nargs="+", default=[], help="and the baselines"
    )
    parser.add_argument("--benchmark", metavar="NAME", nargs="+", default=[])
    parser.add_argument(
        "--counters",
        action="store_true",
        help="count instructions, branches and misses too, and find hot functions",
    )
    parser.add_argument(
        "--evidence-only", action="store_true", help="read machine code; measure nothing"
    )


def chosen_study(args: argparse.Namespace) -> Study:
    """The study as those options have it; UserError for one that does not fit it."""
    from whyfast.investigate.context import Choice, chosen, runnable
    from whyfast.study.load import load_study

    study = load_study(args.study)
    return chosen(
        study if args.evidence_only else runnable(study),
        Choice(
            only=tuple(args.only),
            benchmarks=tuple(args.benchmark),
            budget=duration(args.budget, "--budget") if args.budget else None,
            quick=args.quick,
            evidence_only=args.evidence_only,
            counters=args.counters,
        ),
    )


# ---- Results that the store keeps, by the name of their study.


def kept_result(study: str) -> Mapping[str, Any] | None:
    """The JSON data of the last result of a study (``ab`` for commands); None when none is kept."""
    from whyfast.store.home import own_home
    from whyfast.store.samples import SampleStore

    path = own_home().database
    if not path.exists():
        return None
    store = SampleStore(path)
    try:
        found = store.latest(study)
    finally:
        store.close()
    return None if found is None else found[1]


def own_result(argument: str) -> Result:
    """The result in a file, or the last that is kept of a study. UserError without either."""
    from whyfast.report.result_json import from_json, load_result

    if Path(argument).exists():
        return load_result(Path(argument))
    kept = kept_result(argument)
    if kept is None:
        raise UserError("no result is kept under this name", where=argument)
    return from_json(kept)
