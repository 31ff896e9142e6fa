"""``whyfast report`` and ``whyfast merge``: stored results again, of one machine or several."""

from __future__ import annotations

import argparse
import os
from contextlib import closing
from pathlib import Path

from whyfast.cli.output import check_outputs, show
from whyfast.cli.results import own_result, show_result
from whyfast.fleet.merging import merge_results
from whyfast.model.errors import UserError
from whyfast.model.result import Merged, OneResult
from whyfast.report.pages.merged_page import merged_page
from whyfast.report.result_json import (
    dump_merged,
    from_json,
    is_merged,
    read_json,
    results_in,
)
from whyfast.store.home import own_home
from whyfast.store.samples import SampleStore
from whyfast.study.find import is_study
from whyfast.study.load import load_study

_SQLITE = b"SQLite format 3\0"
#: Where the database may be: below WHYFAST_HOME, in the data folder, below XDG_DATA_HOME.
_DATABASES = ("data/results.sqlite", "results.sqlite", "whyfast/results.sqlite")


def run_report(args: argparse.Namespace) -> int:
    """Show the last result of a study, or a result in JSON."""
    check_outputs(args)
    if args.study.endswith(".json"):
        data = read_json(Path(args.study))
        if is_merged(data):
            show_merged(merge_results(results_in(data, where=args.study)), args)
        else:
            show_result(from_json(data, where=args.study), args)
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
    show_result(from_json(latest[1], where=database), args)
    return 0


def run_merge(args: argparse.Namespace) -> int:
    """Join and report. UserError for results that cannot be read or do not belong together."""
    check_outputs(args)
    results = [r for argument in args.results for r in load_results(argument, args.study)]
    show_merged(merge_results(results), args)
    return 0


def show_merged(merged: Merged, args: argparse.Namespace) -> None:
    """On the terminal, and into the files that were asked for."""
    show(merged_page(merged), args, json=lambda: dump_merged(merged))


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
    data = read_json(path)
    if is_merged(data):
        return results_in(data, where=path)
    return [OneResult(str(path), from_json(data, where=path))]


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
    return OneResult(where, from_json(latest[1], where=where))
