"""Runs the benchmarks of calls: one a process, taking turns under whyfast.

    driver.py [--extension FILE] NAME               take turns, or measure once by hand
    driver.py [--extension FILE] --list             names, and why some are lacking here, as JSON
    driver.py [--extension FILE] --evidence NAME    allocations, C stack and references a call
    driver.py [--extension FILE] --instructions NAME
    driver.py [--extension FILE] --loops N NAME     make N calls, for a tool that counts

FILE is callconv.so, made for the interpreter that runs this; beside it lies whyfast_turn.py. README.md
says how both are made. Runs on CPython 2.7 and 3.6 or newer.
"""

import argparse
import json
import os
import platform
import sys
import sysconfig

import benchmarks
import evidence
import instructions


def main():
    """The command line; the exit status."""
    arguments = _arguments()
    callconv, turns = _load(arguments.extension)
    known = benchmarks.all_benchmarks(callconv)
    if arguments.list:
        json.dump(_listing(callconv, known), sys.stdout, indent=2, sort_keys=True)
        sys.stdout.write("\n")
        return 0
    wanted = [b for b in known if b.name == arguments.name]
    if not wanted:
        return _refuse("no benchmark %s; --list names them" % arguments.name)
    benchmark = wanted[0]
    if arguments.evidence or arguments.instructions or arguments.loops:
        if benchmark.lack and arguments.evidence:
            sys.stdout.write("lacks %s\ndone\n" % benchmark.lack)
            return 0
        if benchmark.lack:
            return _refuse("%s: %s" % (benchmark.name, benchmark.lack))
        return _report(arguments, callconv, benchmark.make())
    if benchmark.lack:
        turns.lacks(benchmark.lack)
    workload = benchmark.make()
    turns.take_turns(workload.run, workload.answer, callconv.clock)
    return 0


def _arguments():
    parser = argparse.ArgumentParser(description="Benchmarks of calls in CPython.")
    parser.add_argument("--extension", default="callconv.so", metavar="FILE")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="all names as JSON")
    what.add_argument("--evidence", action="store_true", help="what a call does beside taking time")
    what.add_argument("--instructions", action="store_true", help="instructions a call")
    what.add_argument("--loops", type=int, metavar="N", help="make so many calls and end")
    parser.add_argument("name", nargs="?", metavar="NAME")
    arguments = parser.parse_args()
    if arguments.name is None and not arguments.list:
        parser.error("which benchmark? --list names them")
    return arguments


def _load(extension):
    """The extension, and the module of turns beside it."""
    folder, name = os.path.split(os.path.abspath(extension))
    if name != "callconv.so" or not os.path.exists(extension):
        sys.exit("%s: no callconv.so there; README.md says how to make it" % extension)
    sys.path.insert(0, folder)
    try:
        import callconv
        import whyfast_turn
    except ImportError as error:
        sys.exit("%s: %s; was it made for this interpreter?" % (folder, error))
    return callconv, whyfast_turn


def _refuse(message):
    sys.stderr.write(message + "\n")
    return 2


def _report(arguments, callconv, workload):
    if arguments.loops:
        workload.run(arguments.loops)
    elif arguments.evidence:
        sys.stdout.write("\n".join(evidence.evidence(callconv, workload)) + "\n")
    else:
        start = [sys.executable, os.path.abspath(__file__), "--extension", arguments.extension]
        try:
            count, tool = instructions.instructions(
                lambda loops: start + ["--loops", str(loops), arguments.name]
            )
        except instructions.CannotCount as error:
            return _refuse(str(error))
        sys.stdout.write("figure %.1f instructions a call (%s)\ndone\n" % (count, tool))
    return 0


def _listing(callconv, known):
    """What was measured with what, and every benchmark with why it is lacking or null."""
    variables = sysconfig.get_config_vars()
    built = ("CC", "CONFIG_ARGS", "OPT", "PY_CFLAGS", "Py_DEBUG", "Py_GIL_DISABLED")
    return {
        "interpreter": {
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "program": sys.executable,
            "compiler": platform.python_compiler(),
            "build": dict((name, variables.get(name)) for name in built),
        },
        "extension": {"compiler": callconv.COMPILER},
        "benchmarks": dict((b.name, b.lack) for b in known),
    }


if __name__ == "__main__":
    sys.exit(main())
