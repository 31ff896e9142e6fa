"""The options of the commands that read results and programs, and that look after the store."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from whyfast.cli.options import OptionGroup

# Results of other tools: compare, history and import.


def add_compare(options: OptionGroup) -> None:
    """Options of ``whyfast compare``."""
    text = "the baseline; alone, a file of several commands, of which the first is the baseline"
    options.value("base BASE", text)
    options.value(
        "heads HEAD",
        "files of pyperf, hyperfine, Google Benchmark, pytest-benchmark, JMH, BenchmarkDotNet, "
        "mitata, tinybench, github-action-benchmark (data.js:commit=HASH), Go or whyfast, a folder "
        "of Criterion, divan's output, CSV (FILE.csv:COLUMN=VALUE selects rows, FILE.txt:KEY=VALUE "
        "the benchmarks after such a line of Go's output, FILE.json:variant=NAME a variant of "
        "whyfast), or a study with stored results",
        nargs="*",
    )
    group = options.group("comparison")
    group.values(
        "--noise FILE", "two or more runs of one build on that machine, which show its noise"
    )
    group.value("--margin PERCENT", "smallest relevant difference (default: 1%%)", default="1%")
    group.repeated("--benchmark GLOB", "compare these benchmarks only")
    text = "match benchmarks by name or, where the text of commands varies, by position"
    group.value("--by", text, choices=["name", "position"], default="name")
    text = "units or benchmarks of which more is better; rates (MB/s, ops/sec) are known"
    group.repeated("--higher GLOB", text)
    text = "audit a claimed gain: is run A faster than run B, and than the others?"
    group.value("--claim A:B", text, default="")
    output = options.outputs("show every benchmark")
    output.fail_on("a HEAD is slower (of several benchmarks: their geometric mean)")
    output.value(
        "--pyperf-out FOLDER", "write every compared file as pyperf JSON into FOLDER", type=Path
    )
    options.examples(
        "compare old.json new.json", "compare commands.json --claim new:old --html out.html"
    )


FAIL_WORDS = ("slower", "faster", "changed")


def add_history(options: OptionGroup) -> None:
    """Options of ``whyfast history``."""
    options.value(
        "files FILE",
        "results in order, oldest first, in any format that compare reads; one CSV file "
        "with --by; one log written by check --append; one data.js of github-action-benchmark; "
        "or a study with stored results",
        nargs="+",
    )
    group = options.group("points")
    group.value("--by COLUMN", "column of a CSV file whose values are the points")
    group.repeated("--benchmark GLOB", "examine these series only")
    text = "order of the points: as given (default), by time of the run, by date of the commit"
    group.value("--order", text, choices=("given", "run", "commit"))
    group.value(
        "--machine KEY",
        "key that identifies the machine: a key of the files' metadata (hostname), a "
        "column of the CSV file, folder (the folder of each file), or none",
    )
    group.repeated("--higher GLOB", "series of which more is better")
    group.value("--minimum PERCENT", "ignore changes smaller than this, e.g. 5%%")
    output = options.outputs("show every series")
    output.value("--fail-on", "exit with 3 if a step or drift is of this kind", choices=FAIL_WORDS)
    options.examples("history r*.json", "history runs.csv --by commit --fail-on slower")


def add_import(options: OptionGroup) -> None:
    """Options of ``whyfast import``."""
    options.value("files FILE", "results in any format that compare reads", nargs="+")
    options.value(
        "--study STUDY",
        "name of the series, or of the study of which these are runs (default: imported)",
        default="imported",
    )
    options.value("--variant NAME", "variant of the study that was measured", default="")
    options.json_output()
    options.examples("import r*.json", "import nightly.json --study mystudy --variant gcc")


# Results of whyfast: report and merge.


def add_report(options: OptionGroup) -> None:
    """Options of ``whyfast report``."""
    options.value(
        "study STUDY",
        "a study with stored results (a name, a folder, or ab), or a result in JSON, of "
        "one machine or merged",
    )
    options.study_outputs()
    options.examples("report dispatch --html report.html", "report ab --json -")


def add_merge(options: OptionGroup) -> None:
    """Options of ``whyfast merge``."""
    options.value(
        "results RESULT",
        "JSON files written by run, ab, check or merge; data folders of other machines "
        "(WHYFAST_HOME there) or their results.sqlite; or a study with stored results",
        nargs="+",
    )
    options.value("--study NAME", "study to take from data folders that hold several", default="")
    options.outputs("show every benchmark and the results of each machine")
    options.examples(
        "merge kite.json heron.json", "merge /mnt/kite /mnt/heron --study dispatch --html all.html"
    )


# Programs: explain.


def add_explain(options: OptionGroup) -> None:
    """Options of ``whyfast explain``."""
    text = (
        "programs, shared or relocatable objects (ELF, PE, COFF, Mach-O), packages that contain "
        "them, or deb:NAME@SUITE of Debian's archive; the others are compared with the first"
    )
    options.value("files FILE", text, nargs="+", type=Path)
    group = options.group("machine code")
    text = "functions to show, by symbol name (default: the functions that most likely dispatch)"
    group.repeated("--function GLOB", text)
    group.flag("--diff", "show the functions that differ side by side, the most relevant first")
    text = "part of a universal Mach-O file to read (default: aarch64 if present)"
    group.value("--arch", text, choices=["aarch64", "x86-64"])
    text = "folder to search for debug files, by build id or name"
    group.repeated("--debug-dir DIR", text, type=Path)
    group.value(
        "--profile FILE",
        "profile of one of the programs (callgrind.out, or the output of perf script); "
        "the hottest functions come first",
        type=Path,
    )
    group = options.measuring()
    group.value(
        "--run ARGS",
        "run each program with these arguments, in quotes ('' for none), and show its "
        "counters and hot functions",
    )
    group.value(
        "--profiler",
        "with --run: profiler for the hot functions; perf samples, the others simulate "
        "(default: callgrind)",
        choices=["callgrind", "cachegrind", "perf"],
        default="callgrind",
    )
    group.value("--timeout TIME", "with --run: limit for one run (default: 10m)", default="10m")
    group.value(
        "--commits BASE..HEAD",
        "with --run: show which hot functions these commits change; the last FILE must be"
        " built from HEAD with -g",
    )
    text = "with --commits: the git repository (default: here)"
    group.value("--repo DIR", text, type=Path, default=Path())
    options.outputs()
    options.examples("explain old new --diff", "explain old new --run 'input.txt'")


def add_survey(options: OptionGroup) -> None:
    """Options of ``whyfast survey``."""
    add = options.actions()
    shipped = add("shipped", "show how interpreters that Debian ships dispatch")
    shipped.repeated("--only NAME", "interpreters whose name or package contains this")
    shipped.repeated("--suite SUITE", "suite of Debian (default: bookworm, trixie and sid)")
    shipped.outputs()
    shipped.examples("survey shipped --suite trixie", "survey shipped --only lua5.4 -v")
    run = add("run", "show what compilers make of each program's dispatch, for a folder of studies")
    run.value("folder FOLDER", "a folder with one study per subfolder, or the bundled one: atlas")
    run.repeated("--only NAME", "programs whose name contains this")
    group = run.measuring()
    group.flag("--quick", "use the [quick] section of each study, or else a fifth of its budget")
    group.value("--budget TIME", "time for measuring each program, e.g. 10m")
    group.flag("--evidence-only", "read machine code; measure nothing")
    group.flag("--fresh", "do not reuse stored results")
    run.outputs()
    run.examples("survey run atlas --only lua5.4", "survey run atlas --evidence-only")
    options.examples("survey shipped --only lua --suite trixie", "survey run atlas --quick")


# The store and the machine: builds, toolchain, doctor, studies, new and completion.


def add_builds(options: OptionGroup) -> None:
    """Options of ``whyfast builds``."""
    options.outputs()
    add = options.actions("list")
    _add_list(add, "list all builds, most recently used first (default)")
    text = "show the provenance of a build and the commands that repeat it"
    show = add("show", text, argument_default=argparse.SUPPRESS)
    show.outputs()
    show.flag("--script", "print the commands as a shell script", default=False)
    log = add("log", "print the output of the steps of a build, even if failed")
    for action in (show, log):
        action.value("digest DIGEST", "the beginning of a digest")
    text = "remove builds that have not been used for a while"
    gc = add("gc", text, argument_default=argparse.SUPPRESS)
    gc.value("--older-than TIME", "e.g. 12h (default: 30d)", default="30d")
    gc.flag("--all", "remove all builds", default=False)
    gc.json_output()
    show.examples("builds show 4f2a", "builds show 4f2a --script")
    log.examples("builds log 4f2a", "builds log 4f2a | tail")
    gc.examples("builds gc --older-than 7d", "builds gc --all")
    options.examples("builds", "builds show 4f2a --script")


def _add_list(add: Callable[..., OptionGroup], text: str) -> None:
    # Suppressed defaults: options before the action are not overwritten.
    add("list", text, argument_default=argparse.SUPPRESS).outputs()


def add_toolchain(options: OptionGroup) -> None:
    """Options of ``whyfast toolchain``."""
    options.outputs()
    add = options.actions("list", recorded=[])
    _add_list(add, "list the compilers available here (default)")
    text = "download compilers now, instead of at the first build"
    install = add("install", text, argument_default=argparse.SUPPRESS)
    text = (
        "restore the Debian root of a build with exactly the same packages; BUILD is the "
        "beginning of its digest, or a file provenance.json"
    )
    install.value("--from BUILD", text, dest="recorded", action="append", default=[])
    install.value("names TOOLCHAIN", "e.g. zig:clang-19", nargs="*", default=[])
    remove = add("remove", "delete downloaded compilers", argument_default=argparse.SUPPRESS)
    remove.value("names TOOLCHAIN", "e.g. zig:clang-19", nargs="+")
    for action in (install, remove):
        action.json_output()
    install.examples("toolchain install zig:clang-19", "toolchain install --from 4f2a")
    remove.examples("toolchain remove zig:clang-19", "toolchain remove debian:valgrind")
    options.examples("toolchain", "toolchain install zig:clang-19 debian:gcc-14")


def add_doctor(options: OptionGroup) -> None:
    """Options of ``whyfast doctor``."""
    action = options.exclusive()
    action.flag(
        "--tune", "change the settings that may be changed and save the old values; most need root"
    )
    action.flag("--restore", "restore the settings that --tune saved")
    options.outputs()
    options.examples("doctor", "doctor --tune")


def add_studies(options: OptionGroup) -> None:
    """Options of ``whyfast studies``."""
    options.outputs()
    options.examples("studies", "studies --json -")


#: The keys of :data:`whyfast.study.skeleton.KINDS`; a test compares them.
PROJECT_KINDS = ("c", "autotools", "cmake", "meson", "cargo", "go", "maven", "python")


def add_new(options: OptionGroup) -> None:
    """Options of ``whyfast new``."""
    text = (
        "folder for a study.toml that compares -O2 with -O3 (default: write whyfast.toml,"
        " for whyfast check, next to the source)"
    )
    options.value("folder FOLDER", text, type=Path, nargs="?")
    text = "kind of project for whyfast.toml (default: detected from its files)"
    options.value("--kind", text, choices=PROJECT_KINDS)
    text = "folder with the source of the program (default: the current folder)"
    options.value("--source DIR", text, type=Path, default=Path())
    options.value("--limit TIME", "time limit; then it writes what it knows (default: 4m)")
    options.flag("--no-build", "write whyfast.toml without fetching, building or running anything")
    options.json_output()
    options.examples("new", "new ./mystudy --source ~/src/program")


SHELLS = ("bash", "zsh", "fish")


def add_completion(options: OptionGroup) -> None:
    """Options of ``whyfast completion``."""
    options.value("shell SHELL", f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}", choices=SHELLS)
    options.examples(
        "completion bash > ~/.local/share/bash-completion/completions/whyfast",
        "completion fish > ~/.config/fish/completions/whyfast.fish",
    )
