"""A command's first run: does it take turns, does it work, and how much of a CPU does it use?"""

from __future__ import annotations

import os
import random
import select
import time
from dataclasses import dataclass

from whyfast.measure.invocation import InvocationFailed, started
from whyfast.measure.launch_arguments import LaunchArguments
from whyfast.measure.process import Child, describe_status, wait_for
from whyfast.measure.threads import ThreadTally, pauses
from whyfast.measure.turns import TURN_VARIABLE

_GREETING = b"ready 1\n"


@dataclass(frozen=True)
class ProbeRun:
    """``takes_turns``: it answered the offer of the turn protocol (and was let go at once; the
    other fields are then 0). Else ``seconds`` of wall time and ``cpu_seconds`` of user and system
    time of the whole run, how many ``threads`` were at work, and how long it ``waited`` for a CPU,
    where that is known."""

    takes_turns: bool
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    threads: int = 1
    waited: float | None = None


def probe_run(arguments: LaunchArguments, variant: str, offer: bool) -> ProbeRun:
    """Run a variant once, on ``offer`` to take turns; one that does not know them just runs.

    Raises :class:`InvocationFailed` when it cannot be started, fails, or outlives its timeout.
    """
    command, timeout = arguments.commands[variant], arguments.timeout
    grant_read, grant = os.pipe()
    answer, answer_write = os.pipe()
    environment, tally = dict(arguments.env), ThreadTally()
    if offer:
        environment[TURN_VARIABLE] = f"{grant_read},{answer_write}"
    try:
        start = time.perf_counter()
        try:
            child = started(
                command,
                env=environment,
                stdin=arguments.stdin,
                keep_stdout=False,  # a command may print gigabytes
                pass_fds=(grant_read, answer_write) if offer else (),
            )
        finally:
            os.close(grant_read)
            os.close(answer_write)
        try:
            if _greets(child, answer, timeout, tally):
                return ProbeRun(takes_turns=True)
            left = max(0.0, timeout - (time.perf_counter() - start))
            usage = child.wait(left, tally=tally)
            problem = None
            if usage is None:
                problem = (
                    f"still running after {timeout:g} s; name a command that ends, or give it "
                    "longer with --timeout 10m"
                )
            elif child.status and not arguments.ignore_failure:
                problem = describe_status(child.status)
            if problem or usage is None:
                raise InvocationFailed(
                    problem or "",
                    output=child.output_tail(),
                    command=command,
                    status=None if usage is None else child.status,
                )
            cpu_seconds = usage.user + usage.system
            return ProbeRun(False, child.seconds, cpu_seconds, tally.at_work, usage.waited)
        finally:
            child.kill()
    finally:
        os.close(grant)
        os.close(answer)


def _greets(child: Child, answer: int, timeout: float, tally: ThreadTally) -> bool:
    """Wait until the process greets on ``answer``, or ends, or closes it, or time is up, and look
    at its threads now and then meanwhile."""
    pidfd = os.pidfd_open(child.pid)
    try:
        poller = select.poll()
        poller.register(answer, select.POLLIN)
        poller.register(pidfd, select.POLLIN)
        deadline = time.monotonic() + timeout
        for pause in pauses(random.Random()):
            left = deadline - time.monotonic()
            ready = wait_for(poller, max(0.0, min(pause, left)))
            if ready or left <= pause:
                break
            child.trim()
            tally.look(child.pid, pause)
    finally:
        os.close(pidfd)
    return answer in ready and os.read(answer, 64).startswith(_GREETING)
