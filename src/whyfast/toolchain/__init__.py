"""Where compilers come from, one file a provider (docs/toolchain.md): what a provider does."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from whyfast.model.build import Toolchain
from whyfast.store.home import Home

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Cost:
    """About what it takes to install a toolchain: bytes to download and on disk, and seconds."""

    download: int = 0
    disk: int = 0
    seconds: float = 0.0


class Provider(Protocol):
    """One source of compilers."""

    def names(self) -> list[str]:
        """What can be asked for here, for lists and suggestions."""

    def resolve(
        self, name: str, home: Home, progress: Progress, packages: Sequence[str] = ()
    ) -> Toolchain:
        """The toolchain, installed if need be, with ``packages`` (a distribution's names) that the
        source needs beside the compiler, where it brings such. CannotBuildHere when it is not
        available on this machine, UserError for an unknown name."""

    def installed(self, name: str, home: Home, packages: Sequence[str] = ()) -> bool:
        """Whether :meth:`resolve` would need no download."""

    def cost(self, name: str, packages: Sequence[str] = ()) -> Cost:
        """About what :meth:`resolve` takes when the toolchain is not installed; nothing is asked
        of the network."""

    def size(self, name: str, home: Home) -> int:
        """Bytes on disk of what :meth:`resolve` installed; 0 for what it has not."""

    def remove(self, name: str, home: Home) -> None:
        """Delete what :meth:`resolve` installed; UserError when there is nothing to delete."""


def run(
    argv: Sequence[str],
    *,
    timeout: float | None = None,
    env: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, in ``folder`` or the current one. ``env`` is the whole environment;
    without it this one's, but for messages in English, whatever the user's language. OSError when
    it cannot be started, TimeoutExpired after ``timeout`` seconds."""
    return subprocess.run(
        argv,
        cwd=folder,
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
