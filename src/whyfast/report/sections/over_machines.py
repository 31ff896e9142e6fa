"""One comparison on several machines, in sentences: where it comes out the same, and where not."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from whyfast.model.result import MachineDifference, Merged, Pooled
from whyfast.model.verdict import Outcome, Verdict
from whyfast.report.formatting import (
    format_percent,
    format_verdict,
    has,
    join_words,
    plain_ratio_text,
    pluralize,
    quote,
    ratio_text,
)
from whyfast.report.sections.claim_audit import Audit, audit_claim
from whyfast.report.sections.main_table import Comparisons

#: How many comparisons are put in words; the table has all.
_MOST_SAID = 4
#: How many machines a sentence names; of more it has the number.
_MOST_NAMED = 4
#: What a CPU's name has beside the name.
_NOISE = re.compile(r"\((?:R|TM)\)|\b(?:CPU|\d+-Core|Processor)\b|@.*$", re.IGNORECASE)

T = TypeVar("T", MachineDifference, Pooled)

_RELATIONS: dict[Outcome, str] = {
    "faster": "faster than",
    "slower": "slower than",
    "same": "the same as",
    "undecided": "undecided against",
}


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
    def words(self) -> frozenset[Outcome]:
        """Those that some machine says."""
        return frozenset(v.outcome for v in self.verdicts.values())

    def on(self, *words: Outcome) -> list[str]:
        """The machines that say one of them."""
        return [name for name, v in self.verdicts.items() if v.outcome in words]


def over_machines(merged: Merged) -> tuple[OverMachines, ...]:
    """One for each pair that some machine judges as a whole, in the order of the study; those of
    A/A controls last."""
    by_machine = {
        m.machine.name: Comparisons(m.result.judged.verdicts, m.result.judged.suites)
        for m in merged.machines
    }
    question = merged.question
    pairs = compared_pairs(merged)
    order = {v.name: i for i, v in enumerate(question.variants)}
    controls = {v.name for v in question.variants if v.twin_of}
    bases = {name: i for i, name in enumerate(question.baselines)}
    comparisons = []
    for v, b in sorted(
        pairs,
        key=lambda p: (p[0] in controls, bases.get(p[1], len(bases)), order.get(p[0], len(order))),
    ):
        sides = {
            m.machine.name: [m.result.recorded.same.get(x, x) for x in (v, b)]
            for m in merged.machines
        }
        judged = {name: c.of(*sides[name]) for name, c in by_machine.items()}
        identical = tuple(name for name, (first, second) in sides.items() if first == second)
        verdicts = {name: verdict for name, verdict in judged.items() if verdict is not None}
        if verdicts:
            benchmarks = {verdict.benchmark for verdict in verdicts.values()}
            benchmark = benchmarks.pop() if len(benchmarks) == 1 else None
            key = (v, b, benchmark)
            over = _of(merged.differences, key), _of(merged.pooled, key)
            comparisons.append(OverMachines(v, b, verdicts, *over, identical))
    return tuple(comparisons)


def compared_pairs(merged: Merged) -> list[tuple[str, str]]:
    """Every pair (variant, baseline) that some machine judges, from one side alone."""
    pairs: dict[tuple[str, str], None] = {}
    for m in merged.machines:
        for v in m.result.judged.verdicts:
            if (v.baseline, v.variant) not in pairs:
                pairs[v.variant, v.baseline] = None
    return list(pairs)


def _of(every: Sequence[T], key: tuple[str, str, str | None]) -> T | None:
    return next((x for x in every if (x.variant, x.baseline, x.benchmark) == key), None)


def machine_sentences(merged: Merged) -> list[str]:
    """The headline and what follows: the claim, then the comparisons that machines decide
    otherwise, then those on which they agree, against the main baseline; what single benchmarks
    show."""
    every = over_machines(merged)
    controls = {v.name for v in merged.question.variants if v.twin_of}
    main = merged.question.baselines[:1]
    wanted = [
        o
        for o in every
        if o.variant not in controls and (o.baseline in main or merged.question.along)
    ]
    wanted = wanted or [o for o in every if o.variant not in controls]
    texts = [*_claim(merged), *_single(merged)]
    ranked = sorted(wanted, key=_rank)
    texts += [comparison_sentence(o, merged) for o in ranked[:_MOST_SAID]]
    if len(ranked) > _MOST_SAID:
        texts.append(f"{pluralize(len(ranked) - _MOST_SAID, 'more comparison')} in the table.")
    texts += _benchmarks(merged)
    pooled = (o.pooled for o in ranked[:_MOST_SAID])
    return texts + [pooled_sentence(p, merged.question.margin) for p in pooled if p is not None]


def _single(merged: Merged) -> Iterator[str]:
    if len(merged.machines) == 1:
        (machine,) = merged.machines
        yield (
            f"All results are from one machine, {quote(machine.machine.name)}: nothing to compare. "
            "If these are several machines with one host name, set WHYFAST_MACHINE on each."
        )


def _rank(o: OverMachines) -> tuple[int, float]:
    """What turns around first, then what differs, then what is decided alike."""
    turns = {"faster", "slower"} <= o.words
    size = max(abs(math.log(v.ratio)) if 0 < v.ratio < math.inf else 0 for v in o.verdicts.values())
    differs = o.difference is not None
    place = 0 if turns and differs else 1 if differs else 2 if len(o.words) > 1 else 3
    return place, -size


def comparison_sentence(o: OverMachines, merged: Merged) -> str:
    """A pair on all machines that have it, whether these differ, and where both are one program."""
    text = _where_measured(o, merged)
    if o.identical:
        where = machines_text(o.identical, merged)
        text = f"{text.removesuffix('.')}; on {where} the two are one program."
    return text


def _where_measured(o: OverMachines, merged: Merged) -> str:
    if len(o.verdicts) == 1:
        (name,) = o.verdicts
        alone = " (no other machine has it)" if len(merged.machines) > 1 else ""
        outcome = o.verdicts[name].outcome
        where = f"{machines_text([name], merged)}{_figures(o, [name])}"
        return f"{_relation(o, outcome, merged)} on {where}{alone}."
    if len(o.words) == 1:
        (outcome,) = o.words
        text = f"{_relation(o, outcome, merged)} on {_all(len(o.verdicts))}"
        return f"{text}{_range(o, outcome)}{_apart(o, merged, alike=True)}."
    groups: list[tuple[Outcome, list[str]]] = [
        (outcome, names) for outcome in _order(o) if (names := o.on(outcome))
    ]
    (outcome, names), *rest = groups
    text = f"{_relation(o, outcome, merged)} on "
    only = " only" if _only(o, names) else ""
    text += f"{machines_text(names, merged)}{only}{_figures(o, names)}"
    for outcome, others in rest:
        all_others = only and len(rest) == 1 and len(others) > 1
        where = "elsewhere" if all_others else f"on {machines_text(others, merged)}"
        short = {"same": "the same", "undecided": "undecided"}.get(outcome, outcome)
        text += f", {short} {where}"
    return f"{text}{_apart(o, merged, alike=False)}."


def _order(o: OverMachines) -> list[Outcome]:
    """The rarer of faster and slower first: it is the news."""
    sides: list[Outcome] = ["slower", "faster"]
    sides.sort(key=lambda outcome: (len(o.on(outcome)), outcome != "slower"))
    return [*sides, "same", "undecided"]


def _only(o: OverMachines, names: Sequence[str]) -> bool:
    """Whether the machines are told apart from all others."""
    groups = o.difference.groups if o.difference and not o.difference.between else ()
    return any(set(names) == set(group) for group in (groups[:1] + groups[-1:]))


def _relation(o: OverMachines, outcome: Outcome, merged: Merged) -> str:
    within = f" within {format_percent(merged.question.margin)}" if outcome == "same" else ""
    return f"{quote(o.variant)} is {_RELATIONS[outcome]} {quote(o.baseline)}{within}"


def _all(number: int) -> str:
    return "both machines" if number == 2 else f"all {number} machines"


def _figures(o: OverMachines, names: Sequence[str]) -> str:
    if len(names) == 1:
        v = o.verdicts[names[0]]
        plain = v.outcome in ("same", "undecided")
        text = (plain_ratio_text if plain else ratio_text)(v.ratio, v.low, v.high)
        return f" ({text.value} {text.interval})"
    return ""


def _range(o: OverMachines, outcome: Outcome) -> str:
    """The least and the largest difference, with their machines."""
    if outcome not in ("faster", "slower"):
        return ""
    ordered = sorted(o.verdicts, key=lambda name: abs(math.log(o.verdicts[name].ratio)))
    ends = (o.verdicts[name] for name in (ordered[0], ordered[-1]))
    low, high = (ratio_text(v.ratio, v.low, v.high).value for v in ends)
    if low == high:
        return f", {low}"
    if o.difference is None:
        return f", {low} to {high}"
    return f", from {low} ({quote(ordered[0])}) to {high} ({quote(ordered[-1])})"


def _apart(o: OverMachines, merged: Merged, *, alike: bool) -> str:
    """Whether the machines differ, by the interval of the difference and not by the words."""
    if o.difference is None:
        several = any(v.benchmark is None for v in o.verdicts.values())
        needed = merged.needed.suites if several else merged.needed.benchmarks
        if len(o.verdicts) > 1 and min(v.blocks for v in o.verdicts.values()) < needed:
            return f"; to tell whether the machines differ takes {needed} blocks on each"
        return "" if alike else "; this does not show that the machines differ"
    first, last = o.difference.groups[0], o.difference.groups[-1]
    highest, lowest = (machines_text(names, merged, cpu=False) for names in (last, first))
    d = o.difference
    return (
        f"; the ratio on {highest} is {plain_ratio_text(d.ratio, d.low, d.high)} that on {lowest}"
    )


def machines_text(names: Sequence[str], merged: Merged, *, cpu: bool = True) -> str:
    """The machines, with their CPU where they share one that not all machines have."""
    if len(names) > _MOST_NAMED:
        return f"{len(names)} of {len(merged.machines)} machines"
    text = join_words([quote(name) for name in names])
    models = {m.machine.name: cpu_text(m.machine.facts) for m in merged.machines}
    shared = {models[name] for name in names}
    if not cpu or len(shared) > 1 or len(set(models.values())) == 1 or shared == {""}:
        return text
    return f"{text} ({shared.pop()})"


def cpu_text(facts: Mapping[str, str]) -> str:
    """A CPU's name without what says nothing."""
    return " ".join(_NOISE.sub(" ", facts.get("cpu_model", "")).split())


def audits(merged: Merged) -> dict[str, Audit]:
    """The audit of the study's claim on each machine; empty without a claim."""
    by_machine = {}
    for m in merged.machines:
        judged = m.result.judged
        comparisons = Comparisons(judged.verdicts, judged.suites)
        audit = audit_claim(merged.question, comparisons, m.result.found.evidence)
        if audit is not None:
            by_machine[m.machine.name] = audit
    return by_machine


def _claim(merged: Merged) -> Iterator[str]:
    """On which machines the claim holds, and on which not."""
    outcomes: dict[str, list[str]] = {}
    for name, audit in audits(merged).items():
        outcomes.setdefault(_outcome(audit), []).append(name)
    if not outcomes:
        return
    claim = merged.question.claim
    assert claim is not None
    start = f"The claim that {quote(claim.variant)} beats {quote(claim.baseline)}"
    if len(outcomes) == 1 and len(merged.machines) > 1:
        yield f"{start} {next(iter(outcomes))} on {_all(len(merged.machines))}."
        return
    parts = [f"{outcome} on {machines_text(names, merged)}" for outcome, names in outcomes.items()]
    yield f"{start} {'; it '.join(parts)}."


def _outcome(audit: Audit) -> str:
    if audit.claimed is None:
        return "could not be tested"
    if audit.claimed.outcome == "undecided":
        return "is undecided"
    if audit.claimed.outcome != "faster":
        return "does not hold"
    return "rests on a slow baseline" if audit.vanished else "holds"


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
    most = max(single, key=lambda d: math.log(d.ratio))
    text = plain_ratio_text(most.ratio, most.low, most.high)
    highest, lowest = (
        machines_text(names, merged, cpu=False) for names in (most.groups[-1], most.groups[0])
    )
    yield (
        f"Machines differ in {len(single)} of {len(every)} comparisons of single benchmarks, most "
        f"in {quote(most.variant)} against {quote(most.baseline)} on {quote(most.benchmark or '')}:"
        f" the ratio on {highest} is {text} that on {lowest}."
    )


def pooled_sentence(p: Pooled, margin: float) -> str:
    """The mean over machines, how far they lie apart, and what a further one may do."""
    text = format_verdict(p, margin).removeprefix("undecided: ")
    text = {"same": f"the {text}", "undecided": f"undecided ({text})"}.get(p.outcome, text)
    text_of = plain_ratio_text if p.outcome == "same" else ratio_text
    more = text_of(p.ratio, p.expect_low, p.expect_high).interval
    left = f" ({has(p.left_out, 'has', 'have')} too few blocks)" if p.left_out else ""
    return (
        f"Over machines like these {p.machines}, {quote(p.variant)} against {quote(p.baseline)} is "
        f"{text}; between machines the ratio varies by {format_percent(round(p.tau, 4))}, so a "
        f"further one may show {more}{left}."
    )
