"""What lies between this system and the hardware: a hypervisor, a container, a CPU quota."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from whyfast.measure.doctor import system as system_load
from whyfast.measure.doctor.system import System, cpu_list, number, selected
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


# ---- How fast the CPUs run, and whether that changes: governor, turbo, throttling.

GOVERNORS = "sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
NO_TURBO = "sys/devices/system/cpu/intel_pstate/no_turbo"
BOOST = "sys/devices/system/cpu/cpufreq/boost"
_THROTTLED = "sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count"


def governor(system: System) -> MachineFinding:
    """Who chooses the frequency."""
    said = MachineProperty("governor", "CPU frequency governor", tunable=True)
    found = Counter(system.read(name) or "unreadable" for name in system.names(GOVERNORS))
    if not found:
        return said.unknown(
            "The host or the firmware chooses the frequency, and it may change at any time unseen."
        )
    if set(found) == {"performance"}:
        return said.good(
            "performance", "Every CPU stays at the highest frequency that turbo and heat allow."
        )
    value = ", ".join(f"{name} on {n} policies" for name, n in sorted(found.items()))
    return said.warning(
        next(iter(found)) if len(found) == 1 else value,
        "The frequency follows the load, so short runs and those after a pause are slower.",
        "whyfast doctor --tune, or: cpupower frequency-set -g performance",
    )


def turbo(system: System) -> MachineFinding:
    """Whether CPUs exceed their nominal frequency while power and heat allow."""
    said = MachineProperty("turbo", "turbo, boost", tunable=True)
    no_turbo, boost = number(system.read(NO_TURBO)), number(system.read(BOOST))
    if no_turbo is None and boost is None:
        return said.unknown(
            "If the CPU has turbo, its speed depends on heat and on what the other cores do.",
            "switch turbo off in the firmware, or on the host of this virtual machine",
        )
    if no_turbo == 1 or (no_turbo is None and boost == 0):
        return said.good("off", "The frequency does not depend on heat and on how many cores work.")
    where = NO_TURBO if no_turbo is not None else BOOST
    return said.warning(
        "on",
        "The frequency depends on heat and on how many cores work, so it drifts within minutes.",
        f"whyfast doctor --tune, or: echo {1 if where == NO_TURBO else 0} > /{where}",
    )


def throttling(system: System) -> MachineFinding:
    """How often heat has slowed a CPU since boot."""
    said = MachineProperty("throttling", "thermal throttling")
    events = throttle_events(system)
    if events is None:
        return said.unknown("If heat slows the CPU in the middle of a run, nothing here will tell.")
    if events == 0:
        return said.good("never since boot", "Heat has not slowed any CPU so far.")
    return said.warning(
        f"{events} events since boot",
        "Heat has slowed CPUs, and will again under load: later runs are slower than earlier ones.",
        "better cooling, or a lower frequency: cpupower frequency-set -u FREQUENCY",
    )


def throttle_events(system: System) -> int | None:
    """The sum over all CPUs since boot; None where the kernel does not count."""
    counts = [number(system.read(name)) for name in system.names(_THROTTLED)]
    known = [n for n in counts if n is not None]
    return sum(known) if known else None


# ---- Who else uses the CPUs that measure: sibling threads, other tasks, the kernel's own work.

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


# ---- Settings of the kernel that change what a program costs: memory, addresses, protection.

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


# ---- All findings about the machine.

Check = Callable[[System], MachineFinding]


def checks(seconds: float) -> tuple[Check, ...]:
    """What is looked at, in the order of the report. A new check is a function and a line here."""
    return (
        virtualisation,
        cpu_quota,
        system_load.load,
        partial(system_load.steal, seconds=seconds),
        governor,
        turbo,
        throttling,
        smt,
        isolated,
        nohz_full,
        irq_affinity,
        aslr,
        huge_pages,
        system_load.swap,
        mitigations,
        clock_source,
        perf_event_paranoid,
        watchdog,
    )


def examine(system: System, seconds: float = 1.0) -> tuple[MachineFinding, ...]:
    """Look at everything; steal time is watched for ``seconds`` (0: since boot, at once)."""
    return tuple(check(system) for check in checks(seconds))


def machine_facts(system: System) -> dict[str, dict[str, str]]:
    """The findings as metadata of a run: key → what was found, and whether that is good."""
    return {f.key: {"value": f.value, "state": f.state} for f in examine(system, seconds=0.0)}
