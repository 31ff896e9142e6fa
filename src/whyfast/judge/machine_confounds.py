"""What the machine was like while the blocks of one run were taken, where that was not one and the
same: settings that changed, and what the host, heat and other programs did meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from whyfast.measure.doctor.system_load import STOLEN
from whyfast.model.sample import Block, Session
from whyfast.model.verdict import Confound

#: Findings of ``whyfast doctor`` that hold until somebody changes them, by key.
SETTINGS = {
    "governor": "CPU frequency governor",
    "turbo": "turbo, boost",
    "smt": "SMT (hyper-threading)",
    "isolated": "isolated CPUs",
    "nohz_full": "CPUs without timer tick",
    "aslr": "address space randomisation",
    "huge_pages": "transparent huge pages",
    "mitigations": "mitigations of CPU vulnerabilities",
    "clock_source": "clock source",
    "cpu_quota": "container CPU limit",
    "virtualisation": "virtualisation",
}

#: Facts beside the findings; a run can move to another machine with its data folder.
FACTS = {"hostname": "host", "cpu_model": "CPU model", "cpus": "number of CPUs"}


def machine_confounds(sessions: Sequence[Session], blocks: Sequence[Block]) -> list[Confound]:
    """Settings that were not the same in all sessions with blocks, or changed during one; time that
    the host kept for itself, and throttling, while measuring."""
    taken = {b.session for b in blocks}
    used = [s for s in sessions if s.id in taken]
    apart = _apart(used, blocks)
    return [*_settings(used, blocks, apart), *_hosts(apart), *_steal(used), *_throttling(used)]


def _apart(sessions: Sequence[Session], blocks: Sequence[Block]) -> dict[str, set[str]]:
    """Hosts and their benchmarks where benchmarks were spread over hosts, each on one; else
    empty."""
    host = {s.id: _value(s.environment, "hostname", "") for s in sessions}
    name = {s.id: str(s.environment.get("machine") or host[s.id]) for s in sessions}
    found: dict[str, set[str]] = {}
    for block in blocks:
        if block.session in name:
            found.setdefault(name[block.session], set()).add(block.benchmark)
    whole = [benchmark for names in found.values() for benchmark in names]
    return found if len(found) > 1 and len(set(whole)) == len(whole) else {}


def _hosts(apart: Mapping[str, set[str]]) -> Iterator[Confound]:
    if apart:
        sides = "; ".join(f"{host} ({len(names)})" for host, names in sorted(apart.items()))
        yield Confound(
            "hosts",
            f"the benchmarks were spread over {len(apart)} hosts: {sides}; every comparison lies "
            "within one host, and a geometric mean goes over all of them",
            "note",
        )


def _settings(
    sessions: Sequence[Session], blocks: Sequence[Block], apart: Mapping[str, set[str]]
) -> Iterator[Confound]:
    number = {s.id: sum(b.session == s.id for b in blocks) for s in sessions}
    for key, title in {**FACTS, **SETTINGS}.items():
        groups: dict[str, int] = {}
        changed: list[tuple[str, str]] = []
        for session in sessions:
            start, end = (_value(session.environment, key, when) for when in ("", "at_end"))
            if start is None:
                continue
            if end is not None and end != start:
                changed.append((start, end))
            groups[start] = groups.get(start, 0) + number[session.id]
        if len(groups) > 1 and not apart:
            sides = "; ".join(
                f"{value} ({n} block{'' if n == 1 else 's'})" for value, n in groups.items()
            )
            yield Confound(
                f"machine-{key}",
                f"the machine was not the same for all blocks, {title}: {sides}; each block lies "
                "within one setting, but the ratio itself may depend on it",
            )
        for start, end in dict.fromkeys(changed):
            yield Confound(
                f"machine-{key}", f"the machine changed while measuring, {title}: {start} → {end}"
            )


def _value(environment: Mapping[str, object], key: str, when: str) -> str | None:
    """What was found, at the start or at the end; None where it was not known."""
    facts: Any = environment.get(when, {}) if when else environment
    if not isinstance(facts, Mapping):
        return None
    if key in FACTS:
        return str(facts[key]) if facts.get(key) is not None else None
    doctor: Any = facts.get("doctor")
    finding = doctor.get(key) if isinstance(doctor, Mapping) else None
    if not isinstance(finding, Mapping) or finding.get("state") == "unknown":
        return None
    return str(finding.get("value"))


def _steal(sessions: Sequence[Session]) -> Iterator[Confound]:
    stolen = [_grown(s, "stolen_ticks") for s in sessions]
    ticks = [_grown(s, "ticks") for s in sessions]
    known = [(a, b) for a, b in zip(stolen, ticks, strict=True) if a is not None and b]
    share = sum(a for a, _ in known) / sum(b for _, b in known) if known else 0.0
    if share >= STOLEN:
        yield Confound(
            "steal",
            f"the host gave {share * 100:.1f} % of the time on these CPUs to other machines while "
            "measuring (steal time); turns hold against that, but absolute times are too long",
            "note",
        )


def _throttling(sessions: Sequence[Session]) -> Iterator[Confound]:
    events = sum(_grown(s, "throttle_events") or 0 for s in sessions)
    if events:
        yield Confound(
            "throttling",
            "heat slowed CPUs while measuring (events of cores and packages, over all CPUs: "
            f"{events}); turns hold against that, but absolute times are too long",
            "note",
        )


def _grown(session: Session, key: str) -> int | None:
    """By how much a count of the kernel grew during the session."""
    start, end = (
        found.get(key) if isinstance(found, Mapping) else None
        for found in (session.environment.get(when) for when in ("at_start", "at_end"))
    )
    return end - start if isinstance(start, int) and isinstance(end, int) else None
