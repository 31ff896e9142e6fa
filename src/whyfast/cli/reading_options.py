"""The options of the commands that read results and programs, and that look after the store."""

from __future__ import annotations

import argparse
from pathlib import Path

from whyfast.cli.options import (
    add_examples,
    add_fail_on,
    add_globs,
    add_measuring,
    add_outputs,
    add_study_outputs,
)

# Results of other tools: compare, history and import.


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast compare``."""
    add = parser.add_argument
    add(
        "base",
        metavar="BASE",
        help="the baseline; alone, a file of several commands, of which the first is the baseline",
    )
    add(
        "heads",
        metavar="HEAD",
        nargs="*",
        help="files of pyperf, hyperfine, Google Benchmark, Go or whyfast, a folder of Criterion, "
        "CSV (FILE.csv:COLUMN=VALUE selects rows, FILE.txt:KEY=VALUE the benchmarks after such a "
        "line of Go's output, FILE.json:variant=NAME a variant of whyfast), or a study with stored "
        "results",
    )
    group = parser.add_argument_group("comparison")
    add = group.add_argument
    add(
        "--noise",
        metavar="FILE",
        nargs="+",
        default=[],
        help="two or more runs of one build on that machine, which show its noise",
    )
    add(
        "--margin",
        metavar="PERCENT",
        default="1%",
        help="smallest difference that matters (default: 1%%)",
    )
    add_globs(group, "--benchmark", "compare these benchmarks only")
    add(
        "--by",
        choices=["name", "position"],
        default="name",
        help="match benchmarks by name or, where the text of commands varies, by position",
    )
    add_globs(
        group,
        "--higher",
        "units or benchmarks of which more is better; rates (MB/s, ops/sec) are known",
    )
    add(
        "--claim",
        metavar="A:B",
        default="",
        help="audit a claimed gain: is run A faster than run B, and than the others?",
    )
    output = add_outputs(parser, verbose="show every benchmark")
    add_fail_on(output, "a HEAD (of several benchmarks: their geometric mean)")
    output.add_argument(
        "--pyperf-out",
        metavar="FOLDER",
        type=Path,
        help="write every compared file as pyperf JSON into FOLDER",
    )
    add_examples(
        parser, "compare old.json new.json", "compare commands.json --claim new:old --html out.html"
    )


FAIL_WORDS = ("slower", "faster", "changed")


def add_history(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast history``."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="results in order, oldest first, in any format that compare reads; one CSV file "
        "with --by; one log written by check --append; or a study with stored results",
    )
    group = parser.add_argument_group("points")
    add = group.add_argument
    add("--by", metavar="COLUMN", help="column of a CSV file whose values are the points")
    add_globs(group, "--benchmark", "examine these series only")
    add(
        "--order",
        choices=("given", "run", "commit"),
        help="order of the points: as given (default), by time of the run, by date of the commit",
    )
    add(
        "--machine",
        metavar="KEY",
        help="key that identifies the machine: a key of the files' metadata (hostname), a column "
        "of the CSV file, folder (the folder of each file), or none",
    )
    add_globs(group, "--higher", "series of which more is better")
    add("--minimum", metavar="PERCENT", help="ignore changes smaller than this, e.g. 5%%")
    output = add_outputs(parser, verbose="show every series")
    output.add_argument(
        "--fail-on", choices=FAIL_WORDS, help="exit with 3 if a step or drift is of this kind"
    )
    add_examples(parser, "history r*.json", "history runs.csv --by commit --fail-on slower")


def add_import(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast import``."""
    add = parser.add_argument
    add("files", metavar="FILE", nargs="+", help="results in any format that compare reads")
    add(
        "--study",
        metavar="STUDY",
        default="imported",
        help="name to store them under: any name, or the study that they are runs of "
        "(default: imported)",
    )
    add("--variant", metavar="NAME", default="", help="variant of the study that was measured")
    add_examples(parser, "import r*.json", "import nightly.json --study mystudy --variant gcc")


# Results of whyfast: report and merge.


def add_report(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast report``."""
    parser.add_argument(
        "study",
        metavar="STUDY",
        help="a study with stored results (a name, a folder, or ab), or a result in JSON, of one "
        "machine or merged",
    )
    add_study_outputs(parser)
    add_examples(parser, "report dispatch --html report.html", "report ab --json -")


def add_merge(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast merge``."""
    parser.add_argument(
        "results",
        metavar="RESULT",
        nargs="+",
        help="JSON files written by run, ab, check or merge; data folders of other machines "
        "(WHYFAST_HOME there) or their results.sqlite; or a study with stored results",
    )
    parser.add_argument(
        "--study",
        metavar="NAME",
        default="",
        help="study to take from data folders that hold several",
    )
    add_outputs(parser, verbose="show every benchmark and the results of each machine")
    add_examples(
        parser,
        "merge kite.json heron.json",
        "merge /mnt/kite /mnt/heron --study dispatch --html all.html",
    )


# Programs: explain.


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast explain``."""
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="programs, shared or relocatable objects (ELF, PE, COFF, Mach-O); the others are "
        "compared with the first",
    )
    group = parser.add_argument_group("machine code")
    add = group.add_argument
    add_globs(
        group,
        "--function",
        "functions to show, by symbol name (default: the functions that most likely dispatch)",
    )
    add(
        "--diff",
        action="store_true",
        help="show the functions that differ side by side, the most relevant first",
    )
    add(
        "--arch",
        choices=["aarch64", "x86-64"],
        help="part of a universal Mach-O file to read (default: aarch64 if present)",
    )
    add(
        "--debug-dir",
        action="append",
        type=Path,
        default=[],
        metavar="DIR",
        help="folder to search for debug files, by build id or name; repeatable",
    )
    add(
        "--profile",
        type=Path,
        metavar="FILE",
        help="profile of one of the programs (callgrind.out, or the output of perf script); the "
        "hottest functions come first",
    )
    group = add_measuring(parser)
    add = group.add_argument
    add(
        "--run",
        metavar="ARGS",
        help="run each program with these arguments, in quotes ('' for none), and show its "
        "counters and hot functions",
    )
    add(
        "--profiler",
        choices=["callgrind", "cachegrind", "perf"],
        default="callgrind",
        help="with --run: profiler for the hot functions; perf samples, the others simulate "
        "(default: callgrind)",
    )
    add("--timeout", metavar="TIME", default="10m", help="with --run: limit for one run (10m)")
    add(
        "--commits",
        metavar="BASE..HEAD",
        help="with --run: show which hot functions these commits change; the last FILE must be "
        "built from HEAD with -g",
    )
    add(
        "--repo",
        type=Path,
        metavar="DIR",
        default=Path(),
        help="with --commits: the git repository (default: here)",
    )
    add_outputs(parser)
    add_examples(parser, "explain old new --diff", "explain old new --run 'input.txt'")


# The store and the machine: builds, toolchain, doctor, studies and new.


def add_builds(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast builds``."""
    parser.set_defaults(action="list")
    add_outputs(parser)
    actions = parser.add_subparsers(metavar="ACTION")
    _add_list(actions, "list all builds, most recently used first (default)")
    show = actions.add_parser(
        "show",
        help="show the provenance of a build and the commands that repeat it",
        argument_default=argparse.SUPPRESS,
    )
    add_outputs(show)
    show.add_argument(
        "--script", action="store_true", help="print the commands as a shell script", default=False
    )
    log = actions.add_parser("log", help="print the output of the steps of a build, even if failed")
    for action in (show, log):
        action.add_argument("digest", metavar="DIGEST", help="the beginning of a digest")
    gc = actions.add_parser("gc", help="remove builds that have not been used for a while")
    gc.add_argument("--older-than", metavar="TIME", default="30d", help="e.g. 12h (default: 30d)")
    gc.add_argument("--all", action="store_true", help="remove all builds")
    for name, action in (("show", show), ("log", log), ("gc", gc)):
        action.set_defaults(action=name)
    add_examples(parser, "builds", "builds show 4f2a --script")


def _add_list(actions: argparse._SubParsersAction[argparse.ArgumentParser], text: str) -> None:
    # Suppressed defaults: options before the action are not overwritten.
    listing = actions.add_parser("list", help=text, argument_default=argparse.SUPPRESS)
    add_outputs(listing)
    listing.set_defaults(action="list")


def add_toolchain(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast toolchain``."""
    parser.set_defaults(action="list", recorded=[])
    add_outputs(parser)
    actions = parser.add_subparsers(metavar="ACTION")
    _add_list(actions, "list the compilers available here (default)")
    install = actions.add_parser(
        "install", help="download compilers now, instead of at the first build"
    )
    install.add_argument(
        "--from",
        dest="recorded",
        metavar="BUILD",
        action="append",
        default=[],
        help="restore the Debian root of a build with exactly the same packages; BUILD is the "
        "beginning of its digest, or a file provenance.json",
    )
    remove = actions.add_parser("remove", help="delete downloaded compilers")
    for name, action, count in (("install", install, "*"), ("remove", remove, "+")):
        action.add_argument("names", metavar="TOOLCHAIN", nargs=count, help="e.g. zig:clang-19")
        action.set_defaults(action=name)
    add_examples(parser, "toolchain", "toolchain install zig:clang-19 debian:gcc-14")


def add_doctor(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast doctor``."""
    action = parser.add_mutually_exclusive_group()
    action.add_argument(
        "--tune",
        action="store_true",
        help="change the settings that may be changed and save the old values; most need root",
    )
    action.add_argument(
        "--restore", action="store_true", help="restore the settings that --tune saved"
    )
    add_outputs(parser)
    add_examples(parser, "doctor", "doctor --tune")


def add_studies(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast studies``."""
    add_outputs(parser)
    add_examples(parser, "studies", "studies --json -")


#: The keys of :data:`whyfast.study.skeleton.KINDS`; a test compares them.
PROJECT_KINDS = ("c", "autotools", "cmake", "meson", "cargo", "go", "python")


def add_new(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast new``."""
    add = parser.add_argument
    add(
        "folder",
        type=Path,
        metavar="FOLDER",
        nargs="?",
        help="folder for a study.toml that compares -O2 with -O3 (default: write whyfast.toml, "
        "for whyfast check, next to the source)",
    )
    add(
        "--kind",
        choices=PROJECT_KINDS,
        help="kind of project for whyfast.toml (default: detected from its files)",
    )
    add(
        "--source",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="folder with the source of the program (default: the current folder)",
    )
    add_examples(parser, "new", "new ./mystudy --source ~/src/program")
