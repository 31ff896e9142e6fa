"""Programs that speak the turn protocol: alive together, each running only when granted a turn.

The protocol (docs/turn-protocol.md): the child finds two file descriptors in ``WHYFAST_TURN``,
writes ``ready 1`` once set up, answers each line ``LOOPS`` with ``SECONDS [CHECK]``, and leaves at
end of file. ``lacks REASON`` instead of ``ready 1``: it has no such benchmark."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from whyfast.measure.accounts import ThreadTally, tree_peak
from whyfast.measure.invocation import (
    Invocation,
    InvocationFailed,
    LaunchArguments,
    Sample,
    started,
)
from whyfast.measure.process import Child, Usage, describe_status, on_cpu, wait_for
from whyfast.measure.tools import CannotCount, Finished, LauncherAround

#: Decimal digits, a point and an exponent if need be: nothing else that a language may take for a
#: number, such as ``1_0``, ``0x1p3``, ``inf`` or digits of other scripts.
_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?")

#: Seconds: nine places are what the protocol has.
SHORTEST = 1e-9

#: How far the clock of a program may be from that of whyfast: the kernel slews its clocks by up to
#: 0.05 % (adjtimex(2)), and coarse ones tick every millisecond and more.
CLOCK_SHARE, CLOCK_SECONDS = 0.01, 0.01


def read_answer(line: str) -> tuple[float, str | None]:
    """Seconds, and the result that came with them. ValueError names the mistake."""
    number, _, token = line.partition(" ")
    if number in ("nan", "inf") or (number[:1] == "-" and _NUMBER.fullmatch(number[1:])):
        raise ValueError(f"reported {number} seconds; expected a time above 0")
    if not _NUMBER.fullmatch(number):
        raise ValueError(f"answered {line!r:.80} instead of seconds")
    seconds = float(number)
    if not SHORTEST <= seconds < float("inf"):
        raise ValueError(f"reported {number} seconds; expected a time above 0")
    return seconds, token.strip() or None


def longest(seen: float) -> float:
    """The longest time that a program can have measured between a grant and its answer, which were
    ``seen`` seconds apart."""
    return seen * (1 + CLOCK_SHARE) + CLOCK_SECONDS


#: Seconds between two looks at how much it has printed while it has its turn: most turns are
#: shorter, and nothing wakes beside them.
LOOK = 0.25

#: Seconds that a program may take from its start to ``ready``.
READY_TIMEOUT = 60.0

TURN_VARIABLE = "WHYFAST_TURN"


@dataclass(frozen=True)
class Pipes:
    """Whyfast's ends of the two pipes to a program, and those that the program inherits."""

    grant: int
    answer: int
    inherited: tuple[int, int]

    @classmethod
    def opened(cls, lowest: int = 0) -> Pipes:
        """``lowest`` is the least number that the program's ends may have."""
        grant_read, grant = os.pipe()
        answer, answer_write = os.pipe()
        if lowest:
            low = grant_read, answer_write
            grant_read, answer_write = (fcntl.fcntl(n, fcntl.F_DUPFD_CLOEXEC, lowest) for n in low)
            for fd in low:
                os.close(fd)
        return cls(grant, answer, (grant_read, answer_write))

    @property
    def variable(self) -> dict[str, str]:
        """The variable that offers them to the program."""
        return {TURN_VARIABLE: ",".join(map(str, self.inherited))}

    @contextlib.contextmanager
    def handed_on(self) -> Iterator[None]:
        """While the program is started; then its ends are its own."""
        try:
            yield
        finally:
            for fd in self.inherited:
                os.close(fd)

    def close(self) -> None:
        """Whyfast's ends."""
        os.close(self.grant)
        os.close(self.answer)


class Process(Protocol):
    """What takes turns: a :class:`~whyfast.measure.process.Child`, or a fork of one."""

    @property
    def pid(self) -> int: ...

    @property
    def status(self) -> int | None: ...

    def trim(self) -> None: ...

    def output_tail(self) -> str: ...

    def wait(self, timeout: float, *, whole_group: bool = False) -> Usage | None: ...

    def end(self, timeout: float) -> None: ...


def start_program(
    command: tuple[str, ...], env: Mapping[str, str], cpu: int | None
) -> tuple[Child, Pipes]:
    """A process of its own, pinned to ``cpu``. Raises InvocationFailed."""
    pipes = Pipes.opened()
    try:
        with on_cpu(cpu), pipes.handed_on():
            child = started(command, env={**env, **pipes.variable}, pass_fds=pipes.inherited)
    except BaseException:
        pipes.close()
        raise
    return child, pipes


class TurnInvocation:
    """One process that takes turns; ``start`` begins it and gives whyfast's pipes to it."""

    def __init__(
        self,
        command: tuple[str, ...],
        start: Callable[[], tuple[Process, Pipes]],
        *,
        arguments: LaunchArguments,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wall = wall
        self._command = command
        self._timeout = arguments.timeout
        self._check = arguments.check
        self._buffer = b""
        self._tally = ThreadTally(least=1)  # of looks at all turns together
        self._child, self._pipes = start()
        self._open = True
        self._poll = select.poll()
        self._poll.register(self._pipes.answer, select.POLLIN)
        try:
            self._greet()
        except BaseException:  # also of an interrupt: nobody else knows this process yet
            self.close()
            raise

    def _greet(self) -> None:
        greeting = self._read_line(READY_TIMEOUT, "did not report that it is ready")
        if greeting.startswith("lacks "):
            raise self._failed(greeting.removeprefix("lacks "), lacks=True)
        if greeting != "ready 1":
            raise self._failed(f"expected 'ready 1' from the turn protocol, got {greeting!r}")
        self._tally.look(self._child.pid)

    def turn(self, loops: int) -> Sample:
        """Grant one turn of ``loops`` and wait for its value."""
        if self._buffer or self._poll.poll(0):  # else it would pass for the answer to this grant
            line = self._read_line(self._timeout, "did not end a line that it began out of turn")
            raise self._failed(f"answered {line!r} out of turn")
        self._child.trim()
        granted = self._wall()
        try:
            os.write(self._pipes.grant, b"%d\n" % loops)
        except BrokenPipeError:
            raise self._ended() from None
        line = self._read_line(self._timeout, "gave no value")
        return self._parse(line, self._wall() - granted)

    def _parse(self, line: str, seen: float) -> Sample:
        """``seen`` is how many seconds the grant and its answer were apart."""
        try:
            seconds, check = read_answer(line)
        except ValueError as error:
            raise self._failed(str(error)) from None
        if seconds > longest(seen):
            raise self._failed(
                f"reported {seconds:.3g} seconds, and answered {seen:.3g} seconds after its grant"
            )
        if self._check is not None and check != self._check:
            raise self._failed(f"wrong result: {check}, expected {self._check}")
        return Sample(seconds, check)

    def _read_line(self, timeout: float, missing: str) -> str:
        deadline = time.monotonic() + timeout
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._failed(f"{missing} within {timeout:g} s")
            if not wait_for(self._poll, min(left, LOOK)):
                self._child.trim()
                continue
            got = os.read(self._pipes.answer, 4096)
            if not got:
                raise self._ended()
            self._buffer += got
            if len(self._buffer) > 65536:
                raise self._failed("answered with more than 64 KiB and no line")
        line, _, self._buffer = self._buffer.partition(b"\n")
        text = line.decode("utf-8", "replace")
        if text.startswith("error "):
            raise self._failed(text.removeprefix("error "))
        return text

    def _ended(self) -> InvocationFailed:
        self._child.wait(2.0, whole_group=True)
        status = self._child.status
        return self._failed(
            "ended early" if status is None else f"ended early ({describe_status(status)})"
        )

    def _failed(self, reason: str, *, lacks: bool = False) -> InvocationFailed:
        output = self._child.output_tail()
        self.close()
        return InvocationFailed(reason, output=output, command=self._command, lacks=lacks)

    @property
    def threads(self) -> int:
        """Of this process and those that it started, in its turns until now."""
        self._tally.look(self._child.pid)
        return self._tally.at_work

    @property
    def peak_memory(self) -> float | None:
        """Of the largest process among it and what it has started and is alive."""
        return tree_peak(self._child.pid)

    def close(self) -> None:
        """Close the pipes, which ends a well-behaved program; then end it in any case."""
        if not self._open:
            return
        self._open = False
        self._pipes.close()
        self._child.end(0.5)


@dataclass
class TurnRunner:
    """Starts turn-taking programs; ``wall`` is the clock that checks their answers."""

    arguments: LaunchArguments
    wall: Callable[[], float] = time.monotonic
    loops_vary = True

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Start one process and wait until it is ready."""
        env, command = self.arguments.process(variant, pad, layout)
        return TurnInvocation(
            command,
            lambda: start_program(command, env, cpu),
            arguments=self.arguments,
            wall=self.wall,
        )


# Grants beforehand, for runs under a tool, during which whyfast grants nothing. All grants are in
# the pipe before the program starts, and the pipe is closed behind them, so that it takes its turns
# and leaves. The descriptors have the same numbers in every run, and so have the instructions that
# read them.

#: The lowest number that the program's ends of the pipes may have.
_DESCRIPTOR = 100

#: More would not fit into a pipe together with their answers.
MOST_GRANTS = 1000


@dataclass
class PregrantedLauncher(LauncherAround):
    """A launcher; wherever ``command`` is run, it takes ``turns`` turns of ``loops`` each. Raises
    CannotCount when the program answers otherwise than it should."""

    command: Sequence[str]
    loops: int
    turns: int
    check: str | None = None

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        if tuple(argv[-len(self.command) :]) != tuple(self.command):
            return self.launcher.run(argv, env=env, timeout=timeout, pass_fds=pass_fds)
        pipes, answers = Pipes.opened(_DESCRIPTOR), b""
        os.write(pipes.grant, f"{self.loops}\n".encode() * self.turns)
        os.close(pipes.grant)
        try:
            with pipes.handed_on():
                done = self.launcher.run(
                    argv,
                    env={**env, **pipes.variable},
                    timeout=timeout,
                    pass_fds=(*pass_fds, *pipes.inherited),
                )
            os.set_blocking(pipes.answer, False)  # another process may still hold its other end
            with contextlib.suppress(BlockingIOError):
                while piece := os.read(pipes.answer, 65536):
                    answers += piece
        finally:
            os.close(pipes.answer)
        if done.status == 0:
            self._compare(answers.decode("utf-8", "replace"))
        return done

    def _compare(self, transcript: str) -> None:
        greeting, *lines = transcript.splitlines() or [""]
        if greeting != "ready 1":
            raise CannotCount(f"expected 'ready 1' from the turn protocol, got {greeting!r:.80}")
        for line in lines:
            if line.startswith("error "):
                raise CannotCount(line.removeprefix("error "))
            check = line.partition(" ")[2].strip()
            if self.check is not None and check != self.check:
                raise CannotCount(f"wrong result: {check or None}, expected {self.check}")
        if len(lines) != self.turns:
            raise CannotCount(f"took {len(lines)} turns of {self.turns}")
