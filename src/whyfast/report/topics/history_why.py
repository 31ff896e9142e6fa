"""Why a history changed where it did, as far as the files say: what else differs there."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from whyfast.history.why import Coincidence, FactChange, coincidence, revision_of
from whyfast.judge.same_facts import same_revision
from whyfast.model.history import History, Timeline
from whyfast.report.names import count, listed
from whyfast.report.topics.history_findings import main_findings, name_finding

_LONG = 60
_MOST = 4


def coincidences(history: History) -> tuple[Coincidence, ...]:
    """Of the steps that the first lines name."""
    return tuple(
        coincidence(history, finding)
        for finding in main_findings(history)
        if finding.kind == "step"
    )


def why_sentences(history: History) -> Iterator[str]:
    """A sentence a step: what else changed there, what did not, and how to look for it."""
    if not history.timeline.facts and any(f.kind == "step" for f in main_findings(history)):
        yield (
            "Nothing is on record of the points (kernel, boot, compiler, revision), so what else "
            "changed where the results did cannot be told."
        )
        return
    for found in coincidences(history):
        yield _sentence(history, found)


def search_commands(history: History) -> tuple[str, ...]:
    """``whyfast search`` for the slower steps between two revisions; not for those that the machine
    explains: it changed there, and machines that did not have none."""
    study = shlex.quote(history.timeline.study) if history.timeline.study else "STUDY"
    commands: dict[str, None] = {}
    for found in coincidences(history):
        ends = _revisions(history.timeline, found)
        slower = all(r > 1 for r in found.finding.ratios.values())
        if ends and slower and not (found.machine_changes and found.none_on):
            good, bad = map(shlex.quote, ends)
            one = f"whyfast search {study} --good {good} --bad {bad}"
            commands[one + _benchmark(history, found)] = None
    return tuple(commands)


def _benchmark(history: History, found: Coincidence) -> str:
    """``--benchmark``, where the step is that of a single one."""
    series = [h.series for h in history.series if h.series.name in found.finding.ratios]
    names = {s.keys.get("benchmark", s.name.removesuffix(f" on {s.machine}")) for s in series}
    return f" --benchmark {shlex.quote(names.pop())}" if len(names) == 1 else ""


def _sentence(history: History, found: Coincidence) -> str:
    on = f" on {listed(found.machines)}" if any(found.machines) else ""
    name = name_finding(history, found.finding)
    telling = [c for c in found.changes if c.telling]
    usual = [c for c in found.changes if not c.telling and c.kind != "other"]
    if telling:
        said = f"{name}{on} coincides with {listed(_several(telling))}."
    else:
        said = f"{name}{on}: nothing that seldom changes is on record as changed there."
    if usual:
        said += f" What changes at most points did here too: {listed(_several(usual))}."
    if found.none_on:
        said += f" On {listed(found.none_on)} there is none."
    if found.machine_changes:
        said += " Suspect the machine first."
    return said[:1].upper() + said[1:]


def _several(changes: Sequence[FactChange]) -> list[str]:
    said = [f"another {c.label} ({_sides(c)})" for c in changes[:_MOST]]
    if len(changes) > _MOST:
        said.append(count(len(changes) - _MOST, "more fact"))
    return said


def _sides(change: FactChange) -> str:
    """Both values; of long ones the words in which they differ."""
    old, new = change.old, change.new
    if max(len(old), len(new)) > _LONG:
        a, b = old.split(" "), new.split(" ")
        old = " ".join(w for w in a if w not in b)[:_LONG] or "–"
        new = " ".join(w for w in b if w not in a)[:_LONG] or "–"
    return f"{old} → {new}"


def _revisions(timeline: Timeline, found: Coincidence) -> tuple[str, str] | None:
    """The revisions on both sides, where both are on record and not the same."""
    facts = timeline.facts.get(found.machines[0], ())
    if not facts:
        return None
    old, new = (revision_of(facts[i]) for i in (found.finding.before, found.finding.at))
    if old is None or new is None or same_revision(old, new):
        return None
    return old, new
