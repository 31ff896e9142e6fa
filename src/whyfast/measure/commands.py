"""Plain commands: the whole process is the value, from its start to its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from whyfast.measure.invocation import Invocation, InvocationFailed, Sample, started
from whyfast.measure.kept_output import TooMuchOutput
from whyfast.measure.launch_arguments import LaunchArguments
from whyfast.measure.process import Child, away_from, describe_status
from whyfast.measure.threads import ThreadTally
from whyfast.model.sample import WAITED


class CommandInvocation:
    """Runs one command anew for every turn.

    The time is from just before the process is started until the kernel reports its end, so it
    includes what starting a process costs (about the same for every command). This process keeps
    off its CPU meanwhile. How long it waited for a CPU that others had comes with it, where it has
    one thread. ``tally`` looks at its threads.
    """

    def __init__(
        self,
        command: tuple[str, ...],
        env: Mapping[str, str],
        cpu: int | None,
        arguments: LaunchArguments,
        tally: ThreadTally,
    ) -> None:
        self._tally = tally
        self._command = command
        self._env = env
        self._cpu = cpu
        self._arguments = arguments

    def turn(self, loops: int) -> Sample:
        """Run the command ``loops`` times, one after the other."""
        total, alone = 0.0, True
        extra: dict[str, float] = {}
        for _ in range(loops):
            sample = self._once()
            total += sample.seconds
            for key, value in sample.extra.items():
                peak = key in ("maxrss", "maxrss_below")
                extra[key] = max(extra.get(key, 0.0), value) if peak else extra.get(key, 0) + value
            alone = alone and WAITED in sample.extra
        if not alone:
            extra.pop(WAITED, None)
        return Sample(total, self._arguments.check, extra)

    def _once(self) -> Sample:
        wanted = self._arguments
        if wanted.prepare is not None:
            run_aside(wanted.prepare, env=self._env, timeout=wanted.timeout, what="--prepare")
        with away_from(self._cpu):
            return self._timed()

    def _timed(self) -> Sample:
        wanted = self._arguments
        child = started(
            self._command,
            env=self._env,
            cpu=self._cpu,
            stdin=wanted.stdin,
            keep_stdout=False,
            whole_stdout=wanted.check is not None,
        )
        try:
            tally = self._tally if self._tally.due() else None
            usage = child.wait(wanted.timeout, tally=tally)
            problem = ""
            if usage is None:
                problem = f"still running after {wanted.timeout:g} s"
            elif child.status and not wanted.ignore_failure:
                problem = describe_status(child.status)
            elif wanted.check is not None and (said := child.stdout().strip()) != wanted.check:
                problem = f"wrong result: {said[:80]!r}, expected {wanted.check!r}"
            if problem or usage is None:
                raise InvocationFailed(problem, output=child.output_tail(), command=self._command)
        except TooMuchOutput as error:
            output = child.output_tail()
            raise InvocationFailed(str(error), output=output, command=self._command) from None
        finally:
            child.kill()
        extra = {k: v for k, v in asdict(usage).items() if v is not None}
        return Sample(child.seconds, None, extra)

    @property
    def threads(self) -> int:
        """In all runs of this command so far."""
        return self._tally.at_work

    def close(self) -> None:
        """Nothing is alive between turns."""


class CommandRunner:
    """Runs commands."""

    loops_vary = False

    def __init__(self, arguments: LaunchArguments) -> None:
        self._arguments = arguments
        self._tallies: dict[str, ThreadTally] = {}

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """An invocation of the variant; nothing is started yet."""
        env, command = self._arguments.process(variant, pad, layout)
        tally = self._tallies.setdefault(variant, ThreadTally())
        return CommandInvocation(command, env, cpu, self._arguments, tally)


def run_aside(
    command: tuple[str, ...], *, env: Mapping[str, str], timeout: float, what: str
) -> None:
    """Run a command that is not measured.

    :class:`InvocationFailed` naming ``what`` when it fails.
    """
    try:
        child = Child(command, env=env)
    except OSError as error:
        raise InvocationFailed(
            f"{what} could not be started: {error.strerror}", command=command
        ) from error
    try:
        usage = child.wait(timeout)
        if usage is None or child.status:
            why = "still running" if child.status is None else describe_status(child.status)
            raise InvocationFailed(f"{what}: {why}", output=child.output_tail(), command=command)
    finally:
        child.kill()
