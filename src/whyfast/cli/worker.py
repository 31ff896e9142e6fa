"""``whyfast worker``: measure on this machine for a fleet."""

from __future__ import annotations

import argparse
import sys

from whyfast.cli.fleet_run import add_attached, add_certificates, end_with_standard_input, need_dask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", metavar="ADDRESS", help="of the scheduler: HOST:PORT")
    parser.add_argument("--name", help="of this host in reports; its host name by default")
    parser.add_argument(
        "--keep",
        metavar="GB",
        type=float,
        default=20.0,
        help="of programs that it was sent, those used last; 20 by default",
    )
    add_certificates(parser)
    add_attached(parser)


def run(args: argparse.Namespace) -> int:
    need_dask()
    if args.attached:
        end_with_standard_input()
    import os
    import platform

    from whyfast.fleet.answers import HostAnswers
    from whyfast.fleet.dask_servers import serve_worker
    from whyfast.fleet.security import read_address
    from whyfast.investigate.services import Services
    from whyfast.model.errors import UserError
    from whyfast.store.home import own_home

    if not 0 <= args.keep < 1e6:
        raise UserError("gigabytes are wanted, 20 for example", where=f"--keep {args.keep:g}")
    address = read_address(args.address, args.certificates, "ADDRESS")
    name = args.name or os.environ.get("WHYFAST_MACHINE") or platform.node()
    answers = HostAnswers(own_home(), Services(), round(1e9 * args.keep))
    serve_worker(address, name, args.certificates, answers, say)
    return 0


def say(text: str) -> None:
    """On standard error, at once."""
    print(f"whyfast worker: {text}", file=sys.stderr, flush=True)
