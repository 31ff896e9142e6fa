"""How fast the CPUs run, and whether that changes: governor, turbo, throttling."""

from __future__ import annotations

from collections import Counter

from whyfast.measure.doctor.system import System, number
from whyfast.model.machine import MachineFinding

GOVERNORS = "sys/devices/system/cpu/cpufreq/policy*/scaling_governor"
NO_TURBO = "sys/devices/system/cpu/intel_pstate/no_turbo"
BOOST = "sys/devices/system/cpu/cpufreq/boost"
_THROTTLED = "sys/devices/system/cpu/cpu*/thermal_throttle/*_throttle_count"


def governor(system: System) -> MachineFinding:
    """Who chooses the frequency."""
    found = Counter(system.read(name) or "unreadable" for name in system.names(GOVERNORS))
    title = "CPU frequency governor"
    if not found:
        return MachineFinding(
            "governor",
            title,
            "unknown",
            "unknown",
            "The host or the firmware chooses the frequency, and it may change at any time unseen.",
        )
    if set(found) == {"performance"}:
        return MachineFinding(
            "governor",
            title,
            "performance",
            "good",
            "Every CPU stays at the highest frequency that turbo and heat allow.",
            tunable=True,
        )
    value = ", ".join(f"{name} on {n} policies" for name, n in sorted(found.items()))
    return MachineFinding(
        "governor",
        title,
        next(iter(found)) if len(found) == 1 else value,
        "warning",
        "The frequency follows the load, so short runs and those after a pause are slower.",
        "whyfast doctor --tune, or: cpupower frequency-set -g performance",
        tunable=True,
    )


def turbo(system: System) -> MachineFinding:
    """Whether CPUs exceed their nominal frequency while power and heat allow."""
    title = "turbo, boost"
    no_turbo, boost = number(system.read(NO_TURBO)), number(system.read(BOOST))
    if no_turbo is None and boost is None:
        return MachineFinding(
            "turbo",
            title,
            "unknown",
            "unknown",
            "If the CPU has turbo, its speed depends on heat and on what the other cores do.",
            "switch turbo off in the firmware, or on the host of this virtual machine",
        )
    if no_turbo == 1 or (no_turbo is None and boost == 0):
        return MachineFinding(
            "turbo",
            title,
            "off",
            "good",
            "The frequency does not depend on heat and on how many cores work.",
            tunable=True,
        )
    where = NO_TURBO if no_turbo is not None else BOOST
    return MachineFinding(
        "turbo",
        title,
        "on",
        "warning",
        "The frequency depends on heat and on how many cores work, so it drifts within minutes.",
        f"whyfast doctor --tune, or: echo {1 if where == NO_TURBO else 0} > /{where}",
        tunable=True,
    )


def throttling(system: System) -> MachineFinding:
    """How often heat has slowed a CPU since boot."""
    events = throttle_events(system)
    title = "thermal throttling"
    if events is None:
        return MachineFinding(
            "throttling",
            title,
            "unknown",
            "unknown",
            "If heat slows the CPU in the middle of a run, nothing here will tell.",
        )
    if events == 0:
        return MachineFinding(
            "throttling", title, "never since boot", "good", "Heat has not slowed any CPU so far."
        )
    return MachineFinding(
        "throttling",
        title,
        f"{events} events since boot",
        "warning",
        "Heat has slowed CPUs, and will again under load: later runs are slower than earlier ones.",
        "better cooling, or a lower frequency: cpupower frequency-set -u FREQUENCY",
    )


def throttle_events(system: System) -> int | None:
    """The sum over all CPUs since boot; None where the kernel does not count."""
    counts = [number(system.read(name)) for name in system.names(_THROTTLED)]
    known = [n for n in counts if n is not None]
    return sum(known) if known else None
