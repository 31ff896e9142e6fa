"""What lies between this system and the hardware: a hypervisor, a container, a CPU quota."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from whyfast.measure.doctor.system import System, number
from whyfast.model.machine import MachineFinding, MachineProperty

_CGROUPS = "sys/fs/cgroup"


def virtualisation(system: System) -> MachineFinding:
    """Whether this is a virtual machine, as far as the processor tells."""
    said = MachineProperty("virtualisation", "virtualisation")
    text = system.read("proc/cpuinfo")
    names = [
        system.read("sys/hypervisor/type"),
        system.read("sys/class/dmi/id/sys_vendor"),
        system.read("sys/class/dmi/id/product_name"),
    ]
    container = _container(system)
    flags = [line for line in (text or "").splitlines() if line.startswith("flags")]
    virtual = any("hypervisor" in line.split() for line in flags) or names[0] is not None
    if virtual:
        maker = " ".join(dict.fromkeys(n for n in names if n))
        value = f"virtual machine{f' ({maker})' if maker else ''}"
        return said.warning(
            value + (f", {container}" if container else ""),
            "Neighbours share caches, memory and power, the host may move CPUs, and hardware "
            "counters may be missing.",
            "measure on hardware of your own where the difference is small",
        )
    if not flags:
        unknown = said.unknown("This processor does not tell whether it is virtual.")
        return replace(unknown, value=container or unknown.value)
    return said.good(
        container or "none", "No hypervisor stands between this system and the processor."
    )


def _container(system: System) -> str:
    kind = system.read("run/systemd/container")
    if kind:
        return f"in a container ({kind})"
    marked = (system.read(name) is not None for name in (".dockerenv", "run/.containerenv"))
    return "in a container" if any(marked) else ""


def cpu_quota(system: System) -> MachineFinding:
    """The least CPU time that a control group above us allows, in CPUs."""
    said = MachineProperty("cpu_quota", "container CPU limit")
    quotas = list(_quotas(system))
    if not quotas:
        return said.unknown(
            "If a quota holds, the kernel stops the whole program until the next period."
        )
    limits = [q for q in quotas if q is not None]
    if not limits:
        return said.good("none", "No control group stops the program for having used its share.")
    return said.warning(
        f"{min(limits):.2f} CPUs",
        "When the quota of a period (usually 100 ms) is used up, everything stops until the next: "
        "times jump by tens of milliseconds.",
        "start the container without a CPU limit, or with whole CPUs (--cpuset-cpus)",
    )


def _quotas(system: System) -> Iterator[float | None]:
    """The quota of each group from ours to the root; None where a group sets none."""
    for line in (system.read("proc/self/cgroup") or "").splitlines():
        number_, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        for folder in _up(path):
            if number_ == "0" and not controllers:
                yield from _version_2(system, folder)
            elif "cpu" in controllers.split(","):
                yield from _version_1(system, controllers, folder)


def _up(path: str) -> Iterator[str]:
    """``/a/b``, ``/a`` and ``/`` for ``/a/b``, without slashes at the ends."""
    parts = [part for part in path.split("/") if part and part != ".."]
    for n in range(len(parts), -1, -1):
        yield "/".join(parts[:n])


def _version_2(system: System, folder: str) -> Iterator[float | None]:
    words = (system.read(_join(_CGROUPS, folder, "cpu.max")) or "").split()
    if len(words) == 2:
        quota, period = number(words[0]), number(words[1])
        yield quota / period if quota and period else None


def _version_1(system: System, controllers: str, folder: str) -> Iterator[float | None]:
    for mount in dict.fromkeys((controllers, "cpu", "cpu,cpuacct")):
        quota = number(system.read(_join(_CGROUPS, mount, folder, "cpu.cfs_quota_us")))
        period = number(system.read(_join(_CGROUPS, mount, folder, "cpu.cfs_period_us")))
        if quota is not None and period:
            yield quota / period if quota > 0 else None
            return


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)
