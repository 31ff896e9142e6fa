"""``whyfast ab``: two or more commands, no study file."""

from __future__ import annotations

import argparse
from pathlib import Path

from whyfast.cli.measuring_options import HYPERFINE, hyperfine_name
from whyfast.cli.output import check_outputs, duration, percent
from whyfast.investigate.ab_run import ASIDE_TIMEOUT, Options, expand
from whyfast.investigate.ab_run import run_ab as compare_commands
from whyfast.model.errors import UserError
from whyfast.report.progress import watching
from whyfast.store.home import own_home


def run_ab(args: argparse.Namespace) -> int:
    """Compare the commands and report; 3 when --fail-on is met."""
    check_outputs(args)
    for words, message in HYPERFINE.items():
        if (given := getattr(args, hyperfine_name(words))) is not None:
            raise UserError(f"{words[-1]} {message.format(given)}")
    if args.show_output:
        raise UserError("--show-output is not available: the output of commands is discarded")
    if args.shell == "none":  # as in hyperfine
        args.shell, args.no_shell = None, True
    if args.no_shell and args.shell is not None:
        raise UserError("conflicting options: -N and --shell; expected one of them")
    if args.runs is not None and args.runs < 1:
        raise UserError("must be 1 or more", where=f"--runs {args.runs}")
    if args.warmup < 0:
        raise UserError("must be 0 or more", where=f"--warmup {args.warmup}")
    if not Path(args.input).exists():
        raise UserError("no such file", where=f"--input {args.input}")
    if Path(args.input).is_dir():
        raise UserError("is a folder; expected a file", where=f"--input {args.input}")
    commands = expand(args.commands, args.name, args.parameter_list, args.parameter_scan)
    timeout = duration(args.timeout, f"--timeout {args.timeout}") if args.timeout else None
    if args.runs is not None and args.budget is None:  # the runs decide
        timeout = timeout or ASIDE_TIMEOUT
        budget = args.runs * len(commands) * timeout
    else:
        budget = duration(args.budget or "60s", f"--budget {args.budget}")
    options = Options(
        budget=budget,
        runs=args.runs,
        margin=percent(args.margin, f"--margin {args.margin}"),
        baseline=args.baseline,
        shell="" if args.no_shell else args.shell,
        stdin=args.input,
        ignore_failure=args.ignore_failure,
        warmup=args.warmup,
        prepare=args.prepare,
        setup=args.setup,
        cleanup=args.cleanup,
        timeout=timeout,
        costs=args.costs,
        turns_offered=not (args.whole or args.why or args.prepare or args.ignore_failure),
    )
    runs = args.runs if args.budget is None else None
    with watching("ab", options.margin, runs=runs) as observer:
        result = compare_commands(commands, options, own_home(), observer)
        if args.why and result.recorded.complete:
            from whyfast.investigate.why.why_inquiry import AccountLimits  # takes 0.2 s
            from whyfast.investigate.why.why_run import why_again

            result = why_again(result, options, AccountLimits(), own_home(), observer)
    from whyfast.cli.results import finish  # loads all reports

    return finish(result, args)
