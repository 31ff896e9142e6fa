"""Does a change do the same in every place? The ratio of two ratios, with its own interval.

In a block that holds all four programs, log(a/b) − log(c/d) of two pairs is what is judged. Where
the pairs do the same, exchanging a with b and c with d at once turns its sign and leaves the rest
of the block as it was, so that the test and the interval are those of a single pair: docs/MATH.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from whyfast.judge.decide import judge_family
from whyfast.judge.ratios import Ratios, pair_ratios
from whyfast.judge.suite import judge_suites, rounds_of
from whyfast.model.sample import Block
from whyfast.model.study import Question
from whyfast.model.verdict import Interaction, Verdict

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
    samples: dict[tuple[str, str, str], Ratios] = {}
    common: list[Block] = []
    for name in names:
        own = [b for b in blocks if b.benchmark == name]
        for key, two in twos.items():
            found = _ratios(own, two, warming.get(name, 0))
            if found is not None:
                samples[name, *key] = found
        common += own
    verdicts = list(judge_family(dict(samples.items()), margin=question.margin))
    suites = judge_suites(
        samples,
        margin=question.margin,
        rounds=rounds_of(common, names),
        benchmarks=dict.fromkeys(twos, names),
    )
    return tuple(
        _interaction(v, twos[v.variant, v.baseline])
        for v in (*(s.verdict for s in suites), *verdicts)
    )


def _comparable(question: Question, pairs: Sequence[tuple[str, str]]) -> Iterator[_Two]:
    if not question.along:
        return
    places = {}
    for pair in pairs:
        variant = question.variant(pair[0])
        if variant.axes and not variant.twin_of:
            places[pair] = variant.axes
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
    wanted = {*a, *b}
    whole = [block for block in blocks if wanted <= block.values.keys()]
    found = pair_ratios(whole, (a, b), skip)
    if not found:
        return None
    one, other = found[a], found[b]
    spread = level = None
    if one.spread is not None and other.spread is not None:
        spread = np.hypot(one.spread, other.spread)
    if one.level is not None and other.level is not None:
        level = one.level + other.level
    return Ratios(one.logs - other.logs, spread, level)


def _interaction(verdict: Verdict, two: _Two) -> Interaction:
    a, b, axis = two
    return Interaction(axis, verdict, (a[1], b[1]))
