"""By which ways a root can be entered on this machine, found out by trying."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from whyfast.toolchain.chroot import make_devices
from whyfast.toolchain.command import run


@dataclass(frozen=True)
class Tools:
    """What this machine has: full paths of the programs, or why they cannot be used."""

    bubblewrap: str | None
    no_bubblewrap: str
    unshare: tuple[str, ...] | None
    no_unshare: str
    chroot: str | None = None
    no_chroot: str = ""

    @property
    def any(self) -> bool:
        """Whether a root can be entered at all."""
        return bool(self.bubblewrap or self.unshare or self.chroot)


def try_chroot(program: str | None) -> tuple[str | None, str]:
    """(the program, or None and why it cannot be used)."""
    if program is None:
        return None, "chroot is not installed"
    if os.geteuid() != 0:
        return None, "plain chroot is for root alone"
    if said := says([program, "/", "/bin/true"]):
        return None, f"chroot does not work ({said})"
    with tempfile.TemporaryDirectory(prefix="whyfast-chroot-") as folder:
        try:
            make_devices(Path(folder))
        except OSError as error:
            return None, f"chroot could have no /dev/null ({error.strerror})"
    return program, ""


def entrances_in_words(have: Tools) -> list[str]:
    """How build steps and measured programs get into a Debian root, and why not otherwise."""
    if not have.any:
        return [cannot_enter(have)]
    steps = _first(have, ("bubblewrap", "unshare", "chroot"))
    programs = _first(have, ("unshare", "bubblewrap", "chroot"))
    lines = [f"Debian roots: build steps by {steps}, measured programs by {programs}"]
    reasons = [r for r in (have.no_bubblewrap, have.no_unshare) if r]
    if steps == "chroot alone":
        reasons.append("so steps have the network, and can write to the root")
    return [*lines, *([f"  {'; '.join(reasons)}"] if reasons else [])]


def _first(have: Tools, order: tuple[str, ...]) -> str:
    names = {
        "bubblewrap": (have.bubblewrap, "bubblewrap"),
        "unshare": (have.unshare, "unshare and chroot"),
        "chroot": (have.chroot, "chroot alone"),
    }
    return next(words for works, words in (names[n] for n in order) if works)


def cannot_enter(have: Tools) -> str:
    """Why no root can be entered here."""
    reasons = [r for r in (have.no_bubblewrap, have.no_unshare, have.no_chroot) if r]
    return f"a Debian root cannot be entered here: {'; '.join(reasons)}"


def says(argv: list[str]) -> str:
    """Empty when the command ends well, else the last line that it prints, or what went wrong."""
    try:
        done = run(argv, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"
