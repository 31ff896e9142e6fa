"""Entry point: finds the command, runs it, and turns errors into one line and an exit code.

Standard output may be full or gone meanwhile.
"""

from __future__ import annotations

import os
import sys

from whyfast import __version__
from whyfast.cli.commands import COMMANDS, help_text

TYPE_CHECKING = False  # typing is imported by type checkers only: it costs as much as Python itself
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence
    from typing import Any, TextIO


BAD_INPUT, INTERRUPTED = 2, 130
#: The name of standard output in messages.
_STANDARD_OUTPUT = "standard output"

#: New containers before the next search for cycles, and generations (gc.set_threshold).
GARBAGE = (200_000, 20, 20)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code. Without ``argv`` it is that of the process."""
    with _UnreadErrors():
        try:
            code = _run(list(sys.argv[1:] if argv is None else argv), whole_process=argv is None)
            say("")
        except (Exception, KeyboardInterrupt) as error:
            reported = _report(error)
            if reported is None:
                raise
            return reported
        return code


def _run(args: list[str], *, whole_process: bool) -> int:
    first = args[0] if args else ""
    if first in ("-h", "--help", "--version"):
        print(f"whyfast {__version__}" if first == "--version" else help_text())
        return 0
    if first not in COMMANDS:
        print(f"whyfast: {_unknown_command(first)}", file=sys.stderr)
        return BAD_INPUT
    from importlib import import_module

    from whyfast.cli.options import command_parser

    parsed = command_parser(first).parse_args(args[1:])
    _one_blas_thread()
    if whole_process:
        _collect_rarely()
    module = import_module(f"whyfast.cli.{COMMANDS[first].module}")
    return _ending_children(getattr(module, f"run_{first}"), parsed)


def _one_blas_thread() -> None:
    """Keep numpy and scipy from starting threads that nothing here needs.

    Without memory for their stacks, OpenBLAS waits forever and ignores signals. Only the
    environment of this process is changed, not ``os.environ``, which measured programs inherit.
    """
    if "OPENBLAS_NUM_THREADS" not in os.environ:
        os.putenv("OPENBLAS_NUM_THREADS", "1")


def _collect_rarely() -> None:
    """Most objects belong to modules, which are never garbage: searching them for cycles takes a
    seventh of the time to start and end."""
    import atexit
    import gc

    gc.set_threshold(*GARBAGE)
    atexit.register(gc.freeze)  # no last collection at the end


def _report(error: BaseException) -> int | None:
    """Print the error on one line and return the exit code; None for an unexpected error."""
    if shortage := _shortage(error):
        print(f"whyfast: {shortage}", file=sys.stderr)
        return BAD_INPUT
    from errno import ENOSPC

    from whyfast.model.errors import UserError
    from whyfast.report.formatting import escape_controls

    if isinstance(error, KeyboardInterrupt):
        print("\nwhyfast: interrupted", file=sys.stderr)
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):  # the reader, e.g. head, has gone
        _silence()
        return 0
    if isinstance(error, UserError):
        message = str(error)
    elif isinstance(error, OSError) and (error.filename is not None or error.errno == ENOSPC):
        # A full disk without a file name is standard output's, by print.
        place = _STANDARD_OUTPUT if error.filename is None else error.filename
        message = f"{place}: cannot be used: {error.strerror}"
        if place == _STANDARD_OUTPUT:
            _silence()
    else:
        return None
    print(f"whyfast: {escape_controls(message)}", file=sys.stderr)
    return BAD_INPUT


def _shortage(error: BaseException) -> str:
    """What this process has too little of, or ""; imports nothing that is not loaded."""
    import errno

    number = error.errno if isinstance(error, OSError) else None
    imported = isinstance(error, ImportError)
    if number in (errno.EMFILE, errno.ENFILE) or (imported and "Too many open files" in str(error)):
        return "too many open files; raise the limit: ulimit -n 256"
    # A library that cannot be loaded for lack of memory has no errno.
    texts = ("failed to map segment", "Cannot allocate memory", "can't start new thread")
    if (
        isinstance(error, MemoryError)
        or number == errno.ENOMEM
        or ((imported or isinstance(error, RuntimeError)) and any(t in str(error) for t in texts))
    ):
        return "not enough memory; raise the limit: ulimit -v unlimited"
    return ""


def _unknown_command(word: str) -> str:
    if not word:
        return f"no command given; available: {', '.join(COMMANDS)}"
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"available: {', '.join(COMMANDS)}"
    return f"unknown command: {word!r}; {hint}"


def _end(number: int, frame: object) -> None:
    import signal

    name = signal.Signals(number).name
    print(f"whyfast: ended by {name}; what was measured is kept", file=sys.stderr, flush=True)
    sys.exit(128 + number)


def _ending_children(run: Callable[[Namespace], int], parsed: Namespace) -> int:
    """Run the command; SIGTERM and SIGHUP unwind it, so that it ends what it started."""
    import signal

    ending = [signal.SIGTERM, signal.SIGHUP]
    caught = [n for n in ending if signal.getsignal(n) is signal.SIG_DFL]  # nohup ignores SIGHUP
    for number in caught:
        signal.signal(number, _end)
    try:
        return run(parsed)
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


def say(text: str) -> None:
    """Write at once. OSError that names standard output when it takes nothing more, as a full disk
    does; BrokenPipeError when its reader has gone."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, _STANDARD_OUTPUT) from None


def _silence() -> None:
    """Drop what could not be written, which Python would try again at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Unread:
    """Standard error whose reader may go: what nobody reads is dropped."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._drop()

    def _drop(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


class _UnreadErrors:
    """Inside, a reader of standard error that goes (``2>&1 | head -1``) ends nothing."""

    def __enter__(self) -> None:
        self._before = sys.stderr
        sys.stderr = _Unread(self._before)

    def __exit__(self, *error: object) -> None:
        sys.stderr = self._before


if __name__ == "__main__":
    sys.exit(main())
