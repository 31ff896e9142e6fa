"""``whyfast doctor``: what this machine does to results, and setting it for a while."""

from __future__ import annotations

import argparse
from pathlib import Path

#: Written into ``--json`` files; the number changes when a field changes its meaning or goes.
SCHEMA = "whyfast-doctor/1"

#: Where /proc and /sys are looked for.
ROOT = Path("/")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    action = parser.add_mutually_exclusive_group()
    action.add_argument(
        "--tune",
        action="store_true",
        help="set what may be set, keeping the old values; most settings need root",
    )
    action.add_argument(
        "--restore", action="store_true", help="put back what was there before --tune"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the findings to FILE")


def run(args: argparse.Namespace) -> int:
    """Print the findings; 0, or 1 when something could not be put back."""
    from dataclasses import asdict
    from json import dumps

    from rich.console import Console

    from whyfast.cli.arguments import check_outputs
    from whyfast.cli.main import FAILED
    from whyfast.cli.output import piped, write
    from whyfast.measure.doctor.examine import examine
    from whyfast.measure.doctor.system import Files
    from whyfast.measure.doctor.tune import TuneOutcome, restore, tune
    from whyfast.report.doctor_table import print_changes, print_findings
    from whyfast.store.home import home

    check_outputs(args)
    system = Files(ROOT)
    console = Console(quiet=piped(args))
    outcome = TuneOutcome(())
    if args.tune or args.restore:
        outcome = (tune if args.tune else restore)(system, home().doctor)
        print_changes(outcome.changes, console, restored=args.restore, message=outcome.message)
        if args.restore and not outcome.changes:
            console.print(f"no old values are kept in {home().doctor}", soft_wrap=True)
            console.print("(each user has a folder; restore as the user who did --tune)")
        if args.tune and any(not c.error for c in outcome.changes):
            console.print("whyfast doctor --restore puts the old values back")
        console.print()
    findings = examine(system)
    print_findings(findings, console)
    if args.json is not None:
        document = {
            "schema": SCHEMA,
            "findings": [asdict(f) for f in findings],
            "action": "tune" if args.tune else "restore" if args.restore else None,
            "changes": [asdict(c) for c in outcome.changes],
            "message": outcome.message,
        }
        write(args.json, dumps(document, indent=2, ensure_ascii=False) + "\n")
    failed = args.restore and any(c.error for c in outcome.changes)
    return FAILED if failed else 0
