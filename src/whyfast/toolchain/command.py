"""Programs of the system that answer a question: run to their end, with nothing to read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Protocol


class RunCommand(Protocol):
    """Runs a program to its end."""

    def __call__(
        self, argv: Sequence[str], *, timeout: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        """OSError when it cannot be started, TimeoutExpired after ``timeout`` seconds."""


def run(
    argv: Sequence[str], *, timeout: float | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The real :class:`RunCommand`. ``env`` is the whole environment; without it this one's, but
    for messages in English, whatever the user's language."""
    return subprocess.run(
        argv,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        env={**os.environ, "LC_ALL": "C"} if env is None else env,
        check=False,
    )


def first_line(argv: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    """The first line that a program prints; empty when it cannot be run."""
    try:
        done = run(argv, timeout=120, env=env)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.split("\n", 1)[0].strip() if done.returncode == 0 else ""
