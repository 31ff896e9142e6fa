"""Programs that speak the turn protocol: alive together, each running only when granted a turn.

The protocol (docs/turn-protocol.md): the child finds two file descriptors in ``WHYFAST_TURN``,
writes ``ready 1`` once set up, answers each line ``LOOPS`` with ``SECONDS [CHECK]``, and leaves at
end of file. ``lacks REASON`` instead of ``ready 1``: it has no such benchmark.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Mapping

from whyfast.measure.invocation import Invocation, InvocationFailed, Sample, started
from whyfast.measure.launch_arguments import LaunchArguments
from whyfast.measure.process import Child, describe_status, on_cpu, wait_for
from whyfast.measure.threads import ThreadTally
from whyfast.measure.turn_answer import longest, read_answer

#: Seconds between two looks at how much it has printed while it has its turn: most turns are
#: shorter, and nothing wakes beside them.
LOOK = 0.25

#: Seconds that a program may take from its start to ``ready``.
READY_TIMEOUT = 60.0

TURN_VARIABLE = "WHYFAST_TURN"


class TurnInvocation:
    """One process that takes turns."""

    def __init__(
        self,
        command: tuple[str, ...],
        *,
        env: Mapping[str, str],
        cpu: int | None,
        timeout: float,
        check: str | None,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        self._wall = wall
        self._command = command
        self._timeout = timeout
        self._check = check
        self._buffer = b""
        grant_read, self._grant = os.pipe()
        self._answer, answer_write = os.pipe()
        self._poll = select.poll()
        self._poll.register(self._answer, select.POLLIN)
        self._child: Child | None = None
        self._open = True
        self._tally = ThreadTally(least=1)  # of looks at all turns together
        try:
            try:
                with on_cpu(cpu):
                    self._child = started(
                        command,
                        env={**env, TURN_VARIABLE: f"{grant_read},{answer_write}"},
                        pass_fds=(grant_read, answer_write),
                    )
            finally:
                os.close(grant_read)
                os.close(answer_write)
            greeting = self._read_line(READY_TIMEOUT, "did not say it is ready")
        except BaseException:  # also of an interrupt: nobody else knows this process yet
            self.close()
            raise
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
        self._trim()
        granted = self._wall()
        try:
            os.write(self._grant, b"%d\n" % loops)
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
                self._trim()
                continue
            got = os.read(self._answer, 4096)
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

    def _trim(self) -> None:
        if self._child is not None:
            self._child.trim()

    def _ended(self) -> InvocationFailed:
        assert self._child is not None
        self._child.wait(2.0, whole_group=True)
        status = self._child.status
        return self._failed(
            "ended early" if status is None else f"ended early ({describe_status(status)})"
        )

    def _failed(self, reason: str, *, lacks: bool = False) -> InvocationFailed:
        output = self._child.output_tail() if self._child else ""
        self.close()
        return InvocationFailed(reason, output=output, command=self._command, lacks=lacks)

    @property
    def threads(self) -> int:
        """Of this process and those that it started, in its turns until now."""
        if self._child is not None:
            self._tally.look(self._child.pid)
        return self._tally.at_work

    def close(self) -> None:
        """Close the pipes, which ends a well-behaved program; then end it in any case."""
        if not self._open:
            return
        self._open = False
        os.close(self._grant)
        os.close(self._answer)
        if self._child is not None:
            try:
                self._child.wait(0.5, whole_group=True)
            finally:  # also after an interrupt: nobody asks a second time
                self._child.kill()


class TurnRunner:
    """Starts turn-taking programs; ``wall`` is the clock that their answers are held against."""

    loops_vary = True

    def __init__(
        self, arguments: LaunchArguments, wall: Callable[[], float] = time.monotonic
    ) -> None:
        self._arguments = arguments
        self._wall = wall

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """Start one process and wait until it is ready."""
        wanted = self._arguments
        env, command = wanted.process(variant, pad, layout)
        return TurnInvocation(
            command,
            env=env,
            cpu=cpu,
            timeout=wanted.timeout,
            check=wanted.check,
            wall=self._wall,
        )
