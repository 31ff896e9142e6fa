"""``whyfast history``: where a series of results changed."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from whyfast.cli.arguments import percent
from whyfast.cli.output import add_outputs

if TYPE_CHECKING:
    from whyfast.formats.timeline import Wanted
    from whyfast.model.history import Timeline

ORDERS = ("given", "run", "commit")
FAIL_WORDS = ("slower", "faster", "changed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="results in order, oldest first, in any format that compare reads; one CSV file "
        "with --by; one log that check appended to; or a study whose results are kept",
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
    from whyfast.formats.timeline import Wanted
    from whyfast.history.detect import detect
    from whyfast.history.findings import at_least, has_changed, only_series
    from whyfast.report.pages.history_page import dump_history, history_page

    check_outputs(args)
    minimum = percent(args.minimum, f"--minimum {args.minimum}") if args.minimum else 0.0
    wanted = Wanted(args.by, args.order, args.machine, tuple(args.higher))
    timeline = _timeline(args.files, wanted)
    history = at_least(detect(only_series(timeline, args.benchmark)), minimum)
    show(history_page(history), args, json=lambda: dump_history(history))
    return FAIL_ON_MET if args.fail_on and has_changed(history, args.fail_on) else 0


def _timeline(files: list[str], wanted: Wanted) -> Timeline:
    """Of files; or of the results that are kept of a study, by its name or folder."""
    from whyfast.formats.timeline import load_timeline, rated

    name = files[0]
    if len(files) > 1 or wanted.by is not None or Path(name).is_file() or ":" in name:
        return load_timeline(files, wanted)
    kept = _kept(name, wanted)
    if kept is None:
        return load_timeline(files, wanted)
    return rated(kept, wanted.higher)


def _kept(study: str, wanted: Wanted) -> Timeline | None:
    """None for a folder that is no study. UserError for a name of which nothing is kept."""
    from whyfast.history.kept import points_of, timeline_of_kept
    from whyfast.model.errors import UserError
    from whyfast.report.formatting import pluralize
    from whyfast.report.result_json import from_json
    from whyfast.store.home import own_home
    from whyfast.store.samples import SampleStore
    from whyfast.study.find import is_study
    from whyfast.study.load import load_study

    store = SampleStore(own_home().database)
    points, unread = [], 0
    try:
        known = store.studies()
        if study not in known and Path(study).is_dir():
            if not is_study(study):
                return None
            study = load_study(study).name
        if study not in known:
            names = ", ".join(known) or "none yet"
            raise UserError(f"no file, and no results of {study!r} are kept (there are: {names})")
        for _, data in store.results(study):
            try:
                points += list(points_of(from_json(data)))
            except UserError:
                unread += 1
    finally:
        store.close()
    timeline = timeline_of_kept(study, points, wanted)
    note = f"{pluralize(unread, 'result')} that cannot be read left out."
    return replace(timeline, notes=(note,)) if unread else timeline
