"""Entry point: finds the subcommand, runs it, and turns errors into one line and an exit code."""

from __future__ import annotations

import sys

from whyfast import __version__

TYPE_CHECKING = False  # typing is imported by type checkers only: it costs as much as Python itself
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Sequence
    from typing import NoReturn

#: Subcommand → one-line help, in the order of the help. The module of a command is imported, and
#: argparse with it, only when the command is called, so that --help is fast.
COMMANDS = {
    "run": "build, measure, judge and explain a study; resumes where it stopped",
    "plan": "what a study would build and run, without doing it",
    "ab": "compare two or more commands, no study file",
    "check": "did this change make it slower: the pull-request command",
    "compare": "compare results that other tools wrote",
    "history": "where a series of results changed, and which points stand apart",
    "import": "keep results that other tools wrote, as points of a history",
    "search": "since which commit or compiler, and what exactly",
    "explain": "machine code of programs or objects side by side",
    "report": "the last results of a study again, as text, Markdown, HTML, JSON",
    "merge": "results of one study from several machines, side by side",
    "worker": "measure on this machine for a fleet",
    "fleet": "a scheduler and certificates for a fleet of machines",
    "doctor": "what this machine does to results; set it and put it back",
    "builds": "list, show and remove what has been built",
    "toolchain": "list, install and remove compilers",
    "studies": "the bundled studies",
    "new": "write a study file to start from",
}

EPILOG = """\
exit codes: 0 done; 1 ran, but something in it failed; 2 bad input; 3 --fail-on was met;
130 interrupted"""

BAD_INPUT, INTERRUPTED = 2, 130

#: New containers after which cycles are looked for, and generations (gc.set_threshold).
GARBAGE = (200_000, 20, 20)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code. Without ``argv`` this process is whyfast's."""
    from whyfast.cli.standard_output import UnreadErrors

    with UnreadErrors():
        return _main(argv)


def _main(argv: Sequence[str] | None) -> int:
    from whyfast.cli.standard_output import say

    try:
        code = _run(list(sys.argv[1:] if argv is None else argv), own=argv is None)
        say("")
    except (Exception, KeyboardInterrupt) as error:
        told = _told(error)
        if told is None:
            raise
        return told
    return code


def _run(args: list[str], *, own: bool) -> int:
    first = args[0] if args else ""
    if first in ("-h", "--help", "--version"):
        print(f"whyfast {__version__}" if first == "--version" else help_text())
        return 0
    if first not in COMMANDS:
        print(f"whyfast: {_no_command(first)}", file=sys.stderr)
        return BAD_INPUT
    from importlib import import_module

    _one_blas_thread()
    if own:
        _collect_rarely()
    module = import_module(f"whyfast.cli.{first}")
    parser = _parser(first)
    module.add_arguments(parser)
    return _unwinding(module.run, parser.parse_args(args[1:]))


def _one_blas_thread() -> None:
    """Keep numpy and scipy from starting threads that nothing here needs.

    Where there is no memory for these, OpenBLAS waits for them without end, deaf to signals. Only
    the environment of this process is changed, not ``os.environ``: what is measured has its own.
    """
    import os

    if "OPENBLAS_NUM_THREADS" not in os.environ:
        os.putenv("OPENBLAS_NUM_THREADS", "1")


def _collect_rarely() -> None:
    """Most of what is made on the way is modules, which are never garbage: looking for cycles among
    them is a seventh of the time to start and end."""
    import atexit
    import gc

    gc.set_threshold(*GARBAGE)
    atexit.register(gc.freeze)  # nothing is collected only to end


def _told(error: BaseException) -> int | None:
    """Say what went wrong on one line, and the exit code; None for what nobody has foreseen."""
    if lack := _lack(error):
        print(f"whyfast: {lack}", file=sys.stderr)
        return BAD_INPUT
    from errno import ENOSPC

    from whyfast.cli.standard_output import PLACE, silence
    from whyfast.model.errors import UserError
    from whyfast.report.formatting import escape_controls

    if isinstance(error, KeyboardInterrupt):
        print("\nwhyfast: interrupted", file=sys.stderr)
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader, e.g. head, has gone
        silence()
        return 0
    if isinstance(error, UserError):
        said = str(error)
    elif isinstance(error, OSError) and (error.filename is not None or error.errno == ENOSPC):
        # A full disk without a name is standard output's, by print.
        place = PLACE if error.filename is None else error.filename
        said = f"{place}: cannot be used: {error.strerror}"
        if place == PLACE:
            silence()
    else:  # no place that somebody could put right
        return None
    print(f"whyfast: {escape_controls(said)}", file=sys.stderr)
    return BAD_INPUT


def _lack(error: BaseException) -> str:
    """What this process has too little of, if that is it; imports nothing that it has not."""
    import errno

    number = error.errno if isinstance(error, OSError) else None
    if number in (errno.EMFILE, errno.ENFILE):
        return "too many open files; allow more (ulimit -n 256)"
    # A library that finds no room for itself says so in words.
    words = ("failed to map segment", "Cannot allocate memory", "can't start new thread")
    told = isinstance(error, (ImportError, RuntimeError)) and any(w in str(error) for w in words)
    if isinstance(error, MemoryError) or number == errno.ENOMEM or told:
        return "not enough memory; allow more (ulimit -v unlimited)"
    if isinstance(error, ImportError) and "Too many open files" in str(error):
        return "too many open files; allow more (ulimit -n 256)"
    return ""


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

    from whyfast.model.errors import UserError

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            """One line, without the usage."""
            raise UserError(f"{message}; see {self.prog} --help")

    text = COMMANDS[name]
    return Parser(
        prog=f"whyfast {name}",
        description=f"{text[0].upper()}{text[1:]}.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _end(number: int, frame: object) -> None:
    sys.exit(128 + number)


def _unwinding(run: Callable[[Namespace], int], parsed: Namespace) -> int:
    """Ends what was started when the program is told to end; dying at once would leave it running,
    in groups of its own."""
    import signal

    ending = [signal.SIGTERM, signal.SIGHUP]
    caught = [n for n in ending if signal.getsignal(n) is signal.SIG_DFL]  # nohup ignores one
    for number in caught:
        signal.signal(number, _end)
    try:
        return run(parsed)
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


if __name__ == "__main__":
    sys.exit(main())
