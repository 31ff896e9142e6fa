"""The seam to tools that run a program and say what it did; tests replace it with recordings."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from whyfast.measure.process import Child


@dataclass(frozen=True)
class Finished:
    """An ended process: exit code (negative for a signal), standard output, the end of both."""

    status: int
    stdout: str
    output: str


class Launcher(Protocol):
    """Finds and runs programs."""

    def find(self, name: str) -> str | None:
        """The path of an installed program, or None."""

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        """Run to the end, at most ``timeout`` seconds, with those file descriptors open. Raises
        TimeoutError, and OSError when it cannot be started."""


class SystemLauncher:
    """The operating system."""

    def find(self, name: str) -> str | None:
        return shutil.which(name)

    def run(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        timeout: float,
        pass_fds: Sequence[int] = (),
    ) -> Finished:
        child = Child(argv, env=env, pass_fds=pass_fds)
        try:
            if child.wait(timeout) is None:
                raise TimeoutError(f"still running after {timeout:g} s")
            assert child.status is not None
            return Finished(child.status, child.stdout(), child.output_tail())
        finally:
            child.kill()
