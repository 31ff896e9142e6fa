"""Plain commands: the whole process is the value, from its start to its end."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from whyfast.measure.invocation import Invocation, InvocationFailed, Sample
from whyfast.measure.padding import padded_process
from whyfast.measure.process import Child, describe_status, on_cpu


class CommandInvocation:
    """Runs one command anew for every turn.

    The time is from just before the process is started until the kernel reports its end, so it
    includes what starting a process costs (about the same for every command).
    """

    def __init__(
        self,
        command: tuple[str, ...],
        *,
        env: Mapping[str, str],
        cpu: int | None,
        timeout: float,
        check: str | None,
        ignore_failure: bool,
        stdin: str,
        prepare: tuple[str, ...] | None,
    ) -> None:
        self._prepare = prepare
        self._command = command
        self._env = env
        self._cpu = cpu
        self._timeout = timeout
        self._check = check
        self._ignore_failure = ignore_failure
        self._stdin = stdin

    def turn(self, loops: int) -> Sample:
        """Run the command ``loops`` times, one after the other."""
        total = 0.0
        extra: dict[str, float] = {}
        for _ in range(loops):
            reading = self._once()
            total += reading.seconds
            for key, value in reading.extra.items():
                peak = key == "maxrss"
                extra[key] = max(extra.get(key, 0.0), value) if peak else extra.get(key, 0) + value
        return Sample(total, self._check, extra)

    def _once(self) -> Sample:
        if self._prepare is not None:
            run_aside(self._prepare, env=self._env, timeout=self._timeout, what="--prepare")
        with on_cpu(self._cpu):
            start = time.perf_counter()
            try:
                child = Child(
                    self._command,
                    env=self._env,
                    stdin=self._stdin,
                    keep_stdout=self._check is not None,
                )
            except OSError as error:
                raise InvocationFailed(
                    f"could not be started: {error.strerror}", command=self._command
                ) from error
        try:
            usage = child.wait(self._timeout)
            seconds = time.perf_counter() - start
            if usage is None:
                raise InvocationFailed(
                    f"still running after {self._timeout:g} s",
                    output=child.output_tail(),
                    command=self._command,
                )
            if child.status and not self._ignore_failure:
                raise InvocationFailed(
                    describe_status(child.status),
                    output=child.output_tail(),
                    command=self._command,
                )
            if self._check is not None and child.stdout().strip() != self._check:
                raise InvocationFailed(
                    f"wrong result: {child.stdout().strip()[:80]!r}, expected {self._check!r}",
                    output=child.output_tail(),
                    command=self._command,
                )
        finally:
            child.kill()
        return Sample(seconds, None, {k: v for k, v in asdict(usage).items() if v is not None})

    def close(self) -> None:
        """Nothing is alive between turns."""


class CommandRunner:
    """Runs commands: ``commands`` maps a variant to its argument vector, ``layouts`` to those of
    its layouts 1, 2 …, ``programs`` to the place in all of them of a path that may be padded."""

    loops_vary = False

    def __init__(
        self,
        commands: Mapping[str, tuple[str, ...]],
        *,
        env: Mapping[str, str],
        timeout: float,
        check: str | None = None,
        ignore_failure: bool = False,
        stdin: str = "/dev/null",
        prepare: Mapping[str, tuple[str, ...]] | None = None,
        layouts: Mapping[str, Sequence[tuple[str, ...]]] | None = None,
        programs: Mapping[str, int] | None = None,
    ) -> None:
        self._programs = programs or {}
        self._layouts = layouts or {}
        self._prepare = prepare or {}
        self._commands = commands
        self._env = env
        self._timeout = timeout
        self._check = check
        self._ignore_failure = ignore_failure
        self._stdin = stdin

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        """A player for the variant; nothing is started yet."""
        command = self._commands[variant] if layout == 0 else self._layouts[variant][layout - 1]
        env, command = padded_process(self._env, command, self._programs.get(variant), pad)
        return CommandInvocation(
            command,
            env=env,
            cpu=cpu,
            timeout=self._timeout,
            check=self._check,
            ignore_failure=self._ignore_failure,
            stdin=self._stdin,
            prepare=self._prepare.get(variant),
        )


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
