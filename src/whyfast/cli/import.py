"""``whyfast import``: results of other tools into the store, as points of a history."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help="results in any format that compare reads"
    )
    parser.add_argument(
        "--study",
        metavar="STUDY",
        default="imported",
        help="what they are kept under: any name, or that of a study of which they are runs "
        "(default: imported)",
    )
    parser.add_argument(
        "--variant", metavar="NAME", default="", help="the variant of the study that was measured"
    )


def run(args: argparse.Namespace) -> int:
    """Keep each file as a result of its own; what is there already is passed over; 0."""
    import time
    from hashlib import sha256

    from whyfast.cli.standard_output import say
    from whyfast.formats.load import load_recordings
    from whyfast.history.kept import imported_result
    from whyfast.model.errors import UserError
    from whyfast.report.formatting import pluralize
    from whyfast.report.result_json import to_json
    from whyfast.store.home import own_home
    from whyfast.store.samples import Run, SampleStore

    if not args.study.strip():
        raise UserError("a name is wanted", where="--study")
    recordings = load_recordings(args.files)
    store = SampleStore(own_home().database)
    kept = 0
    try:
        for recording in recordings:
            # The same values of the same moment are the same file, wherever it lies.
            content = repr((args.study, args.variant, recording.started, dict(recording.series)))
            identity = sha256(content.encode("utf-8", "backslashreplace")).hexdigest()[:16]
            now = time.time()
            result = imported_result(recording, identity, args.variant, now)
            started = result.recorded.started
            made = Run(identity, f"import {identity}", args.study, started, started)
            kept += store.add_result(made, to_json(result))
    finally:
        store.close()
    there = len(recordings) - kept
    said = f"kept {pluralize(kept, 'file')} as {pluralize(kept, 'result')} of {args.study}"
    say(f"{said}; {there} were there already\n" if there else f"{said}\n")
    return 0
