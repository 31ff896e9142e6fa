"""``whyfast why``: the cause of a difference between two commands."""

from __future__ import annotations

import argparse

from whyfast.cli.output import INTERRUPTED, check_outputs, duration, percent, show
from whyfast.cli.results import exit_code, keep, stored_result
from whyfast.investigate.ab_run import Options, expand
from whyfast.investigate.why.why_inquiry import AccountLimits
from whyfast.investigate.why.why_run import explain_commands, why_again
from whyfast.model.errors import UserError
from whyfast.model.result import Result
from whyfast.report.pages.results import why_page
from whyfast.report.progress import watching
from whyfast.report.result_json import dump_result, from_json
from whyfast.store.home import own_home


def run_why(args: argparse.Namespace) -> int:
    """Explain the difference and report."""
    check_outputs(args)
    never = args.simulate in ("0", "0s")
    limits = AccountLimits(0.0 if never else duration(args.simulate, f"--simulate {args.simulate}"))
    options = Options(
        budget=duration(args.budget, f"--budget {args.budget}"),
        margin=percent(args.margin, f"--margin {args.margin}"),
        shell=args.shell,
        stdin=args.input,
        ignore_failure=args.ignore_failure,
        timeout=duration(args.timeout, f"--timeout {args.timeout}"),
    )
    with watching("why", options.margin) as observer:
        if args.commands:
            if len(args.commands) != 2:
                raise UserError(f"number of commands: {len(args.commands)}; expected two")
            commands = expand(args.commands, args.name)
            result = explain_commands(commands, options, limits, own_home(), observer)
        else:
            result = why_again(_last_result(), options, limits, own_home(), observer)
    keep(result)
    show(why_page(result), args, json=lambda: dump_result(result))
    account = result.found.account
    complete = result.recorded.complete and (account is None or account.complete)
    return exit_code(result, None) if complete else INTERRUPTED


def _last_result() -> Result:
    stored = stored_result("ab")
    if stored is None:
        raise UserError(
            "no commands given, and no stored result of whyfast ab; name two commands: "
            "whyfast why './a' './b'"
        )
    return from_json(stored)
