"""Entry point: finds the subcommand, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import os
import sys

from whyfast import __version__

TYPE_CHECKING = False  # typing is imported by type checkers only: it costs as much as Python itself
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence

#: Subcommand → one-line help, in the order of the help. The module of a command is imported, and
#: argparse with it, only when the command is called, so that --help is fast.
COMMANDS = {
    "run": "build, measure, judge and explain a study; resumes where it stopped",
    "plan": "what a study would build and run, without doing it",
    "ab": "compare two or more commands, no study file",
    "check": "did this change make it slower: the pull-request command",
    "compare": "compare results that other tools wrote",
    "history": "where a series of results changed, and which points stand apart",
    "explain": "machine code of programs or objects side by side",
    "report": "the last results of a study again, as text, Markdown, HTML, JSON",
    "doctor": "what this machine does to results; set it and put it back",
    "builds": "list, show and remove what has been built",
    "toolchain": "list, install and remove compilers",
    "studies": "the bundled studies",
    "new": "write a study file to start from",
}

EPILOG = """\
exit codes: 0 done; 1 ran, but something in it failed; 2 bad input; 3 --fail-on was met;
130 interrupted"""

FAILED, BAD_INPUT, FAIL_ON_MET, INTERRUPTED = 1, 2, 3, 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    first = args[0] if args else ""
    if first in ("-h", "--help"):
        print(help_text())
        return 0
    if first == "--version":
        print(f"whyfast {__version__}")
        return 0
    if first not in COMMANDS:
        print(f"whyfast: {_no_command(first)}", file=sys.stderr)
        return BAD_INPUT
    from importlib import import_module

    module = import_module(f"whyfast.cli.{first}")
    parser = _parser(first)
    module.add_arguments(parser)
    return _guarded(module.run, parser.parse_args(args[1:]))


def help_text() -> str:
    """What ``whyfast --help`` prints."""
    width = max(map(len, COMMANDS)) + 2
    commands = "\n".join(f"  {name:{width}}{text}" for name, text in COMMANDS.items())
    return (
        "usage: whyfast COMMAND ...\n\n"
        "Is it really faster, compared with what, why, and since when?\n\n"
        f"commands (whyfast COMMAND --help tells more):\n{commands}\n\n{EPILOG}"
    )


def _no_command(word: str) -> str:
    if not word:
        return f"name a command: {', '.join(COMMANDS)}"
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(COMMANDS)}"
    return f"no command {word!r}; {hint}"


def _parser(name: str) -> ArgumentParser:
    import argparse

    text = COMMANDS[name]
    return argparse.ArgumentParser(
        prog=f"whyfast {name}",
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _end(number: int, frame: object) -> None:
    sys.exit(128 + number)


def _guarded(run: Callable[[Namespace], int], parsed: Namespace) -> int:
    import signal

    from whyfast.model.errors import UserError

    # Unwinding ends what was started; dying at once would leave it running, in groups of its own.
    ending = [signal.SIGTERM, signal.SIGHUP]
    caught = [n for n in ending if signal.getsignal(n) is signal.SIG_DFL]  # nohup ignores one
    for number in caught:
        signal.signal(number, _end)
    try:
        code = run(parsed)
        sys.stdout.flush()
    except UserError as error:
        print(f"whyfast: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("\nwhyfast: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader, e.g. head, has gone; nobody is left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.filename is None:  # no place that somebody could put right
            raise
        print(f"whyfast: {error.filename}: cannot be used: {error.strerror}", file=sys.stderr)
        return BAD_INPUT
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)
    return code


if __name__ == "__main__":
    sys.exit(main())
