"""The seam to tools that run a program and say what it did; tests replace it with recordings."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from whyfast.measure.process import Child, TooMuchOutput


@dataclass(frozen=True)
class Finished:
    """An ended process: exit code (negative for a signal), standard output, the end of both.

    Where standard output was too much to be kept it is not ``whole``, and empty.
    """

    status: int
    stdout: str
    output: str
    whole: bool = True


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
            try:
                return Finished(child.status, child.stdout(), child.output_tail())
            except TooMuchOutput:  # of a program that is counted, whose output nobody reads
                return Finished(child.status, "", child.output_tail(), whole=False)
        finally:
            child.kill()


class CannotCount(Exception):
    """Counting did not work; the message says why and what would help."""


@dataclass(frozen=True)
class ToolRun:
    """A program that is run to be counted: ``command`` with its environment, and what runs it for
    at most ``timeout`` seconds.

    ``enter`` are the words before the command, of a sandbox; ``scratch`` is a folder that can be
    written to inside and outside of it under one name; None: any temporary one.
    """

    command: tuple[str, ...]
    launcher: Launcher
    env: Mapping[str, str]
    timeout: float
    enter: tuple[str, ...] = ()
    scratch: Path | None = None

    def once(self, env: Mapping[str, str]) -> None:
        """Run the command with no tool, so that what it keeps for its next run is there, such as
        Python's compiled modules: else the first run that is counted does work that no later one
        does. How it ends is left to the run that is counted to say; but CannotCount when it cannot
        be started or does not end in time."""
        self.under("no tool", [*self.enter, *self.command], env)

    def under(self, tool: str, argv: Sequence[str], env: Mapping[str, str]) -> Finished:
        """Run ``argv``, in which the command stands behind the words of ``tool``.

        Raises CannotCount when it cannot be started or does not end in time.
        """
        try:
            return self.launcher.run(argv, env=env, timeout=self.timeout)
        except TimeoutError as error:
            raise CannotCount(f"under {tool}: {error}; use a shorter workload") from None
        except OSError as error:
            raise CannotCount(f"{tool} could not be started: {error.strerror}") from None
