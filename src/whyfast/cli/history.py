"""``whyfast history``: where a series of results changed."""

from __future__ import annotations

import argparse

from whyfast.cli.arguments import percent
from whyfast.cli.output import add_outputs

ORDERS = ("given", "run", "commit")
FAIL_WORDS = ("slower", "faster", "changed")


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
    parser.add_argument(
        "--order",
        choices=ORDERS,
        help="of the points: as given (the default), by when they were run, by date of the commit",
    )
    parser.add_argument(
        "--machine",
        metavar="KEY",
        help="what tells machines apart: a key of the files' metadata (hostname), a column of the "
        "CSV file, folder (that of each file), or none",
    )
    parser.add_argument(
        "--higher",
        metavar="GLOB",
        action="append",
        default=[],
        help="series in which more is better; may be repeated",
    )
    parser.add_argument(
        "--minimum", metavar="PERCENT", help="leave out what changes a series by less (5%%)"
    )
    parser.add_argument(
        "--fail-on",
        choices=FAIL_WORDS,
        help="exit with 3 when a step or drift is that",
    )
    add_outputs(parser, verbose="show every series")


def run(args: argparse.Namespace) -> int:
    """Find the changes and report them; 0, or 3 when --fail-on is met. UserError for bad input."""
    from whyfast.cli.output import FAIL_ON_MET, check_outputs, show
    from whyfast.formats.points import Wanted
    from whyfast.formats.timeline import load_timeline
    from whyfast.history.detect import detect
    from whyfast.history.only import at_least, has_changed, only_series
    from whyfast.report.history_json import dump_history
    from whyfast.report.pages.history_page import history_page

    check_outputs(args)
    minimum = percent(args.minimum, f"--minimum {args.minimum}") if args.minimum else 0.0
    wanted = Wanted(args.by, args.order, args.machine, tuple(args.higher))
    timeline = load_timeline(args.files, wanted)
    history = at_least(detect(only_series(timeline, args.benchmark)), minimum)
    show(history_page(history), args, json=lambda: dump_history(history))
    return FAIL_ON_MET if args.fail_on and has_changed(history, args.fail_on) else 0
