"""The commands that read results: report and merge those of whyfast, compare, history and import
those of other tools too."""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from whyfast.cli.output import FAIL_ON_MET, Action, check_outputs, percent, show, show_actions
from whyfast.cli.results import exit_code, own_result, show_result, stored_result
from whyfast.fleet.merging import merge_results
from whyfast.formats.load import by_position, by_subject, load_recordings
from whyfast.formats.pyperf import write_recordings
from whyfast.formats.timeline import Wanted, load_timeline, rated
from whyfast.history.detect import detect
from whyfast.history.findings import at_least, has_changed, only_series
from whyfast.history.kept import imported_result, points_of, timeline_of_kept
from whyfast.investigate.compare_run import compare_recordings
from whyfast.model.errors import UserError
from whyfast.model.history import Timeline
from whyfast.model.result import Merged, OneResult
from whyfast.report import result_json
from whyfast.report.formatting import pluralize
from whyfast.report.pages.history_page import dump_history, history_page
from whyfast.report.pages.results import merged_page
from whyfast.store.home import own_home
from whyfast.store.samples import Run, SampleStore
from whyfast.study.load import is_study, load_study

_SQLITE = b"SQLite format 3\0"
#: Where the database may be: below WHYFAST_HOME, in the data folder, below XDG_DATA_HOME.
_DATABASES = ("data/results.sqlite", "results.sqlite", "whyfast/results.sqlite")


def run_report(args: argparse.Namespace) -> int:
    """Show the last result of a study, or a result in JSON."""
    check_outputs(args)
    if args.study.endswith(".json"):
        data = result_json.read_json(Path(args.study))
        if result_json.is_merged(data):
            show_merged(merge_results(result_json.results_in(data, where=args.study)), args)
        else:
            show_result(result_json.from_json(data, where=args.study), args)
        return 0
    database = own_home().database
    with closing(SampleStore(database)) as store:
        name = args.study
        latest = store.latest(name)
        if latest is None and Path(name).exists():
            name = load_study(name).name
            latest = store.latest(name)
        if latest is None:
            known = ", ".join(store.studies()) or "none yet"
            raise UserError(f"no stored results of {name!r}; available: {known}")
    show_result(result_json.from_json(latest[1], where=database), args)
    return 0


def run_merge(args: argparse.Namespace) -> int:
    """Join and report. UserError for results that cannot be read or do not belong together."""
    check_outputs(args)
    results = [r for argument in args.results for r in load_results(argument, args.study)]
    show_merged(merge_results(results), args)
    return 0


def show_merged(merged: Merged, args: argparse.Namespace) -> None:
    """On the terminal, and into the files that were asked for."""
    show(merged_page(merged), args, json=lambda: result_json.dump_merged(merged))


def load_results(argument: str, study: str) -> list[OneResult]:
    """The results in a JSON file; the last result of ``study`` (empty: the only one) in another
    machine's data folder or database; else the last result stored here under that name. UserError
    where there is none."""
    path = Path(argument)
    try:
        folder, file = path.is_dir(), path.is_file()
    except (OSError, ValueError):  # too long for a path, or with a NUL
        folder = file = False
    if folder:
        database = next((path / name for name in _DATABASES if (path / name).is_file()), None)
        if database is not None:
            return [_in_database(database, argument, study)]
        if is_study(argument):
            return [OneResult(argument, own_result(load_study(argument).name))]
        raise UserError(
            f"neither a study nor a data folder of whyfast: no {_DATABASES[0]}", where=argument
        )
    if file:
        with path.open("rb") as start:
            if start.read(len(_SQLITE)) == _SQLITE:
                return [_in_database(path, argument, study)]
    elif not argument.endswith(".json") and not os.path.lexists(argument.split("\0")[0]):
        return [OneResult(argument, own_result(argument))]
    data = result_json.read_json(path)
    if result_json.is_merged(data):
        return result_json.results_in(data, where=path)
    return [OneResult(str(path), result_json.from_json(data, where=path))]


def _in_database(path: Path, where: str, study: str) -> OneResult:
    with closing(SampleStore(path)) as store:
        known = store.studies()
        names = ", ".join(known)
        if not known:
            raise UserError("contains no results", where=where)
        if not study and len(known) > 1:
            raise UserError(
                f"contains results of several studies: {names}; choose one with --study",
                where=where,
            )
        latest = store.latest(study or known[0])
    if latest is None:
        raise UserError(f"no results of {study!r}; available: {names}", where=where)
    return OneResult(where, result_json.from_json(latest[1], where=where))


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
                points += list(points_of(result_json.from_json(data)))
            except UserError:
                unread += 1
    timeline = timeline_of_kept(study, points, wanted)
    note = f"Left out: {pluralize(unread, 'unreadable result')}."
    return replace(timeline, notes=(note,)) if unread else timeline


def run_import(args: argparse.Namespace) -> int:
    """Store each file as one result; files that are stored already are skipped."""
    if not args.study.strip():
        raise UserError("expected a name", where="--study")
    check_outputs(args)
    recordings = load_recordings(args.files)
    actions = []
    with closing(SampleStore(own_home().database)) as store:
        for recording in recordings:
            # The same values at the same time are the same file, wherever it is.
            content = repr((args.study, args.variant, recording.started, dict(recording.series)))
            identity = sha256(content.encode("utf-8", "backslashreplace")).hexdigest()[:16]
            result = imported_result(recording, identity, args.variant, time.time())
            started = result.recorded.started
            run = Run(identity, f"import {identity}", args.study, started, started)
            added = store.add_result(run, result_json.to_json(result))
            actions.append(Action("stored" if added else "known", recording.source, identity))
    stored = sum(a.did == "stored" for a in actions)
    skipped = len(actions) - stored
    text = f"stored {pluralize(stored, 'file')} as {pluralize(stored, 'result')} of {args.study}"
    text += f"; {skipped} already stored" if skipped else ""
    show_actions("import", actions, args, f"{text}\n")
    return 0
