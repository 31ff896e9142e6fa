"""``whyfast run``: a study from question to report."""

from __future__ import annotations

import argparse

from whyfast.cli.arguments import add_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a folder, a study.toml, or a bundled name")
    parser.add_argument("--quick", action="store_true", help="a fifth of the study's budget")
    parser.add_argument("--budget", metavar="TIME", help="how long to measure, e.g. 10m")
    parser.add_argument(
        "--only", metavar="VARIANT", nargs="+", default=[], help="and the baselines"
    )
    parser.add_argument("--benchmark", metavar="NAME", nargs="+", default=[])
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--fresh", action="store_true", help="do not resume an interrupted run")
    parser.add_argument(
        "--fail-on",
        choices=["slower"],
        help="exit with 3 when a variant is slower than the main baseline",
    )
    add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    from dataclasses import replace

    from whyfast.cli import plan
    from whyfast.cli.arguments import check_outputs, duration
    from whyfast.cli.output import INTERRUPTED, exit_code, finish
    from whyfast.investigate.prepare import narrow
    from whyfast.investigate.study_run import run_study
    from whyfast.report.progress import watching
    from whyfast.store.home import home
    from whyfast.study.load import load_study

    if args.dry_run:
        return plan.run(args)
    check_outputs(args)
    study = narrow(load_study(args.study), args.only, args.benchmark)
    budget = study.measure.budget
    if args.budget:
        budget = duration(args.budget, "--budget")
    if args.quick:
        budget /= 5
    study = replace(study, measure=replace(study.measure, budget=budget))
    with watching(study.title, study.margin) as observer:
        result = run_study(study, home(), observer, fresh=args.fresh)
    result = finish(result, args)
    return exit_code(result, args.fail_on) if result.complete else INTERRUPTED
