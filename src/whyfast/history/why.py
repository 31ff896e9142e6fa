"""What else changed where a series did: what is on record of the points, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from whyfast.judge.run_confounds import MACHINE, SUBJECT, same_fact
from whyfast.model.history import Finding, History, Timeline

Facts = Mapping[str, str]
FactKind = Literal["machine", "subject", "other"]

#: What says nothing of why: how busy the machine was at a moment, where a program lies.
_MUTE = ("load", "python_executable", "commit_date", "date", "whyfast")
#: A fact that differs at more than this share of the points is expected to differ.
_USUAL = 0.5

#: What results of whyfast call the same things.
_OWN = {
    "system": "kernel",
    "platform": "kernel",
    "kernel": "kernel",
    "boot_id": "boot",
    "cpu_model": "CPU model",
    "hypervisor": "virtual machine",
    "no_turbo": "turbo",
    "boost": "turbo",
    "smt": "hyperthreads",
    "cpus": "number of CPUs",
    "governor": "CPU frequency scaling",
    "hostname": "host",
}
_OWN_SUBJECT = {
    "revision": "revision",
    "toolchain": "compiler",
    "cflags": "compiler flags",
    "ldflags": "linker flags",
    "python": "Python",
    "dependencies": "dependencies",
    "flags": "commands of the build",
    "source": "source",
    "interpreter": "interpreter",
}


@dataclass(frozen=True)
class FactChange:
    """One fact that is ``old`` on one side of a step and ``new`` on the other.

    ``often`` is the share of neighbouring points between which it differs: 1 for what is never the
    same twice, as a commit may be.
    """

    key: str
    label: str
    kind: FactKind
    old: str
    new: str
    often: float

    @property
    def telling(self) -> bool:
        """Whether it stays as it is for most of the points."""
        return self.often <= _USUAL


def changed_facts(timeline: Timeline, machine: str, before: int, at: int) -> tuple[FactChange, ...]:
    """What differs between two points of one machine, what seldom changes first."""
    facts = timeline.facts.get(machine, ())
    if not facts or (old := facts[before]) is None or (new := facts[at]) is None:
        return ()
    there = [f for f in facts if f is not None]
    found = [
        FactChange(key, *_named(key), old[key], new[key], _often(key, there))
        for key in old
        if key in new and not key.startswith(_MUTE) and not same_fact(key, old[key], new[key])
    ]
    order: tuple[FactKind, ...] = ("machine", "subject", "other")
    return tuple(sorted(found, key=lambda f: (not f.telling, order.index(f.kind), f.often)))


def _often(key: str, facts: Sequence[Facts]) -> float:
    pairs = [(a[key], b[key]) for a, b in pairwise(facts) if key in a and key in b]
    return sum(not same_fact(key, a, b) for a, b in pairs) / len(pairs) if pairs else 1.0


def _named(key: str) -> tuple[str, FactKind]:
    machine = _OWN.get(key) or MACHINE.get(key)
    if machine:
        return machine, "machine"
    # Results of a study say it of each variant.
    what, of, variant = key.partition(" of ")
    subject = SUBJECT.get(key) or _OWN_SUBJECT.get(what)
    return (f"{subject}{of}{variant}", "subject") if subject else (key, "other")


def revision_of(facts: Facts | None) -> str | None:
    """The revision that a point is of, if it is on record."""
    if facts is None:
        return None
    return next((facts[key] for key in ("commit_id", "revision", "commit") if key in facts), None)


@dataclass(frozen=True)
class Coincidence:
    """What changed where a step is, on the machines that have it: what did on all of those of which
    something is on record. ``none_on`` are other machines that were measured on both sides of it
    and have no step there."""

    finding: Finding
    machines: tuple[str, ...]
    changes: tuple[FactChange, ...]
    none_on: tuple[str, ...]

    @property
    def machine_changes(self) -> tuple[FactChange, ...]:
        """What seldom changes of the machine, and did."""
        return tuple(c for c in self.changes if c.telling and c.kind == "machine")


def coincidence(history: History, finding: Finding) -> Coincidence:
    """What is on record beside a step."""
    having = {h.series.machine for h in history.series if h.series.name in finding.ratios}
    machines = tuple(m for m in history.timeline.machines if m in having)
    changes = [
        changed_facts(history.timeline, m, finding.before, finding.at)
        for m in machines
        if m in history.timeline.facts
    ]
    shared = set.intersection(*({c.key for c in of} for of in changes)) if changes else set()
    first = changes[0] if changes else ()
    return Coincidence(
        finding,
        machines,
        tuple(c for c in first if c.key in shared),
        tuple(
            m for m in history.timeline.machines if m not in having and _none(history, finding, m)
        ),
    )


def _none(history: History, finding: Finding, machine: str) -> bool:
    """Whether the machine has points on both sides, and no step in that direction between them."""
    mine = [h for h in history.series if h.series.machine == machine]
    there = {i for h in mine for i, v in enumerate(h.series.values) if v is not None}
    if not there or min(there) > finding.before or max(there) < finding.at:
        return False
    up = next(iter(finding.ratios.values())) > 1
    return not any(
        (s.ratio > 1) == up and s.before < finding.at and s.at > finding.before
        for h in mine
        for s in h.shifts
    )
