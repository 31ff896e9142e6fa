"""The options of the commands that build and measure."""

from __future__ import annotations

import argparse
from pathlib import Path

from whyfast.cli.options import OptionGroup

COSTS_HELP = "also count allocations, system calls and instructions, in further runs"

# Studies: run and plan.


def add_run(options: OptionGroup) -> None:
    """Options of ``whyfast run``."""
    _add_study(options).flag(
        "--workarounds",
        "add variants with the flags that work around known troubles of compilers, where the"
        " machine code of an interpreter shows them",
    )
    options.flag("--dry-run", "show the plan only")
    options.flag("--fresh", "do not resume an interrupted run")
    options.study_outputs().fail_on("a variant is slower than the main baseline", costs=True)
    options.hosts("measure").value(
        "--spread",
        "replicate: run everything on each host; shard: divide the benchmarks among hosts"
        " of one kind",
        choices=["replicate", "shard"],
        default="replicate",
    )
    options.examples("run dispatch --quick", "run ./mystudy --budget 20m --html report.html")


def add_plan(options: OptionGroup) -> None:
    """Options of ``whyfast plan``."""
    _add_study(options)
    options.outputs("show flags and build steps")
    options.examples("plan dispatch", "plan ./mystudy --only clang19 -v")


def _add_study(options: OptionGroup) -> OptionGroup:
    """STUDY, and the options that restrict it; their group."""
    options.value("study STUDY", "a folder, a study.toml or the name of a bundled study")
    group = options.measuring()
    group.flag("--quick", "use the study's [quick] section, or else a fifth of its budget")
    group.value("--budget TIME", "time for measuring, e.g. 10m")
    group.values("--only VARIANT", "measure these variants and the baselines only")
    group.values("--benchmark NAME", "run these benchmarks only")
    group.flag("--counters", "also count instructions, branches and misses, and find hot functions")
    group.flag("--why", "also explain the largest difference from the main baseline")
    group.flag("--costs", COSTS_HELP)
    group.flag("--evidence-only", "read machine code; measure nothing")
    return group


# Commands, without a study: ab.

_UNTIL_DECIDED = "is not needed: runs continue until the result is decided or --budget is used up; "
_FORMATS = "is not available; formats: --markdown, --html, --json, --csv"

#: OptionGroup of hyperfine that ``ab`` lacks, with what to use instead; ``{}`` is the value given.
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


def _add_commands(options: OptionGroup) -> OptionGroup:
    """The group of options on how commands are run."""
    group = options.group("commands")
    text = "name of a command in the report, in the order of the commands"
    group.repeated("-n --name --command-name NAME", text)
    text = "shell that runs the commands (default: sh where a command has shell syntax)"
    group.value("-S --shell SHELL", text)
    group.value("--input FILE", "standard input of the commands", default="/dev/null")
    group.flag("-i --ignore-failure", "accept non-zero exit codes")
    return group


def add_ab(options: OptionGroup) -> None:
    """Options of ``whyfast ab``."""
    options.value("commands CMD", "a command line, in quotes", nargs="+")
    group = options.measuring()
    group.value("--budget TIME", "time for measuring (default: 60s)")
    group.value("-r --runs N", "run each command exactly N times", type=int)
    group.value("--margin PERCENT", "smallest relevant difference (default: 1%%)", default="1%")
    group.value("--baseline NAME", "default: the first command")
    group.value("-w --warmup N", "runs before measuring", type=int, default=0)
    group.value("--timeout TIME", "limit for one run (default: the budget)")
    group.flag("--whole", "measure whole runs, even of programs that take turns")
    group.flag("--why", "then explain the first difference, as whyfast why does")
    group.flag("--costs", COSTS_HELP)
    group = _add_commands(options)
    group.flag("-N", "use no shell", dest="no_shell")
    group.value("-p --prepare CMD", "run CMD before each run, not measured")
    group.value("-s --setup CMD", "run CMD once before the first run")
    group.value("-c --cleanup CMD", "run CMD once after the last run")
    group.value(
        "-L --parameter-list",
        "replace {VAR} in the commands with each of the comma-separated VALUES",
        nargs=2,
        action="append",
        default=[],
        metavar=("VAR", "VALUES"),
    )
    group.value(
        "-P --parameter-scan",
        "replace {VAR} with MIN, MIN+STEP … MAX",
        nargs=4,
        action="append",
        default=[],
        metavar=("VAR", "MIN", "MAX", "STEP"),
    )
    group.flag("--show-output", argparse.SUPPRESS)
    for words in HYPERFINE:
        group.value(" ".join(words), argparse.SUPPRESS, dest=hyperfine_name(words), metavar="WORD")
    output = options.outputs("show every benchmark")
    output.value("--csv FILE", "write every value as CSV", type=Path)
    output.fail_on("a command is slower", costs=True)
    options.examples(
        "ab './old input' './new input'", "ab -n gcc -n clang --runs 50 ./a.gcc ./a.clang"
    )


def add_timeit(options: OptionGroup) -> None:
    """Options of ``whyfast timeit``."""
    text = "a Python statement, in quotes; with --file, the name of a function"
    options.value("statements STATEMENT", text, nargs="*")
    group = options.group("statements")
    group.repeated(
        "-s --setup CODE",
        "setup, run once in each process; each is a further line",
    )
    group.repeated("--setup-each CODE", "setup of one statement, in the order of the statements")
    group.repeated("--file FILE", "time functions of FILE, with arguments from its fixtures")
    text = "an interpreter: a program, a version, a venv or PROVIDER:NAME (default: python3)"
    group.repeated("--python PYTHON", text)
    group.repeated("--name NAME", "name of a side in the report, in the order of the sides")
    group.flag("--different", "accept sides that return different values")
    group = options.measuring()
    group.value("-n --number N", "loops of a turn (default: calibrated)", type=int)
    group.value("-r --repeat N", "take exactly N blocks of fresh processes", type=int)
    group.flag("-p --process", "CPU time of the process instead of wall time")
    units = ["nsec", "usec", "msec", "sec"]
    group.value("-u --unit", "unit of times (default: a suitable one)", choices=units)
    group.value("--budget TIME", "time for measuring (default: 20s)")
    group.value("--margin PERCENT", "smallest relevant difference (default: 1%%)", default="1%")
    output = options.outputs("show bytecode, memory and every other detail")
    output.value("--csv FILE", "write every value as CSV", type=Path)
    output.fail_on("a side is slower")
    options.examples(
        "timeit 'sorted(x)' 'x.sort()' -s 'x = list(range(1000))[::-1]'",
        "timeit 'x in s' -s 's = set(range(9)); x = 5' --python 3.11 --python 3.13",
        "timeit --file bench.py f g",
    )


def add_why(options: OptionGroup) -> None:
    """Options of ``whyfast why``."""
    options.value(
        "commands CMD",
        "two command lines, in quotes (default: those of the last whyfast ab)",
        nargs="*",
    )
    group = options.measuring()
    group.value("--budget TIME", "time for measuring (default: 30s)", default="30s")
    group.value("--margin PERCENT", "smallest relevant difference (default: 1%%)", default="1%")
    text = "longest time for simulating both sides; 0: never (default: 30s)"
    group.value("--simulate TIME", text, default="30s")
    group.value("--timeout TIME", "limit for one run (default: 10m)", default="10m")
    _add_commands(options)
    options.outputs("show every function, fact and layer")
    options.examples("why './old input' './new input'", "why --html why.html")


# Changes and slowdowns: check and search.


def add_check(options: OptionGroup) -> None:
    """Options of ``whyfast check``."""
    text = "two revisions (default: the merge base with the default branch, and the working tree)"
    options.value("range BASE..HEAD", text, nargs="?", default="")
    group = options.measuring()
    text = "a study file or its folder (default: whyfast.toml in this folder or the nearest parent)"
    group.value("--study STUDY", text, type=Path)
    group.value("--budget TIME", "time for measuring (default: 3m, less what building takes)")
    group.value("--build-limit TIME", "time for building (default: 3m, more if that is known)")
    group.value("--margin PERCENT", "smallest relevant difference (default: the study's)")
    group.flag("--costs", COSTS_HELP)
    output = options.outputs()
    output.fail_on("HEAD is slower by more than the margin", costs=True)
    output.flag("--github", "write a step summary and annotations for GitHub Actions")
    output.value("--append FILE", "append a line for whyfast history to FILE", type=Path)
    options.hosts("measure")
    options.examples("check", "check main..HEAD --budget 10m --fail-on slower")


#: Axes of a search, and those of them whose candidates are sets of differences.
SETS = ("flags", "objects", "functions")
AXES = ("commits", "toolchains", *SETS, "passes", "kernels")


def add_search(options: OptionGroup) -> None:
    """Options of ``whyfast search``."""
    text = "the study to build and measure; or, after --, a command to run in each checkout"
    options.value("what STUDY", text, nargs="*")
    group = options.group("candidates")
    group.value("--axis", "what to search (default: commits)", choices=AXES, default="commits")
    group.value("--good NAME", "the fast end: a commit, compiler, variant or flags (--good=-O2)")
    group.value("--bad NAME", "the slow end")
    group.value("--from NAME", "one end, where it is unknown which end is fast", dest="first")
    group.value("--to NAME", "the other end", dest="last")
    group.value("--variant NAME", "variant of the study to build (default: its main baseline)")
    text = "with --axis toolchains or kernels: names in order, or patterns (zig:clang-*)"
    group.values("--among NAME", text)
    group.value(
        "--object FILE", "with --axis passes or functions: the object file to search", default=""
    )
    text = "keep searching while the changes found explain only part of the slowdown"
    group.flag("--all", text, dest="everything")
    text = "reuse the previous build directory; rebuild the final candidates from scratch"
    group.flag("--incremental", text)
    group.flag("--fresh", "do not resume an earlier search")
    group = options.group("candidates built by a command, without a study")
    group.value("--repo DIR", "git repository (default: here)", type=Path, default=Path())
    group.value("--build LINE", "shell line that builds a commit", default="")
    group.value("--program PATH", "program built, to compare its machine code", default="")
    group.flag("--number", "compare the last number that the command prints; less is better")
    group = options.measuring()
    group.values("--benchmark NAME", "run these benchmarks only")
    group.value("--margin PERCENT", "smallest relevant difference (default: the study's, or 1%%)")
    group.value(
        "--measure",
        "quantity to compare (default: time); all but times and peak-memory are exact or counted,"
        " so that load on the machine does not matter",
        choices=(
            *("time", "instructions", "indirect-jumps", "size", "allocations", "peak-heap"),
            *("peak-memory", "build-time"),
        ),
        default="time",
    )
    group.value("--blocks N", "measure at most N blocks per candidate", type=int)
    options.outputs()
    options.hosts("build candidates in advance")
    options.examples(
        "search ./mystudy --good v1.0 --bad main",
        "search --from v1.0 --to HEAD --build make -- ./program input",
    )


# Fleets: worker and fleet.


def add_worker(options: OptionGroup) -> None:
    """Options of ``whyfast worker``."""
    options.value("address HOST:PORT", "address of the scheduler")
    options.value("--name", "name of this host in reports (default: its host name)")
    text = "size of the cache of received programs (default: 20)"
    options.value("--keep GB", text, type=float, default=20.0)
    options.certificates()
    options.attached()
    options.examples(
        "worker 127.0.0.1:8786", "worker build1:8786 --certificates ~/fleet --name kite"
    )


def add_fleet(options: OptionGroup) -> None:
    """Options of ``whyfast fleet``."""
    add = options.actions()
    scheduler = add("scheduler", "run a scheduler that workers connect to")
    text = "address of the scheduler (default: 127.0.0.1:8786)"
    scheduler.value("--listen HOST:PORT", text, default="127.0.0.1:8786")
    scheduler.certificates()
    scheduler.attached()
    scheduler.examples(
        "fleet scheduler", "fleet scheduler --listen build1:8786 --certificates ~/fleet"
    )
    text = "create the certificates that encrypt a fleet's connections"
    certificates = add("certificates", text)
    certificates.value("folder FOLDER", "new folder for the certificates and the key", type=Path)
    certificates.value("--days", "validity in days (default: 365)", type=int, default=365)
    certificates.json_output()
    certificates.examples("fleet certificates ~/fleet", "fleet certificates ~/fleet --days 30")
    options.examples(
        "fleet certificates ~/fleet", "fleet scheduler --listen build1:8786 --certificates ~/fleet"
    )
