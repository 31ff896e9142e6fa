"""``whyfast why``: the cause of a difference between two commands."""

from __future__ import annotations

import argparse

from whyfast.cli.options import add_examples, add_measuring, add_outputs, flag, repeated, value


def add_why(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast why``."""
    value(
        parser,
        "commands CMD",
        "two command lines, in quotes (default: those of the last whyfast ab)",
        nargs="*",
    )
    group = add_measuring(parser)
    value(group, "--budget TIME", "time for measuring (default: 10s)", default="10s")
    value(group, "--margin PERCENT", "smallest relevant difference (default: 1%%)", default="1%")
    value(
        group,
        "--simulate TIME",
        "longest time for simulating both sides; 0: never (default: 30s)",
        default="30s",
    )
    value(group, "--timeout TIME", "limit for one run (default: 10 min)", default="10m")
    group = parser.add_argument_group("commands")
    repeated(group, "-n --name NAME", "name of a command in the report, in their order")
    value(group, "-S --shell SHELL", "shell that runs the commands (default: sh where needed)")
    value(group, "--input FILE", "standard input of the commands", default="/dev/null")
    flag(group, "-i --ignore-failure", "accept non-zero exit codes")
    add_outputs(parser, verbose="show every function, fact and layer")
    add_examples(parser, "why './old input' './new input'", "why --html why.html")


def run_why(args: argparse.Namespace) -> int:
    """Explain the difference and report."""
    from whyfast.cli.output import check_outputs, duration, percent, show
    from whyfast.cli.results import keep
    from whyfast.investigate.ab_run import Options, expand
    from whyfast.investigate.why_run import Limits, run_why, why_again
    from whyfast.model.errors import UserError
    from whyfast.report.pages.why_page import why_page
    from whyfast.report.progress import watching
    from whyfast.report.result_json import dump_result, from_json
    from whyfast.store.home import own_home

    check_outputs(args)
    never = args.simulate in ("0", "0s")
    limits = Limits(0.0 if never else duration(args.simulate, f"--simulate {args.simulate}"))
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
                raise UserError(f"{len(args.commands)} commands; expected two")
            commands = expand(args.commands, args.name)
            result = run_why(commands, options, limits, own_home(), observer)
        else:
            from whyfast.cli.results import stored_result

            stored = stored_result("ab")
            if stored is None:
                raise UserError(
                    "no commands given and no stored result of whyfast ab; "
                    "usage: whyfast why './a' './b'"
                )
            result = why_again(from_json(stored), options, limits, own_home(), observer)
    keep(result)
    show(why_page(result), args, json=lambda: dump_result(result))
    return 0
