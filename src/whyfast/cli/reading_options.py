"""The options of the commands that read results and programs, and that look after the store."""

from __future__ import annotations

import argparse
from pathlib import Path

from whyfast.cli.options import (
    add_examples,
    add_fail_on,
    add_measuring,
    add_outputs,
    add_study_outputs,
    flag,
    repeated,
    value,
    values,
)

# Results of other tools: compare, history and import.


def add_compare(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast compare``."""
    value(
        parser,
        "base BASE",
        "the baseline; alone, a file of several commands, of which the first is the baseline",
    )
    value(
        parser,
        "heads HEAD",
        "files of pyperf, hyperfine, Google Benchmark, Go or whyfast, a folder of "
        "Criterion, CSV (FILE.csv:COLUMN=VALUE selects rows, FILE.txt:KEY=VALUE the "
        "benchmarks after such a line of Go's output, FILE.json:variant=NAME a variant of"
        " whyfast), or a study with stored results",
        nargs="*",
    )
    group = parser.add_argument_group("comparison")
    values(
        group, "--noise FILE", "two or more runs of one build on that machine, which show its noise"
    )
    value(group, "--margin PERCENT", "smallest relevant difference (default: 1%%)", default="1%")
    repeated(group, "--benchmark GLOB", "compare these benchmarks only")
    value(
        group,
        "--by",
        "match benchmarks by name or, where the text of commands varies, by position",
        choices=["name", "position"],
        default="name",
    )
    repeated(
        group,
        "--higher GLOB",
        "units or benchmarks of which more is better; rates (MB/s, ops/sec) are known",
    )
    value(
        group,
        "--claim A:B",
        "audit a claimed gain: is run A faster than run B, and than the others?",
        default="",
    )
    output = add_outputs(parser, verbose="show every benchmark")
    add_fail_on(output, "a HEAD (of several benchmarks: their geometric mean)")
    value(
        output,
        "--pyperf-out FOLDER",
        "write every compared file as pyperf JSON into FOLDER",
        type=Path,
    )
    add_examples(
        parser, "compare old.json new.json", "compare commands.json --claim new:old --html out.html"
    )


FAIL_WORDS = ("slower", "faster", "changed")


def add_history(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast history``."""
    value(
        parser,
        "files FILE",
        "results in order, oldest first, in any format that compare reads; one CSV file "
        "with --by; one log written by check --append; or a study with stored results",
        nargs="+",
    )
    group = parser.add_argument_group("points")
    value(group, "--by COLUMN", "column of a CSV file whose values are the points")
    repeated(group, "--benchmark GLOB", "examine these series only")
    value(
        group,
        "--order",
        "order of the points: as given (default), by time of the run, by date of the commit",
        choices=("given", "run", "commit"),
    )
    value(
        group,
        "--machine KEY",
        "key that identifies the machine: a key of the files' metadata (hostname), a "
        "column of the CSV file, folder (the folder of each file), or none",
    )
    repeated(group, "--higher GLOB", "series of which more is better")
    value(group, "--minimum PERCENT", "ignore changes smaller than this, e.g. 5%%")
    output = add_outputs(parser, verbose="show every series")
    value(output, "--fail-on", "exit with 3 if a step or drift is of this kind", choices=FAIL_WORDS)
    add_examples(parser, "history r*.json", "history runs.csv --by commit --fail-on slower")


def add_import(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast import``."""
    value(parser, "files FILE", "results in any format that compare reads", nargs="+")
    value(
        parser,
        "--study STUDY",
        "name to store them under: any name, or the study that they are runs of (default:"
        " imported)",
        default="imported",
    )
    value(parser, "--variant NAME", "variant of the study that was measured", default="")
    add_examples(parser, "import r*.json", "import nightly.json --study mystudy --variant gcc")


# Results of whyfast: report and merge.


def add_report(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast report``."""
    value(
        parser,
        "study STUDY",
        "a study with stored results (a name, a folder, or ab), or a result in JSON, of "
        "one machine or merged",
    )
    add_study_outputs(parser)
    add_examples(parser, "report dispatch --html report.html", "report ab --json -")


def add_merge(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast merge``."""
    value(
        parser,
        "results RESULT",
        "JSON files written by run, ab, check or merge; data folders of other machines "
        "(WHYFAST_HOME there) or their results.sqlite; or a study with stored results",
        nargs="+",
    )
    value(parser, "--study NAME", "study to take from data folders that hold several", default="")
    add_outputs(parser, verbose="show every benchmark and the results of each machine")
    add_examples(
        parser,
        "merge kite.json heron.json",
        "merge /mnt/kite /mnt/heron --study dispatch --html all.html",
    )


# Programs: explain.


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast explain``."""
    value(
        parser,
        "files FILE",
        "programs, shared or relocatable objects (ELF, PE, COFF, Mach-O); the others are "
        "compared with the first",
        nargs="+",
        type=Path,
    )
    group = parser.add_argument_group("machine code")
    repeated(
        group,
        "--function GLOB",
        "functions to show, by symbol name (default: the functions that most likely dispatch)",
    )
    flag(group, "--diff", "show the functions that differ side by side, the most relevant first")
    value(
        group,
        "--arch",
        "part of a universal Mach-O file to read (default: aarch64 if present)",
        choices=["aarch64", "x86-64"],
    )
    value(
        group,
        "--debug-dir DIR",
        "folder to search for debug files, by build id or name; repeatable",
        action="append",
        type=Path,
        default=[],
    )
    value(
        group,
        "--profile FILE",
        "profile of one of the programs (callgrind.out, or the output of perf script); "
        "the hottest functions come first",
        type=Path,
    )
    group = add_measuring(parser)
    value(
        group,
        "--run ARGS",
        "run each program with these arguments, in quotes ('' for none), and show its "
        "counters and hot functions",
    )
    value(
        group,
        "--profiler",
        "with --run: profiler for the hot functions; perf samples, the others simulate "
        "(default: callgrind)",
        choices=["callgrind", "cachegrind", "perf"],
        default="callgrind",
    )
    value(group, "--timeout TIME", "with --run: limit for one run (10m)", default="10m")
    value(
        group,
        "--commits BASE..HEAD",
        "with --run: show which hot functions these commits change; the last FILE must be"
        " built from HEAD with -g",
    )
    value(
        group,
        "--repo DIR",
        "with --commits: the git repository (default: here)",
        type=Path,
        default=Path(),
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
    flag(show, "--script", "print the commands as a shell script", default=False)
    log = actions.add_parser("log", help="print the output of the steps of a build, even if failed")
    for action in (show, log):
        value(action, "digest DIGEST", "the beginning of a digest")
    gc = actions.add_parser("gc", help="remove builds that have not been used for a while")
    value(gc, "--older-than TIME", "e.g. 12h (default: 30d)", default="30d")
    flag(gc, "--all", "remove all builds")
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
    value(
        install,
        "--from BUILD",
        "restore the Debian root of a build with exactly the same packages; BUILD is the "
        "beginning of its digest, or a file provenance.json",
        dest="recorded",
        action="append",
        default=[],
    )
    remove = actions.add_parser("remove", help="delete downloaded compilers")
    for name, action, count in (("install", install, "*"), ("remove", remove, "+")):
        value(action, "names TOOLCHAIN", "e.g. zig:clang-19", nargs=count)
        action.set_defaults(action=name)
    add_examples(parser, "toolchain", "toolchain install zig:clang-19 debian:gcc-14")


def add_doctor(parser: argparse.ArgumentParser) -> None:
    """Options of ``whyfast doctor``."""
    action = parser.add_mutually_exclusive_group()
    flag(
        action,
        "--tune",
        "change the settings that may be changed and save the old values; most need root",
    )
    flag(action, "--restore", "restore the settings that --tune saved")
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
    value(
        parser,
        "folder FOLDER",
        "folder for a study.toml that compares -O2 with -O3 (default: write whyfast.toml,"
        " for whyfast check, next to the source)",
        type=Path,
        nargs="?",
    )
    value(
        parser,
        "--kind",
        "kind of project for whyfast.toml (default: detected from its files)",
        choices=PROJECT_KINDS,
    )
    value(
        parser,
        "--source DIR",
        "folder with the source of the program (default: the current folder)",
        type=Path,
        default=Path(),
    )
    add_examples(parser, "new", "new ./mystudy --source ~/src/program")
