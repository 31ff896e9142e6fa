"""``whyfast run`` on a fleet of machines."""

from __future__ import annotations

import argparse

from whyfast.cli.fleet_arguments import add_certificates, need_dask


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """``--scheduler``, ``--spread`` and ``--certificates``."""
    parser.add_argument(
        "--scheduler",
        metavar="HOST:PORT",
        help="measure on the hosts whose workers are connected there",
    )
    parser.add_argument(
        "--spread",
        choices=["replicate", "shard"],
        default="replicate",
        help="over hosts: everything on each (replicate), or the benchmarks over hosts of one kind",
    )
    add_certificates(parser)


def run_on_fleet(args: argparse.Namespace) -> int:
    """Build here, measure there, report as any run."""
    need_dask()
    from contextlib import closing

    from whyfast.cli.choice import chosen_study
    from whyfast.cli.output import INTERRUPTED, exit_code, finish, keep, show_merged
    from whyfast.fleet.dask_cluster import DaskCluster
    from whyfast.fleet.joining import OneResult
    from whyfast.fleet.merging import merge_results
    from whyfast.fleet.replicate import replicate
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
        if args.spread == "shard":
            elsewhere = Sharded(cluster)
            result = run_study(study, own, observer, fresh=args.fresh, elsewhere=elsewhere)
            hosts = [OneResult(study.name, result)]
        else:
            hosts = list(replicate(study, own, observer, cluster, fresh=args.fresh))
    results = [one.result for one in hosts]
    if args.spread == "shard":
        finish(results[0], args)
    else:
        for result in results:
            keep(result)
        show_merged(merge_results(hosts), args)
    if not all(result.recorded.complete for result in results):
        return INTERRUPTED
    return max(exit_code(result, args.fail_on) for result in results)
