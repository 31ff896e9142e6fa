"""``whyfast survey``: one question over many programs."""

from __future__ import annotations

import argparse

from rich.console import Console
from rich.text import Text

from whyfast.cli.output import FAILED, check_outputs, show
from whyfast.investigate.shipped_run import SUITES, shipped_programs, survey_shipped
from whyfast.model.codec import dump, encode
from whyfast.report.formatting import escape_controls
from whyfast.report.pages.shipped_page import shipped_page
from whyfast.store.home import own_home
from whyfast.toolchain.packages import Packages


def run_survey(args: argparse.Namespace) -> int:
    """Show how the interpreters that Debian ships dispatch; 1 when a package failed."""
    check_outputs(args)
    programs = shipped_programs(args.only)
    suites = tuple(dict.fromkeys(args.suite)) or SUITES
    place = own_home()
    console = Console(stderr=True)
    with console.status("starting") as status:

        def progress(text: str) -> None:
            status.update(Text(escape_controls(text)))
            if not console.is_terminal:
                console.print(Text(escape_controls(text)))

        source = Packages(place, progress)
        kept = place.cache / "shipped"
        rows = list(survey_shipped(programs, suites, source, kept, progress))
    show(shipped_page(rows), args, json=lambda: dump("shipped", {"rows": encode(rows)}))
    return FAILED if any(row.verdict == "failed" for row in rows) else 0
