"""What does a fleet cost?

    python -m bench.fleet many FOLDER [--hosts 10,100,1000] [--blocks 60]

``many``: the coordinator of so many hosts, each of which answers with a block a second that was
made up; CPU and memory of the coordinator. FOLDER is for homes, some 100 MB.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.fleet.many import cost_of_many, many_table


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
    args = parser.parse_args(argv)
    args.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    costs = [cost_of_many(args.folder, int(n), args.blocks) for n in args.hosts.split(",")]
    print(many_table(costs), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
