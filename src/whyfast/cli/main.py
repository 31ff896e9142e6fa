"""Entry point: finds the subcommand, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from whyfast import __version__

#: Subcommand → (module, one-line help). Modules are imported only when called, so that --help
#: and completion stay fast.
COMMANDS = {
    "run": ("run", "build, measure, judge and explain a study; resumes where it stopped"),
    "plan": ("plan", "what a study would build and run, without doing it"),
    "ab": ("ab", "compare two or more commands, no study file"),
    "compare": ("compare", "compare results that other tools wrote"),
    "explain": ("explain", "machine code of programs or objects side by side"),
    "report": ("report", "the last results of a study again, as text, Markdown, HTML, JSON"),
    "doctor": ("doctor", "what this machine does to results; set it and put it back"),
    "builds": ("builds", "list, show and remove what has been built"),
    "toolchain": ("toolchain", "list, install and remove compilers"),
    "studies": ("studies", "the bundled studies"),
    "new": ("new", "write a study file to start from"),
}

EPILOG = (
    "exit codes: 0 done; 1 ran, but something in it failed; 2 bad input; 3 --fail-on was met; "
    "130 interrupted, the same command goes on"
)

FAILED, BAD_INPUT, FAIL_ON_MET, INTERRUPTED = 1, 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    parser, subparsers = _parser()
    name = next((a for a in args if a in COMMANDS), None)
    if name is not None and args[0] == name:
        module = importlib.import_module(f"whyfast.cli.{COMMANDS[name][0]}")
        module.add_arguments(subparsers[name])
        parsed = parser.parse_args(args)
        return _guarded(module.run, parsed)
    parser.parse_args(args)
    parser.print_help()
    return BAD_INPUT


def _parser() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    parser = argparse.ArgumentParser(
        prog="whyfast",
        description="Is it really faster, compared with what, why, and since when?",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action="version", version=f"whyfast {__version__}")
    group = parser.add_subparsers(title="commands", metavar="COMMAND")
    made = {
        name: group.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        for name, (_, text) in COMMANDS.items()
    }
    return parser, made


def _guarded(run: object, parsed: argparse.Namespace) -> int:
    from whyfast.model.errors import UserError

    assert callable(run)
    try:
        code = run(parsed)
        sys.stdout.flush()
    except UserError as error:
        print(f"whyfast: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("\nwhyfast: interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader, e.g. head, has gone; nobody is left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    assert isinstance(code, int)
    return code


if __name__ == "__main__":
    sys.exit(main())
