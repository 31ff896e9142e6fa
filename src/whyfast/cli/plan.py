"""``whyfast plan``: what a study would build and run."""

from __future__ import annotations

import argparse

from whyfast.cli.choice import add_choice
from whyfast.cli.output import add_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_choice(parser)
    add_outputs(parser, verbose="with flags and steps")


def run(args: argparse.Namespace) -> int:
    from whyfast.cli.choice import chosen_study
    from whyfast.cli.output import check_outputs, show
    from whyfast.investigate.building import with_twin
    from whyfast.investigate.forecast import forecast
    from whyfast.report.pages.plan_page import free_space, plan_page
    from whyfast.store.private import own_home

    check_outputs(args)
    study = with_twin(chosen_study(args))
    own = own_home()
    show(plan_page(forecast(study, own), free=free_space(own.cache)), args)
    return 0
