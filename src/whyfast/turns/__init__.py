"""Lets a Python program take turns under whyfast; ``include/whyfast_turn.h`` does it for C.

    from whyfast.turns import take_turns

    data = set_up()

    def run(loops):
        for _ in range(loops):
            result = work(data)
        return result

    take_turns(run)

This file imports the standard library alone, so that it can be copied beside a program whose
interpreter has no whyfast. docs/turn-protocol.md describes the protocol.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import NoReturn

#: The environment variable with the two inherited file descriptors, ``IN,OUT``.
VARIABLE = "WHYFAST_TURN"

MOST_LOOPS = 2**64 - 1
LONGEST_ERROR = 240

#: By hand: loops are doubled until they take this many nanoseconds.
LONG_ENOUGH = 50_000_000


def take_turns(
    run: Callable[[int], object], check: Callable[[object], object] | None = None
) -> None:
    """Serve turns until whyfast is done; by hand, measure and print nanoseconds per loop.

    ``run(loops)`` does the workload that many times. What it returns is reported as the check
    value, which must be the same for every variant and any number of loops; ``check`` makes the
    check value from it, outside the time measured. None reports no check value; anything else is
    written as ``str`` writes it and must have no white space.

    Ends the process with status 1 when the workload raises an exception or whyfast is gone, and
    with 2 for a malformed grant or ``WHYFAST_TURN``.
    """
    text = os.environ.get(VARIABLE)
    if text is None:
        _measure(run, check)
        return
    descriptors = text.split(",")
    if len(descriptors) != 2 or not all(d.isascii() and d.isdigit() for d in descriptors):
        _end(2, f"{VARIABLE} is malformed: expected two file descriptors, IN,OUT")
    _serve(run, check, int(descriptors[0]), int(descriptors[1]))


def _serve(
    run: Callable[[int], object],
    check: Callable[[object], object] | None,
    grants: int,
    answers: int,
) -> None:
    _answer(answers, "ready 1")
    for loops in _granted(grants):
        if loops == 0:
            _answer(answers, "error malformed grant")
            _end(2)
        try:
            elapsed, token = _value(run, check, loops)
        except Exception as error:
            traceback.print_exc()
            said = " ".join(f"{type(error).__name__}: {error}".split())
            _answer(answers, f"error {said[:LONGEST_ERROR]}")
            _end(1)
        seconds, rest = divmod(elapsed, 10**9)
        _answer(answers, f"{seconds}.{rest:09d}{token and ' '}{token}")


def _value(
    run: Callable[[int], object], check: Callable[[object], object] | None, loops: int
) -> tuple[int, str]:
    """Nanoseconds of ``run(loops)``, and the check value (empty: none)."""
    start = time.perf_counter_ns()
    result = run(loops)
    elapsed = time.perf_counter_ns() - start
    if check is not None:
        result = check(result)
    token = "" if result is None else str(result)
    if result is not None and token.split() != [token]:
        raise ValueError(f"the check value {token[:60]!r} is not one word without spaces")
    return elapsed, token


def _granted(grants: int) -> Iterator[int]:
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


def _loops(line: bytes) -> int:
    """The number on a line, 0 when it is none or more than 64 bits hold."""
    return int(line) if _numeral(line) and int(line) <= MOST_LOOPS else 0


def _numeral(text: bytes) -> bool:
    return text.isdigit() and len(text) <= 20


def _read(grants: int) -> bytes:
    try:
        return os.read(grants, 4096)
    except OSError as error:
        _end(1, f"cannot read from whyfast: {error.strerror}")


def _answer(answers: int, line: str) -> None:
    left = f"{line}\n".encode("utf-8", "backslashreplace")
    try:
        while left:
            left = left[os.write(answers, left) :]
    except OSError as error:
        _end(1, f"cannot write to whyfast: {error.strerror}")


def _measure(run: Callable[[int], object], check: Callable[[object], object] | None) -> None:
    """For a human: as many loops as take 50 ms, and the fastest of seven values."""
    loops = 1
    while True:
        best, token = _value(run, check, loops)
        if best >= LONG_ENOUGH or loops > MOST_LOOPS // 4:
            break
        loops *= 2
    for _ in range(6):
        best = min(best, _value(run, check, loops)[0])
    said = f"{best / loops:.1f} ns per loop (fastest of 7 values of {loops} loops)"
    print(f"{said}, check {token}" if token else said)


def _end(status: int, message: str = "") -> NoReturn:
    if message:
        print(message, file=sys.stderr)
    sys.exit(status)
