"""``whyfast plan``: what a study would build and run."""

from __future__ import annotations

import argparse

from whyfast.cli.arguments import add_choice
from whyfast.cli.output import add_outputs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_choice(parser)
    add_outputs(parser, verbose="with flags and steps")


def run(args: argparse.Namespace) -> int:
    """Show the plan; 1 when a compiler is missing, UserError when no baseline can be built."""
    from whyfast.cli.arguments import chosen_study
    from whyfast.cli.output import FAILED, check_outputs, show
    from whyfast.investigate.building import with_control
    from whyfast.investigate.forecast import forecast
    from whyfast.model.errors import UserError
    from whyfast.report.pages.admin_pages import free_space, plan_page
    from whyfast.store.home import own_home

    check_outputs(args)
    study = with_control(chosen_study(args))
    own = own_home()
    found = forecast(study, own)
    show(plan_page(found, free=free_space(own.cache)), args)
    lost = {p.variant.name: p.detail for p in found.unbuildable}
    if study.baselines and lost.keys() >= {*study.baselines}:
        reasons = "; ".join(f"{name}: {lost[name]}" for name in study.baselines)
        raise UserError(
            f"no baseline can be built here, so there is nothing to compare with; {reasons}",
            where=study.folder / "study.toml",
        )
    return FAILED if any(not p.foreseen for p in found.unbuildable) else 0
