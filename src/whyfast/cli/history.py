"""``whyfast history``: where a series of results changed."""

from __future__ import annotations

import argparse

from whyfast.cli.arguments import add_outputs


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
    add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    """Find the changes and report them; 0. UserError for bad input."""
    from rich.console import Console

    from whyfast.cli.arguments import check_outputs
    from whyfast.cli.output import piped, write
    from whyfast.formats.timeline import load_timeline
    from whyfast.history.detect import detect
    from whyfast.history.only import only_series
    from whyfast.report.history_html import render_history
    from whyfast.report.history_json import dump_history
    from whyfast.report.history_text import history_page
    from whyfast.report.markdown import render_page as render_markdown
    from whyfast.report.terminal import render_page

    check_outputs(args)
    history = detect(only_series(load_timeline(args.files, args.by), args.benchmark))
    if not piped(args):
        render_page(history_page(history, every=args.verbose), console=Console())
    if args.json:
        write(args.json, dump_history(history))
    if args.html:
        write(args.html, render_history(history))
    if args.markdown:
        write(args.markdown, render_markdown(history_page(history, every=True)))
    return 0
