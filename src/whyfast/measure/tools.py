"""Tools that run a program and report on it: how they are found and run, and a run of a program to
be counted. :class:`Launcher` is the seam; tests replace it with recordings."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from whyfast.measure.process import Child, TooMuchOutput


@dataclass(frozen=True)
class Finished:
    """An ended process: exit code (negative for a signal), standard output, the end of both.

    Where standard output was too much to be kept it is not ``whole``, and empty. ``cpu`` are the
    seconds of CPU time of it and its children, as the kernel accounts them.
    """

    status: int
    stdout: str
    output: str
    whole: bool = True
    cpu: float = field(default=0.0, compare=False)


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

    def stop(self) -> None:
        """Kill what other threads run, with its process group."""


class SystemLauncher:
    """The operating system."""

    def __init__(self) -> None:
        self._running: set[int] = set()

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
        self._running.add(child.pid)
        try:
            usage = child.wait(timeout)
            if usage is None:
                raise TimeoutError(f"still running after {timeout:g} s")
            assert child.status is not None
            cpu = usage.user + usage.system
            try:
                return Finished(child.status, child.stdout(), child.output_tail(), cpu=cpu)
            except TooMuchOutput:  # of a program that is counted, whose output nobody reads
                return Finished(child.status, "", child.output_tail(), False, cpu)
        finally:
            self._running.discard(child.pid)
            child.kill()

    def stop(self) -> None:
        for pid in tuple(self._running):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


#: Programs that put another one into their place.
_LAUNCHERS = {"sh", "bash", "dash", "env", "nice", "taskset"}


def runs_another(command: Sequence[str]) -> bool:
    """Whether it begins with a shell or the like, in whose place another program then runs."""
    return os.path.basename(command[0]) in _LAUNCHERS


def program_names(*command: str) -> set[str]:
    """What tools call the program itself: its own name, or that of the file that it links to; of
    a command that runs another program, that of each of its words."""
    words = command if runs_another(command) else command[:1]
    return {os.path.basename(name) for word in words for name in (word, os.path.realpath(word))}


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

    def tool(self, name: str, hint: str = "") -> str:
        """The path of a program that counts; CannotCount, with the ``hint``, without one."""
        path = self.launcher.find(name)
        if path is None:
            raise CannotCount(f"{name} is not installed" + (f"; {hint}" if hint else ""))
        return path

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


def with_input(run: ToolRun, stdin: str) -> ToolRun:
    """The run with the file ``stdin`` as its standard input."""
    if stdin == os.devnull:
        return run
    return replace(run, enter=("sh", "-c", f'exec "$@" <{shlex.quote(stdin)}', "sh"))
