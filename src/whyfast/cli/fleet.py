"""``whyfast fleet`` and ``whyfast worker``, and the connection of other commands to a fleet."""

from __future__ import annotations

import argparse
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial

from whyfast.cli.output import Action, check_outputs, show_actions
from whyfast.fleet.cluster import Cluster, DaskCluster
from whyfast.fleet.launching import HostsFile, launched, read_hosts
from whyfast.fleet.security import make_certificates, read_address
from whyfast.fleet.worker import HostAnswers, serve_scheduler, serve_worker
from whyfast.investigate.services import Services
from whyfast.model.errors import UserError
from whyfast.store.home import own_home

#: Seconds that a process has to clean up before it is ended.
PATIENCE = 3.0


def run_fleet(args: argparse.Namespace) -> int:
    """Create certificates, or run a scheduler."""
    if args.action == "certificates":
        check_outputs(args)
        files = make_certificates(args.folder, args.days)
        for file in files:
            print(f"wrote {file}", file=sys.stderr)
        show_actions("fleet certificates", [Action("wrote", str(f)) for f in files], args)
        return 0
    _begin_serving(args)
    address = read_address(args.listen, args.certificates, "--listen")
    serve_scheduler(address, args.certificates, own_home(), partial(_say, "fleet"))
    return 0


def run_worker(args: argparse.Namespace) -> int:
    """Measure for a fleet until the scheduler ends."""
    _begin_serving(args)
    if not 0 <= args.keep < 1e6:
        raise UserError("expected gigabytes, e.g. 20", where=f"--keep {args.keep:g}")
    address = read_address(args.address, args.certificates, "address of the scheduler")
    name = args.name or os.environ.get("WHYFAST_MACHINE") or platform.node()
    answers = HostAnswers(own_home(), Services(), round(1e9 * args.keep))
    serve_worker(address, name, args.certificates, answers, partial(_say, "worker"))
    return 0


def _say(command: str, text: str) -> None:
    print(f"whyfast {command}: {text}", file=sys.stderr, flush=True)


def _begin_serving(args: argparse.Namespace) -> None:
    """With ``--attached``, end this process when its standard input is closed."""
    if not args.attached:
        return

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


def connection(
    args: argparse.Namespace,
) -> Callable[[Callable[[str], None]], AbstractContextManager[Cluster]]:
    """A function that connects to the hosts of ``--scheduler`` or ``--hosts`` and starts workers on
    the latter; it reports to its argument. UserError for a bad ``hosts.toml``."""
    if args.hosts is not None and args.certificates is not None:
        raise UserError(f"already in {args.hosts}; remove the option", where="--certificates")
    return partial(_connected, args, read_hosts(args.hosts) if args.hosts else None)


@contextmanager
def _connected(
    args: argparse.Namespace, hosts: HostsFile | None, note: Callable[[str], None]
) -> Iterator[Cluster]:
    if hosts is None:
        with closing(DaskCluster(args.scheduler, args.certificates, note)) as cluster:
            yield cluster
        return
    with (
        launched(hosts, note) as fleet,
        closing(
            DaskCluster(fleet.address, hosts.certificates, note, partial(fleet.tell, note))
        ) as cluster,
    ):
        yield cluster
