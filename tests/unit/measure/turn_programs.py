"""Programs that take turns, for tests: their beginning, a good one, and playing with one."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from tests.unit.measure.conftest import STUCK

from whyfast.measure.invocation import Invocation, LaunchArguments
from whyfast.measure.turns import TurnRunner

#: What every program of these tests begins with.
PRELUDE = """
import os, signal, sys, time
IN, OUT = (int(fd) for fd in os.environ["WHYFAST_TURN"].split(","))
def say(text): os.write(OUT, text.encode())
grants = os.fdopen(IN)
"""

READY = 'say("ready 1\\n")\n'

GOOD = READY + 'for line in grants: say(f"0.{int(line):03} 0x1f\\n")'


def command(code: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", PRELUDE + code)


def enter(
    command: tuple[str, ...],
    *,
    timeout: float = STUCK,
    check: str | None = None,
    cpu: int | None = None,
    pad: int = 0,
    wall: Callable[[], float] | None = None,
) -> Invocation:
    # A second at each look: what a program says need not have passed.
    wall = wall or count(0.0, 1.0).__next__
    runner = TurnRunner(LaunchArguments({"v": command}, dict(os.environ), timeout, check), wall)
    return runner.enter("v", cpu=cpu, pad=pad)


@contextmanager
def playing(code: str, *, timeout: float = STUCK, check: str | None = None) -> Iterator[Invocation]:
    player = enter(command(code), timeout=timeout, check=check)
    try:
        yield player
    finally:
        player.close()
