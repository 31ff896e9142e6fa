"""The seam between the order of turns and the programs that take them.

Each process starts with an environment and a path of random length. Both lie above the stack and
move it, which alone can change the speed of a program (Mytkowicz et al., ASPLOS 2009). The path is
an argument too, of which programs keep copies, so its length moves what lies on their heaps: a
placement that can be varied even in programs that cannot be linked again.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from whyfast.measure.process import Child, TooMuchOutput, Usage, describe_status
from whyfast.measure.run_queue import ThreadTally
from whyfast.model.sample import RunFailure


class Clock(Protocol):
    """Wall time; scripted in tests."""

    def now(self) -> float:
        """Seconds since the epoch."""

    def monotonic(self) -> float:
        """Seconds on a clock that never goes back."""


class SystemClock:
    """The operating system's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


#: The environment variable whose length is drawn at random.
PAD_VARIABLE = "WHYFAST_PAD"

#: What makes a path longer and leaves it the path of the same file.
_DOT = "/."
#: The path gets an even number of bytes, from 0 to 62.
_STEP, _LENGTHS = 64, 32


@dataclass(frozen=True)
class LaunchArguments:
    """Of all processes of one benchmark.

    ``commands`` maps a variant to its argument vector, ``layouts`` to those of its layouts 1, 2 …,
    ``programs`` to the place in all of them of a path that may be written longer. ``timeout`` is
    seconds for one value, ``check`` the result that each must come with. ``packages`` is a folder
    of Python packages for interpreters that have none. ``prepare`` runs before each value of a
    command and is not measured. ``shared`` says with how many words of a command a program begins
    from which the variant is forked (:mod:`whyfast.measure.forks`); absent: it is started.
    """

    commands: Mapping[str, tuple[str, ...]]
    env: Mapping[str, str]
    timeout: float
    check: str | None = None
    layouts: Mapping[str, Sequence[tuple[str, ...]]] = field(default_factory=dict)
    programs: Mapping[str, int] = field(default_factory=dict)
    packages: Path | None = None
    stdin: str = os.devnull
    ignore_failure: bool = False
    prepare: tuple[str, ...] | None = None
    shared: Mapping[str, int] = field(default_factory=dict)

    def process(
        self, variant: str, pad: int, layout: int
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """Environment and argument vector of a variant in a layout, ``pad`` bytes longer."""
        command = self.commands[variant] if layout == 0 else self.layouts[variant][layout - 1]
        return padded_process(self.env, command, self.programs.get(variant), pad)


def padded(env: Mapping[str, str], pad: int) -> dict[str, str]:
    """``env`` with a variable of ``pad`` bytes added."""
    return {**env, PAD_VARIABLE: "x" * pad}


def padded_process(
    env: Mapping[str, str], argv: Sequence[str], program: int | None, pad: int
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Environment and argument vector that are together ``pad`` bytes longer.

    ``program`` is the place in ``argv`` of the path that may be written longer (``/a/././b`` is
    ``/a/b``); None, or a word that is no absolute path, leaves all to the environment. The share of
    the path follows from the high bits of ``pad``, so that it tells nothing of where in a cache
    line or on a vector boundary the stack begins.
    """
    words = list(argv)
    if program is not None and words[program].startswith("/"):
        dots = pad // _STEP % _LENGTHS
        folder, _, name = words[program].rpartition("/")
        words[program] = f"{folder}{_DOT * dots}/{name}"
        pad -= dots * len(_DOT)
    return padded(env, pad), tuple(words)


@dataclass(frozen=True)
class Sample:
    """One value: ``seconds`` for the loops granted, and what came with it.

    ``check`` is the result that the program reported, to be compared between variants; ``extra``
    holds further quantities of the same turn (``user``, ``maxrss`` …), in SI units.
    """

    seconds: float
    check: str | None = None
    extra: Mapping[str, float] = field(default_factory=dict)


class Invocation(Protocol):
    """One process (or command) of one variant, alive during one block."""

    def turn(self, loops: int) -> Sample:
        """Run the workload ``loops`` times, alone, and say how long it took.

        Raises :class:`InvocationFailed`.
        """

    @property
    def threads(self) -> int:
        """How many threads were seen at work at one time so far; 1 where nothing is known."""

    @property
    def peak_memory(self) -> float | None:
        """The most bytes of memory that it has had until now; None where turns say it, or nothing
        does."""

    def close(self) -> None:
        """End the process; never raises, may be called twice."""


class Runner(Protocol):
    """Starts invocations for one benchmark."""

    #: whether one value may hold several loops of the workload
    loops_vary: bool

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Start the variant's process, pinned to ``cpu`` (None: anywhere).

        ``pad`` bytes are added to its environment, which moves its stack; ``layout`` says which of
        its layouts runs, 0 for the build as linked. Raises
        :class:`InvocationFailed` when it does not come up.
        """


class InvocationFailed(Exception):
    """A process crashed, hung, or answered nonsense; nothing of its block may be counted.

    ``variant`` is set by whoever knows whose process it was. ``lacks``: nothing is wrong, the
    variant has no such benchmark and says why. ``status``: all that is wrong is how it ended.
    """

    def __init__(
        self,
        reason: str,
        *,
        variant: str | None = None,
        output: str = "",
        command: tuple[str, ...] = (),
        lacks: bool = False,
        status: int | None = None,
    ) -> None:
        self.reason = reason
        self.variant = variant
        self.lacks = lacks
        self.output = output
        self.command = command
        self.status = status
        super().__init__(reason)

    def as_failure(self, benchmark: str, variant: str) -> RunFailure:
        """The record that is kept and reported."""
        return RunFailure(benchmark, variant, self.reason, self.output, self.command, self.lacks)


def started(command: tuple[str, ...], **how: Any) -> Child:
    """A process of an invocation; for ``how`` see :class:`Child`. Raises InvocationFailed."""
    try:
        return Child(command, **how)
    except OSError as error:
        reason = f"could not be started: {error.strerror}"
        raise InvocationFailed(reason, command=command) from error


@contextmanager
def running(command: tuple[str, ...], **how: Any) -> Iterator[Child]:
    """:func:`started`, and ended in every case. InvocationFailed also where it prints too much."""
    child = started(command, **how)
    try:
        yield child
    except TooMuchOutput as error:
        output = child.output_tail()
        raise InvocationFailed(str(error), output=output, command=command) from None
    finally:
        child.kill()


def completed(
    child: Child,
    command: tuple[str, ...],
    timeout: float,
    *,
    tally: ThreadTally | None = None,
    ignore_failure: bool = False,
    late: str = "",
) -> Usage:
    """Wait for the end of a process. InvocationFailed when it fails, or still runs after
    ``timeout`` seconds, which ``late`` says in words."""
    usage = child.wait(timeout, tally=tally)
    if usage is not None and (ignore_failure or not child.status):
        return usage
    late = late or f"still running after {timeout:g} s"
    reason = late if child.status is None else describe_status(child.status)
    output = child.output_tail()
    raise InvocationFailed(reason, output=output, command=command, status=child.status)
