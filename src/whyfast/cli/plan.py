"""``whyfast plan``: what a study would build and run."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a folder, a study.toml, or a bundled name")
    parser.add_argument("--budget", metavar="TIME", help="how long to measure, e.g. 10m")
    parser.add_argument(
        "--only", metavar="VARIANT", nargs="+", default=[], help="and the baselines"
    )
    parser.add_argument("--benchmark", metavar="NAME", nargs="+", default=[])
    parser.add_argument("-v", "--verbose", action="store_true", help="with flags and steps")


def run(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from rich.console import Console

    from whyfast.cli.arguments import duration
    from whyfast.investigate.outlook import outlook
    from whyfast.investigate.prepare import narrow
    from whyfast.report.plan_table import print_outlook
    from whyfast.store.home import home
    from whyfast.study.load import load_study

    study = narrow(load_study(args.study), args.only, args.benchmark)
    if args.budget:
        budget = duration(args.budget, "--budget")
        study = replace(study, measure=replace(study.measure, budget=budget))
    print_outlook(outlook(study, home()), Console(), verbose=args.verbose)
    return 0
