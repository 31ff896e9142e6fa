"""Comparisons on several machines: where they come out the same, and where not, in sentences and
tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from whyfast.model.result import MachineDifference, Merged, Pooled
from whyfast.model.verdict import Outcome, Verdict
from whyfast.report import document as doc
from whyfast.report import formatting as fmt
from whyfast.report.sections import main_table
from whyfast.report.sections.certainty import care_section, warnings_of

#: How many comparisons are put in words; the table has all.
_MOST_COMPARISONS = 4
#: How many machines a sentence names; of more it has the number.
_MOST_NAMED = 4
#: What a CPU's name has beside the name.
_NOISE = re.compile(r"\((?:R|TM)\)|\b(?:CPU|\d+-Core|Processor)\b|@.*$", re.IGNORECASE)

T = TypeVar("T", MachineDifference, Pooled)

#: The heading of what is pooled.
POOLED = "machines like these"


@dataclass(frozen=True)
class OverMachines:
    """The overall verdict of a pair on each machine that has one (its geometric mean, or its only
    benchmark), where these differ, and what is expected of others. ``identical`` are machines on
    which both are one program, byte for byte, and nothing was measured."""

    variant: str
    baseline: str
    verdicts: Mapping[str, Verdict]
    difference: MachineDifference | None
    pooled: Pooled | None
    identical: tuple[str, ...] = ()

    @property
    def outcomes(self) -> frozenset[Outcome]:
        """Those of all machines."""
        return frozenset(v.outcome for v in self.verdicts.values())

    def on(self, outcome: Outcome) -> list[str]:
        """The machines with that outcome."""
        return [name for name, v in self.verdicts.items() if v.outcome == outcome]


def over_machines(merged: Merged) -> tuple[OverMachines, ...]:
    """One for each pair judged as a whole, in the order of the study; A/A controls last."""
    question = merged.question
    order = {v.name: (bool(v.control_of), i) for i, v in enumerate(question.variants)}
    bases = {name: i for i, name in enumerate(question.baselines)}
    last = (False, len(order))

    def place(pair: tuple[str, str]) -> tuple[bool, int, int]:
        control, i = order.get(pair[0], last)
        return control, bases.get(pair[1], len(bases)), i

    comparisons = []
    for pair in sorted(compared_pairs(merged), key=place):
        verdicts, identical = {}, []
        for m in merged.machines:
            first, second = (m.result.recorded.same.get(name, name) for name in pair)
            if first == second:
                identical.append(m.machine.name)
            if (verdict := m.result.judged.overall(first, second)) is not None:
                verdicts[m.machine.name] = verdict
        if verdicts:
            benchmarks = {verdict.benchmark for verdict in verdicts.values()}
            key = (*pair, benchmarks.pop() if len(benchmarks) == 1 else None)
            over = _with_key(merged.differences, key), _with_key(merged.pooled, key)
            comparisons.append(OverMachines(*pair, verdicts, *over, tuple(identical)))
    return tuple(comparisons)


def compared_pairs(merged: Merged) -> list[tuple[str, str]]:
    """Every pair (variant, baseline) that some machine judges, from one side alone."""
    pairs: dict[tuple[str, str], None] = {}
    for m in merged.machines:
        for v in m.result.judged.verdicts:
            if (v.baseline, v.variant) not in pairs:
                pairs[v.variant, v.baseline] = None
    return list(pairs)


def _with_key(every: Sequence[T], key: tuple[str, str, str | None]) -> T | None:
    return next((x for x in every if (x.variant, x.baseline, x.benchmark) == key), None)


def machine_sentences(merged: Merged) -> list[str]:
    """The headline and what follows: the claim, then the comparisons that machines decide
    otherwise, then those on which they agree, against the main baseline; what single benchmarks
    show."""
    controls = {v.name for v in merged.question.variants if v.control_of}
    main, margin = merged.question.baselines[:1], merged.question.margin
    every = [o for o in over_machines(merged) if o.variant not in controls]
    wanted = [o for o in every if o.baseline in main or merged.question.along] or every
    texts = list(_claim(merged))
    if len(merged.machines) == 1:
        name = fmt.quote(merged.machines[0].machine.name)
        texts.append(
            f"All results are from one machine, {name}: nothing to compare. "
            "If these are several machines with one host name, set WHYFAST_MACHINE on each."
        )
    shown = sorted(wanted, key=_rank)[:_MOST_COMPARISONS]
    texts += [comparison_sentence(o, merged) for o in shown]
    if more := len(wanted) - len(shown):
        texts.append(f"{fmt.pluralize(more, 'more comparison')} in the table.")
    texts += _benchmarks(merged)
    return texts + [pooled_sentence(o.pooled, margin) for o in shown if o.pooled is not None]


def _rank(o: OverMachines) -> tuple[int, float]:
    """What turns around first, then what differs, then what is decided alike."""
    turns = {"faster", "slower"} <= o.outcomes
    differs = o.difference is not None
    place = 0 if turns and differs else 1 if differs else 2 if len(o.outcomes) > 1 else 3
    return place, -max(fmt.size_of(v.ratio) for v in o.verdicts.values())


def comparison_sentence(o: OverMachines, merged: Merged) -> str:
    """A pair on all machines that measured it, their difference, and where both are identical."""
    text = _where_measured(o, merged)
    if o.identical:
        text += f"; on {machines_text(o.identical, merged)} the two are one program"
    return f"{text}."


def _where_measured(o: OverMachines, merged: Merged) -> str:
    if len(o.verdicts) == 1:
        ((name, verdict),) = o.verdicts.items()
        alone = " (no other machine has it)" if len(merged.machines) > 1 else ""
        where = f"{machines_text([name], merged)}{_figures(o, [name])}"
        return f"{_relation(o, verdict.outcome, merged)} on {where}{alone}"
    if len(o.outcomes) == 1:
        (outcome,) = o.outcomes
        text = f"{_relation(o, outcome, merged)} on {_all(len(o.verdicts))}"
        return f"{text}{_range(o, outcome)}{_apart(o, merged, alike=True)}"
    # The rarer of faster and slower first: it is the news.
    sides: list[Outcome] = ["slower", "faster"]
    sides.sort(key=lambda outcome: len(o.on(outcome)))
    first, *later = [x for x in (*sides, *main_table.OUTCOMES[2:]) if o.on(x)]
    names = o.on(first)
    groups = o.difference.groups if o.difference and not o.difference.between else ()
    only = any(set(names) == set(group) for group in groups[:1] + groups[-1:])
    text = (
        f"{_relation(o, first, merged)} on {machines_text(names, merged)}"
        f"{' only' if only else ''}{_figures(o, names)}"
    )
    for outcome in later:
        others = o.on(outcome)
        all_others = only and len(later) == 1 and len(others) > 1
        where = "elsewhere" if all_others else f"on {machines_text(others, merged)}"
        text += f", {'the same' if outcome == 'same' else outcome} {where}"
    return f"{text}{_apart(o, merged, alike=False)}"


def _relation(o: OverMachines, outcome: Outcome, merged: Merged) -> str:
    if outcome == "same":
        within = f" within {fmt.percent(merged.question.margin)}"
        return f"{fmt.quote(o.variant)} is the same as {fmt.quote(o.baseline)}{within}"
    than = "against" if outcome == "undecided" else "than"
    return f"{fmt.quote(o.variant)} is {outcome} {than} {fmt.quote(o.baseline)}"


def _all(number: int) -> str:
    return "both machines" if number == 2 else f"all {number} machines"


def _figures(o: OverMachines, names: Sequence[str]) -> str:
    """The ratio on a single machine; faster or slower stands before it."""
    v = o.verdicts[names[0]]
    text = (fmt.plain_text_of if v.outcome in ("same", "undecided") else fmt.text_of)(v)
    return f" ({text.value} {text.interval})" if len(names) == 1 else ""


def _range(o: OverMachines, outcome: Outcome) -> str:
    """The least and the largest difference, with their machines."""
    if outcome not in ("faster", "slower"):
        return ""
    first, *_, last = sorted(o.verdicts, key=lambda name: fmt.size_of(o.verdicts[name].ratio))
    low, high = (fmt.text_of(o.verdicts[name]).value for name in (first, last))
    if low != high and o.difference is not None:
        return f", from {low} ({fmt.quote(first)}) to {high} ({fmt.quote(last)})"
    return f", {low}" if low == high else f", {low} to {high}"


def _apart(o: OverMachines, merged: Merged, *, alike: bool) -> str:
    """Whether the machines differ, by the interval of the difference and not by the words."""
    if o.difference is None:
        several = any(v.benchmark is None for v in o.verdicts.values())
        needed = merged.needed.suites if several else merged.needed.benchmarks
        if len(o.verdicts) > 1 and min(v.blocks for v in o.verdicts.values()) < needed:
            return f"; to tell whether the machines differ takes {needed} blocks on each"
        return "" if alike else "; this does not show that the machines differ"
    return f"; {_higher(o.difference, merged)}"


def _higher(d: MachineDifference, merged: Merged) -> str:
    lowest, *_, highest = (machines_text(names, merged, cpu=False) for names in d.groups)
    return f"the ratio on {highest} is {fmt.plain_text_of(d)} that on {lowest}"


def machines_text(names: Sequence[str], merged: Merged, *, cpu: bool = True) -> str:
    """The machines, with their CPU where they share one that not all machines have."""
    if len(names) > _MOST_NAMED:
        return f"{len(names)} of {len(merged.machines)} machines"
    text = fmt.quoted(names)
    models = {m.machine.name: cpu_text(m.machine.facts) for m in merged.machines}
    shared = {models[name] for name in names}
    if not cpu or len(shared) > 1 or len(set(models.values())) == 1 or shared == {""}:
        return text
    return f"{text} ({shared.pop()})"


def cpu_text(facts: Mapping[str, str]) -> str:
    """A CPU's name without what says nothing."""
    return " ".join(_NOISE.sub(" ", facts.get("cpu_model", "")).split())


def audits(merged: Merged) -> dict[str, main_table.Audit]:
    """The audit of the study's claim on each machine; empty without a claim."""
    every = (
        (m, main_table.audit_claim(replace(m.result, question=merged.question)))
        for m in merged.machines
    )
    return {m.machine.name: audit for m, audit in every if audit is not None}


def _claim(merged: Merged) -> Iterator[str]:
    claim, every = merged.question.claim, merged.machines
    outcomes = fmt.grouped((_outcome(audit), name) for name, audit in audits(merged).items())
    parts = [f"{outcome} on {machines_text(names, merged)}" for outcome, names in outcomes.items()]
    if len(outcomes) == 1 and len(every) > 1:
        where = "either machine" if len(every) == 2 else f"any of the {len(every)} machines"
        parts = [f"{o} on {where if ' not ' in o else _all(len(every))}" for o in outcomes]
    if parts and claim is not None:
        start = f"The claim that {fmt.quote(claim.variant)} beats {fmt.quote(claim.baseline)}"
        yield f"{start} {'; it '.join(parts)}."


def _outcome(audit: main_table.Audit) -> str:
    if audit.claimed is None:
        return "could not be tested"
    if audit.claimed.outcome == "faster":
        return "rests on a slow baseline" if audit.vanished else "holds"
    return "is undecided" if audit.claimed.outcome == "undecided" else "does not hold"


def _benchmarks(merged: Merged) -> Iterator[str]:
    """Where single benchmarks of a suite come out otherwise."""
    if len(merged.question.benchmarks) < 2:
        return
    pairs = set(compared_pairs(merged))
    single = [d for d in merged.differences if d.benchmark and (d.variant, d.baseline) in pairs]
    if not single:
        return
    every = {
        (v.benchmark, v.variant, v.baseline)
        for m in merged.machines
        for v in m.result.judged.verdicts
        if (v.variant, v.baseline) in pairs
    }
    most = max(single, key=lambda d: d.ratio)
    yield (
        f"Machines differ in {len(single)} of {len(every)} comparisons of single benchmarks, most "
        f"in {fmt.quote(most.variant)} against {fmt.quote(most.baseline)} on "
        f"{fmt.quote(most.benchmark or '')}: {_higher(most, merged)}."
    )


def pooled_sentence(p: Pooled, margin: float) -> str:
    """The mean over machines, how far they lie apart, and what a further one may do."""
    left = f" ({fmt.has(p.left_out, 'has', 'have')} too few blocks)" if p.left_out else ""
    return (
        f"Over machines like these {p.machines}, {fmt.quote(p.variant)} is "
        f"{fmt.verdict(p, margin, 'clause')}; between machines the ratio varies by "
        f"{fmt.percent(round(p.tau, 4))}, so a further one may show "
        f"{expected_interval(p)}{left}."
    )


def expected_interval(p: Pooled) -> str:
    """The interval of a further machine."""
    return fmt.verdict_text(replace(p, low=p.expect_low, high=p.expect_high)).interval


# Sections on what differs.


def difference_sections(
    merged: Merged,
) -> tuple[doc.ReportSection | None, doc.ReportSection | None]:
    """What differs between machines, and by how much: as a whole, and on single benchmarks."""
    if len(merged.machines) < 2:
        return None, None
    single = len(merged.question.benchmarks) == 1
    whole = [d for d in merged.differences if single or d.benchmark is None]
    each = [d for d in merged.differences if not single and d.benchmark is not None]
    title = "differ between machines"
    return (
        doc.section(
            "differences",
            "Where machines differ",
            _differences(merged, f"Comparisons that {title}", whole) or _NO_DIFFERENCE,
            doc.sentences([_DIFFERENCES], aside=True),
        ),
        doc.detail(
            "each-difference",
            "On which benchmarks they differ",
            _differences(merged, f"Single benchmarks that {title}", each, named=True),
        ),
    )


def _differences(
    merged: Merged, caption: str, differences: Sequence[MachineDifference], *, named: bool = False
) -> doc.Table | None:
    """With the name of the benchmark where ``named``."""
    pairs = compared_pairs(merged)
    rows = [
        (
            *(
                d.variant,
                d.baseline,
                d.benchmark,
                doc.Cell(text.value, text.interval, None, d.ratio),
            ),
            *(fmt.join(d.groups[-1]), fmt.join(d.groups[0])),
            "; ".join(fmt.join(g) for g in (*d.groups[1:-1], d.between) if g) or None,
        )
        for d in differences
        if (d.variant, d.baseline) in pairs
        for text in [fmt.plain_text_of(d)]
    ]
    names = ("variant", "against", "benchmark" if named else None)
    columns = (*names, "ratio higher by", "on", "than on", "in between")
    return doc.table(caption, columns, rows, fixed=3)


_NO_DIFFERENCE = doc.sentences(["No comparison is shown to differ between machines."])
_DIFFERENCES = (
    "A difference is reported where the intervals of two machines do not overlap, at a level at "
    "which all of them hold together with 99 % confidence; different outcomes alone show nothing. "
    "Only ratios are compared, each measured on one machine, never times."
)


def claim_section(merged: Merged) -> doc.ReportSection | None:
    """The audit of the claim, machine by machine."""
    margin = merged.question.margin
    rows = [
        (
            name,
            doc.Cell(
                main_table.audit_headline(audit, margin),
                "".join(main_table.audit_intervals(audit, margin)),
            ),
        )
        for name, audit in audits(merged).items()
    ]
    columns = ("machine", "what the audit says")
    shown = doc.table("The claim, audited on each machine", columns, rows, by_machine=True)
    return doc.section("claim", "The claim", shown)


def lacking_section(merged: Merged) -> doc.ReportSection | None:
    """What some machine has no result of."""
    texts = (
        f"{fmt.quote(lack.machine)} has no {fmt.quote(lack.variant)}"
        f"{f' on {fmt.quote(lack.benchmark)}' if lack.benchmark else ''}: {lack.reason}."
        for lack in merged.lacking
    )
    return doc.section("lacking", "What is missing", doc.sentences(texts))


def machines_care(merged: Merged) -> doc.ReportSection | None:
    """What differs between the machines beside them, and the machines' own warnings."""
    warnings = [
        replace(c, text=f"{fmt.quote(m.machine.name)}: {c.text}")
        for m in merged.machines
        for c in warnings_of(m.result.judged.confounds)
    ]
    return care_section([*merged.confounds, *warnings])
