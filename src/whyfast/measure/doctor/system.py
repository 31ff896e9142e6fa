"""The seam between the doctor and the kernel: small files that are read and written."""

from __future__ import annotations

import os
import re
import time
from glob import glob
from pathlib import Path
from typing import Protocol

from whyfast.model.machine import MachineFinding, MachineProperty


class System(Protocol):
    """Files of the kernel, named from the root without a leading slash: ``proc/loadavg``."""

    def read(self, name: str) -> str | None:
        """The file's text without surrounding space; None when it cannot be read."""

    def write(self, name: str, text: str) -> None:
        """Replace what an existing file holds. Raises OSError."""

    def names(self, pattern: str) -> list[str]:
        """The existing files that match a glob, in natural order (cpu2 before cpu10)."""

    def sleep(self, seconds: float) -> None:
        """Let time pass."""


class Files:
    """The real thing. ``root`` is where /proc and /sys are looked for."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def read(self, name: str) -> str | None:
        try:
            return (self.root / name).read_text(errors="replace").strip()
        except OSError:
            return None

    def write(self, name: str, text: str) -> None:
        # Without O_CREAT: a setting that this kernel lacks must not become a file.
        fd = os.open(self.root / name, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)

    def names(self, pattern: str) -> list[str]:
        return sorted(glob(pattern, root_dir=self.root), key=_natural)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


def _natural(name: str) -> list[tuple[str, int]]:
    """The name as pairs of text and number, which compare as people count."""
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", name)]


def selected(text: str | None) -> str | None:
    """The choice in brackets of a file that lists all of them (``always [madvise] never``), or
    the whole text."""
    if text is None:
        return None
    for word in text.split():
        if word.startswith("[") and word.endswith("]"):
            return word[1:-1]
    return text


def cpu_list(text: str | None) -> tuple[int, ...]:
    """``0-2,5`` as (0, 1, 2, 5); empty for an empty, missing or unreadable list."""
    cpus: set[int] = set()
    for part in (text or "").split(","):
        first, _, last = part.strip().partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            cpus.update(range(int(first), int(last or first) + 1))
    return tuple(sorted(cpus))


def number(text: str | None) -> int | None:
    """The text as a whole number, or None."""
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


# ---- What the machine is doing now, and who else decides how much of it is ours.

#: Load average per CPU from which a machine counts as busy.
BUSY = 0.5
#: Share of CPU time that the host may keep for itself, from which it matters.
STOLEN = 0.005

_STEAL_FIELD = 7  # in a cpu line of /proc/stat, after the name


def load(system: System) -> MachineFinding:
    """The load average of the last minute."""
    said = MachineProperty("load", "load")
    words = (system.read("proc/loadavg") or "").split()
    try:
        value = float(words[0])
    except (IndexError, ValueError):
        return said.unknown("If other programs run, they take turns with what is measured.")
    cpus = os.cpu_count() or 1
    text = f"{value:.2f} on {cpus} CPU{'s' if cpus > 1 else ''}"
    if value / cpus <= BUSY:
        return said.good(text, "Other programs leave the CPUs alone.")
    return said.warning(
        text,
        "Other programs compete for CPUs, caches and memory: absolute times are too long, and more "
        "blocks are needed.",
        "stop what else is running; look with top",
    )


def steal(system: System, seconds: float = 1.0) -> MachineFinding:
    """The share of CPU time that the host gave to others, watched over ``seconds``.

    With 0 seconds it is the share since boot.
    """
    said = MachineProperty("steal", "steal time")
    before = stolen_and_all(system) if seconds else (0, 0)
    if seconds and before:
        system.sleep(seconds)
    after = stolen_and_all(system)
    if before is None or after is None or after[1] <= before[1]:
        return said.unknown(
            "If a host runs other machines on these CPUs, times jump without a cause in here."
        )
    share = (after[0] - before[0]) / (after[1] - before[1])
    value = f"{share * 100:.1f} % {f'over {seconds:g} s' if seconds else 'since boot'}"
    if share < STOLEN:
        return said.good(value, "No other virtual machine takes time from these CPUs.")
    return said.warning(
        value,
        "The host gives time on these CPUs to other machines, in pieces of milliseconds.",
        "measure at another time, or on a dedicated host",
    )


def stolen_and_all(system: System) -> tuple[int, int] | None:
    """(stolen, all) ticks of all CPUs since boot."""
    for line in (system.read("proc/stat") or "").splitlines():
        name, *fields = line.split()
        if name == "cpu" and len(fields) > _STEAL_FIELD and all(f.isdecimal() for f in fields):
            # Guest time is counted in user time already.
            return int(fields[_STEAL_FIELD]), sum(int(f) for f in fields[: _STEAL_FIELD + 1])
    return None


def swap(system: System) -> MachineFinding:
    """Memory on disk."""
    said = MachineProperty("swap", "swap")
    sizes = {}
    for line in (system.read("proc/meminfo") or "").splitlines():
        key, _, rest = line.partition(":")
        if key in ("SwapTotal", "SwapFree") and rest.split():
            sizes[key] = number(rest.split()[0])
    total, free = sizes.get("SwapTotal"), sizes.get("SwapFree")
    if total is None or free is None:
        return said.unknown(
            "If memory is moved to disk, single values become hundreds of times longer."
        )
    if total == 0:
        return said.good("none", "No memory of a program is moved to disk.")
    used = (total - free) / 1024
    if used < 1:
        return said.good(
            f"{total / 1024:.0f} MiB, unused",
            "Nothing is swapped out; memory is sufficient for now.",
        )
    return said.warning(
        f"{used:.0f} of {total / 1024:.0f} MiB in use",
        "Memory is or was short: pages that come back from disk make single values far longer.",
        "free memory, then as root: swapoff -a",
    )
