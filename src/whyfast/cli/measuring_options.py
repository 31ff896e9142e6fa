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
    flag,
    repeated,
    value,
    values,
)

# Studies: run and plan.


def add_run(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast run``."""
    _add_study(parser)
    flag(parser, "--dry-run", "show the plan only")
    flag(parser, "--fresh", "do not resume an interrupted run")
    add_fail_on(add_study_outputs(parser), "a variant, compared with the main baseline,")
    hosts = add_hosts(parser, "measure")
    value(
        hosts,
        "--spread",
        "replicate: run everything on each host; shard: divide the benchmarks among hosts"
        " of one kind",
        choices=["replicate", "shard"],
        default="replicate",
    )
    add_examples(parser, "run dispatch --quick", "run ./mystudy --budget 20m --html report.html")


def add_plan(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast plan``."""
    _add_study(parser)
    add_outputs(parser, verbose="show flags and build steps")
    add_examples(parser, "plan dispatch", "plan ./mystudy --only clang19 -v")


def _add_study(parser: argparse.ArgumentParser) -> None:
    """STUDY, and the options that restrict it."""
    value(parser, "study STUDY", "a folder, a study.toml or the name of a bundled study")
    group = add_measuring(parser)
    flag(group, "--quick", "use the study's [quick] section, or else a fifth of its budget")
    value(group, "--budget TIME", "time for measuring, e.g. 10m")
    values(group, "--only VARIANT", "measure these variants and the baselines only")
    values(group, "--benchmark NAME", "run these benchmarks only")
    flag(
        group, "--counters", "also count instructions, branches and misses, and find hot functions"
    )
    flag(group, "--evidence-only", "read machine code; measure nothing")


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
    value(parser, "commands CMD", "a command line, in quotes", nargs="+")
    group = add_measuring(parser)
    value(group, "--budget TIME", "time for measuring (default: 60s)")
    value(group, "-r --runs N", "run each command exactly N times", type=int)
    value(group, "--margin PERCENT", "smallest relevant difference (default: 1%%)", default="1%")
    value(group, "--baseline NAME", "default: the first command")
    value(group, "-w --warmup N", "runs before measuring", type=int, default=0)
    value(group, "--timeout TIME", "limit for one run (default: the budget)")
    flag(group, "--whole", "measure whole runs, even of programs that take turns")
    group = parser.add_argument_group("commands")
    repeated(
        group,
        "-n --name --command-name NAME",
        "name of a command in the report, in the order of the commands",
    )
    value(
        group,
        "-S --shell SHELL",
        "shell that runs the commands (default: sh where a command has shell syntax)",
    )
    flag(group, "-N", "use no shell", dest="no_shell")
    value(group, "--input FILE", "standard input of the commands", default="/dev/null")
    flag(group, "-i --ignore-failure", "accept non-zero exit codes")
    value(group, "-p --prepare CMD", "run CMD before each run, not measured")
    value(group, "-s --setup CMD", "run CMD once before the first run")
    value(group, "-c --cleanup CMD", "run CMD once after the last run")
    value(
        group,
        "-L --parameter-list",
        "replace {VAR} in the commands with each of the comma-separated VALUES",
        nargs=2,
        action="append",
        default=[],
        metavar=("VAR", "VALUES"),
    )
    value(
        group,
        "-P --parameter-scan",
        "replace {VAR} with MIN, MIN+STEP … MAX",
        nargs=4,
        action="append",
        default=[],
        metavar=("VAR", "MIN", "MAX", "STEP"),
    )
    group.add_argument("--show-output", action="store_true", help=argparse.SUPPRESS)
    for words in HYPERFINE:
        group.add_argument(
            *words, dest=hyperfine_name(words), metavar="WORD", help=argparse.SUPPRESS
        )
    output = add_outputs(parser, verbose="show every benchmark")
    value(output, "--csv FILE", "write every value as CSV", type=Path)
    add_fail_on(output, "a command")
    add_examples(
        parser, "ab './old input' './new input'", "ab -n gcc -n clang --runs 50 ./a.gcc ./a.clang"
    )


# Changes and slowdowns: check and search.


def add_check(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast check``."""
    value(
        parser,
        "range BASE..HEAD",
        "two revisions (default: the merge base with the default branch, and the working tree)",
        nargs="?",
        default="",
    )
    group = add_measuring(parser)
    value(
        group,
        "--study STUDY",
        "a study file or its folder (default: whyfast.toml in this folder or the nearest parent)",
        type=Path,
    )
    value(group, "--budget TIME", "time for measuring (default: 5m)")
    value(group, "--margin PERCENT", "smallest relevant difference (default: the study's)")
    output = add_outputs(parser)
    add_fail_on(output, "HEAD, by more than the margin,")
    flag(output, "--github", "write a step summary and annotations for GitHub Actions")
    value(output, "--append FILE", "append a line for whyfast history to FILE", type=Path)
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
    value(
        parser,
        "what STUDY",
        "the study to build and measure; or, after --, a command to run in each checkout",
        nargs="*",
    )
    group = parser.add_argument_group("candidates")
    value(
        group,
        "--axis",
        "what to search (default: commits)",
        choices=(*SINCE, *SETS, *LINES),
        default="commits",
    )
    value(group, "--good NAME", "the fast end: a commit, compiler, variant or flags (--good=-O2)")
    value(group, "--bad NAME", "the slow end")
    value(group, "--from NAME", "one end, where it is unknown which end is fast", dest="first")
    value(group, "--to NAME", "the other end", dest="last")
    value(group, "--variant NAME", "variant of the study to build (default: its main baseline)")
    values(
        group,
        "--among NAME",
        "with --axis toolchains or kernels: names in order, or patterns (zig:clang-*)",
    )
    value(
        group,
        "--object FILE",
        "with --axis passes or functions: the object file to search",
        default="",
    )
    flag(
        group,
        "--all",
        "keep searching while the changes found explain only part of the slowdown",
        dest="everything",
    )
    flag(
        group,
        "--incremental",
        "reuse the previous build directory; rebuild the final candidates from scratch",
    )
    flag(group, "--fresh", "do not resume an earlier search")
    group = parser.add_argument_group("candidates built by a command, without a study")
    value(group, "--repo DIR", "git repository (default: here)", type=Path, default=Path())
    value(group, "--build LINE", "shell line that builds a commit", default="")
    value(group, "--program PATH", "program built, to compare its machine code", default="")
    flag(group, "--number", "compare the last number that the command prints; less is better")
    group = add_measuring(parser)
    values(group, "--benchmark NAME", "run these benchmarks only")
    value(group, "--margin PERCENT", "smallest relevant difference (default: the study's, or 1%%)")
    value(
        group,
        "--measure",
        "quantity to compare (default: time); the others are counted, so that load on the"
        " machine does not matter",
        choices=("time", "instructions", "indirect-jumps"),
        default="time",
    )
    value(group, "--blocks N", "measure at most N blocks per candidate", type=int)
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
    value(parser, "address HOST:PORT", "address of the scheduler")
    value(parser, "--name", "name of this host in reports (default: its host name)")
    value(
        parser,
        "--keep GB",
        "size of the cache of received programs (default: 20)",
        type=float,
        default=20.0,
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
    value(
        scheduler,
        "--listen HOST:PORT",
        "address of the scheduler (default: 127.0.0.1:8786)",
        default="127.0.0.1:8786",
    )
    add_certificates(scheduler)
    _add_attached(scheduler)
    certificates = actions.add_parser(
        "certificates", help="create the certificates that encrypt a fleet's connections"
    )
    certificates.add_argument("folder", metavar="FOLDER", type=Path)
    value(certificates, "--days", "validity in days (default: 365)", type=int, default=365)
    add_examples(
        parser,
        "fleet certificates ~/fleet",
        "fleet scheduler --listen build1:8786 --certificates ~/fleet",
    )


def _add_attached(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--attached", "end when standard input is closed, e.g. by a broken ssh connection")
