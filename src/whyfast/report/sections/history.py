"""How a history's findings are named, and which of them come first."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from whyfast.history.changes import FALSE_STEP
from whyfast.history.findings import Coincidence, FactChange, coincidence, revision_of
from whyfast.judge.run_confounds import same_revision
from whyfast.model.history import Drift, Finding, History, SeriesHistory, Timeline
from whyfast.report.formatting import join_words, pluralize, ratio_text

#: A finding is the suite's when at least this share of the series that could have it has it.
_SHARE = 0.25
#: The most findings of single series in the headline.
_NAMED = 3


@dataclass(frozen=True)
class LargestOf:
    """A finding that is not the suite's, by the series in which it is largest; ``others`` more have
    it. ``ratio`` is over 1 for slower."""

    series: str
    name: str
    ratio: float
    others: int
    finding: Finding

    def __str__(self) -> str:
        more = f" (and in {self.others} more)" if self.others else ""
        return f"{self.series} {factor(self.ratio)}, {self.name}{more}"


def headline(history: History, *, named: bool = True) -> str:
    """What most series share, in the order of the points; then the largest of what else there is,
    with its series, or how much that is where it is not ``named`` but in a table."""
    parts = [
        f"{name_finding(history, f)}: {_in_words(f)}{_beside(history, f)}"
        for f in suite_wide(history)
    ]
    texts = [_capital("; ".join(parts)) + "."] if parts else []
    rest = largest(history)
    if rest:
        texts.append(_of_rest(history, rest, more="more " if parts else "", named=named))
    if texts:
        return " ".join(texts)
    return (
        f"No step, no drift and no outlier in {pluralize(len(history.timeline.points), 'point')} "
        f"of {len(history.series)} series."
    )


def _beside(history: History, finding: Finding) -> str:
    """What changed of the machine there, and which machines do not have it."""
    if finding.kind != "step":
        return ""
    found = coincidence(history, finding)
    texts = []
    if found.machine_changes:
        texts.append(f"with another {join_words([c.label for c in found.machine_changes])}")
    if found.none_on:
        texts.append(f"none on {join_words(found.none_on)}")
    return f", {' and '.join(texts)}" if texts else ""


def _of_rest(history: History, rest: Sequence[LargestOf], *, more: str, named: bool) -> str:
    concerned = len({name for one in rest for name in one.finding.ratios})
    if not named:
        found = pluralize(len(rest), f"{more}finding")
        return f"{_capital(found)} in {concerned} of {len(history.series)} series."
    largest_of = "; ".join(str(one) for one in rest[:_NAMED])
    which = ", the largest of them" if len(rest) > _NAMED else ""
    found = pluralize(len(rest), f"{more}finding")
    return f"{_capital(found)} in {concerned} of {len(history.series)} series{which}: {largest_of}."


def suite_wide(history: History) -> tuple[Finding, ...]:
    """Findings in at least a quarter of the series that they could be in, and in more than chance
    alone may give one; as time goes. Of few series, everything."""
    found = [
        f
        for f in (*history.findings, *history.drifts)
        if len(f.ratios) >= max(1, _SHARE * f.of) and not _few(f, history)
    ]
    return tuple(sorted(found, key=lambda f: (f.at, f.kind, f.before)))


def _few(finding: Finding, history: History) -> bool:
    """A single series of several, or no more than chance alone may give a step."""
    total = len(history.series)
    alone = len(finding.ratios) == 1 and total > 1
    return alone or len(finding.ratios) <= FALSE_STEP * total


def largest(history: History) -> tuple[LargestOf, ...]:
    """Every finding that is not one of the suite's, the largest first."""
    wide = suite_wide(history)
    found = []
    for f in (*history.findings, *history.drifts):
        if f not in wide:
            name, ratio = max(f.ratios.items(), key=lambda item: (abs(math.log(item[1])), item[0]))
            found.append(LargestOf(name, name_finding(history, f), ratio, len(f.ratios) - 1, f))
    return tuple(sorted(found, key=lambda one: (-abs(math.log(one.ratio)), one.series, one.name)))


def main_findings(history: History) -> tuple[Finding, ...]:
    """What the first lines name: the findings of the suite, then the largest of the others."""
    return (*suite_wide(history), *(one.finding for one in largest(history)[:_NAMED]))


def name_finding(history: History, finding: Finding) -> str:
    """``step v5.4 → v5.5``, ``drift v5.4 … v5.9``, or ``outlier v5.6``."""
    points = history.timeline.points
    if finding.kind == "outlier":
        return f"outlier {points[finding.at]}"
    between = "→" if finding.kind == "step" else "…"
    return f"{finding.kind} {points[finding.before]} {between} {points[finding.at]}"


def in_series(h: SeriesHistory, points: tuple[str, ...]) -> Iterator[str]:
    """What was found in one series, finding by finding."""
    for s in h.shifts:
        yield f"{points[s.before]} → {points[s.at]} {ratio_text(s.ratio, s.low, s.high)}"
    for d in h.drifts:
        sized = ratio_text(d.ratio, d.low, d.high)
        yield f"drifting {points[d.start]} … {points[d.end]} {sized}, about {pace(d)}"
    for o in h.outliers:
        yield f"outlier {points[o.at]} {factor(o.ratio)}"


def pace(drift: Drift) -> str:
    """``0.4 % a week``, or a point where points have no dates."""
    if drift.per_week is not None and abs(math.log(drift.per_week)) < 1:
        return f"{_share(drift.per_week)} a week"
    return f"{_share(drift.per_point)} a point"


def where_text(where: Mapping[str, str]) -> str:
    """``retpoline=n, length=0``."""
    return ", ".join(f"{c}={v}" for c, v in where.items())


def factor(ratio: float) -> str:
    """1.9x slower, 2.2x faster: from the slower side; as many decimals as tell it from 1."""
    outcome = "slower" if ratio > 1 else "faster"
    return f"{times(ratio)} {outcome}"


def times(ratio: float) -> str:
    """``1.90x``, from the slower side."""
    size = math.exp(abs(math.log(ratio)))
    decimals = 2 if size >= 1.02 else 3 if size >= 1.002 else 4
    return f"{size:.{decimals}f}x"


def _share(ratio: float) -> str:
    return f"{100 * abs(ratio - 1):.2g} %"


def _in_words(finding: Finding) -> str:
    ratios = list(finding.ratios.values())
    many = f" in {len(ratios)} of {finding.of} series" if finding.of > 1 else ""
    where = where_text(finding.where)
    many += f" with {where}" if where else ""
    return f"{factor(median(ratios))}{many}" + (" (median)" if len(ratios) > 1 else "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# ---- Recorded facts that changed at the steps of a history.

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
            "No facts about the points (kernel, boot, compiler, revision) are recorded, so other "
            "changes at the steps are unknown."
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
    on = f" on {join_words(found.machines)}" if any(found.machines) else ""
    name = name_finding(history, found.finding)
    telling = [c for c in found.changes if c.telling]
    usual = [c for c in found.changes if not c.telling and c.kind != "other"]
    if telling:
        text = f"{name}{on} coincides with {join_words(_several(telling))}."
    else:
        text = f"{name}{on}: no recorded fact that seldom changes changed there."
    if usual:
        text += f" Facts that change at most points changed too: {join_words(_several(usual))}."
    if found.none_on:
        text += f" No such step on {join_words(found.none_on)}."
    if found.machine_changes:
        text += " Suspect the machine first."
    return text[:1].upper() + text[1:]


def _several(changes: Sequence[FactChange]) -> list[str]:
    texts = [f"another {c.label} ({_sides(c)})" for c in changes[:_MOST]]
    if len(changes) > _MOST:
        texts.append(pluralize(len(changes) - _MOST, "more fact"))
    return texts


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
