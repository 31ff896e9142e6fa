"""How fast the CPUs run, and whether that changes: governor, turbo, throttling."""

from __future__ import annotations

from collections import Counter

from whyfast.measure.doctor.system import System, number
from whyfast.model.machine import MachineFinding, MachineProperty

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
