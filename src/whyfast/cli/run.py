"""``whyfast run``: a study from question to report."""

from __future__ import annotations

import argparse

from whyfast.cli.arguments import add_choice
from whyfast.cli.fleet_run import add_fleet, run_on_fleet
from whyfast.cli.output import add_outputs, add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_choice(parser)
    parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
    parser.add_argument("--fresh", action="store_true", help="do not resume an interrupted run")
    parser.add_argument(
        "--fail-on",
        choices=["slower"],
        help="exit with 3 when a variant is slower than the main baseline",
    )
    add_fleet(parser)
    add_outputs(parser, verbose="show every benchmark")
    add_table(parser)


def run(args: argparse.Namespace) -> int:
    from whyfast.cli import plan
    from whyfast.cli.arguments import chosen_study
    from whyfast.cli.output import INTERRUPTED, check_outputs, exit_code, finish
    from whyfast.investigate.study_run import run_study
    from whyfast.report.progress import watching
    from whyfast.store.builds import BuildStore
    from whyfast.store.home import own_home

    if args.dry_run:
        return plan.run(args)
    check_outputs(args)
    if args.scheduler or args.hosts:
        return run_on_fleet(args)
    study = chosen_study(args)
    own = own_home()
    with BuildStore(own.builds).in_use(), watching(study.title, study.margin) as observer:
        result = run_study(study, own, observer, fresh=args.fresh)
    finish(result, args)
    return exit_code(result, args.fail_on) if result.recorded.complete else INTERRUPTED
