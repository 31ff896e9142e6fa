"""``whyfast studies``: the studies that come with whyfast."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(args: argparse.Namespace) -> int:
    """Print a line a study: its name and title."""
    from whyfast.study.bundled import bundled_studies

    studies = bundled_studies()
    if not studies:
        print("This installation of whyfast comes without studies.")
        return 0
    width = max(len(study.name) for study in studies)
    for study in studies:
        print(f"{study.name:<{width}}  {study.title}".rstrip())
    return 0
