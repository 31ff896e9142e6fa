"""The options of the commands that build and measure."""

from __future__ import annotations

import argparse
from pathlib import Path

from whyfast.cli.options import (
    add_certificates,
    add_examples,
    add_fail_on,
    add_hosts,
    add_measuring,
    add_outputs,
    add_study_outputs,
)

# Studies: run and plan.


def add_run(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast run``."""
    _add_study(parser)
    parser.add_argument("--dry-run", action="store_true", help="show the plan only")
    parser.add_argument("--fresh", action="store_true", help="do not resume an interrupted run")
    add_fail_on(add_study_outputs(parser), "a variant, compared with the main baseline,")
    hosts = add_hosts(parser, "measure")
    hosts.add_argument(
        "--spread",
        choices=["replicate", "shard"],
        default="replicate",
        help="replicate: run everything on each host; shard: divide the benchmarks among hosts of "
        "one kind",
    )
    add_examples(parser, "run dispatch --quick", "run ./mystudy --budget 20m --html report.html")


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast plan``."""
    _add_study(parser)
    add_outputs(parser, verbose="show flags and build steps")
    add_examples(parser, "plan dispatch", "plan ./mystudy --only clang19 -v")


def _add_study(parser: argparse.ArgumentParser) -> None:
    """STUDY, and the options that restrict it."""
    parser.add_argument(
        "study", metavar="STUDY", help="a folder, a study.toml or the name of a bundled study"
    )
    group = add_measuring(parser)
    group.add_argument(
        "--quick",
        action="store_true",
        help="use the study's [quick] section, or else a fifth of its budget",
    )
    group.add_argument("--budget", metavar="TIME", help="time for measuring, e.g. 10m")
    group.add_argument(
        "--only",
        metavar="VARIANT",
        nargs="+",
        default=[],
        help="measure these variants and the baselines only",
    )
    group.add_argument(
        "--benchmark", metavar="NAME", nargs="+", default=[], help="run these benchmarks only"
    )
    group.add_argument(
        "--counters",
        action="store_true",
        help="also count instructions, branches and misses, and find hot functions",
    )
    group.add_argument(
        "--evidence-only", action="store_true", help="read machine code; measure nothing"
    )


# Commands, without a study: ab.

_UNTIL_DECIDED = "is not needed: runs continue until the result is decided or --budget is used up; "
_FORMATS = "is not available; formats: --markdown, --html, --json, --csv"

#: Options of hyperfine that ``ab`` lacks, with what to use instead; ``{}`` is the value given.
HYPERFINE: dict[tuple[str, ...], str] = {
    **{
        (f"--export-{kind}",): f"is called --{kind} here and writes whyfast's format: --{kind} {{}}"
        for kind in ("json", "markdown", "csv")
    },
    ("-m", "--min-runs"): f"{_UNTIL_DECIDED}for a fixed number: --runs {{}}",
    ("-M", "--max-runs"): f"{_UNTIL_DECIDED}for a fixed number: --runs {{}}",
    ("-u", "--time-unit"): "is not needed: each time is printed in a suitable unit",
    ("--style",): "is not available: the output fits the terminal, and is plain text in a pipe",
    ("--output",): "is not available: the output of commands is discarded; to keep it, add > {} to "
    "the command",
    ("--reference",): "is called --baseline here: --baseline {}",
    ("-D", "--parameter-step-size"): "is the fourth argument of -P here: -P VAR MIN MAX {}",
    ("--sort",): "is not available: the fastest command comes first",
    ("--conclude",): "is not available: append it to --prepare, which precedes the next run",
    ("--export-asciidoc",): _FORMATS,
    ("--export-orgmode",): _FORMATS,
}


def hyperfine_name(words: tuple[str, ...]) -> str:
    """The attribute that holds the value of an option of :data:`HYPERFINE`."""
    return "hyperfine_" + words[-1].strip("-").replace("-", "_")


def add_ab(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast ab``."""
    parser.add_argument("commands", metavar="CMD", nargs="+", help="a command line, in quotes")
    group = add_measuring(parser)
    add = group.add_argument
    add("--budget", metavar="TIME", help="time for measuring (default: 60s)")
    add("-r", "--runs", metavar="N", type=int, help="run each command exactly N times")
    add(
        "--margin",
        metavar="PERCENT",
        default="1%",
        help="smallest difference that matters (default: 1%%)",
    )
    add("--baseline", metavar="NAME", help="default: the first command")
    add("-w", "--warmup", metavar="N", type=int, default=0, help="runs before measuring")
    add("--timeout", metavar="TIME", help="limit for one run (default: the budget)")
    add("--whole", action="store_true", help="measure whole runs, even of programs that take turns")
    group = parser.add_argument_group("commands")
    add = group.add_argument
    add(
        *("-n", "--name", "--command-name"),
        metavar="NAME",
        action="append",
        default=[],
        help="name of a command in the report; repeatable, in the order of the commands",
    )
    add(
        *("-S", "--shell"),
        metavar="SHELL",
        help="shell that runs the commands (default: sh where a command has shell syntax)",
    )
    add("-N", dest="no_shell", action="store_true", help="use no shell")
    add("--input", metavar="FILE", default="/dev/null", help="standard input of the commands")
    add("-i", "--ignore-failure", action="store_true", help="accept non-zero exit codes")
    add("-p", "--prepare", metavar="CMD", help="run CMD before each run, not measured")
    add("-s", "--setup", metavar="CMD", help="run CMD once before the first run")
    add("-c", "--cleanup", metavar="CMD", help="run CMD once after the last run")
    add(
        *("-L", "--parameter-list"),
        metavar=("VAR", "VALUES"),
        nargs=2,
        action="append",
        default=[],
        help="replace {VAR} in the commands with each of the comma-separated VALUES",
    )
    add(
        *("-P", "--parameter-scan"),
        metavar=("VAR", "MIN", "MAX", "STEP"),
        nargs=4,
        action="append",
        default=[],
        help="replace {VAR} with MIN, MIN+STEP … MAX",
    )
    add("--show-output", action="store_true", help=argparse.SUPPRESS)
    for words in HYPERFINE:
        add(*words, dest=hyperfine_name(words), metavar="WORD", help=argparse.SUPPRESS)
    output = add_outputs(parser, verbose="show every benchmark")
    output.add_argument("--csv", metavar="FILE", type=Path, help="write every value as CSV")
    add_fail_on(output, "a command")
    add_examples(
        parser, "ab './old input' './new input'", "ab -n gcc -n clang --runs 50 ./a.gcc ./a.clang"
    )


# Changes and slowdowns: check and search.


def add_check(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast check``."""
    parser.add_argument(
        "range",
        metavar="BASE..HEAD",
        nargs="?",
        default="",
        help="two revisions (default: the merge base with the default branch, and the working "
        "tree)",
    )
    group = add_measuring(parser)
    group.add_argument(
        "--study",
        metavar="STUDY",
        type=Path,
        help="a study file or its folder (default: whyfast.toml in this folder or the nearest "
        "parent)",
    )
    group.add_argument("--budget", metavar="TIME", help="time for measuring (default: 5m)")
    group.add_argument(
        "--margin",
        metavar="PERCENT",
        help="smallest difference that matters (default: the study's)",
    )
    output = add_outputs(parser)
    add_fail_on(output, "HEAD, by more than the margin,")
    output.add_argument(
        "--github",
        action="store_true",
        help="write a step summary and annotations for GitHub Actions",
    )
    output.add_argument(
        "--append", metavar="FILE", type=Path, help="append a line for whyfast history to FILE"
    )
    add_hosts(parser, "measure")
    add_examples(parser, "check", "check main..HEAD --budget 10m --fail-on slower")


#: Axes of a search: since which candidate; ordered candidates of one study; sets of differences.
SINCE, LINES, SETS = (
    ("commits", "toolchains"),
    ("passes", "kernels"),
    ("flags", "objects", "functions"),
)


def add_search(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast search``."""
    parser.add_argument(
        "what",
        metavar="STUDY",
        nargs="*",
        help="the study to build and measure; or, after --, a command to run in each checkout",
    )
    group = parser.add_argument_group("candidates")
    add = group.add_argument
    add(
        "--axis",
        choices=(*SINCE, *SETS, *LINES),
        default="commits",
        help="what to search (default: commits)",
    )
    add(
        "--good",
        metavar="NAME",
        help="the fast end: a commit, compiler, variant or flags (--good=-O2)",
    )
    add("--bad", metavar="NAME", help="the slow end")
    add(
        *("--from",),
        dest="first",
        metavar="NAME",
        help="one end, where it is unknown which end is fast",
    )
    add("--to", dest="last", metavar="NAME", help="the other end")
    add(
        "--variant",
        metavar="NAME",
        help="variant of the study to build (default: its main baseline)",
    )
    add(
        "--among",
        metavar="NAME",
        nargs="+",
        default=[],
        help="with --axis toolchains or kernels: names in order, or patterns (zig:clang-*)",
    )
    add(
        "--object",
        metavar="FILE",
        default="",
        help="with --axis passes or functions: the object file to search",
    )
    add(
        "--all",
        action="store_true",
        dest="everything",
        help="keep searching while the changes found explain only part of the slowdown",
    )
    add(
        "--incremental",
        action="store_true",
        help="reuse the previous build directory; rebuild the final candidates from scratch",
    )
    add("--fresh", action="store_true", help="do not resume an earlier search")
    group = parser.add_argument_group("candidates built by a command, without a study")
    add = group.add_argument
    add("--repo", metavar="DIR", type=Path, default=Path(), help="git repository (default: here)")
    add("--build", metavar="LINE", default="", help="shell line that builds a commit")
    add("--program", default="", metavar="PATH", help="program built, to compare its machine code")
    add(
        "--number",
        action="store_true",
        help="compare the last number that the command prints; less is better",
    )
    group = add_measuring(parser)
    add = group.add_argument
    add("--benchmark", metavar="NAME", nargs="+", default=[], help="run these benchmarks only")
    add(
        "--margin",
        metavar="PERCENT",
        help="smallest difference that matters (default: the study's, or 1%%)",
    )
    add(
        "--measure",
        choices=("time", "instructions", "indirect-jumps"),
        default="time",
        help="quantity to compare (default: time); the others are counted, so that load on the "
        "machine does not matter",
    )
    add("--blocks", metavar="N", type=int, help="measure at most N blocks per candidate")
    add_outputs(parser)
    add_hosts(parser, "build candidates in advance")
    add_examples(
        parser,
        "search ./mystudy --good v1.0 --bad main",
        "search --from v1.0 --to HEAD --build make -- ./program input",
    )


# Fleets: worker and fleet.


def add_worker(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast worker``."""
    add = parser.add_argument
    add("address", metavar="HOST:PORT", help="address of the scheduler")
    add("--name", help="name of this host in reports (default: its host name)")
    add(
        "--keep",
        metavar="GB",
        type=float,
        default=20.0,
        help="size of the cache of received programs (default: 20)",
    )
    add_certificates(parser)
    _add_attached(parser)
    add_examples(
        parser, "worker 127.0.0.1:8786", "worker build1:8786 --certificates ~/fleet --name kite"
    )


def add_fleet(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast fleet``."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    scheduler = actions.add_parser("scheduler", help="run a scheduler that workers connect to")
    scheduler.add_argument(
        "--listen",
        metavar="HOST:PORT",
        default="127.0.0.1:8786",
        help="address of the scheduler (default: 127.0.0.1:8786)",
    )
    add_certificates(scheduler)
    _add_attached(scheduler)
    certificates = actions.add_parser(
        "certificates", help="create the certificates that encrypt a fleet's connections"
    )
    certificates.add_argument("folder", metavar="FOLDER", type=Path)
    certificates.add_argument(
        "--days", type=int, default=365, help="validity in days (default: 365)"
    )
    add_examples(
        parser,
        "fleet certificates ~/fleet",
        "fleet scheduler --listen build1:8786 --certificates ~/fleet",
    )


def _add_attached(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--attached",
        action="store_true",
        help="end when standard input is closed, e.g. by a broken ssh connection",
    )
