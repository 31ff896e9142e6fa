"""All findings about the machine."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from whyfast.measure.doctor import container, frequency, kernel, sharing, system_load
from whyfast.measure.doctor.system import System
from whyfast.model.machine import MachineFinding

Check = Callable[[System], MachineFinding]


def checks(seconds: float) -> tuple[Check, ...]:
    """What is looked at, in the order of the report. A new check is a function and a line here."""
    return (
        container.virtualisation,
        container.cpu_quota,
        system_load.load,
        partial(system_load.steal, seconds=seconds),
        frequency.governor,
        frequency.turbo,
        frequency.throttling,
        sharing.smt,
        sharing.isolated,
        sharing.nohz_full,
        sharing.irq_affinity,
        kernel.aslr,
        kernel.huge_pages,
        system_load.swap,
        kernel.mitigations,
        kernel.clock_source,
        kernel.perf_event_paranoid,
        kernel.watchdog,
    )


def examine(system: System, seconds: float = 1.0) -> tuple[MachineFinding, ...]:
    """Look at everything; steal time is watched for ``seconds`` (0: since boot, at once)."""
    return tuple(check(system) for check in checks(seconds))


def machine_facts(system: System) -> dict[str, dict[str, str]]:
    """The findings as metadata of a run: key → what was found, and whether that is good."""
    return {f.key: {"value": f.value, "state": f.state} for f in examine(system, seconds=0.0)}
