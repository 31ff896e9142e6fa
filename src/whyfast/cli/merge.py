"""``whyfast merge``: results of one study from several machines, side by side."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from whyfast.cli.arguments import own_result
from whyfast.cli.output import add_outputs
from whyfast.fleet.joining import OneResult
from whyfast.model.errors import UserError
from whyfast.report import result_json as merged_json
from whyfast.report.result_json import from_json, read_json
from whyfast.store.samples import SampleStore
from whyfast.study.find import is_study
from whyfast.study.load import load_study

# ---- From an argument of ``whyfast merge`` to results: files, homes, databases, names.

_SQLITE = b"SQLite format 3\0"
#: Where a home has its database: below WHYFAST_HOME, in the data folder, below XDG_DATA_HOME.
_DATABASES = ("data/results.sqlite", "results.sqlite", "whyfast/results.sqlite")


def load_results(argument: str, study: str) -> list[OneResult]:
    """The result in a file, or those that a merged file has; of a home or its database the last of
    ``study`` (empty: the only one); else the last that is kept here under that name. UserError
    where there is none."""
    path = Path(argument)
    try:
        folder, file = path.is_dir(), path.is_file()
    except (OSError, ValueError):  # longer than a name can be, or with a NUL
        folder = file = False
    if folder:
        database = next((path / name for name in _DATABASES if (path / name).is_file()), None)
        if database is not None:
            return [_of_database(database, argument, study)]
        if is_study(argument):
            name = load_study(argument).name
            return [OneResult(argument, own_result(name))]
        raise UserError(
            f"is neither a study nor the home of a whyfast (no {_DATABASES[0]})", where=argument
        )
    if file:
        with path.open("rb") as start:
            if start.read(len(_SQLITE)) == _SQLITE:
                return [_of_database(path, argument, study)]
        return _of_json(path)
    if argument.endswith(".json") or os.path.lexists(argument.split("\0")[0]):
        return _of_json(path)  # which says what is wrong with it
    return [OneResult(argument, own_result(argument))]


def _of_json(path: Path) -> list[OneResult]:
    data = read_json(path)
    if merged_json.is_merged(data):
        return merged_json.results_in(data, where=path)
    return [OneResult(str(path), from_json(data, where=path))]


def _of_database(path: Path, where: str, study: str) -> OneResult:
    store = SampleStore(path)
    try:
        known = store.studies()
        if not known:
            raise UserError("holds no result", where=where)
        names = ", ".join(known)
        if not study and len(known) > 1:
            raise UserError(
                f"holds results of several studies ({names}); choose one with --study", where=where
            )
        found = store.latest(study or known[0])
    finally:
        store.close()
    if found is None:
        raise UserError(f"holds no result of {study!r} (there are: {names})", where=where)
    return OneResult(where, from_json(found[1], where=where))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "results",
        metavar="RESULT",
        nargs="+",
        help="results in JSON, of run, ab, check or merge; homes of other machines (what "
        "WHYFAST_HOME names there, or the data folder, or its results.sqlite); or a study whose "
        "results are kept here",
    )
    parser.add_argument(
        "--study", metavar="NAME", default="", help="the study to take from homes that have several"
    )
    add_outputs(parser, verbose="show every benchmark, and what each machine says by itself")


def run(args: argparse.Namespace) -> int:
    """Join and report; 0. UserError for what cannot be read or does not belong together."""
    from whyfast.cli.output import check_outputs, show_merged
    from whyfast.fleet.merging import merge_results

    check_outputs(args)
    given = [one for argument in args.results for one in load_results(argument, args.study)]
    show_merged(merge_results(given), args)
    return 0
