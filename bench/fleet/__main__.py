"""What does a fleet cost?

    python -m bench.fleet many FOLDER [--hosts 10,100,1000] [--blocks 60]
    python -m bench.fleet overhead FOLDER [--rounds 6] [--seconds 20]

``many``: the coordinator of so many hosts, each of which answers with a block a second that was
made up; CPU and memory of the coordinator. ``overhead``: what passes between two blocks here and by
a worker on this machine, over Dask, in turns. FOLDER is for homes, some 100 MB.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.fleet.many import cost_of_many, many_table
from bench.fleet.overhead import gaps_of_both, overhead_table


def main(argv: Sequence[str] | None = None) -> int:
    """Print a Markdown table."""
    parser = argparse.ArgumentParser(
        prog="bench.fleet",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="what", required=True)
    many = commands.add_parser("many", help="hosts that answer at once")
    many.add_argument("folder", type=Path)
    many.add_argument("--hosts", default="10,100,1000", help="10,100,1000 by default")
    many.add_argument("--blocks", type=int, default=60, help="on each host")
    overhead = commands.add_parser("overhead", help="a block over Dask on this machine")
    overhead.add_argument("folder", type=Path)
    overhead.add_argument("--rounds", type=int, default=6, help="of one run each way")
    overhead.add_argument("--seconds", type=int, default=20, help="of each run")
    args = parser.parse_args(argv)
    args.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if args.what == "overhead":
        print(overhead_table(gaps_of_both(args.folder, args.rounds, args.seconds)), end="")
        return 0
    costs = [cost_of_many(args.folder, int(n), args.blocks) for n in args.hosts.split(",")]
    print(many_table(costs), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
