"""Quantities of recorded runs that are no times: bytes, allocations, units of their own."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from whyfast.judge.decide import outcome_of
from whyfast.judge.processes import process_means
from whyfast.judge.run_confounds import fact_label, facts_in_one_form
from whyfast.judge.runs import compare_runs
from whyfast.model.series import Recording, Series
from whyfast.model.verdict import Confound, Verdict


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
        outcome=outcome_of(log, log, margin),
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


# ---- Benchmarks that stand apart in several files, and what those files share and no other has.
#
# A benchmark at 0.40x in every file of one fork of the source, with and without the change under
# test, says something of the fork and nothing of the change.

#: A verdict with a ratio beyond this, either way, stands apart.
APART = 1.2

#: Benchmarks that a sentence names.
_NAMED = 4

_TOKEN = re.compile(r"[A-Za-z0-9]+")

#: Heads, and whether they are slower there.
_Group = tuple[tuple[str, ...], bool]


def shared_outliers(
    recordings: Sequence[Recording], verdicts: Sequence[Verdict]
) -> Iterator[Confound]:
    """For two heads or more that stand apart on the same benchmarks, and not all of them: what the
    files say that these have and no other has. ``recordings[0]`` is the base of all verdicts."""
    names = [r.name for r in recordings]
    groups: defaultdict[_Group, list[str]] = defaultdict(list)
    apart: defaultdict[tuple[str, bool], list[Verdict]] = defaultdict(list)
    judged: defaultdict[str, set[str]] = defaultdict(set)
    for v in verdicts:
        if v.benchmark is None or v.baseline != names[0]:
            continue
        judged[v.benchmark].add(v.variant)
        if v.outcome in ("faster", "slower") and abs(math.log(v.ratio)) > math.log(APART):
            apart[v.benchmark, v.ratio > 1].append(v)
    ratios: defaultdict[_Group, list[float]] = defaultdict(list)
    for (benchmark, slower), found in apart.items():
        heads = tuple(v.variant for v in found)
        if 1 < len(heads) < len(judged[benchmark]):
            groups[heads, slower].append(benchmark)
            ratios[heads, slower] += [v.ratio for v in found]
    for (heads, slower), benchmarks in groups.items():
        shared = _shared(recordings, heads)
        if shared:
            yield _confound(heads, slower, benchmarks, ratios[heads, slower], shared)


def _confound(
    heads: tuple[str, ...],
    slower: bool,
    benchmarks: list[str],
    ratios: list[float],
    shared: list[str],
) -> Confound:
    listed = ", ".join(benchmarks[:_NAMED])
    if len(benchmarks) > _NAMED:
        listed += f" and {len(benchmarks) - _NAMED} more"
    factors = sorted(max(r, 1 / r) for r in ratios)
    how = "slower" if slower else "faster"
    text = (
        f"{', '.join(heads)} are {factors[0]:.2f}x to {factors[-1]:.2f}x {how} on {listed}, and no "
        f"other file is: this goes with what these alone share ({'; '.join(shared)}), not with "
        "what differs between them"
    )
    return Confound("shared-outliers", text, "note", heads)


def _shared(recordings: Sequence[Recording], heads: tuple[str, ...]) -> list[str]:
    """Facts, and parts of names, that those heads have alike and no other file has."""
    found = []
    for key, values in facts_in_one_form(recordings).items():
        mine = {values.get(name) for name in heads}
        others = {value for name, value in values.items() if name not in heads}
        if len(mine) == 1 and None not in mine and not mine & others:
            found.append(f"{fact_label(key)} {next(iter(mine))}")
    if found:
        return found[:3]
    tokens = {r.name: set(_TOKEN.findall(r.name)) for r in recordings}
    mine_all = set.intersection(*(tokens[name] for name in heads))
    theirs = set().union(*(t for name, t in tokens.items() if name not in heads))
    return [f"“{token}” in their names" for token in sorted(mine_all - theirs)][:3]
