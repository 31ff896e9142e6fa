"""``whyfast compare``: results that other tools wrote."""

from __future__ import annotations

import argparse
import sys
import time

from whyfast.cli.output import check_outputs, percent
from whyfast.cli.results import exit_code, own_result, show_result, stored_result
from whyfast.formats.load import by_position, by_subject, load_recordings
from whyfast.formats.pyperf import write_recordings
from whyfast.investigate.compare_run import compare_recordings


def run_compare(args: argparse.Namespace) -> int:
    """Compare and report; 3 when ``--fail-on`` is met. UserError for bad input."""
    check_outputs(args)
    margin = percent(args.margin, "--margin")
    recordings = load_recordings([args.base, *args.heads], stored_result)
    reruns = load_recordings(args.noise, stored_result)
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
        for path in write_recordings(recordings, args.pyperf_out):
            print(f"wrote {path}", file=sys.stderr)
    return exit_code(result, args.fail_on)
