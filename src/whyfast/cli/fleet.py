"""``whyfast fleet``: what a fleet of machines needs beside its workers."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from whyfast.cli.fleet_run import add_attached, add_certificates, end_with_standard_input, need_dask


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    scheduler = commands.add_parser("scheduler", help="run a scheduler that workers connect to")
    scheduler.add_argument(
        "--listen", metavar="HOST:PORT", default="127.0.0.1:8786", help="127.0.0.1:8786 by default"
    )
    add_certificates(scheduler)
    add_attached(scheduler)
    made = commands.add_parser("certificates", help="make what a fleet is encrypted with")
    made.add_argument("folder", metavar="FOLDER", type=Path)
    made.add_argument("--days", type=int, default=365, help="for which they hold, 365 by default")


def run(args: argparse.Namespace) -> int:
    if args.what == "certificates":
        from whyfast.fleet.security import make_certificates

        for file in make_certificates(args.folder, args.days):
            print(f"wrote {file}", file=sys.stderr)
        return 0
    need_dask()
    if args.attached:
        end_with_standard_input()
    from whyfast.fleet.dask_servers import serve_scheduler
    from whyfast.fleet.security import read_address
    from whyfast.store.home import own_home

    address = read_address(args.listen, args.certificates, "--listen")
    serve_scheduler(
        address,
        args.certificates,
        own_home(),
        lambda text: print(f"whyfast fleet: {text}", file=sys.stderr, flush=True),
    )
    return 0
