"""``whyfast plan``: what a study would build and run."""

from __future__ import annotations

import argparse

from whyfast.cli.choice import add_choice


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_choice(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="with flags and steps")


def run(args: argparse.Namespace) -> int:
    from rich.console import Console

    from whyfast.cli.choice import chosen_study
    from whyfast.investigate.building import with_twin
    from whyfast.investigate.forecast import forecast
    from whyfast.report.plan_table import free_space, print_outlook
    from whyfast.store.home import home

    study = with_twin(chosen_study(args))
    if study.stands_for:
        print(f"{study.stands_for}; {study.name} would be run instead\n")
    own = home()
    found = forecast(study, own)
    print_outlook(found, Console(), verbose=args.verbose, free=free_space(own.cache))
    return 0
