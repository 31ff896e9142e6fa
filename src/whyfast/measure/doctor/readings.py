"""What lies between a program and the hardware, as a table of readings.

Each entry of :data:`CHECKS` looks at files of the kernel and has the sentences for its three
states: unknown, good, and warning with what to do about it. ``whyfast doctor`` and the metadata of
every session show them in this order."""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from whyfast.measure.doctor import (
    BUSY,
    STOLEN,
    System,
    cpu_list,
    cpu_quotas,
    load_of,
    number,
    selected,
    stolen_and_all,
    throttle_events,
)
from whyfast.model.build import MachineFinding, State

GOVERNORS = "sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
NO_TURBO = "sys/devices/system/cpu/intel_pstate/no_turbo"
BOOST = "sys/devices/system/cpu/cpufreq/boost"
ISOLATED = "sys/devices/system/cpu/isolated"
IRQS = "proc/irq/[0-9]*/smp_affinity_list"
ONLINE = "sys/devices/system/cpu/online"
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


def examine(system: System, seconds: float = 1.0) -> tuple[MachineFinding, ...]:
    """Look at everything; steal time is watched for ``seconds`` (0: since boot, at once)."""
    return tuple(check.finding(system, seconds) for check in CHECKS)


def machine_facts(system: System) -> dict[str, dict[str, str]]:
    """The findings as metadata of a run: key → the value, and whether that is good."""
    return {f.key: {"value": f.value, "state": f.state} for f in examine(system, seconds=0.0)}


@dataclass(frozen=True)
class MachineReading:
    """One look: ``good`` None is unknown. ``effect``, ``how`` and ``tunable`` replace those of the
    check where they depend on what was read."""

    good: bool | None
    value: str = "unknown"
    effect: str = ""
    how: str = ""
    tunable: bool | None = None


@dataclass(frozen=True)
class MachineCheck:
    """One property of the machine: how to read it, and what each state does to results. ``how``
    sets it right, ``how_unknown`` helps where it cannot be read; ``tunable``: ``whyfast doctor
    --tune`` sets it, where it can be read at all."""

    key: str
    title: str
    read: Callable[[System, float], MachineReading]
    unknown: str
    good: str
    warning: str
    how: str
    tunable: bool = False
    how_unknown: str = ""

    def finding(self, system: System, seconds: float) -> MachineFinding:
        """Look at it; ``seconds`` is how long to watch what only shows over time."""
        r = self.read(system, seconds)

        def finding(state: State, effect: str, how: str, tunable: bool = False) -> MachineFinding:
            return MachineFinding(self.key, self.title, r.value, state, effect, how, tunable)

        if r.good is None:
            return finding("unknown", self.unknown, self.how_unknown)
        tunable = self.tunable if r.tunable is None else r.tunable
        if r.good:
            return finding("good", r.effect or self.good, "", tunable)
        return finding("warning", r.effect or self.warning, r.how or self.how, tunable)


UNKNOWN = MachineReading(None)


def _virtualisation(system: System, seconds: float) -> MachineReading:
    """Whether this is a virtual machine or a container, as far as the processor tells."""
    names = [
        system.read("sys/hypervisor/type"),
        system.read("sys/class/dmi/id/sys_vendor"),
        system.read("sys/class/dmi/id/product_name"),
    ]
    kind = system.read("run/systemd/container")
    marked = any(system.read(name) is not None for name in (".dockerenv", "run/.containerenv"))
    container = f"in a container ({kind})" if kind else "in a container" if marked else ""
    lines = (system.read("proc/cpuinfo") or "").splitlines()
    flags = [line for line in lines if line.startswith("flags")]
    if any("hypervisor" in line.split() for line in flags) or names[0] is not None:
        maker = " ".join(dict.fromkeys(n for n in names if n))
        value = f"virtual machine{f' ({maker})' if maker else ''}"
        return MachineReading(False, value + (f", {container}" if container else ""))
    if not flags:
        return MachineReading(None, container or "unknown")
    return MachineReading(True, container or "none")


def _cpu_quota(system: System, seconds: float) -> MachineReading:
    """The least CPU time that a control group above us allows, in CPUs."""
    quotas = list(cpu_quotas(system))
    limits = [q for q in quotas if q is not None]
    if limits:
        return MachineReading(False, f"{min(limits):.2f} CPUs")
    return MachineReading(True, "none") if quotas else UNKNOWN


def _load(system: System, seconds: float) -> MachineReading:
    load = load_of(system)
    if math.isnan(load):
        return UNKNOWN
    cpus = os.cpu_count() or 1
    return MachineReading(load / cpus <= BUSY, f"{load:.2f} on {cpus} CPU{'s' if cpus > 1 else ''}")


def _steal(system: System, seconds: float) -> MachineReading:
    """The share of CPU time that the host gave to others, over ``seconds`` or since boot."""
    before = stolen_and_all(system) if seconds else (0, 0)
    if seconds and before:
        system.sleep(seconds)
    after = stolen_and_all(system)
    if before is None or after is None or after[1] <= before[1]:
        return UNKNOWN
    share = (after[0] - before[0]) / (after[1] - before[1])
    when = f"over {seconds:g} s" if seconds else "since boot"
    return MachineReading(share < STOLEN, f"{share * 100:.1f} % {when}")


def _governor(system: System, seconds: float) -> MachineReading:
    names = Counter(system.read(name) or "unreadable" for name in system.names(GOVERNORS))
    if not names:
        return UNKNOWN
    value = ", ".join(f"{name} on {n} policies" for name, n in sorted(names.items()))
    return MachineReading(
        set(names) == {"performance"}, next(iter(names)) if len(names) == 1 else value
    )


def _turbo(system: System, seconds: float) -> MachineReading:
    no_turbo, boost = number(system.read(NO_TURBO)), number(system.read(BOOST))
    if no_turbo is None and boost is None:
        return UNKNOWN
    if no_turbo == 1 or (no_turbo is None and boost == 0):
        return MachineReading(True, "off")
    command = f"echo 0 > /{BOOST}" if no_turbo is None else f"echo 1 > /{NO_TURBO}"
    return MachineReading(False, "on", how=f"whyfast doctor --tune, or: {command}")


def _throttling(system: System, seconds: float) -> MachineReading:
    events = throttle_events(system)
    if events is None:
        return UNKNOWN
    return MachineReading(
        not events, f"{events} events since boot" if events else "never since boot"
    )


def _nohz_full(system: System, seconds: float) -> MachineReading:
    """CPUs without a periodic timer interrupt."""
    text = system.read("sys/devices/system/cpu/nohz_full")
    # A kernel that can do without the tick has the file, "(null)" or empty when it does not.
    if text is None and system.read(ISOLATED) is None:
        return UNKNOWN
    return MachineReading(True, str(text)) if cpu_list(text) else MachineReading(False, "none")


def _irq_affinity(system: System, seconds: float) -> MachineReading:
    """Which interrupts may be served by the CPUs that measure."""
    allowed = [cpus for name in system.names(IRQS) if (cpus := cpu_list(system.read(name)))]
    apart = cpu_list(system.read(ISOLATED))
    measuring = set(apart or cpu_list(system.read(ONLINE)))
    if not allowed or not measuring:
        return UNKNOWN
    hit = sum(1 for cpus in allowed if not measuring.isdisjoint(cpus))
    if not hit:
        return MachineReading(True, f"none of {len(allowed)} on isolated CPUs", tunable=True)
    value = f"{hit} of {len(allowed)} may fall on {'isolated' if apart else 'all'} CPUs"
    moves = "whyfast doctor --tune moves them away"
    how = moves if apart else f"isolate CPUs first (isolcpus=LIST), then {moves}"
    return MachineReading(False, value, how=how, tunable=bool(apart))


def _paranoid(system: System, seconds: float) -> MachineReading:
    value = number(system.read(PARANOID))
    return UNKNOWN if value is None else MachineReading(value <= COUNTING_ALLOWED, str(value))


def _huge_pages(system: System, seconds: float) -> MachineReading:
    value = selected(system.read(HUGE_PAGES))
    if value is None:
        return UNKNOWN
    asked = "Only programs that ask for huge pages can get them." if value == "madvise" else ""
    return MachineReading(value != "always", value, effect=asked)


#: What fixes the order of hash tables in Python and Perl, where it holds a number.
_SEEDS = ("PYTHONHASHSEED", "PERL_HASH_SEED")


def _hash_seeds(system: System, seconds: float) -> MachineReading:
    """Those that programs get from the environment of this process."""
    text = system.read("proc/self/environ")
    if text is None:
        return UNKNOWN
    words = [w.partition("=") for w in text.split("\0")]
    fixed = [f"{name}={v}" for name, _, v in words if name in _SEEDS and v not in ("", "random")]
    return MachineReading(not fixed, ", ".join(fixed) or "drawn")


def _swap(system: System, seconds: float) -> MachineReading:
    """Memory on disk."""
    sizes = {}
    for line in (system.read("proc/meminfo") or "").splitlines():
        key, _, rest = line.partition(":")
        if key in ("SwapTotal", "SwapFree") and rest.split():
            sizes[key] = number(rest.split()[0])
    total, free = sizes.get("SwapTotal"), sizes.get("SwapFree")
    if total is None or free is None:
        return UNKNOWN
    if total == 0:
        return MachineReading(True, "none")
    used = (total - free) / 1024
    if used < 1:
        enough = "Nothing is swapped out; memory is sufficient for now."
        return MachineReading(True, f"{total / 1024:.0f} MiB, unused", effect=enough)
    return MachineReading(False, f"{used:.0f} of {total / 1024:.0f} MiB in use")


def _mitigations(system: System, seconds: float) -> MachineReading:
    """Protections against attacks through speculative execution."""
    texts = {name: system.read(name) for name in system.names(_VULNERABILITIES)}
    known = {name.rpartition("/")[2]: text for name, text in texts.items() if text}
    if not known:
        return UNKNOWN
    active = sorted(n for n, text in known.items() if "Mitigation" in text)
    value = f"{len(active)} active of {len(known)}" + (f": {', '.join(active)}" if active else "")
    return MachineReading(not any(_PREDICTION.search(text) for text in known.values()), value)


def _file(
    path: str, good: Callable[[str], bool], names: dict[str, str]
) -> Callable[[System, float], MachineReading]:
    """A file that should hold what is ``good``; ``names`` are the words for what it may hold, ``*``
    for anything else."""

    def read(system: System, seconds: float) -> MachineReading:
        value = system.read(path)
        if value is None:
            return UNKNOWN
        return MachineReading(good(value), names.get(value, names.get("*", value)))

    return read


#: The order of the report. A new check is a line here and a function that reads it.
CHECKS = (
    MachineCheck(
        *("virtualisation", "virtualisation", _virtualisation),
        unknown="This processor does not tell whether it is virtual.",
        good="No hypervisor stands between this system and the processor.",
        warning="Neighbours share caches, memory and power, the host may move CPUs, and hardware "
        "counters may be missing.",
        how="measure on hardware of your own where the difference is small",
    ),
    MachineCheck(
        *("cpu_quota", "container CPU limit", _cpu_quota),
        unknown="If a quota holds, the kernel stops the whole program until the next period.",
        good="No control group stops the program for having used its share.",
        warning="When the quota of a period (usually 100 ms) is used up, everything stops until "
        "the next: times jump by tens of milliseconds.",
        how="start the container without a CPU limit, or with whole CPUs (--cpuset-cpus)",
    ),
    MachineCheck(
        *("load", "load", _load),
        unknown="If other programs run, they take turns with what is measured.",
        good="Other programs leave the CPUs alone.",
        warning="Other programs compete for CPUs, caches and memory: absolute times are "
        "inflated, and more blocks are needed.",
        how="stop other programs; top lists them",
    ),
    MachineCheck(
        *("steal", "steal time", _steal),
        unknown="If a host runs other machines on these CPUs, times jump without a cause in here.",
        good="No other virtual machine takes time from these CPUs.",
        warning="The host gives time on these CPUs to other machines, in pieces of milliseconds.",
        how="measure at another time, or on a dedicated host",
    ),
    MachineCheck(
        *("governor", "CPU frequency governor", _governor),
        unknown="The host or the firmware chooses the frequency, and it may change at any time "
        "unseen.",
        good="Every CPU stays at the highest frequency that turbo and heat allow.",
        warning="The frequency follows the load, so short runs and those after a pause are slower.",
        how="whyfast doctor --tune, or: cpupower frequency-set -g performance",
        tunable=True,
    ),
    MachineCheck(
        *("turbo", "turbo, boost", _turbo),
        unknown="If the CPU has turbo, its speed depends on heat and on what the other cores do.",
        good="The frequency does not depend on heat and on how many cores work.",
        warning="The frequency depends on heat and on how many cores work, so it drifts within "
        "minutes.",
        how="whyfast doctor --tune",
        tunable=True,
        how_unknown="switch turbo off in the firmware, or on the host of this virtual machine",
    ),
    MachineCheck(
        *("throttling", "thermal throttling", _throttling),
        unknown="If heat slows the CPU in the middle of a run, nothing here will tell.",
        good="Heat has not slowed any CPU so far.",
        warning="Heat has slowed CPUs, and will again under load: later runs are slower than "
        "earlier ones.",
        how="better cooling, or a lower frequency: cpupower frequency-set -u FREQUENCY",
    ),
    MachineCheck(
        *("smt", "SMT (hyper-threading)"),
        _file("sys/devices/system/cpu/smt/active", "0".__eq__, {"0": "off", "*": "on"}),
        unknown="If two threads share a core, work on one slows the other by up to half.",
        good="No other thread shares the caches and units of a core, as far as is visible here.",
        warning="Whatever runs on a sibling thread takes caches and execution units from what is "
        "measured.",
        how="as root: echo off > /sys/devices/system/cpu/smt/control (not done by --tune: it takes "
        "CPUs away from running programs)",
    ),
    MachineCheck(
        *("isolated", "isolated CPUs", _file(ISOLATED, bool, {"": "none"})),
        unknown="Other programs may run on the CPUs that measure.",
        good="Nothing runs on these CPUs but what is pinned to them: start whyfast with taskset.",
        warning="Other programs are scheduled on the CPUs that measure, which adds noise but, as "
        "variants take turns, no bias.",
        how="boot with isolcpus=LIST on the kernel's command line",
    ),
    MachineCheck(
        *("nohz_full", "CPUs without timer tick", _nohz_full),
        unknown="A timer probably interrupts each busy CPU 100 to 1000 times a second.",
        good="No timer interrupts these CPUs while a single task runs on them.",
        warning="A timer interrupts each busy CPU 100 to 1000 times a second, which costs all "
        "variants alike.",
        how="boot with nohz_full=LIST on the kernel's command line",
    ),
    MachineCheck(
        *("irq_affinity", "interrupt affinity", _irq_affinity),
        unknown="Devices may interrupt the CPUs that measure.",
        good="Devices interrupt other CPUs than those that measure.",
        warning="Devices interrupt what is measured, in bursts that follow disk and network "
        "traffic.",
        how="whyfast doctor --tune moves them away",
    ),
    MachineCheck(
        *("aslr", "address randomisation (ASLR)"),
        _file(ASLR, "2".__eq__, {"0": "off", "1": "without the heap", "2": "full"}),
        unknown="If addresses are not drawn anew for each process, one layout's luck is in all.",
        good="Each process gets other addresses, so their effect averages out over the blocks.",
        warning="Every process gets the same addresses, so the luck of one layout is in all its "
        "values.",
        how="whyfast doctor --tune, or: sysctl kernel.randomize_va_space=2",
        tunable=True,
    ),
    MachineCheck(
        *("hash_seeds", "hash seeds", _hash_seeds),
        unknown="A fixed hash seed would put the luck of one order of hash tables in all values.",
        good="Python, Perl and others draw the order of their hash tables for each process.",
        warning="Every process gets the same order of hash tables, so its luck is in all values.",
        how="unset the variable",
    ),
    MachineCheck(
        *("transparent_hugepages", "transparent huge pages", _huge_pages),
        unknown="If memory may or may not come in huge pages, processes differ in TLB misses.",
        good="No program gets huge pages.",
        warning="Whether a process gets huge pages depends on free memory, so equal processes "
        "differ.",
        how="whyfast doctor --tune, or: echo madvise > /" + HUGE_PAGES,
        tunable=True,
    ),
    MachineCheck(
        *("swap", "swap", _swap),
        unknown="If memory is moved to disk, single values become hundreds of times longer.",
        good="No memory of a program is moved to disk.",
        warning="Memory is or was short: pages that come back from disk make single values far "
        "longer.",
        how="free memory, then as root: swapoff -a",
    ),
    MachineCheck(
        *("mitigations", "CPU mitigations", _mitigations),
        unknown="Protections against speculative execution may slow system calls and branches.",
        good="They slow system calls and page faults for all variants alike; the program's own "
        "branches are predicted as usual.",
        warning="The kernel limits the prediction of indirect branches in user programs too, which "
        "changes what an interpreter's dispatch costs.",
        how="boot with spectre_v2_user=prctl; mind what that gives up",
    ),
    MachineCheck(
        *("clock_source", "clock source", _file(_CLOCK, _FAST_CLOCKS.__contains__, {})),
        unknown="If reading the clock is slow, short values are too long.",
        good="Reading the clock takes tens of nanoseconds and no system call.",
        warning="Reading the clock takes a microsecond or more, which short values contain.",
        how="boot with clocksource=tsc, if the kernel did not find the TSC unstable",
    ),
    MachineCheck(
        *("perf_event_paranoid", "perf_event_paranoid", _paranoid),
        unknown="Without this file the kernel offers no hardware counters at all.",
        good="Users may count hardware events of their own programs, where there are counters.",
        warning="Only root may use hardware counters; times are not affected, explanations are.",
        how=f"whyfast doctor --tune, or: sysctl kernel.perf_event_paranoid={COUNTING_ALLOWED}",
        tunable=True,
    ),
    MachineCheck(
        *("nmi_watchdog", "NMI watchdog"),
        _file(WATCHDOG, "0".__eq__, {"0": "off", "*": "on"}),
        unknown="If it runs, it occupies one hardware counter of each CPU.",
        good="All hardware counters are free.",
        warning="It occupies one hardware counter of each CPU, so fewer events are counted at a "
        "time.",
        how="whyfast doctor --tune, or: sysctl kernel.nmi_watchdog=0",
        tunable=True,
    ),
)
