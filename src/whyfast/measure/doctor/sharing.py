"""Who else uses the CPUs that measure: sibling threads, other tasks, the kernel's own work."""

from __future__ import annotations

from dataclasses import replace

from whyfast.measure.doctor.system import System, cpu_list
from whyfast.model.machine import MachineFinding, MachineProperty

ISOLATED = "sys/devices/system/cpu/isolated"
IRQS = "proc/irq/[0-9]*/smp_affinity_list"
_SMT = "sys/devices/system/cpu/smt/active"
_NOHZ_FULL = "sys/devices/system/cpu/nohz_full"
ONLINE = "sys/devices/system/cpu/online"


def smt(system: System) -> MachineFinding:
    """Simultaneous multithreading (hyper-threading)."""
    said = MachineProperty("smt", "SMT (hyper-threading)")
    active = system.read(_SMT)
    if active == "0":
        return said.good(
            "off",
            "No other thread shares the caches and units of a core, as far as is visible here.",
        )
    if active is None:
        return said.unknown(
            "If two threads share a core, work on one slows the other by up to half."
        )
    return said.warning(
        "on",
        "Whatever runs on a sibling thread takes caches and execution units from what is measured.",
        "as root: echo off > /sys/devices/system/cpu/smt/control (not done by --tune: it takes "
        "CPUs away from running programs)",
    )


def isolated(system: System) -> MachineFinding:
    """CPUs that the scheduler leaves alone."""
    said = MachineProperty("isolated", "isolated CPUs")
    text = system.read(ISOLATED)
    if text:
        return said.good(
            text,
            "Nothing runs on these CPUs but what is pinned to them: start whyfast with taskset.",
        )
    if text is None:
        return said.unknown("Other programs may run on the CPUs that measure.")
    return said.warning(
        "none",
        "Other programs are scheduled on the CPUs that measure, which adds noise but, as variants "
        "take turns, no bias.",
        "boot with isolcpus=LIST on the kernel's command line",
    )


def nohz_full(system: System) -> MachineFinding:
    """CPUs without a periodic timer interrupt."""
    said = MachineProperty("nohz_full", "CPUs without timer tick")
    text = system.read(_NOHZ_FULL)
    # A kernel that can do without the tick has the file, "(null)" or empty when it does not.
    if text is None and system.read(ISOLATED) is None:
        return said.unknown("A timer probably interrupts each busy CPU 100 to 1000 times a second.")
    if cpu_list(text):
        return said.good(
            str(text), "No timer interrupts these CPUs while a single task runs on them."
        )
    return said.warning(
        "none",
        "A timer interrupts each busy CPU 100 to 1000 times a second, which costs all variants "
        "alike.",
        "boot with nohz_full=LIST on the kernel's command line",
    )


def irq_affinity(system: System) -> MachineFinding:
    """Which interrupts may be served by the CPUs that measure."""
    allowed = {name: cpu_list(system.read(name)) for name in system.names(IRQS)}
    known = {name: cpus for name, cpus in allowed.items() if cpus}
    apart = cpu_list(system.read(ISOLATED))
    measuring = set(apart or cpu_list(system.read(ONLINE)))
    said = MachineProperty("irq_affinity", "interrupt affinity", tunable=bool(apart))
    if not known or not measuring:
        return said.unknown("Devices may interrupt the CPUs that measure.")
    hit = sum(1 for cpus in known.values() if not measuring.isdisjoint(cpus))
    if not hit:
        return replace(said, tunable=True).good(
            f"none of {len(known)} on isolated CPUs",
            "Devices interrupt other CPUs than those that measure.",
        )
    return said.warning(
        f"{hit} of {len(known)} may fall on {'isolated' if apart else 'all'} CPUs",
        "Devices interrupt what is measured, in bursts that follow disk and network traffic.",
        "whyfast doctor --tune moves them away"
        if apart
        else "isolate CPUs first (isolcpus=LIST), then whyfast doctor --tune moves them away",
    )
