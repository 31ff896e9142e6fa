"""The kernel settings that ``--tune`` may change, and to what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from whyfast.measure.doctor.frequency import BOOST, GOVERNORS, NO_TURBO
from whyfast.measure.doctor.kernel import (
    ASLR,
    COUNTING_ALLOWED,
    HUGE_PAGES,
    PARANOID,
    WATCHDOG,
)
from whyfast.measure.doctor.sharing import IRQS, ISOLATED, ONLINE
from whyfast.measure.doctor.system import System, cpu_list, number, selected


@dataclass(frozen=True)
class Setting:
    """One kernel file with the value it holds now and the value it should hold."""

    key: str
    path: str
    old: str
    wanted: str


def settings_to_change(system: System) -> list[Setting]:
    """Every setting that exists here and is not as it should be."""
    found = []
    for key, path, wanted in _wanted(system):
        old = current(system, path)
        if old is not None and not same(old, wanted):
            found.append(Setting(key, path, old, wanted))
    return found


def current(system: System, path: str) -> str | None:
    """What a setting holds, as it would be written; None when it cannot be read."""
    return selected(system.read(path))


def same(a: str, b: str) -> bool:
    """Whether two texts set the same; lists of CPUs may be spelled in several ways."""
    return a == b or (bool(cpu_list(a)) and cpu_list(a) == cpu_list(b))


def _wanted(system: System) -> Iterator[tuple[str, str, str]]:
    """(key, file, value). The governor comes after turbo, whose limits it then takes up."""
    if system.read(NO_TURBO) is not None:
        yield "turbo", NO_TURBO, "1"
    elif system.read(BOOST) is not None:
        yield "turbo", BOOST, "0"
    for path in system.names(GOVERNORS):
        offered = system.read(path.replace("scaling_governor", "scaling_available_governors"))
        if offered is None or "performance" in offered.split():
            yield "governor", path, "performance"
    yield "aslr", ASLR, "2"
    if selected(system.read(HUGE_PAGES)) == "always":
        yield "transparent_hugepages", HUGE_PAGES, "madvise"
    if (number(system.read(PARANOID)) or 0) > COUNTING_ALLOWED:
        yield "perf_event_paranoid", PARANOID, str(COUNTING_ALLOWED)
    yield "nmi_watchdog", WATCHDOG, "0"
    yield from _interrupts(system)


def _interrupts(system: System) -> Iterator[tuple[str, str, str]]:
    """Interrupts that may fall on isolated CPUs go to the others."""
    apart = set(cpu_list(system.read(ISOLATED)))
    rest = [cpu for cpu in cpu_list(system.read(ONLINE)) if cpu not in apart]
    if not apart or not rest:
        return
    for path in system.names(IRQS):
        allowed = cpu_list(system.read(path))
        if not apart.isdisjoint(allowed):
            kept = [cpu for cpu in allowed if cpu not in apart]
            yield "irq_affinity", path, ",".join(map(str, kept or rest))
