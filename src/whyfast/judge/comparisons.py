"""Which comparisons an investigation makes: expectations, claims, pairs and interactions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from whyfast.judge.decide import judge_family
from whyfast.judge.ratios import Ratios, blocks_by_benchmark, pair_ratios, ratios_by_key
from whyfast.judge.suite import judge_suites, rounds_of
from whyfast.model.build import Build, BuildOutcome
from whyfast.model.evidence import DispatchFacts, Evidence, FailedExpectation
from whyfast.model.result import Recorded
from whyfast.model.sample import Block
from whyfast.model.study import Claim, Commands, Question
from whyfast.model.verdict import Interaction

_STYLES = ("loop", "tail-call")


def find_failed_expectations(
    study: Question, evidence: Sequence[Evidence]
) -> tuple[FailedExpectation, ...]:
    """One entry for each ``expect`` of a variant that the evidence contradicts or cannot confirm.

    ``expect = {dispatch = …}`` names a style (``loop``, ``tail-call``), a form (``replicated``,
    ``merged``, ``partly merged``) or ``none``. A variant without a program is passed over. A twin
    is as true as its original.
    """
    facts = {e.variant: e.dispatch for e in evidence}
    failed = []
    for variant in study.variants:
        for key, wanted in variant.expect.items() if variant.name in facts else ():
            shows, reason = _shows(key, wanted, facts[variant.name])
            if shows != wanted:
                failed.append(FailedExpectation(variant.name, key, wanted, shows, reason))
    return tuple(failed)


def refuted(study: Question, failed_expectations: Sequence[FailedExpectation]) -> frozenset[str]:
    """The variants that are not what they are called, and their twins: no verdict about them would
    be one about their names."""
    names = {u.variant for u in failed_expectations if u.found is not None}
    return frozenset(v.name for v in study.variants if (v.twin_of or v.name) in names)


def _shows(key: str, wanted: str, facts: DispatchFacts | None) -> tuple[str | None, str]:
    """What a program has, None where that cannot be seen; and where it was seen, or why not."""
    if key != "dispatch":
        return None, "the evidence does not tell"
    if facts is None:
        return None, "[evidence] names no dispatch functions"
    if facts.form == "unknown":
        return None, facts.reason
    return facts.style if wanted in _STYLES else facts.form, facts.reason


def plausible_baselines(
    study: Question, claim: Claim, evidence: Iterable[Evidence]
) -> tuple[str, ...]:
    """All named baselines, and variants that do not themselves make the claimed change."""
    kinds: dict[str, object] = {e.variant: e.dispatch.style for e in evidence if e.dispatch}
    expected = {v.name: v.expect for v in study.variants}

    def makes_the_change(name: str) -> bool:
        return any(
            facts.get(name)
            and facts.get(name) == facts.get(claim.variant) != facts.get(claim.baseline)
            for facts in (kinds, expected)
        )

    names = [v.name for v in study.measured if not v.twin_of and not makes_the_change(v.name)]
    candidates = dict.fromkeys([*study.baselines, *names])
    return tuple(name for name in candidates if name not in (claim.variant, claim.baseline))


def claim_pairs(study: Question, evidence: Iterable[Evidence]) -> tuple[tuple[str, str], ...]:
    """The comparisons that the audit of the study's claim needs: (variant, baseline)."""
    claim = study.claim
    if claim is None:
        return ()
    others = plausible_baselines(study, claim, evidence)
    return tuple((claim.variant, name) for name in (claim.baseline, *others))


def usable_builds(
    question: Question, builds: Sequence[BuildOutcome], evidence: Sequence[Evidence]
) -> list[Build]:
    """The successful builds to measure, without those for evidence alone and those that contradict
    the expectations of their variants."""
    failed = refuted(question, find_failed_expectations(question, evidence))
    names = {v.name for v in question.measured} - failed
    return [b for b in builds if isinstance(b, Build) and b.variant in names]


def measured_builds(
    question: Question, recorded: Recorded, evidence: Sequence[Evidence]
) -> list[Build]:
    """The usable builds without those for which a byte-identical one was measured."""
    builds = usable_builds(question, recorded.builds, evidence)
    return [b for b in builds if b.variant not in recorded.same]


@dataclass(frozen=True)
class ComparisonPlan:
    """What is compared on which blocks, as every part of the judgement takes it.

    ``pairs`` are (variant, baseline), and ``claimed`` further ones that only the audit of a claim
    needs. ``warming`` maps a benchmark to the number of first values of each process that are set
    aside, ``lacking`` has the (benchmark, variant) that do not exist.
    """

    blocks: Sequence[Block]
    benchmarks: Sequence[str]
    pairs: Sequence[tuple[str, str]]
    margin: float
    variants: Sequence[str] = ()
    warming: Mapping[str, int] = field(default_factory=dict)
    claimed: Sequence[tuple[str, str]] = ()
    lacking: Collection[tuple[str, str]] = ()

    @property
    def families(self) -> tuple[Sequence[tuple[str, str]], Sequence[tuple[str, str]]]:
        """The pairs, and those claimed ones that are not among them either way round."""
        known = set(self.pairs)
        return self.pairs, [p for p in self.claimed if not {p, p[::-1]} & known]

    def samples(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str, str], Ratios]:
        """The ratios of each benchmark and pair that has blocks."""
        by_name = blocks_by_benchmark(self.blocks, self.benchmarks)
        return ratios_by_key(by_name, pairs, self.warming)

    def shared(self, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
        """The benchmarks that both sides of each pair have."""
        lacking = set(self.lacking)
        return {
            (v, b): [n for n in self.benchmarks if not {(n, v), (n, b)} & lacking] for v, b in pairs
        }


def comparisons_of(
    question: Question, recorded: Recorded, evidence: Sequence[Evidence]
) -> tuple[ComparisonPlan, list[str]]:
    """Every measured variant against every measured baseline, the claimed pairs, and the
    baselines."""
    if isinstance(question, Commands):
        variants = [v.name for v in question.variants]
    else:
        variants = [b.variant for b in measured_builds(question, recorded, evidence)]
    # Where no baseline was built, nothing was measured either.
    baselines = [b for b in question.baselines if b in variants] or list(question.baselines)
    compared = ComparisonPlan(
        blocks=recorded.blocks,
        benchmarks=[b.name for b in question.benchmarks],
        pairs=question.compared(variants, baselines, recorded.same),
        margin=question.margin,
        variants=variants,
        claimed=[p for p in claim_pairs(question, evidence) if set(p) <= set(variants)],
        lacking={(f.benchmark, f.variant) for f in recorded.lacking},
    )
    return compared, baselines


# Does a change have the same effect in every context? In a block with all four programs, log(a/b) −
# log(c/d) of two pairs is judged. Without an interaction, exchanging a with b and c with d at once
# turns its sign and leaves the rest of the block as it was, so that the test and the interval are
# those of a single pair (docs/MATH.md).

#: (variant, baseline), twice, and the axis in which the two pairs differ.
_Two = tuple[tuple[str, str], tuple[str, str], str]


def judge_interactions(
    question: Question,
    blocks: Sequence[Block],
    pairs: Sequence[tuple[str, str]],
    warming: Mapping[str, int],
) -> tuple[Interaction, ...]:
    """Of each two ``pairs`` that are the same change and differ in one other axis: on each
    benchmark, and before these over the suite where there is one.

    Empty where the baselines are not along axes. Suites are a family of their own, as those of
    pairs are; so are benchmarks. ``warming`` says for a benchmark how many first values of each
    process are set aside.
    """
    twos = {(a[0], b[0]): (a, b, axis) for a, b, axis in _comparable(question, pairs)}
    names = [b.name for b in question.benchmarks]
    samples = {
        (name, *key): ratios
        for name, taken in blocks_by_benchmark(blocks, names).items()
        for key, two in twos.items()
        if (ratios := _ratios(taken, two, warming.get(name, 0))) is not None
    }
    verdicts = judge_family(dict(samples.items()), margin=question.margin)
    suites = judge_suites(
        samples,
        margin=question.margin,
        rounds=rounds_of(blocks, names),
        benchmarks=dict.fromkeys(twos, names),
        influence=False,
    )
    interactions = []
    for v in (*(s.verdict for s in suites), *verdicts):
        (_, here), (_, there), axis = twos[v.variant, v.baseline]
        interactions.append(Interaction(axis, v, (here, there)))
    return tuple(interactions)


def _comparable(question: Question, pairs: Sequence[tuple[str, str]]) -> Iterator[_Two]:
    if not question.along:
        return
    variants = {pair: question.variant(pair[0]) for pair in pairs}
    places = {pair: v.axes for pair, v in variants.items() if v.axes and not v.twin_of}
    for (a, here), (b, there) in combinations(places.items(), 2):
        differing = [axis for axis in here if here[axis] != there[axis]]
        if len(differing) == 1 and differing[0] not in question.along:
            yield a, b, differing[0]


def _ratios(blocks: Sequence[Block], two: _Two, skip: int) -> Ratios | None:
    """The difference of both pairs' log ratios, in the blocks that hold all four programs.

    ``spread`` and ``level`` are those of both together: exchanging the sides of both pairs leaves
    them as they are.
    """
    a, b, _ = two
    by_pair = pair_ratios([x for x in blocks if {*a, *b} <= x.values.keys()], (a, b), skip)
    if not by_pair:
        return None
    first, second = by_pair[a], by_pair[b]
    spread = level = None
    if first.spread is not None and second.spread is not None:
        spread = np.hypot(first.spread, second.spread)
    if first.level is not None and second.level is not None:
        level = first.level + second.level
    return Ratios(first.logs - second.logs, spread, level)
