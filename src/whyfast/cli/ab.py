"""``whyfast ab``: two or more commands, no study file."""

from __future__ import annotations

import argparse
from pathlib import Path

from whyfast.cli.output import add_outputs

#: What hyperfine has and this has not, by its words, with what to write instead of a value.
_HYPERFINE: dict[tuple[str, ...], str] = {
    **{
        (
            f"--export-{kind}",
        ): f"is called --{kind} here, and writes whyfast's own form: --{kind} {{}}"
        for kind in ("json", "markdown", "csv")
    },
    ("-m", "--min-runs"): "is not needed: runs are taken until it is decided or --budget ends; "
    "so many of each are --runs {}",
    ("-M", "--max-runs"): "is not needed: runs are taken until it is decided or --budget ends; "
    "so many of each are --runs {}",
    ("-u", "--time-unit"): "is not needed: each time is printed in a unit that fits",
    ("--style",): "is not here: what is printed is as wide as the terminal, and plain in a pipe",
    ("--output",): "is not here: what commands print is read and thrown away; > {} in "
    "the command keeps it",
    ("--reference",): "is called --baseline here: --baseline {}",
    ("-D", "--parameter-step-size"): "is the fourth word of -P here: -P VAR MIN MAX {}",
    ("--sort",): "is not here: the fastest stands first",
    ("--conclude",): "is not here: what follows a run can be part of --prepare, before the next",
    ("--export-asciidoc",): "is not here: --markdown, --html, --json and --csv are",
    ("--export-orgmode",): "is not here: --markdown, --html, --json and --csv are",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("commands", metavar="CMD", nargs="+", help="a command line, in quotes")
    parser.add_argument("--budget", metavar="TIME", help="default 60s")
    parser.add_argument(
        *("-r", "--runs"), metavar="N", type=int, help="so many runs of each, decided or not"
    )
    parser.add_argument("--margin", metavar="PERCENT", default="1%", help="default 1%%")
    parser.add_argument(
        "-n", "--name", "--command-name", metavar="NAME", action="append", default=[]
    )
    parser.add_argument("--baseline", metavar="NAME", help="default: the first command")
    parser.add_argument(
        "-S",
        "--shell",
        metavar="SHELL",
        help="run through that shell (default: sh where a command has shell syntax)",
    )
    parser.add_argument("--input", metavar="FILE", default="/dev/null", help="standard input")
    parser.add_argument(
        "-i", "--ignore-failure", action="store_true", help="non-zero exit codes count"
    )
    parser.add_argument(
        "-w", "--warmup", metavar="N", type=int, default=0, help="runs before measuring"
    )
    parser.add_argument(
        "-N", dest="no_shell", action="store_true", help="no shell, whatever the commands have"
    )
    parser.add_argument("--show-output", action="store_true", help=argparse.SUPPRESS)
    for words in _HYPERFINE:
        parser.add_argument(*words, dest=_dest(words), metavar="WORD", help=argparse.SUPPRESS)
    parser.add_argument("-p", "--prepare", metavar="CMD", help="before each run, not measured")
    parser.add_argument("-s", "--setup", metavar="CMD", help="once, before the first run of all")
    parser.add_argument("-c", "--cleanup", metavar="CMD", help="once, after the last run of all")
    parser.add_argument("--timeout", metavar="TIME", help="for one run (default: the budget)")
    parser.add_argument(
        "--whole", action="store_true", help="measure whole runs even of programs that take turns"
    )
    parser.add_argument(
        "-L",
        "--parameter-list",
        metavar=("VAR", "VALUES"),
        nargs=2,
        action="append",
        default=[],
        help="replace {VAR} in the commands by each of the comma-separated VALUES",
    )
    parser.add_argument(
        "-P",
        "--parameter-scan",
        metavar=("VAR", "MIN", "MAX", "STEP"),
        nargs=4,
        action="append",
        default=[],
        help="replace {VAR} by MIN, MIN+STEP … MAX",
    )
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write every value as CSV")
    parser.add_argument("--fail-on", choices=["slower"], help="exit with 3 when one is slower")
    add_outputs(parser, verbose="show every benchmark")


def run(args: argparse.Namespace) -> int:
    from whyfast.cli.arguments import duration, percent
    from whyfast.cli.output import INTERRUPTED, check_outputs, exit_code, finish, write
    from whyfast.investigate.ab_run import ASIDE_TIMEOUT, Options, expand, run_ab
    from whyfast.model.errors import UserError
    from whyfast.report.progress import watching
    from whyfast.store.home import own_home

    check_outputs(args)
    for words, said in _HYPERFINE.items():
        if (given := getattr(args, _dest(words))) is not None:
            raise UserError(f"{words[-1]} {said.format(given)}")
    if args.show_output:
        raise UserError("--show-output is not here: what commands print is read and thrown away")
    if args.shell == "none":  # hyperfine's word for it
        args.shell, args.no_shell = None, True
    if args.no_shell and args.shell is not None:
        raise UserError("-N wants no shell, and --shell one; give one of them")
    if args.runs is not None and args.runs < 1:
        raise UserError("must be 1 or more", where=f"--runs {args.runs}")
    if args.warmup < 0:
        raise UserError("must be 0 or more", where=f"--warmup {args.warmup}")
    if not Path(args.input).exists():
        raise UserError("there is no such file", where=f"--input {args.input}")
    if Path(args.input).is_dir():
        raise UserError("is a folder; name a file to read", where=f"--input {args.input}")
    commands = expand(args.commands, args.name, args.parameter_list, args.parameter_scan)
    timeout = duration(args.timeout, f"--timeout {args.timeout}") if args.timeout else None
    if args.runs is not None and args.budget is None:  # as long as they may take
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
        turns_offered=not (args.whole or args.prepare or args.ignore_failure),
    )
    runs = args.runs if args.budget is None else None
    with watching("ab", options.margin, runs=runs) as observer:
        result = run_ab(commands, options, own_home(), observer)
    finish(result, args)
    if args.csv:
        from whyfast.report.result_json import values_csv

        write(args.csv, values_csv(result))
    return exit_code(result, args.fail_on) if result.recorded.complete else INTERRUPTED


def _dest(words: tuple[str, ...]) -> str:
    return "hyperfine_" + words[-1].strip("-").replace("-", "_")
