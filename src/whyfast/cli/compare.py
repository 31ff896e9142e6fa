"""``whyfast compare``: results that other tools wrote."""

from __future__ import annotations

import argparse
from pathlib import Path

from whyfast.cli.output import add_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "base",
        metavar="BASE",
        help="the run that others are compared with; alone, a file of several commands, of which "
        "the first is",
    )
    parser.add_argument(
        "heads",
        metavar="HEAD",
        nargs="*",
        help="files of pyperf, hyperfine, Google Benchmark, Go or whyfast, a folder of Criterion, "
        "CSV (FILE.csv:COLUMN=VALUE chooses rows, FILE.txt:KEY=VALUE what follows such a line of "
        "Go's, FILE.json:variant=NAME a variant of whyfast), or a study with kept results",
    )
    parser.add_argument(
        "--noise",
        metavar="FILE",
        nargs="+",
        default=[],
        help="two or more runs of one build on that machine: how far runs of the same lie apart",
    )
    parser.add_argument(
        "--margin", metavar="PERCENT", default="1%", help="the smallest difference that matters"
    )
    parser.add_argument(
        "--benchmark",
        metavar="GLOB",
        action="append",
        default=[],
        help="compare only these benchmarks; may be repeated",
    )
    parser.add_argument(
        "--by",
        choices=["name", "position"],
        default="name",
        help="what makes benchmarks of two files the same; position: the first with the first, for "
        "commands whose text varies",
    )
    parser.add_argument(
        "--higher",
        metavar="GLOB",
        action="append",
        default=[],
        help="a unit, or benchmarks, of which more is better; rates (MB/s, ops/sec) are known; may "
        "be repeated",
    )
    parser.add_argument(
        "--claim",
        metavar="A:B",
        default="",
        help="a claimed gain to audit: is run A faster than run B, and than the others?",
    )
    parser.add_argument(
        "--fail-on",
        choices=["slower"],
        help="exit with 3 when a HEAD is slower, by the geometric mean when there are several "
        "benchmarks",
    )
    parser.add_argument(
        "--pyperf-out",
        metavar="FOLDER",
        type=Path,
        help="write every file that was compared as pyperf JSON into FOLDER",
    )
    add_outputs(parser, verbose="show every benchmark")


def run(args: argparse.Namespace) -> int:
    """Compare and report; 0, or 3 when ``--fail-on`` is met. UserError for bad input."""
    import sys
    import time

    from whyfast.cli.arguments import kept_result, own_result, percent
    from whyfast.cli.output import check_outputs, exit_code, show_result
    from whyfast.formats.load import by_position, by_subject, load_recordings
    from whyfast.investigate.compare_run import compare_recordings

    check_outputs(args)
    margin = percent(args.margin, "--margin")
    recordings = load_recordings([args.base, *args.heads], kept_result)
    reruns = load_recordings(args.noise, kept_result)
    if len(recordings) == 1 and recordings[0].tool == "whyfast":
        # Its blocks were interleaved and are judged already.
        result = own_result(args.base)
        show_result(result, args)
        return exit_code(result, args.fail_on)
    if len(recordings) == 1:
        recordings = by_subject(recordings[0])
    elif args.by == "position":
        both = by_position((*recordings, *reruns))
        recordings, reruns = both[: len(recordings)], both[len(recordings) :]
    result = compare_recordings(
        recordings,
        margin=margin,
        reruns=reruns,
        benchmarks=args.benchmark,
        higher=args.higher,
        claim=args.claim,
        now=time.time(),
    )
    show_result(result, args)
    if args.pyperf_out is not None:
        from whyfast.formats.pyperf import write_recordings

        for path in write_recordings(recordings, args.pyperf_out):
            print(f"wrote {path}", file=sys.stderr)
    return exit_code(result, args.fail_on)
