"""``whyfast merge``: results of one study from several machines, side by side."""

from __future__ import annotations

import argparse

from whyfast.cli.output import add_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "results",
        metavar="RESULT",
        nargs="+",
        help="results in JSON, of run, ab, check or merge; homes of other machines (what "
        "WHYFAST_HOME names there, or the data folder, or its results.sqlite); or a study whose "
        "results are kept here",
    )
    parser.add_argument(
        "--study", metavar="NAME", default="", help="the study to take from homes that have several"
    )
    add_outputs(parser, verbose="show every benchmark, and what each machine says by itself")


def run(args: argparse.Namespace) -> int:
    """Join and report; 0. UserError for what cannot be read or does not belong together."""
    from whyfast.cli.merge_sources import load_results
    from whyfast.cli.output import check_outputs, show_merged
    from whyfast.fleet.merging import merge_results

    check_outputs(args)
    given = [one for argument in args.results for one in load_results(argument, args.study)]
    show_merged(merge_results(given), args)
    return 0
