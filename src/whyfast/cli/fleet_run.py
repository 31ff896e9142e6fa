"""``whyfast run`` on a fleet of machines."""

from __future__ import annotations

import argparse

from whyfast.cli.worker import add_certificates


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """``--scheduler``, ``--spread`` and ``--certificates``."""
    parser.add_argument(
        "--scheduler",
        metavar="HOST:PORT",
        help="measure on the hosts whose workers are connected there",
    )
    parser.add_argument(
        "--spread",
        choices=["shard"],
        default="shard",
        help="the benchmarks over hosts of one kind",
    )
    add_certificates(parser)


def run_on_fleet(args: argparse.Namespace) -> int:
    """Build here, measure there, report as any run."""
    from whyfast.cli.fleet import need_dask

    need_dask()
    from contextlib import closing

    from whyfast.cli.choice import chosen_study
    from whyfast.cli.output import INTERRUPTED, exit_code, finish
    from whyfast.fleet.dask_cluster import DaskCluster
    from whyfast.fleet.shard import Sharded
    from whyfast.investigate.study_run import run_study
    from whyfast.report.progress import watching
    from whyfast.store.builds import BuildStore
    from whyfast.store.private import own_home

    study = chosen_study(args)
    own = own_home()
    with (
        BuildStore(own.builds).in_use(),
        watching(study.title, study.margin) as observer,
        closing(DaskCluster(args.scheduler, args.certificates, observer.note)) as cluster,
    ):
        result = run_study(study, own, observer, fresh=args.fresh, elsewhere=Sharded(cluster))
    finish(result, args)
    return exit_code(result, args.fail_on) if result.recorded.complete else INTERRUPTED
