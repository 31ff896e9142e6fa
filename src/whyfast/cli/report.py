"""``whyfast report``: the last results of a study again."""

from __future__ import annotations

import argparse

from whyfast.cli.output import add_outputs, add_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "study",
        metavar="STUDY",
        help="a study that has been run (a name, a folder, or ab), or a result in JSON, of one "
        "machine or merged",
    )
    add_outputs(parser, verbose="show every benchmark")
    add_table(parser)


def run(args: argparse.Namespace) -> int:
    from pathlib import Path

    from whyfast.cli.output import check_outputs, show_merged, show_result
    from whyfast.fleet.merging import merge_results
    from whyfast.model.errors import UserError
    from whyfast.report import result_json as merged_json
    from whyfast.report.result_json import from_json, read_json
    from whyfast.store.home import own_home
    from whyfast.store.samples import SampleStore

    check_outputs(args)
    if args.study.endswith(".json"):
        data = read_json(Path(args.study))
        if merged_json.is_merged(data):
            show_merged(merge_results(merged_json.results_in(data, where=args.study)), args)
        else:
            show_result(from_json(data, where=args.study), args)
        return 0
    database = own_home().database
    store = SampleStore(database)
    try:
        name = args.study
        found = store.latest(name)
        if found is None and Path(name).exists():
            from whyfast.study.load import load_study

            name = load_study(args.study).name
            found = store.latest(name)
        if found is None:
            known = ", ".join(store.studies()) or "none yet"
            raise UserError(f"no results of {name!r} are kept (there are: {known})")
    finally:
        store.close()
    show_result(from_json(found[1], where=database), args)
    return 0
