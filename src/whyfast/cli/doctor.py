"""``whyfast doctor``: what this machine does to results, and setting it for a while."""

from __future__ import annotations

import argparse
from pathlib import Path

from whyfast.cli.output import add_outputs

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
    add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    """Print the findings; 0, or 1 when something could not be put back."""
    from dataclasses import asdict
    from json import dumps

    from whyfast.cli.output import FAILED, check_outputs, show
    from whyfast.measure.doctor.readings import examine
    from whyfast.measure.doctor.system import System
    from whyfast.measure.doctor.tune import TuneOutcome, restore, tune
    from whyfast.report.pages.admin_pages import doctor_page, setting_sentences
    from whyfast.store.home import own_home

    check_outputs(args)
    system, folder = System(ROOT), own_home().doctor
    outcome = TuneOutcome(())
    said: list[str] = []
    if args.tune or args.restore:
        outcome = (tune if args.tune else restore)(system, folder)
        said += setting_sentences(outcome.changes, restored=args.restore, message=outcome.message)
        if args.restore and not outcome.changes:
            said.append(f"no old values are kept in {folder}")
            said.append("(each user has a folder; restore as the user who did --tune)")
        if args.tune and any(not c.error for c in outcome.changes):
            said.append("whyfast doctor --restore puts the old values back")
    findings = examine(system)
    data = {
        "schema": SCHEMA,
        "findings": [asdict(f) for f in findings],
        "action": "tune" if args.tune else "restore" if args.restore else None,
        "changes": [asdict(c) for c in outcome.changes],
        "message": outcome.message,
    }
    show(
        doctor_page(findings, said),
        args,
        json=lambda: dumps(data, indent=2, ensure_ascii=False) + "\n",
    )
    failed = args.restore and any(c.error for c in outcome.changes)
    return FAILED if failed else 0
