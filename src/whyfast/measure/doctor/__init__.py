"""What this machine does to results, and the settings that can be changed.

Start at :func:`whyfast.measure.doctor.readings.examine`, :func:`whyfast.measure.doctor.tune.tune`
and :func:`whyfast.measure.doctor.tune.restore`. Here is the seam between them and the kernel: small
files that are read and written."""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Iterator
from glob import glob
from pathlib import Path


class System:
    """Files of the kernel, named from ``root`` without a leading slash: ``proc/loadavg``."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def read(self, name: str) -> str | None:
        """The file's text without surrounding space; None when it cannot be read."""
        try:
            return (self.root / name).read_text(errors="replace").strip()
        except OSError:
            return None

    def write(self, name: str, text: str) -> None:
        """Replace what an existing file holds. Raises OSError."""
        # Without O_CREAT: a setting that this kernel lacks must not become a file.
        fd = os.open(self.root / name, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)

    def names(self, pattern: str) -> list[str]:
        """The existing files that match a glob, in natural order (cpu2 before cpu10)."""
        # As pairs of text and number, which compare as people count.
        return sorted(
            glob(pattern, root_dir=self.root),
            key=lambda name: [(t, int(n or 0)) for t, n in re.findall(r"(\D*)(\d*)", name)],
        )

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)


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


def load_of(system: System) -> float:
    """The load average of the last minute; NaN where it is unknown."""
    try:
        return float((system.read("proc/loadavg") or "").split()[0])
    except (IndexError, ValueError):
        return math.nan


#: Load average per CPU from which a machine counts as busy.
BUSY = 0.5
#: Share of CPU time that the host may keep for itself, from which it matters.
STOLEN = 0.005

_STEAL_FIELD = 7  # in a cpu line of /proc/stat, after the name


def stolen_and_all(system: System) -> tuple[int, int] | None:
    """(stolen, all) ticks of all CPUs since boot."""
    for line in (system.read("proc/stat") or "").splitlines():
        name, *fields = line.split()
        if name == "cpu" and len(fields) > _STEAL_FIELD and all(f.isdecimal() for f in fields):
            # Guest time is counted in user time already.
            return int(fields[_STEAL_FIELD]), sum(int(f) for f in fields[: _STEAL_FIELD + 1])
    return None


_THROTTLED = "sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count"


def throttle_events(system: System) -> int | None:
    """How often heat has slowed a CPU since boot; None where the kernel does not count."""
    counts = [number(system.read(name)) for name in system.names(_THROTTLED)]
    known = [n for n in counts if n is not None]
    return sum(known) if known else None


_CGROUPS = "sys/fs/cgroup"


def cpu_quotas(system: System) -> Iterator[float | None]:
    """The quota of each group from ours to the root; None where a group sets none."""
    for line in (system.read("proc/self/cgroup") or "").splitlines():
        version, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        parts = [part for part in path.split("/") if part and part != ".."]
        for n in range(len(parts), -1, -1):
            if version == "0" and not controllers:
                words = (system.read("/".join((_CGROUPS, *parts[:n], "cpu.max"))) or "").split()
                if len(words) == 2:
                    quota, period = number(words[0]), number(words[1])
                    yield quota / period if quota and period else None
            elif "cpu" in controllers.split(","):
                for mount in dict.fromkeys((controllers, "cpu", "cpu,cpuacct")):
                    folder = "/".join((_CGROUPS, mount, *parts[:n]))
                    quota = number(system.read(f"{folder}/cpu.cfs_quota_us"))
                    period = number(system.read(f"{folder}/cpu.cfs_period_us"))
                    if quota is not None and period:
                        yield quota / period if quota > 0 else None
                        break
