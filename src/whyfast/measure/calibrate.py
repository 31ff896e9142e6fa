"""How long a value and a block should be, found by trying.

Short turns are better against drift: neighbouring values then see the same machine, and the
median over many finds the undisturbed state. Too short a turn measures the caches and predictors
that the other processes left behind. So loops are doubled from one, and the shortest turn is taken
at which no variant's time a loop is more than :data:`COLD` above what further loops cost it.
docs/measuring.md tells more."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from whyfast.measure.invocation import Clock, Invocation, InvocationFailed, Runner
from whyfast.model.sample import Block, Calibration

#: No value is shorter than this (seconds): a clock reading costs some 30 ns, 0.1 % of it.
SHORTEST = 25e-6

#: Lengthening stops where twice as many loops would take this (seconds) or more; programs whose
#: single loop is longer get one loop.
LONGEST = 2e-3

#: Lengthening goes on to there (seconds, of the slowest variant) while some variant is cold.
LONGEST_COLD = 20e-3

#: Values so long (seconds) cost nothing to try.
SHORT = 100e-6

#: Accepted share of a value's time that comes from starting cold, of every variant. It is the same
#: for all when their working sets are alike, and hides this share of a difference.
COLD = 0.01

#: Values taken at each length; medians of them are compared.
TRIES = 8

#: No loop is so short that as many take less than a turn: 2 ms for these would be 2 fs for one.
MOST_LOOPS = 2**40

#: Turns of one block: with the fewest, two that warm up can still be seen and set aside; with the
#: most, a block is still a sample of the machine's moments.
FEWEST_TURNS, MOST_TURNS = 5, 400

#: Seconds of turns to one of starting processes: what costs alone suggest, within 1.2 times the
#: best on most programs (docs/measuring.md).
TURNS_TO_START = 1.5

#: Blocks of each benchmark that should fit into the budget: at the levels of a family of dozens
#: of comparisons an interval is bounded from some 15 on, and wide for as many again. As many turns
#: fit into a block as leave room for the fewest (``HALVES``, ``FACTORS`` in judge/power.py).
BLOCKS_WANTED, FEWEST_BLOCKS = 60, 20

#: Turns take at least this part of what starting processes takes, however short the budget.
LEAST_TO_START = 0.5

#: As many blocks as that counts for beside measured variances.
GUESS = 16

Steps = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class WantedLengths:
    """What is chosen beforehand: seconds of a ``turn`` or its ``loops``, and ``turns`` of a block,
    None to try; and seconds that a ``block`` should last at most (None: any), so that a budget
    holds enough of them. For that a turn may be colder than :data:`COLD`."""

    turn: float | None = None
    turns: int | None = None
    block: float | None = None
    loops: int | None = None


@dataclass(frozen=True)
class WantedCalibration:
    """A benchmark to be calibrated with these variants, bound to ``cpu`` (None: anywhere)."""

    benchmark: str
    variants: tuple[str, ...]
    cpu: int | None
    lengths: WantedLengths = WantedLengths()
    kind: Literal["calibrate"] = "calibrate"


def calibrate(runner: Runner, wanted: WantedCalibration, clock: Clock) -> Calibration:
    """Try the benchmark with all variants alive, as in a block, and choose loops and turns. Raises
    :class:`~whyfast.measure.invocation.InvocationFailed`, with its ``variant`` set."""
    variants, lengths = wanted.variants, wanted.lengths
    invocations: dict[str, Invocation] = {}
    began = clock.monotonic()
    try:
        for v in variants:
            try:
                invocations[v] = runner.enter(v, cpu=wanted.cpu, pad=0)
            except InvocationFailed as failed:
                failed.variant = v
                raise
        start = clock.monotonic() - began
        first = [_turn(invocations, v, 1) for v in variants]
        slowest, round_cost = max(first), clock.monotonic() - began - start
        loops = lengths.loops or 1
        steps: Steps = ((1, first[0]),)
        cold: dict[str, float] = {}
        if runner.loops_vary and lengths.loops is None:
            loops, cold, steps = _choose_loops(invocations, lengths)
        if runner.loops_vary or first_turns(0.0, round_cost) > 1:  # else nothing would change
            slowest, round_cost = _usual_round(invocations, loops, clock)
    finally:
        for p in invocations.values():
            p.close()
    turns = lengths.turns
    if turns is None:
        turns = first_turns(start if runner.loops_vary else 0.0, round_cost)
        turns = min(turns, most_turns(start, round_cost, lengths.block))
    return Calibration(wanted.benchmark, loops, turns, slowest, start, steps, cold)


def _choose_loops(
    invocations: dict[str, Invocation], wanted: WantedLengths
) -> tuple[int, dict[str, float], Steps]:
    """Loops of one value, the share of it that comes from starting cold, by variant, and the
    seconds a loop of the first variant at each length tried. Raises InvocationFailed."""
    main, turn = next(iter(invocations)), wanted.turn
    longest_round = math.inf if wanted.block is None else wanted.block / FEWEST_TURNS
    goal = turn if turn is not None else LONGEST
    lengths: list[int] = []
    values: dict[str, float] = {}
    while not values or values[main] < (goal / 2 if turn is None and lengths[1:] else goal):
        if lengths and lengths[-1] >= MOST_LOOPS:
            raise InvocationFailed(
                f"{lengths[-1]} loops take {values[main]:.3g} s: its time does not grow "
                "with the loops granted, so it does not do the work once for each",
                variant=main,
            )
        shortest = SHORTEST if turn is None else turn
        lengths.append(next_loops(lengths[-1], values[main], shortest) if values else 1)
        values = _one_round(invocations, lengths[-1])
    if turn is not None or len(lengths) == 1:  # given, or one loop is longer than any turn need be
        return lengths[-1], {}, ((lengths[-1], values[main] / lengths[-1]),)
    tried: Tried = {v: {} for v in invocations}
    # Many programs are warm at once: what lies between, half of the time, is tried for others only.
    a_loop = min(values.values()) / lengths[-1]
    cold = [n for n in lengths[:-2] if n * a_loop <= SHORT]
    _try(invocations, [*cold, *lengths[-2:]], tried)
    if any(_warm(tried, n) for n in cold):
        lengths, cold = [*cold, *lengths[-2:]], []
    else:
        _try(invocations, [n for n in lengths if n not in cold], tried)
    # Not even the longest may be long enough for the one with the most to load, which it does once
    # however long a turn is.
    while (
        _coldest(tried, lengths[-1]) > COLD
        and max(statistics.median(s[lengths[-1]]) for s in tried.values()) < LONGEST_COLD
        and 3 * _round(tried, lengths[-1]) - 2 * _round(tried, lengths[-2]) <= longest_round
    ):
        lengths.append(2 * lengths[-1])
        _try(invocations, lengths[-2:], tried)
    first = tried[main]
    long_enough = [n for n in lengths if statistics.median(first[n]) >= SHORTEST]
    steps = tuple((n, statistics.median(first[n]) / n) for n in long_enough)
    warm = next((n for n in lengths if n not in cold and _warm(tried, n)), lengths[-1])
    fitting = [n for n in long_enough if _round(tried, n) <= longest_round]
    loops = min(warm, max(fitting, default=long_enough[0] if long_enough else warm))
    return loops, {v: _cold(tried[v], loops) for v in tried}, steps


#: Seconds of each variant's values, by the number of loops, in the order taken.
Tried = dict[str, dict[int, list[float]]]


def _try(invocations: dict[str, Invocation], lengths: Sequence[int], tried: Tried) -> None:
    """Further values of each length. They take turns, so that drift hits all of them alike."""
    for _ in range(TRIES):
        for n in lengths:
            for v, seconds in _one_round(invocations, n).items():
                tried[v].setdefault(n, []).append(seconds)


def _warm(tried: Tried, n: int) -> bool:
    """Whether values of ``n`` loops, all of them tried, are long enough and no variant's cold."""
    first = next(iter(tried.values()))
    return statistics.median(first[n]) >= SHORTEST and _coldest(tried, n) <= COLD


def _coldest(tried: Tried, n: int) -> float:
    """The largest share, over the variants, of a value's time at ``n`` loops that comes from
    starting cold."""
    return max(_cold(seconds, n) for seconds in tried.values())


def _cold(seconds: dict[int, list[float]], n: int) -> float:
    """That share of one variant, 0 or more. If that costs c seconds a value, a loop of a value half
    as long as the longest takes c/n more than one of the longest, n the loops of the latter: as
    much as the latter's own share."""
    longest = max(seconds)
    share = max(0.0, _against(seconds, longest // 2, longest) - 1)
    return max(0.0, _against(seconds, n, longest) * (1 + share) - 1)


def _against(seconds: dict[int, list[float]], n: int, longest: int) -> float:
    """What a loop costs at ``n`` loops over what it costs at the longest, of values next to each
    other in time; 1 where ``n`` was not tried."""
    if n not in seconds:
        return 1.0
    pairs = zip(reversed(seconds[n]), reversed(seconds[longest]), strict=False)
    return statistics.median(x * longest / (y * n) for x, y in pairs)


def _round(tried: Tried, n: int) -> float:
    """Seconds of a turn of every variant."""
    return sum(statistics.median(seconds[n]) for seconds in tried.values())


def _one_round(invocations: dict[str, Invocation], loops: int) -> dict[str, float]:
    """The seconds of one turn of every variant, which another's caches preceded."""
    return {v: _turn(invocations, v, loops) for v in reversed(invocations)}


def _usual_round(
    invocations: dict[str, Invocation], loops: int, clock: Clock
) -> tuple[float, float]:
    """(seconds of the slowest value, seconds of a round): the medians of as many rounds as take
    little time, or of one."""
    slowest: list[float] = []
    costs: list[float] = []
    while not costs or (len(costs) < TRIES and sum(costs) < LONGEST_COLD):
        began = clock.monotonic()
        slowest.append(max(_one_round(invocations, loops).values()))
        costs.append(clock.monotonic() - began)
    return statistics.median(slowest), statistics.median(costs)


def _turn(invocations: dict[str, Invocation], variant: str, loops: int) -> float:
    try:
        return invocations[variant].turn(loops).seconds
    except InvocationFailed as failed:
        failed.variant = variant
        raise


def next_loops(loops: int, value: float, goal: float) -> int:
    """The next number of loops to try: doubling, or nearer to ``goal`` while far below it."""
    if value * 4 < goal:
        return max(loops * 2, int(loops * goal / max(value, 1e-9) / 2))
    return loops * 2


def first_turns(start: float, round_cost: float) -> int:
    """Turns of the first blocks: about as long in turns as in starting processes. For commands,
    which have no start of their own, blocks of at least 50 ms."""
    if start <= 0:
        return max(1, min(50, round(0.05 / max(round_cost, 1e-6))))
    wanted = round(TURNS_TO_START * start / max(round_cost, 1e-6))
    return max(FEWEST_TURNS, min(100, wanted))


def cost_of_round(blocks: Sequence[Block], start: float) -> float:
    """Seconds of a round of turns, the median over the blocks: what they took beside starting, at
    least a quarter, as the ``start`` is known from one time alone."""
    costs = (max(b.seconds - start, b.seconds / 4) / max(1, len(b.order)) for b in blocks)
    return max(1e-6, statistics.median(costs))


def most_turns(start: float, round_cost: float, block: float | None) -> int:
    """As many as a block may have for :data:`FEWEST_BLOCKS` of them to fit into the budget, of
    which it should last at most ``block`` seconds; but half as long as starting processes takes."""
    if block is None or math.isinf(block):
        return MOST_TURNS
    least = LEAST_TO_START * start
    longest = block * BLOCKS_WANTED / FEWEST_BLOCKS - start
    return max(FEWEST_TURNS, round(max(least, longest) / max(round_cost, 1e-6)))


def best_turns(blocks: Sequence[Block], variant: str, baseline: str, start: float) -> int | None:
    """Turns a block after Kalibera & Jones (ISMM 2013, section 6), from costs and variances.

    With variance w of one turn's log ratio inside a block and b between blocks, and costs C of
    starting and c of one round of turns, the variance for a given time is least at r = √(w·C /
    (b·c)). w comes from the two halves of each block (odd and even turns), which share everything
    else; both are robust. Few blocks tell variances badly, and costs alone do well: so r is the
    geometric mean with what :func:`first_turns` wants, which counts as :data:`GUESS` blocks.
    Between :data:`FEWEST_TURNS` and :data:`MOST_TURNS`. None with fewer than 5 blocks of 4 turns or
    more."""
    whole, split, counts = [], [], []
    for b in blocks:
        if variant not in b.values or baseline not in b.values or len(b.values[variant]) < 4:
            continue
        d = [math.log(x / y) for x, y in zip(b.values[variant], b.values[baseline], strict=True)]
        whole.append(statistics.median(d))
        split.append(statistics.median(d[::2]) - statistics.median(d[1::2]))
        counts.append(len(d))
    if len(whole) < 5:
        return None
    round_cost = cost_of_round(blocks, start)
    middle = statistics.median(whole)
    total = statistics.median(abs(x - middle) for x in whole) ** 2
    within = statistics.median(abs(x) for x in split) ** 2 / 4
    guess = TURNS_TO_START * start / round_cost
    if total > 0 and within > 0 and guess > 0:
        # What is between blocks is at least a twentieth of all: it is a difference of two guesses.
        between = max(total - within, total / 20)
        best = math.sqrt(within * statistics.fmean(counts) * start / (between * round_cost))
        n = len(whole)
        guess = math.exp((n * math.log(best) + GUESS * math.log(guess)) / (n + GUESS))
    return max(FEWEST_TURNS, min(MOST_TURNS, round(guess)))
