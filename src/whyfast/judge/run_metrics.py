"""Quantities of recorded runs that are no times: bytes, allocations, units of their own."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from whyfast.judge.decide import word
from whyfast.judge.processes import process_means
from whyfast.judge.runs import compare_runs
from whyfast.model.series import Recording, Series
from whyfast.model.verdict import Verdict


@dataclass(frozen=True)
class RunMetrics:
    """``verdicts`` with the series' name as their metric; ``incomparable`` says in words which have
    no ratio."""

    verdicts: tuple[Verdict, ...]
    incomparable: tuple[str, ...]


def compare_metrics(base: Recording, heads: Sequence[Recording], margin: float) -> RunMetrics:
    """Each quantity that base and a head have.

    A quantity without any spread on either side is exact: its ratio is certain. 0 against 0 is the
    same, and 0 against anything else has no ratio. Others are judged unit by unit, as times are. A
    ratio is of the amounts as the files have them; ``faster`` means better.
    """
    verdicts: list[Verdict] = []
    incomparable = []
    for head in heads:
        noisy: defaultdict[str, list[str]] = defaultdict(list)
        found: dict[str, Verdict] = {}
        for name, x in head.series.items():
            y = base.series.get(name)
            if y is None or y.unit != x.unit:
                continue
            zeros = [all(v == 0 for p in s.processes for v in p) for s in (x, y)]
            some = [any(v == 0 for p in s.processes for v in p) for s in (x, y)]
            if all(zeros):
                found[name] = _exact(name, head, base, 0.0, margin, x.higher)
            elif any(some):
                incomparable.append(f"{name} is 0 in {(head if some[0] else base).name}")
            elif _constant(x) and _constant(y):
                log = math.log(x.processes[0][0]) - math.log(y.processes[0][0])
                found[name] = _exact(name, head, base, log, margin, x.higher)
            else:
                noisy[x.unit].append(name)
        for names in noisy.values():
            judged = compare_runs(base, [head], names, margin=margin).verdicts
            found |= {
                v.benchmark: _amounts(v, head.series[v.benchmark].higher)
                for v in judged
                if v.benchmark is not None
            }
        verdicts += [found[name] for name in head.series if name in found]
    return RunMetrics(tuple(verdicts), tuple(incomparable))


def mean_amount(series: Series) -> float:
    """The mean over processes, of what is better when higher too, as the files have it."""
    mean = float(process_means(series).mean())
    return 1 / mean if series.higher and mean else mean


def _constant(series: Series) -> bool:
    means = process_means(series)
    return float(means.max()) == float(means.min())


def _exact(
    name: str, head: Recording, base: Recording, log: float, margin: float, higher: bool
) -> Verdict:
    """``log`` is of the costs. Nothing is uncertain about a quantity that every value has alike."""
    ratio = math.exp(log)
    verdict = Verdict(
        variant=head.name,
        baseline=base.name,
        benchmark=name,
        word=word(log, log, margin),
        ratio=ratio,
        low=ratio,
        high=ratio,
        confidence=1.0,
        log_e=0.0,
        blocks=min(len(r.series[name].processes) for r in (head, base)),
    )
    return _amounts(verdict, higher)


def _amounts(verdict: Verdict, higher: bool) -> Verdict:
    """The ratio of the amounts, of which ``higher`` ones were compared as reciprocals."""
    name = verdict.benchmark or ""
    if not higher:
        return replace(verdict, metric=name)
    return replace(
        verdict,
        metric=name,
        ratio=1 / verdict.ratio,
        low=1 / verdict.high if math.isfinite(verdict.high) else 0.0,
        high=1 / verdict.low if verdict.low > 0 else math.inf,
    )
