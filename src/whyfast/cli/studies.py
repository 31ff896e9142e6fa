"""``whyfast studies``: the studies that come with whyfast."""

from __future__ import annotations

import argparse

from whyfast.cli.output import add_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_outputs(parser)


def run(args: argparse.Namespace) -> int:
    """Print a line a study: its name and title."""
    from whyfast.cli.output import check_outputs, show
    from whyfast.report.pages.admin_pages import studies_page
    from whyfast.study.find import bundled_studies

    check_outputs(args)
    show(studies_page({study.name: study.title for study in bundled_studies()}), args)
    return 0
