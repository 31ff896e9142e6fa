"""Settings of the kernel that change what a program costs: memory, addresses, protection."""

from __future__ import annotations

import re

from whyfast.measure.doctor.system import System, number, selected
from whyfast.model.machine import MachineFinding

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
    value = system.read(ASLR)
    title = "address randomisation (ASLR)"
    if value is None:
        effect = "If addresses are not drawn anew for each process, one layout's luck is in all."
        return MachineFinding("aslr", title, "unknown", "unknown", effect)
    if value == "2":
        return MachineFinding(
            "aslr",
            title,
            "full",
            "good",
            "Each process gets other addresses, so their luck averages out over the blocks.",
            tunable=True,
        )
    return MachineFinding(
        "aslr",
        title,
        {"0": "off", "1": "without the heap"}.get(value, value),
        "warning",
        "Every process gets the same addresses, so the luck of one layout is in all its values.",
        "whyfast doctor --tune, or: sysctl kernel.randomize_va_space=2",
        tunable=True,
    )


def perf_event_paranoid(system: System) -> MachineFinding:
    """Who may use the hardware counters."""
    value = number(system.read(PARANOID))
    title = "perf_event_paranoid"
    if value is None:
        effect = "Without this file the kernel offers no hardware counters at all."
        return MachineFinding("perf_event_paranoid", title, "unknown", "unknown", effect)
    if value <= COUNTING_ALLOWED:
        return MachineFinding(
            "perf_event_paranoid",
            title,
            str(value),
            "good",
            "Users may count hardware events of their own programs, where there are counters.",
            tunable=True,
        )
    return MachineFinding(
        "perf_event_paranoid",
        title,
        str(value),
        "warning",
        "Only root may use hardware counters; times are not affected, explanations are.",
        f"whyfast doctor --tune, or: sysctl kernel.perf_event_paranoid={COUNTING_ALLOWED}",
        tunable=True,
    )


def watchdog(system: System) -> MachineFinding:
    """The kernel's lockup detector, which occupies a hardware counter."""
    value = system.read(WATCHDOG)
    title = "NMI watchdog"
    if value is None:
        effect = "If it runs, it occupies one hardware counter of each CPU."
        return MachineFinding("nmi_watchdog", title, "unknown", "unknown", effect)
    if value == "0":
        effect = "All hardware counters are free."
        return MachineFinding("nmi_watchdog", title, "off", "good", effect, tunable=True)
    return MachineFinding(
        "nmi_watchdog",
        title,
        "on",
        "warning",
        "It occupies one hardware counter of each CPU, so fewer events are counted at a time.",
        "whyfast doctor --tune, or: sysctl kernel.nmi_watchdog=0",
        tunable=True,
    )


def huge_pages(system: System) -> MachineFinding:
    """Transparent huge pages."""
    value = selected(system.read(HUGE_PAGES))
    title = "transparent huge pages"
    if value is None:
        effect = "If memory may or may not come in huge pages, processes differ in TLB misses."
        return MachineFinding("transparent_hugepages", title, "unknown", "unknown", effect)
    if value == "always":
        return MachineFinding(
            "transparent_hugepages",
            title,
            value,
            "warning",
            "Whether a process gets huge pages depends on free memory, so equal processes differ.",
            "whyfast doctor --tune, or: echo madvise > /" + HUGE_PAGES,
            tunable=True,
        )
    return MachineFinding(
        "transparent_hugepages",
        title,
        value,
        "good",
        "Only programs that ask for huge pages can get them."
        if value == "madvise"
        else "No program gets huge pages.",
        tunable=True,
    )


def mitigations(system: System) -> MachineFinding:
    """Protections against attacks through speculative execution."""
    texts = {name: system.read(name) for name in system.names(_VULNERABILITIES)}
    known = {name.rpartition("/")[2]: text for name, text in texts.items() if text}
    title = "CPU mitigations"
    if not known:
        effect = "Protections against speculative execution may slow system calls and branches."
        return MachineFinding("mitigations", title, "unknown", "unknown", effect)
    active = sorted(n for n, text in known.items() if "Mitigation" in text)
    value = f"{len(active)} active of {len(known)}" + (f": {', '.join(active)}" if active else "")
    if any(_PREDICTION.search(text) for text in known.values()):
        return MachineFinding(
            "mitigations",
            title,
            value,
            "warning",
            "The kernel limits the prediction of indirect branches in user programs too, which "
            "changes what an interpreter's dispatch costs.",
            "boot with spectre_v2_user=prctl; mind what that gives up",
        )
    return MachineFinding(
        "mitigations",
        title,
        value,
        "good",
        "They slow system calls and page faults for all variants alike; the program's own branches "
        "are predicted as usual.",
    )


def clock_source(system: System) -> MachineFinding:
    """What the kernel reads time from."""
    value = system.read(_CLOCK)
    title = "clock source"
    if value is None:
        effect = "If reading the clock is slow, short values are too long."
        return MachineFinding("clock_source", title, "unknown", "unknown", effect)
    if value in _FAST_CLOCKS:
        effect = "Reading the clock takes tens of nanoseconds and no system call."
        return MachineFinding("clock_source", title, value, "good", effect)
    return MachineFinding(
        "clock_source",
        title,
        value,
        "warning",
        "Reading the clock takes a microsecond or more, which short values contain.",
        "boot with clocksource=tsc, if the kernel did not find the TSC unstable",
    )
