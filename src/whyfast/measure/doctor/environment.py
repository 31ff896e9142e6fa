"""What machine this is and in what state: the metadata of every session. Reads only."""

from __future__ import annotations

import hmac
import os
import platform
import re

from whyfast import __version__
from whyfast.measure.doctor import System, stolen_and_all, throttle_events
from whyfast.measure.doctor.readings import machine_facts

#: Facts that are what a file of the kernel holds.
_FILES = {
    "boot_id": "proc/sys/kernel/random/boot_id",
    "aslr": "proc/sys/kernel/randomize_va_space",
    "governor": "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
    "no_turbo": "sys/devices/system/cpu/intel_pstate/no_turbo",
    "boost": "sys/devices/system/cpu/cpufreq/boost",
    "smt": "sys/devices/system/cpu/smt/active",
    "isolated_cpus": "sys/devices/system/cpu/isolated",
    "transparent_hugepages": "sys/kernel/mm/transparent_hugepage/enabled",
    "spectre_v2": "sys/devices/system/cpu/vulnerabilities/spectre_v2",
    "bpf_jit_enable": "proc/sys/net/core/bpf_jit_enable",
}


def environment(system: System) -> dict[str, object]:
    """Facts that a reader needs to judge a measurement; what cannot be read is left out.
    ``machine`` is the name that ``WHYFAST_MACHINE`` gives it, where its user set one, ``doctor``
    what ``whyfast doctor`` says about this machine."""
    first = (system.read("proc/cpuinfo") or "").split("\n\n", 1)[0]
    pairs = (line.split(":", 1) for line in first.splitlines() if ":" in line)
    cpu = {key.strip(): value.strip() for key, value in pairs}
    release = (system.read("etc/os-release") or "").splitlines()
    pretty = [line.split("=", 1)[1] for line in release if line.startswith("PRETTY_NAME=")]
    # The system's own number must not be published (machine-id(5)), so it is the key of a digest,
    # which tells this installation from others.
    key = system.read("etc/machine-id")
    load = re.match(r"\d+(\.\d+)?(?=\s|$)", system.read("proc/loadavg") or "")
    facts: dict[str, object | None] = {
        "whyfast": __version__,
        "machine": os.environ.get("WHYFAST_MACHINE", "").strip(),
        "machine_id": hmac.digest(key.encode(), b"whyfast", "sha256").hex()[:32] if key else None,
        "hostname": platform.node(),
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "os": pretty[0].strip('"') if pretty else None,
        "cpu_model": cpu.get("model name") or cpu.get("CPU part"),
        "cpus": os.cpu_count(),
        "hypervisor": "hypervisor" in cpu.get("flags", "").split() or None,
        "load": float(load[0]) if load else None,
        **{name: system.read(file) for name, file in _FILES.items()},
        "python": platform.python_version(),
        "doctor": machine_facts(system),
        "at_start": kernel_counts(system),
    }
    return {k: v for k, v in facts.items() if v not in (None, "")}


def environment_after(system: System) -> dict[str, object]:
    """What may have changed while measuring, for ``at_end`` of the same metadata: what ``whyfast
    doctor`` says, and the kernel's counts."""
    return {"doctor": machine_facts(system), **kernel_counts(system)}


def kernel_counts(system: System) -> dict[str, int]:
    """Counts since boot, whose growth tells what happened meanwhile: ticks of all CPUs, those of
    them that the host kept (``stolen_ticks``), and how often heat slowed a CPU."""
    counts: dict[str, int] = {}
    if (ticks := stolen_and_all(system)) is not None:
        counts.update(stolen_ticks=ticks[0], ticks=ticks[1])
    if (events := throttle_events(system)) is not None:
        counts["throttle_events"] = events
    return counts
