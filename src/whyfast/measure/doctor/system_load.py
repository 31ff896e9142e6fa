"""What the machine is doing now, and who else decides how much of it is ours."""

from __future__ import annotations

import os

from whyfast.measure.doctor.system import System, number
from whyfast.model.machine import MachineFinding, MachineProperty

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
