"""Lets a Python program take turns under whyfast; ``include/whyfast_turn.h`` does it for C.

    from whyfast.turns import take_turns

    data = set_up()

    def run(loops):
        for _ in range(loops):
            result = work(data)
        return result

    take_turns(run)

This file imports the standard library alone and runs on Python 2.7 and 3.6 or newer, so that it can
be copied beside a program whose interpreter has no whyfast. docs/turn-protocol.md describes the
protocol."""

# Python 2.7 has neither annotations nor f-strings; names of types are used in comments only.
# ruff: noqa: F401, UP004, UP031, UP032

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import NoReturn, Optional

#: The environment variable with the two inherited file descriptors, ``IN,OUT``.
VARIABLE = "WHYFAST_TURN"

MOST_LOOPS = 2**64 - 1
LONGEST_ERROR = 240

#: By hand: loops are doubled until they take this many nanoseconds.
LONG_ENOUGH = 50000000


def take_turns(
    run,  # type: Callable[[int], object]
    check=None,  # type: Optional[Callable[[object], object]]
    clock=None,  # type: Optional[Callable[[], int]]
):
    # type: (...) -> None
    """Serve turns until whyfast is done; by hand, measure and print nanoseconds per loop.
    ``run(loops)`` does the workload that many times. What it returns is reported as the check
    value, which must be the same for every variant and any number of loops; ``check`` makes the
    check value from it, outside the time measured. None reports no check value; anything else is
    written as ``str`` writes it and must have no white space. ``clock`` returns nanoseconds and
    never goes backwards; without one, the best that the interpreter has is taken.

    Ends the process with status 1 when the workload raises an exception or whyfast is gone, and
    with 2 for a malformed grant or ``WHYFAST_TURN``."""
    workload = _Workload(run, check, clock or best_clock())
    granted = descriptors()
    if granted is None:
        _measure(workload)
    else:
        _serve(workload, *granted)


class _Workload:
    """What is run, how its check value is made, and by which clock it is timed."""

    def __init__(
        self,
        run,  # type: Callable[[int], object]
        check,  # type: Optional[Callable[[object], object]]
        clock,  # type: Callable[[], int]
    ):
        # type: (...) -> None
        self._run = run
        self._check = check
        self._clock = clock

    def value(self, loops):
        # type: (int) -> tuple[int, str]
        """Nanoseconds of ``run(loops)``, and the check value (empty: none)."""
        start = self._clock()
        result = self._run(loops)
        elapsed = self._clock() - start
        if self._check is not None:
            result = self._check(result)
        token = "" if result is None else str(result)
        if result is not None and token.split() != [token]:
            raise ValueError("the check value %r is not one word without spaces" % token[:60])
        return elapsed, token


def lacks(reason):
    # type: (str) -> NoReturn
    """Say that this program has no such benchmark, and why, and end: that is no failure."""
    text = " ".join(reason.split())
    granted = descriptors()
    if granted is None:
        _end(2, "no such benchmark: " + text)
    _answer(granted[1], "lacks " + text[:LONGEST_ERROR])
    _end(0)


def descriptors():
    # type: () -> Optional[tuple[int, int]]
    """Where grants are read and answers written; None when whyfast did not start the program."""
    text = os.environ.get(VARIABLE)
    if text is None:
        return None
    numbers = text.split(",")
    if len(numbers) != 2 or not all(_numeral(n.encode("utf-8", "replace")) for n in numbers):
        _end(2, VARIABLE + " is malformed: expected two file descriptors, IN,OUT")
    return int(numbers[0]), int(numbers[1])


def _serve(workload, grants, answers):
    # type: (_Workload, int, int) -> None
    turns = Turns(grants, answers)
    for loops in turns:
        try:
            elapsed, token = workload.value(loops)
        except Exception as error:
            turns.failed(error)
        turns.took(elapsed, token)


class Turns(object):
    """The loops of each turn that is granted, for a program with a loop of its own. for loops in
    turns: work ``loops`` times, then ``turns.took(nanoseconds)``. Iterating says that the program
    is ready, and ends where whyfast closes the pipe."""

    def __init__(self, grants, answers):
        # type: (int, int) -> None
        self._grants = grants
        self._answers = answers

    def __iter__(self):
        # type: () -> Iterator[int]
        _answer(self._answers, "ready 1")
        for loops in _granted(self._grants):
            if loops == 0:
                _answer(self._answers, "error malformed grant")
                _end(2)
            yield loops

    def took(self, nanoseconds, token=""):
        # type: (int, str) -> None
        """Answer the turn: how long its loops took, and the check value."""
        seconds, rest = divmod(nanoseconds, 10**9)
        _answer(self._answers, "%d.%09d" % (seconds, rest) + (" " + token if token else ""))

    def failed(self, error):
        # type: (BaseException) -> NoReturn
        """Answer that the workload raised this, and end."""
        import traceback  # it takes a third of Python's own start, and few need it

        traceback.print_exc()
        message = " ".join("{}: {}".format(type(error).__name__, error).split())
        _answer(self._answers, "error " + message[:LONGEST_ERROR])
        _end(1)


def _granted(grants):
    # type: (int) -> Iterator[int]
    """The loops of each grant until the end of file; 0 for a malformed one."""
    waiting = b""
    while True:
        line, newline, rest = waiting.partition(b"\n")
        if newline:
            waiting = rest
            yield _loops(line)
        elif waiting and not _numeral(waiting):
            yield 0
        else:
            got = _read(grants)
            if not got:
                if waiting:
                    yield 0
                return
            waiting += got


def _loops(line):
    # type: (bytes) -> int
    """The number on a line; 0 for no number, and for one that 64 bits do not hold."""
    return int(line) if _numeral(line) and int(line) <= MOST_LOOPS else 0


def _numeral(text):
    # type: (bytes) -> bool
    return text.isdigit() and len(text) <= 20


def _read(grants):
    # type: (int) -> bytes
    try:
        return os.read(grants, 4096)
    except OSError as error:
        _end(1, "cannot read from whyfast: %s" % error.strerror)


def _answer(answers, line):
    # type: (int, str) -> None
    text = line + "\n"
    left = text if isinstance(text, bytes) else text.encode("utf-8", "backslashreplace")
    try:
        while left:
            left = left[os.write(answers, left) :]
    except OSError as error:
        _end(1, "cannot write to whyfast: %s" % error.strerror)


def _measure(workload):
    # type: (_Workload) -> None
    """For a human: as many loops as take 50 ms, and the fastest of seven values."""
    loops = 1
    while True:
        best, token = workload.value(loops)
        if best >= LONG_ENOUGH or loops > MOST_LOOPS // 4:
            break
        loops *= 2
    for _ in range(6):
        best = min(best, workload.value(loops)[0])
    text = "%.1f ns per loop (fastest of 7 values of %d loops)" % (float(best) / loops, loops)
    sys.stdout.write(text + (", check " + token if token else "") + "\n")


def best_clock():
    # type: () -> Callable[[], int]
    """The best monotonic clock there is, in nanoseconds."""
    if hasattr(time, "perf_counter_ns"):  # from 3.7 on
        return time.perf_counter_ns
    if hasattr(time, "perf_counter"):  # from 3.3 on; a float holds nanoseconds of a hundred days
        return lambda: int(time.perf_counter() * 1e9)
    return _clock_of_libc()


def _clock_of_libc():
    # type: () -> Callable[[], int]
    """The monotonic clock, for 2.7, which has none. Reading it so takes about a microsecond."""
    import ctypes

    class Time(ctypes.Structure):
        _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]

    monotonic = 6 if sys.platform == "darwin" else 1
    read = ctypes.CDLL(None).clock_gettime
    now = Time()
    place = ctypes.byref(now)

    def clock():
        # type: () -> int
        read(monotonic, place)
        return int(now.seconds) * 10**9 + int(now.nanoseconds)

    return clock


def _end(status, message=""):
    # type: (int, str) -> NoReturn
    if message:
        sys.stderr.write(message + "\n")
    sys.exit(status)
