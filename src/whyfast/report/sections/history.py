"""How a history's findings are named, and which of them come first."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from statistics import median

from whyfast.history.changes import FALSE_STEP
from whyfast.history.findings import Coincidence, FactChange, coincidence, revision_of
from whyfast.judge.run_confounds import same_revision
from whyfast.model.cost import COSTS
from whyfast.model.history import CostSeries, Drift, Finding, History, SeriesHistory, Timeline
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections.costs import SIZE_PARTS, change_text, value_text

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
        return f"{self.series} {fmt.exact_text(self.ratio).factor}, {self.name}{more}"


def headline(history: History, *, named: bool = True) -> str:
    """What most series share, in the order of the points; then the largest of what else there is,
    with its series, or how much that is where it is not ``named`` but in a table."""
    parts = [
        f"{name_finding(history, f)}: {_in_words(f)}{_beside(history, f)}"
        for f in suite_wide(history)
    ]
    texts = [_capital("; ".join(parts)) + "."] if parts else []
    if rest := largest(history):
        concerned = len({name for finding in rest for name in finding.finding.ratios})
        number = _capital(fmt.pluralize(len(rest), "more finding" if parts else "finding"))
        which = ", the largest of them" if len(rest) > _NAMED else ""
        names = f"{which}: {'; '.join(map(str, rest[:_NAMED]))}" if named else ""
        texts.append(f"{number} in {concerned} of {len(history.series)} series{names}.")
    nothing = (
        "No step, no drift and no outlier in "
        f"{fmt.pluralize(len(history.timeline.points), 'point')} of {len(history.series)} series."
    )
    return " ".join(texts) or nothing


def _beside(history: History, finding: Finding) -> str:
    """Changes of the machine at the finding, and the machines without it."""
    if finding.kind != "step":
        return ""
    beside = coincidence(history, finding)
    texts = []
    if beside.machine_changes:
        texts.append(f"with another {fmt.join([c.label for c in beside.machine_changes])}")
    if beside.none_on:
        texts.append(f"none on {fmt.join(beside.none_on)}")
    return f", {' and '.join(texts)}" if texts else ""


def suite_wide(history: History) -> tuple[Finding, ...]:
    """Findings in at least a quarter of the series that they could be in, and in more than chance
    alone may give one; as time goes. Of few series, everything."""
    total = len(history.series)
    wide = [
        f
        for f in (*history.findings, *history.drifts)
        if len(f.ratios) >= max(1, _SHARE * f.of)
        and not (len(f.ratios) == 1 and total > 1)
        and len(f.ratios) > FALSE_STEP * total
    ]
    return tuple(sorted(wide, key=lambda f: (f.at, f.kind, f.before)))


def largest(history: History) -> tuple[LargestOf, ...]:
    """Every finding that is not one of the suite's, the largest first."""
    wide = suite_wide(history)
    rest = []
    for f in (*history.findings, *history.drifts):
        if f not in wide:
            name, ratio = max(f.ratios.items(), key=lambda item: (fmt.size_of(item[1]), item[0]))
            rest.append(LargestOf(name, name_finding(history, f), ratio, len(f.ratios) - 1, f))
    return tuple(sorted(rest, key=lambda f: (-fmt.size_of(f.ratio), f.series, f.name)))


def main_findings(history: History) -> tuple[Finding, ...]:
    """What the first lines name: the findings of the suite, then the largest of the others."""
    return (*suite_wide(history), *(f.finding for f in largest(history)[:_NAMED]))


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
        yield f"{points[s.before]} → {points[s.at]} {fmt.text_of(s)}"
    for d in h.drifts:
        yield f"drifting {points[d.start]} … {points[d.end]} {fmt.text_of(d)}, about {pace(d)}"
    for o in h.outliers:
        yield f"outlier {points[o.at]} {fmt.exact_text(o.ratio).factor}"


def pace(drift: Drift) -> str:
    """``0.4 % a week``, or a point where points have no dates."""
    share, each = drift.per_point, "a point"
    if drift.per_week is not None and abs(math.log(drift.per_week)) < 1:
        share, each = drift.per_week, "a week"
    return f"{100 * abs(share - 1):.2g} % {each}"


def where_text(where: Mapping[str, str]) -> str:
    """``retpoline=n, length=0``."""
    return ", ".join(f"{c}={v}" for c, v in where.items())


def _in_words(finding: Finding) -> str:
    ratios = list(finding.ratios.values())
    many = f" in {len(ratios)} of {finding.of} series" if finding.of > 1 else ""
    with_all = f" with {where_text(finding.where)}" if finding.where else ""
    middle = " (median)" if len(ratios) > 1 else ""
    return f"{fmt.exact_text(median(ratios)).factor}{many}{with_all}{middle}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Recorded facts that changed at the steps of a history.

_LONG = 60
_MOST = 4


def coincidences(history: History) -> tuple[Coincidence, ...]:
    """Of the steps that the first lines name."""
    steps = (f for f in main_findings(history) if f.kind == "step")
    return tuple(coincidence(history, finding) for finding in steps)


def why_sentences(history: History) -> Iterator[str]:
    """A sentence a step: what else changed there, what did not, and how to look for it."""
    steps = coincidences(history)
    if steps and not history.timeline.facts:
        yield (
            "No facts about the points (kernel, boot, compiler, revision) are recorded, so other "
            "changes at the steps are unknown."
        )
    else:
        yield from (_sentence(history, step) for step in steps)


def search_commands(history: History) -> tuple[str, ...]:
    """``whyfast search`` for the slower steps between two revisions; not for those that the machine
    explains: it changed there, and machines that did not have none."""
    study = shlex.quote(history.timeline.study) if history.timeline.study else "STUDY"
    commands: dict[str, None] = {}
    for step in coincidences(history):
        ends = _revisions(history.timeline, step)
        slower = all(r > 1 for r in step.finding.ratios.values())
        if ends and slower and not (step.machine_changes and step.none_on):
            good, bad = map(shlex.quote, ends)
            series = [h.series for h in history.series if h.series.name in step.finding.ratios]
            names = {
                s.keys.get("benchmark", s.name.removesuffix(f" on {s.machine}")) for s in series
            }
            single = f" --benchmark {shlex.quote(names.pop())}" if len(names) == 1 else ""
            commands[f"whyfast search {study} --good {good} --bad {bad}{single}"] = None
    return tuple(commands)


def _sentence(history: History, step: Coincidence) -> str:
    on = f" on {fmt.join(step.machines)}" if any(step.machines) else ""
    name = name_finding(history, step.finding)
    telling = [c for c in step.changes if c.telling]
    usual = [c for c in step.changes if not c.telling and c.kind != "other"]
    text = f"{name}{on}: no recorded fact that seldom changes changed there."
    if telling:
        text = f"{name}{on} coincides with {_several(telling)}."
    if usual:
        text += f" Facts that change at most points changed too: {_several(usual)}."
    if step.none_on:
        text += f" No such step on {fmt.join(step.none_on)}."
    if step.machine_changes:
        text += " Suspect the machine first."
    return _capital(text)


def _several(changes: Sequence[FactChange]) -> str:
    """Each with both values; of long ones the words in which they differ."""
    texts = []
    for change in changes:
        old, new = change.old, change.new
        if max(len(old), len(new)) > _LONG:
            a, b = old.split(" "), new.split(" ")
            old = " ".join(w for w in a if w not in b)[:_LONG] or "–"
            new = " ".join(w for w in b if w not in a)[:_LONG] or "–"
        texts.append(f"another {change.label} ({old} → {new})")
    return fmt.join(texts, _MOST)


def _revisions(timeline: Timeline, step: Coincidence) -> tuple[str, str] | None:
    """The revisions on both sides, where both are on record and not the same."""
    facts = timeline.facts.get(step.machines[0], ())
    ends = [revision_of(facts[i]) for i in (step.finding.before, step.finding.at)] if facts else []
    known = [end for end in ends if end is not None]
    return (known[0], known[1]) if len(known) == 2 and not same_revision(*known) else None


#: The latest changes of costs on a short page.
_CHANGES = 20


def cost_history_table(timeline: Timeline) -> doc.Table | None:
    """A row for every change of an exact cost from one point to the next that has it, by cost, then
    in the order of the points; None without any. A short report has no parts of the size."""
    costs = sorted(timeline.costs, key=lambda c: [*COSTS].index(c.key))
    rows = list(_cost_rows(timeline, costs))
    short = [row for key, row in rows if key not in SIZE_PARTS][-_CHANGES:]
    heads = ("cost", "points", *doc.right("before", "after", "change"))
    whole, few = (
        doc.table("Every change of an exact cost", heads, shown, fixed=2)
        for shown in ([row for _, row in rows], short)
    )
    return doc.with_short(whole, few)


def _cost_rows(timeline: Timeline, costs: Sequence[CostSeries]) -> Iterator[tuple[str, doc.Row]]:
    several = len({c.variant for c in costs}) > 1
    for c in costs:
        there = [(i, x) for i, x in enumerate(c.values) if x is not None]
        for (i, before), (k, after) in pairwise(there):
            if before == after:
                continue
            of = ", ".join(t for t in (c.variant * several, c.benchmark or "", c.machine) if t)
            points = f"{timeline.points[i]} → {timeline.points[k]}"
            values = (doc.value_cell(x, partial(value_text, c.key)) for x in (before, after))
            change = doc.value_cell(after / before if before else math.inf, change_text)
            yield c.key, (doc.Cell(COSTS[c.key].title, of), points, *values, change)


def cost_history_sentences(timeline: Timeline) -> Iterator[str]:
    """Which exact costs never changed."""
    values = fmt.grouped((COSTS[c.key].title, {*c.values} - {None}) for c in timeline.costs)
    steady = [title for title, every in values.items() if all(len(x) == 1 for x in every)]
    if steady:
        points = fmt.pluralize(len(timeline.points), "point")
        yield f"The same over all {points}: {fmt.join(steady)}."
