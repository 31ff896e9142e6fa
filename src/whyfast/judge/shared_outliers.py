"""Benchmarks that stand apart in several files, and what those files share and no other has.

A benchmark at 0.40x in every file of one fork of the source, with and without the change under
test, says something of the fork and nothing of the change.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from whyfast.judge.run_confounds import fact_label, facts_in_one_form
from whyfast.model.series import Recording
from whyfast.model.verdict import Confound, Verdict

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
        if v.word in ("faster", "slower") and abs(math.log(v.ratio)) > math.log(APART):
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
