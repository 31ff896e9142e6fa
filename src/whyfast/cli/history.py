"""``whyfast history`` and ``whyfast import``: where a series of results changed."""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from whyfast.cli.output import FAIL_ON_MET, check_outputs, percent, show
from whyfast.cli.standard_output import say
from whyfast.formats.load import load_recordings
from whyfast.formats.timeline import Wanted, load_timeline, rated
from whyfast.history.detect import detect
from whyfast.history.findings import at_least, has_changed, only_series
from whyfast.history.kept import imported_result, points_of, timeline_of_kept
from whyfast.model.errors import UserError
from whyfast.model.history import Timeline
from whyfast.report.formatting import pluralize
from whyfast.report.pages.history_page import dump_history, history_page
from whyfast.report.result_json import from_json, to_json
from whyfast.store.home import own_home
from whyfast.store.samples import Run, SampleStore
from whyfast.study.find import is_study
from whyfast.study.load import load_study


def run_history(args: argparse.Namespace) -> int:
    """Find the changes and report them; 3 when --fail-on is met. UserError for bad input."""
    check_outputs(args)
    minimum = percent(args.minimum, f"--minimum {args.minimum}") if args.minimum else 0.0
    wanted = Wanted(args.by, args.order, args.machine, tuple(args.higher))
    timeline = _timeline(args.files, wanted)
    history = at_least(detect(only_series(timeline, args.benchmark)), minimum)
    show(history_page(history), args, json=lambda: dump_history(history))
    return FAIL_ON_MET if args.fail_on and has_changed(history, args.fail_on) else 0


def _timeline(files: list[str], wanted: Wanted) -> Timeline:
    """The timeline of files, or of the stored results of a study, by its name or folder."""
    name = files[0]
    if len(files) > 1 or wanted.by is not None or Path(name).is_file() or ":" in name:
        return load_timeline(files, wanted)
    stored = _stored(name, wanted)
    return load_timeline(files, wanted) if stored is None else rated(stored, wanted.higher)


def _stored(study: str, wanted: Wanted) -> Timeline | None:
    """None for a folder without a study. UserError for a name without stored results."""
    points, unread = [], 0
    with closing(SampleStore(own_home().database)) as store:
        known = store.studies()
        if study not in known and Path(study).is_dir():
            if not is_study(study):
                return None
            study = load_study(study).name
        if study not in known:
            names = ", ".join(known) or "none yet"
            raise UserError(f"no file and no stored results of {study!r}; available: {names}")
        for _, data in store.results(study):
            try:
                points += list(points_of(from_json(data)))
            except UserError:
                unread += 1
    timeline = timeline_of_kept(study, points, wanted)
    note = f"Left out: {pluralize(unread, 'unreadable result')}."
    return replace(timeline, notes=(note,)) if unread else timeline


def run_import(args: argparse.Namespace) -> int:
    """Store each file as one result; files that are stored already are skipped."""
    if not args.study.strip():
        raise UserError("expected a name", where="--study")
    recordings = load_recordings(args.files)
    added = 0
    with closing(SampleStore(own_home().database)) as store:
        for recording in recordings:
            # The same values at the same time are the same file, wherever it is.
            content = repr((args.study, args.variant, recording.started, dict(recording.series)))
            identity = sha256(content.encode("utf-8", "backslashreplace")).hexdigest()[:16]
            result = imported_result(recording, identity, args.variant, time.time())
            started = result.recorded.started
            run = Run(identity, f"import {identity}", args.study, started, started)
            added += store.add_result(run, to_json(result))
    skipped = len(recordings) - added
    message = f"stored {pluralize(added, 'file')} as {pluralize(added, 'result')} of {args.study}"
    say(f"{message}; {skipped} already stored\n" if skipped else f"{message}\n")
    return 0
