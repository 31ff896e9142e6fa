"""``whyfast doctor``: what disturbs measurements on this machine, and temporary settings."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from whyfast.cli.output import FAILED, check_outputs, show
from whyfast.measure.doctor.readings import examine
from whyfast.measure.doctor.system import System
from whyfast.measure.doctor.tune import TuneOutcome, restore, tune
from whyfast.model.codec import dump
from whyfast.report.pages.admin_pages import doctor_page, setting_sentences
from whyfast.store.home import own_home

#: The folder with /proc and /sys.
ROOT = Path("/")


def run_doctor(args: argparse.Namespace) -> int:
    """Print the findings; 1 when a setting could not be restored."""
    check_outputs(args)
    system, folder = System(ROOT), own_home().doctor
    outcome = TuneOutcome(())
    sentences: list[str] = []
    if args.tune or args.restore:
        outcome = (tune if args.tune else restore)(system, folder)
        sentences += setting_sentences(
            outcome.changes, restored=args.restore, message=outcome.message
        )
        if args.restore and not outcome.changes:
            sentences.append(f"no old values are saved in {folder}")
            sentences.append("(each user has a folder; restore as the user who ran --tune)")
        if args.tune and any(not c.error for c in outcome.changes):
            sentences.append("whyfast doctor --restore restores the old values")
    findings = examine(system)
    data = {
        "findings": [asdict(f) for f in findings],
        "action": "tune" if args.tune else "restore" if args.restore else None,
        "changes": [asdict(c) for c in outcome.changes],
        "message": outcome.message,
    }
    show(
        doctor_page(findings, sentences),
        args,
        json=lambda: dump("doctor", data),
    )
    failed = args.restore and any(c.error for c in outcome.changes)
    return FAILED if failed else 0
