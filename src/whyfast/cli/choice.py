"""Which part of a study is wanted: arguments that ``run`` and ``plan`` share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyfast.model.study import Study


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
    from whyfast.cli.arguments import duration
    from whyfast.investigate.choose import Choice, chosen, runnable
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
