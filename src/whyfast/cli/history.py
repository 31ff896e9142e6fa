"""``whyfast history``: where a series of results changed."""

from __future__ import annotations

import argparse

from whyfast.cli.output import add_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="results in order, oldest first, in any format that compare reads; one CSV file "
        "with --by; or one log that check appended to",
    )
    parser.add_argument(
        "--by", metavar="COLUMN", help="the column of a CSV file whose values are the points"
    )
    parser.add_argument(
        "--benchmark",
        metavar="GLOB",
        action="append",
        default=[],
        help="only these series; may be repeated",
    )
    add_outputs(parser, verbose="show every series")


def run(args: argparse.Namespace) -> int:
    """Find the changes and report them; 0. UserError for bad input."""
    from whyfast.cli.output import check_outputs, show
    from whyfast.formats.timeline import load_timeline
    from whyfast.history.detect import detect
    from whyfast.history.only import only_series
    from whyfast.report.history_json import dump_history
    from whyfast.report.pages.history_page import history_page

    check_outputs(args)
    history = detect(only_series(load_timeline(args.files, args.by), args.benchmark))
    show(history_page(history), args, json=lambda: dump_history(history))
    return 0
