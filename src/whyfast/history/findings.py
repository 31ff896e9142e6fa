"""Findings over several series: equal changes become one, with the facts that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from math import log, log1p
from statistics import median
from typing import Literal

from whyfast.judge.run_confounds import MACHINE, SUBJECT, same_fact
from whyfast.model.errors import UserError
from whyfast.model.history import Drift, Finding, History, SeriesHistory, Timeline

#: Two drifts are one finding when they share this part of the points that either covers.
_OVERLAP = 0.5


def findings(histories: Sequence[SeriesHistory]) -> tuple[Finding, ...]:
    """Steps and outliers; the same place and direction in several series is one finding."""
    groups: dict[tuple[Literal["step", "outlier"], int, int, bool], dict[str, float]] = {}
    for history in histories:
        name = history.series.name
        for s in history.shifts:
            groups.setdefault(("step", s.before, s.at, s.ratio > 1), {})[name] = s.ratio
        for o in history.outliers:
            groups.setdefault(("outlier", o.at, o.at, o.ratio > 1), {})[name] = o.ratio
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Finding(kind, before, at, ratios, *_concerned(ratios, histories))
        for (kind, before, at, _), ratios in ordered
    )


def drift_findings(histories: Sequence[SeriesHistory]) -> tuple[Finding, ...]:
    """Drifts in one direction over about the same points are one finding, those in most series
    first; it lasts from the median start to the median end."""
    drifts = [(d, h.series.name) for h in histories for d in h.drifts]
    groups: list[list[tuple[Drift, str]]] = []
    for drift, name in sorted(drifts, key=lambda item: (item[0].start - item[0].end, item[1])):
        for group in groups:
            if _alike(group[0][0], drift) and all(name != other for _, other in group):
                group.append((drift, name))
                break
        else:
            groups.append([(drift, name)])
    merged = []
    for group in sorted(groups, key=lambda g: (-len(g), g[0][0].start)):
        ratios = {name: drift.ratio for drift, name in group}
        start, end = (round(median(getattr(d, e) for d, _ in group)) for e in ("start", "end"))
        merged.append(Finding("drift", start, end, ratios, *_concerned(ratios, histories)))
    return tuple(merged)


def _alike(a: Drift, b: Drift) -> bool:
    shared = min(a.end, b.end) - max(a.start, b.start)
    either = max(a.end, b.end) - min(a.start, b.start)
    return (a.ratio > 1) == (b.ratio > 1) and shared >= _OVERLAP * either


def _concerned(
    ratios: Mapping[str, float], histories: Sequence[SeriesHistory]
) -> tuple[int, dict[str, str]]:
    """The number of series with the common columns of those in ``ratios``, and these columns: equal
    in all of them, and different in some other series. None for a single series, whose name already
    says it."""
    every = {h.series.name: h.series.keys.items() for h in histories}
    shared = set.intersection(*(set(every[name]) for name in ratios)) if len(ratios) > 1 else set()
    first = every[next(iter(ratios))]
    where = {
        k: v for k, v in first if (k, v) in shared and any((k, v) not in e for e in every.values())
    }
    return sum(where.items() <= keys for keys in every.values()), where


def only_series(timeline: Timeline, globs: Sequence[str]) -> Timeline:
    """The series whose names match any of ``globs``; all for none. UserError when none match."""
    for glob in globs:
        if not any(fnmatchcase(s.name, glob) for s in timeline.series):
            names = ", ".join(s.name for s in timeline.series[:5])
            raise UserError(f"no series matches; available: {names}, …", where=glob)
    kept = [s for s in timeline.series if not globs or any(fnmatchcase(s.name, g) for g in globs)]
    return replace(timeline, series=tuple(kept))


def at_least(history: History, minimum: float) -> History:
    """The history without changes below ``minimum`` (0.05: 5 %). Levels stay."""
    if minimum <= 0:
        return history
    kept = tuple(_larger(h, minimum) for h in history.series)
    return replace(
        history,
        series=kept,
        findings=findings(kept),
        drifts=drift_findings(kept),
        suite=tuple(_larger(h, minimum) for h in history.suite),
    )


def _larger(history: SeriesHistory, minimum: float) -> SeriesHistory:
    def large(ratio: float) -> bool:
        return abs(log(ratio)) >= log1p(minimum)

    return replace(
        history,
        shifts=tuple(s for s in history.shifts if large(s.ratio)),
        outliers=tuple(o for o in history.outliers if large(o.ratio)),
        drifts=tuple(d for d in history.drifts if large(d.ratio)),
    )


def has_changed(history: History, word: str) -> bool:
    """Whether a step or drift is ``slower`` or ``faster``; ``changed``: either."""
    every = (*history.series, *history.suite)
    ratios = [s.ratio for h in every for s in h.shifts] + [d.ratio for h in every for d in h.drifts]
    if word == "changed":
        return bool(ratios)
    return any((ratio > 1) == (word == "slower") for ratio in ratios)


Facts = Mapping[str, str]
FactKind = Literal["machine", "subject", "other"]

#: Facts that explain nothing: the momentary load, the place of a program.
_MUTE = ("load", "python_executable", "commit_date", "date", "whyfast")

#: A fact that differs at more than this share of the points is expected to vary.
_USUAL = 0.5

#: Labels of the facts in results of whyfast.
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
    """One fact that is ``old`` on one side of a step and ``new`` on the other. ``often`` is the
    share of neighbouring points between which it differs: 1 for facts that never repeat, such as
    commits."""

    key: str
    label: str
    kind: FactKind
    old: str
    new: str
    often: float

    @property
    def telling(self) -> bool:
        """Whether it is constant between most points."""
        return self.often <= _USUAL


def changed_facts(timeline: Timeline, machine: str, before: int, at: int) -> tuple[FactChange, ...]:
    """The facts that differ between two points of one machine, rarely changing ones first."""
    facts = timeline.facts.get(machine, ())
    if not facts or (old := facts[before]) is None or (new := facts[at]) is None:
        return ()
    there = [f for f in facts if f is not None]
    changes = [
        FactChange(key, *_named(key), old[key], new[key], _often(key, there))
        for key in old
        if key in new and not key.startswith(_MUTE) and not same_fact(key, old[key], new[key])
    ]
    order: tuple[FactKind, ...] = ("machine", "subject", "other")
    return tuple(sorted(changes, key=lambda f: (not f.telling, order.index(f.kind), f.often)))


def _often(key: str, facts: Sequence[Facts]) -> float:
    pairs = [(a[key], b[key]) for a, b in pairwise(facts) if key in a and key in b]
    return sum(not same_fact(key, a, b) for a, b in pairs) / len(pairs) if pairs else 1.0


def _named(key: str) -> tuple[str, FactKind]:
    machine = _OWN.get(key) or MACHINE.get(key)
    if machine:
        return machine, "machine"
    # Results of a study have them for each variant: ``toolchain of base``.
    name, joint, variant = key.partition(" of ")
    subject = SUBJECT.get(key) or _OWN_SUBJECT.get(name)
    return (f"{subject}{joint}{variant}", "subject") if subject else (key, "other")


def revision_of(facts: Facts | None) -> str | None:
    """The recorded revision of a point; None without one."""
    if facts is None:
        return None
    return next((facts[key] for key in ("commit_id", "revision", "commit") if key in facts), None)


@dataclass(frozen=True)
class Coincidence:
    """The facts that changed at a step, on all machines with the step and with recorded facts.
    ``none_on``: machines that were measured on both sides of it and have no step there."""

    finding: Finding
    machines: tuple[str, ...]
    changes: tuple[FactChange, ...]
    none_on: tuple[str, ...]

    @property
    def machine_changes(self) -> tuple[FactChange, ...]:
        """The changed facts of the machine that rarely change."""
        return tuple(c for c in self.changes if c.telling and c.kind == "machine")


def coincidence(history: History, finding: Finding) -> Coincidence:
    """The facts that changed at a step."""
    having = {h.series.machine for h in history.series if h.series.name in finding.ratios}
    machines = tuple(m for m in history.timeline.machines if m in having)
    changes = [
        changed_facts(history.timeline, m, finding.before, finding.at)
        for m in machines
        if m in history.timeline.facts
    ]
    shared = set.intersection(*({c.key for c in known} for known in changes)) if changes else set()
    others = [m for m in history.timeline.machines if m not in having]
    return Coincidence(
        finding,
        machines,
        tuple(c for known in changes[:1] for c in known if c.key in shared),
        tuple(m for m in others if _none(history, finding, m)),
    )


def _none(history: History, finding: Finding, machine: str) -> bool:
    """Whether the machine has points on both sides, and no step in that direction between them."""
    histories = [h for h in history.series if h.series.machine == machine]
    measured = {i for h in histories for i, v in enumerate(h.series.values) if v is not None}
    if not measured or min(measured) > finding.before or max(measured) < finding.at:
        return False
    up = next(iter(finding.ratios.values())) > 1
    return not any(
        (s.ratio > 1) == up and s.before < finding.at and s.at > finding.before
        for h in histories
        for s in h.shifts
    )
