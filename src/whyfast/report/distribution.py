"""How the benchmarks of a suite lie about its geometric mean."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from whyfast.judge.influence import carriers
from whyfast.model.result import Result
from whyfast.model.verdict import Carrier, Suite, Verdict, Word


@dataclass(frozen=True)
class Distribution:
    """One variant against one baseline over two or more benchmarks.

    ``verdicts`` are those of the benchmarks, the fastest first; ``suite`` their geometric mean,
    None while some benchmark of the study has no result. ``carriers`` are the benchmarks without
    which the mean, or what is said of it, would be another, the most influential first.
    """

    variant: str
    baseline: str
    verdicts: tuple[Verdict, ...]
    suite: Suite | None
    carriers: tuple[Carrier, ...]

    @property
    def best(self) -> Verdict:
        """The benchmark on which the variant does best."""
        return self.verdicts[0]

    @property
    def worst(self) -> Verdict:
        """The benchmark on which it does worst."""
        return self.verdicts[-1]

    @property
    def words(self) -> Mapping[Word, int]:
        """How many benchmarks have each verdict."""
        return Counter(v.word for v in self.verdicts)

    @property
    def gained(self) -> int:
        """Benchmarks whose estimate is faster, certain or not."""
        return sum(v.ratio < 1 for v in self.verdicts)

    @property
    def lost(self) -> int:
        """Benchmarks whose estimate is slower, certain or not."""
        return sum(v.ratio > 1 for v in self.verdicts)


def distributions(result: Result) -> tuple[Distribution, ...]:
    """One for each pair with two or more judged benchmarks, by baseline and then by variant, in
    the order of the study."""
    pairs: defaultdict[tuple[str, str], list[Verdict]] = defaultdict(list)
    for verdict in result.judged.verdicts:
        if verdict.benchmark is not None and math.isfinite(verdict.ratio) and verdict.ratio > 0:
            pairs[verdict.baseline, verdict.variant].append(verdict)
    suites = {(s.verdict.baseline, s.verdict.variant): s for s in result.judged.suites}
    names = [v.name for v in result.question.variants]
    place = {name: i for i, name in enumerate([*result.question.baselines, *names])}
    order = {name: i for i, name in enumerate(names)}
    ordered = sorted(
        pairs, key=lambda p: (place.get(p[0], len(place)), order.get(p[1], len(order)))
    )
    return tuple(
        Distribution(
            pair[1],
            pair[0],
            tuple(sorted(pairs[pair], key=lambda v: v.ratio)),
            suites.get(pair),
            suite_carriers(suites.get(pair), result.question.margin),
        )
        for pair in ordered
        if len(pairs[pair]) > 1
    )


def suite_carriers(suite: Suite | None, margin: float) -> tuple[Carrier, ...]:
    """The benchmarks that move what is said of a geometric mean.

    Of a difference: those that make more than a third of it, or without which it would turn. Of
    "same": those without which the estimate lies beyond ``margin`` (relative).
    """
    if suite is None or suite.verdict.word == "undecided" or suite.verdict.ratio <= 0:
        return ()
    verdict, limit = suite.verdict, math.log1p(margin)
    logs = {b: math.log(ratio) for b, ratio in suite.influence.items() if ratio > 0}
    without = {b: (log, _word(log, verdict.word, limit)) for b, log in logs.items()}
    found = carriers(verdict, without, margin)
    if verdict.word == "same":
        return tuple(c for c in found if c.word != "same")
    return found


def _word(log_ratio: float, word: Word, limit: float) -> Word:
    """What the estimate alone would be called: of the mean without a benchmark there is no
    interval, so a difference stays one while it points the same way."""
    if word == "same" and abs(log_ratio) <= limit:
        return "same"
    return "slower" if log_ratio > 0 else "faster"
