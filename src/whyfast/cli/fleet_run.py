"""``whyfast run`` on a fleet of machines."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whyfast.fleet.cluster import Cluster
    from whyfast.fleet.launching import HostsFile


# ---- What the commands of a fleet share.

#: Seconds that a process has to end what it does.
PATIENCE = 3.0


def add_certificates(parser: argparse.ArgumentParser) -> None:
    """``--certificates``."""
    parser.add_argument(
        "--certificates",
        metavar="FOLDER",
        type=Path,
        help="what whyfast fleet certificates made; without it only loopback is spoken to",
    )


def need_dask() -> None:
    """UserError where Dask is not installed."""
    from importlib.util import find_spec

    from whyfast.model.errors import UserError

    if find_spec("distributed") is None:
        raise UserError("fleets need Dask: pip install distributed, on every machine of the fleet")


def add_attached(parser: argparse.ArgumentParser) -> None:
    """``--attached``."""
    parser.add_argument(
        "--attached",
        action="store_true",
        help="end when standard input ends, as it does when ssh breaks off",
    )


def end_with_standard_input() -> None:
    """This process is told to end when its standard input does, and ends."""
    import os
    import signal
    import threading
    import time

    def wait() -> None:
        try:
            while os.read(0, 4096):
                pass
        except OSError:
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(PATIENCE)
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """``--scheduler`` or ``--hosts``, ``--spread`` and ``--certificates``."""
    add_hosts(parser, "measure")
    parser.add_argument(
        "--spread",
        choices=["replicate", "shard"],
        default="replicate",
        help="over hosts: everything on each (replicate), or the benchmarks over hosts of one kind",
    )


def add_hosts(parser: argparse.ArgumentParser, do: str) -> None:
    """``--scheduler`` or ``--hosts``, and ``--certificates``; ``do`` is what hosts are for."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--scheduler",
        metavar="HOST:PORT",
        help=f"{do} on the hosts whose workers are connected there",
    )
    where.add_argument(
        "--hosts",
        metavar="hosts.toml",
        type=Path,
        help=f"{do} on these, by workers that are started by ssh and end with the command",
    )
    add_certificates(parser)


def run_on_fleet(args: argparse.Namespace) -> int:
    """Build here, measure there, report as any run."""
    need_dask()
    from whyfast.cli.arguments import chosen_study
    from whyfast.cli.output import INTERRUPTED, exit_code, finish, keep, show_merged
    from whyfast.fleet.joining import OneResult
    from whyfast.fleet.merging import merge_results
    from whyfast.fleet.replicate import Sharded, replicate
    from whyfast.investigate.study_run import run_study
    from whyfast.report.progress import watching
    from whyfast.store.builds import BuildStore
    from whyfast.store.home import own_home

    study = chosen_study(args)
    reach = reached(args)
    own = own_home()
    with (
        BuildStore(own.builds).in_use(),
        watching(study.title, study.margin) as observer,
        reach(observer.note) as cluster,
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


def reached(
    args: argparse.Namespace,
) -> Callable[[Callable[[str], None]], AbstractContextManager[Cluster]]:
    """What connects to the hosts that the arguments name, and starts their workers; it hears of
    what is worth showing. UserError for a bad ``hosts.toml``, and without Dask."""
    need_dask()
    return partial(_cluster, args, _hosts_file(args))


def _hosts_file(args: argparse.Namespace) -> HostsFile | None:
    """None without ``--hosts``."""
    from whyfast.fleet.launching import read_hosts
    from whyfast.model.errors import UserError

    if args.hosts is None:
        return None
    if args.certificates is not None:
        raise UserError(f"{args.hosts} says where they are", where="--certificates")
    return read_hosts(args.hosts)


@contextmanager
def _cluster(
    args: argparse.Namespace, hosts: HostsFile | None, note: Callable[[str], None]
) -> Iterator[Cluster]:
    from whyfast.fleet.dask_cluster import DaskCluster
    from whyfast.fleet.launching import LaunchedCluster, launched

    if hosts is None:
        with closing(DaskCluster(args.scheduler, args.certificates, note)) as cluster:
            yield cluster
        return
    with (
        launched(hosts, note) as fleet,
        closing(DaskCluster(fleet.address, hosts.certificates, note)) as cluster,
    ):
        yield LaunchedCluster(cluster, fleet, note)
