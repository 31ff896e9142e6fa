"""How long a value and a block should be, found by trying.

Short turns are better against drift: neighbouring values then see the same machine, and the
median over many finds the undisturbed state. Too short a turn measures the caches and predictors
that the other processes left behind. So loops are doubled from one, and the shortest turn is taken
whose time a loop is within :data:`COLD` of that of the longest. docs/measuring.md tells more.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from whyfast.measure.clock import Clock
from whyfast.measure.invocation import Invocation, InvocationFailed, Runner
from whyfast.model.sample import Block, Calibration

#: No value is shorter than this (seconds): a clock reading costs some 30 ns, 0.1 % of it.
SHORTEST = 25e-6

#: Lengthening stops here (seconds); programs whose single loop is longer get one loop.
LONGEST = 2e-3

#: Accepted share of a value's time that comes from starting cold. It is the same for all variants
#: when their working sets are alike, so its effect on a ratio is far smaller.
COLD = 0.02

#: Values taken at each length; medians of them are compared.
TRIES = 16

#: No loop is so short that as many take less than a turn: 2 ms for these would be 2 fs for one.
MOST_LOOPS = 2**40

#: Turns of one block at the least: the fewest whose median sets one bad turn aside.
FEWEST_TURNS = 3

Steps = tuple[tuple[int, float], ...]


def calibrate(
    benchmark: str,
    runner: Runner,
    variants: Sequence[str],
    *,
    cpu: int | None,
    clock: Clock,
    turn: float | None = None,
    turns: int | None = None,
) -> Calibration:
    """Try the benchmark with all variants alive, as in a block, and choose loops and turns.

    ``turn`` (seconds) and ``turns`` override the choice. Raises
    :class:`~whyfast.measure.invocation.InvocationFailed`.
    """
    invocations: dict[str, Invocation] = {}
    began = clock.monotonic()
    v = variants[0]
    try:
        for v in variants:
            invocations[v] = runner.enter(v, cpu=cpu, pad=0)
        start = clock.monotonic() - began
        first = []
        for v in variants:
            first.append(invocations[v].turn(1).seconds)
        loops: int = 1
        steps: Steps = ((1, first[0]),)
        if runner.loops_vary:
            loops, steps = _choose_loops(invocations, variants, turn)
        t0 = clock.monotonic()
        slowest = 0.0
        for v in variants:
            slowest = max(slowest, invocations[v].turn(loops).seconds)
        round_cost = clock.monotonic() - t0
    except InvocationFailed as failed:
        failed.variant = failed.variant or v
        raise
    finally:
        for p in invocations.values():
            p.close()
    if turns is None:
        turns = first_turns(start if runner.loops_vary else 0.0, round_cost)
    return Calibration(benchmark, loops, turns, slowest, start, steps)


def _choose_loops(
    invocations: dict[str, Invocation], variants: Sequence[str], turn: float | None
) -> tuple[int, Steps]:
    """Loops of one value, and the seconds a loop at each length tried. Raises InvocationFailed."""
    goal = turn if turn is not None else LONGEST
    lengths, value = [1], 0.0
    while True:
        value = _one_round(invocations, variants, lengths[-1])
        if value >= goal:
            break
        if lengths[-1] >= MOST_LOOPS:
            failed = InvocationFailed(
                f"{lengths[-1]} loops take {value:.3g} s: its time does not grow with the loops "
                "granted, so it does not do the work once for each"
            )
            failed.variant = variants[0]
            raise failed
        lengths.append(next_loops(lengths[-1], value, SHORTEST if turn is None else turn))
    if turn is not None or len(lengths) == 1:  # given, or one loop is longer than any turn need be
        return lengths[-1], ((lengths[-1], value / lengths[-1]),)
    # The lengths are tried in turn, so that drift hits all of them alike.
    seconds: dict[int, list[float]] = {n: [] for n in lengths}
    for _ in range(TRIES):
        for n in lengths:
            seconds[n].append(_one_round(invocations, variants, n))
    steps = tuple(
        (n, statistics.median(seconds[n]) / n)
        for n in lengths
        if statistics.median(seconds[n]) >= SHORTEST
    )
    longest = lengths[-1]
    for n, _ in steps:
        colder = statistics.median(
            x * longest / (y * n) for x, y in zip(seconds[n], seconds[longest], strict=True)
        )
        if colder <= 1 + COLD:
            return n, steps
    return longest, steps


def _one_round(invocations: dict[str, Invocation], variants: Sequence[str], loops: int) -> float:
    """One turn of every variant; the seconds of the first, which the others' caches preceded."""
    first = 0.0
    for v in reversed(variants):
        try:
            first = invocations[v].turn(loops).seconds
        except InvocationFailed as failed:
            failed.variant = v
            raise
    return first


def next_loops(loops: int, value: float, goal: float) -> int:
    """The next number of loops to try: doubling, or nearer to ``goal`` while far below it."""
    if value * 4 < goal:
        return max(loops * 2, int(loops * goal / max(value, 1e-9) / 2))
    return loops * 2


def first_turns(start: float, round_cost: float) -> int:
    """Turns of the first blocks: about as long in turns as in starting processes.

    For commands, which have no start of their own, blocks of at least 50 ms.
    """
    if start <= 0:
        return max(1, min(50, round(0.05 / max(round_cost, 1e-6))))
    wanted = round(1.5 * start / max(round_cost, 1e-6))
    return max(FEWEST_TURNS, min(100, wanted))


def best_turns(blocks: Sequence[Block], variant: str, baseline: str, start: float) -> int | None:
    """Turns a block after Kalibera & Jones (ISMM 2013, section 6), from measured variances.

    With variance w of one turn's log ratio inside a block and b between blocks, and costs C of
    starting and c of one round of turns, the variance for a given time is least at
    r = √(w·C / (b·c)). w comes from the two halves of each block (odd and even turns), which
    share everything else. Between :data:`FEWEST_TURNS` and 400. None with fewer than 5 blocks.
    """
    usable = [b for b in blocks if variant in b.values and baseline in b.values]
    if len(usable) < 5:
        return None
    whole, split, counts = [], [], []
    for b in usable:
        d = [math.log(x / y) for x, y in zip(b.values[variant], b.values[baseline], strict=True)]
        if len(d) < 4:
            return None
        whole.append(statistics.median(d))
        split.append(statistics.median(d[::2]) - statistics.median(d[1::2]))
        counts.append(len(d))
    r = statistics.fmean(counts)
    within = statistics.fmean(x * x for x in split) / 4
    between = max(statistics.variance(whole) - within, within / r, 1e-12)
    round_cost = max(1e-6, (statistics.fmean(b.seconds for b in usable) - start) / r)
    best = math.sqrt(within * r * start / (between * round_cost))
    return max(FEWEST_TURNS, min(400, round(best)))
