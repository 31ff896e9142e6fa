"""Hardware counters of commands, each with an interval and a verdict, apart from the timed runs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from whyfast.judge.decide import judge_family
from whyfast.measure.counters import count_events
from whyfast.measure.launch import Launcher
from whyfast.measure.simulate import CannotCount
from whyfast.model.verdict import Verdict

#: Rounds of counting, each one run of every command: what a verdict takes at the least, and a few.
ROUNDS = 12


def counter_verdicts(
    commands: Mapping[str, tuple[str, ...]],
    *,
    baseline: str,
    benchmark: str,
    margin: float,
    launcher: Launcher,
    env: Mapping[str, str],
    timeout: float,
    seed: int,
) -> tuple[Verdict, ...]:
    """Instructions, cycles, branches and branch misses of each command against the baseline.

    A round runs every command once under ``perf stat``, in random order, and is the unit of
    replication. Where the machine has no counters, after one run: (). An event that some run did
    not count is left out.
    """
    rng = random.Random(seed)
    names = list(commands)
    counts: list[dict[str, dict[str, float]]] = []
    for _ in range(ROUNDS):
        one: dict[str, dict[str, float]] = {}
        for name in rng.sample(names, len(names)):
            try:
                one[name] = count_events(
                    commands[name], launcher=launcher, env=env, timeout=timeout
                )
            except CannotCount:
                return ()
            if not one[name]:
                return ()
        counts.append(one)
    return tuple(_judged(counts, names, baseline, benchmark, margin))


def _judged(
    counts: Sequence[Mapping[str, Mapping[str, float]]],
    names: Sequence[str],
    baseline: str,
    benchmark: str,
    margin: float,
) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for event in counts[0][baseline]:
        if not all(one[name].get(event) for one in counts for name in names):
            continue
        samples = {
            (benchmark, name, baseline): np.array(
                [np.log(one[name][event] / one[baseline][event]) for one in counts]
            )
            for name in names
            if name != baseline
        }
        found = judge_family(dict(samples.items()), margin=margin)
        verdicts += [replace(v, metric=event) for v in found]
    return verdicts
