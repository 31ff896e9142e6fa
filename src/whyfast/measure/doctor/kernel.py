"""Settings of the kernel that change what a program costs: memory, addresses, protection."""

from __future__ import annotations

import re

from whyfast.measure.doctor.system import System, number, selected
from whyfast.model.machine import MachineFinding, MachineProperty

ASLR = "proc/sys/kernel/randomize_va_space"
PARANOID = "proc/sys/kernel/perf_event_paranoid"
HUGE_PAGES = "sys/kernel/mm/transparent_hugepage/enabled"
WATCHDOG = "proc/sys/kernel/nmi_watchdog"
_CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
_VULNERABILITIES = "sys/devices/system/cpu/vulnerabilities/*"

#: The largest value at which a user may count events of their own processes in user space.
COUNTING_ALLOWED = 2

_FAST_CLOCKS = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "xen"}
#: Protections that change how indirect branches are predicted in user programs.
_PREDICTION = re.compile(r"STIBP: (always-on|forced)|Mitigation: IBRS")


def aslr(system: System) -> MachineFinding:
    """Address space layout randomisation."""
    said = MachineProperty("aslr", "address randomisation (ASLR)", tunable=True)
    value = system.read(ASLR)
    if value is None:
        return said.unknown(
            "If addresses are not drawn anew for each process, one layout's luck is in all."
        )
    if value == "2":
        return said.good(
            "full", "Each process gets other addresses, so their luck averages out over the blocks."
        )
    return said.warning(
        {"0": "off", "1": "without the heap"}.get(value, value),
        "Every process gets the same addresses, so the luck of one layout is in all its values.",
        "whyfast doctor --tune, or: sysctl kernel.randomize_va_space=2",
    )


def perf_event_paranoid(system: System) -> MachineFinding:
    """Who may use the hardware counters."""
    said = MachineProperty("perf_event_paranoid", "perf_event_paranoid", tunable=True)
    value = number(system.read(PARANOID))
    if value is None:
        return said.unknown("Without this file the kernel offers no hardware counters at all.")
    if value <= COUNTING_ALLOWED:
        return said.good(
            str(value),
            "Users may count hardware events of their own programs, where there are counters.",
        )
    return said.warning(
        str(value),
        "Only root may use hardware counters; times are not affected, explanations are.",
        f"whyfast doctor --tune, or: sysctl kernel.perf_event_paranoid={COUNTING_ALLOWED}",
    )


def watchdog(system: System) -> MachineFinding:
    """The kernel's lockup detector, which occupies a hardware counter."""
    said = MachineProperty("nmi_watchdog", "NMI watchdog", tunable=True)
    value = system.read(WATCHDOG)
    if value is None:
        return said.unknown("If it runs, it occupies one hardware counter of each CPU.")
    if value == "0":
        return said.good("off", "All hardware counters are free.")
    return said.warning(
        "on",
        "It occupies one hardware counter of each CPU, so fewer events are counted at a time.",
        "whyfast doctor --tune, or: sysctl kernel.nmi_watchdog=0",
    )


def huge_pages(system: System) -> MachineFinding:
    """Transparent huge pages."""
    said = MachineProperty("transparent_hugepages", "transparent huge pages", tunable=True)
    value = selected(system.read(HUGE_PAGES))
    if value is None:
        return said.unknown(
            "If memory may or may not come in huge pages, processes differ in TLB misses."
        )
    if value == "always":
        return said.warning(
            value,
            "Whether a process gets huge pages depends on free memory, so equal processes differ.",
            "whyfast doctor --tune, or: echo madvise > /" + HUGE_PAGES,
        )
    asked = "Only programs that ask for huge pages can get them."
    return said.good(value, asked if value == "madvise" else "No program gets huge pages.")


def mitigations(system: System) -> MachineFinding:
    """Protections against attacks through speculative execution."""
    said = MachineProperty("mitigations", "CPU mitigations")
    texts = {name: system.read(name) for name in system.names(_VULNERABILITIES)}
    known = {name.rpartition("/")[2]: text for name, text in texts.items() if text}
    if not known:
        return said.unknown(
            "Protections against speculative execution may slow system calls and branches."
        )
    active = sorted(n for n, text in known.items() if "Mitigation" in text)
    value = f"{len(active)} active of {len(known)}" + (f": {', '.join(active)}" if active else "")
    if any(_PREDICTION.search(text) for text in known.values()):
        return said.warning(
            value,
            "The kernel limits the prediction of indirect branches in user programs too, which "
            "changes what an interpreter's dispatch costs.",
            "boot with spectre_v2_user=prctl; mind what that gives up",
        )
    return said.good(
        value,
        "They slow system calls and page faults for all variants alike; the program's own branches "
        "are predicted as usual.",
    )


def clock_source(system: System) -> MachineFinding:
    """What the kernel reads time from."""
    said = MachineProperty("clock_source", "clock source")
    value = system.read(_CLOCK)
    if value is None:
        return said.unknown("If reading the clock is slow, short values are too long.")
    if value in _FAST_CLOCKS:
        return said.good(value, "Reading the clock takes tens of nanoseconds and no system call.")
    return said.warning(
        value,
        "Reading the clock takes a microsecond or more, which short values contain.",
        "boot with clocksource=tsc, if the kernel did not find the TSC unstable",
    )
