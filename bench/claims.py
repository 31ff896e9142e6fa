"""Each claim of docs/MATH.md that no other bench checks, beside what a simulation says.

    python -m bench.claims [--trials 1000] [--only WORD]

A row is a claim: what is simulated, the figure that the documentation states, the simulated one
with its 95 % interval (Clopper and Pearson for shares, twice the standard error for means), and
whether the two agree. Rows that begin with "broken" break an assumption on purpose: they state
nothing, and show what it costs. Seeded; a few minutes.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bench.history.rates import steps
from whyfast.history.detect import judged
from whyfast.history.evidence import difference_noise
from whyfast.judge.comparisons import carriers, judge_suites
from whyfast.judge.correlation import lag_ones
from whyfast.judge.decide import Key, Sample, judge_family
from whyfast.judge.eprocess import _no_shift, evidence, intervals
from whyfast.judge.lines import judge_lines
from whyfast.judge.placement import layout_spread, levels
from whyfast.judge.power import small_sample
from whyfast.judge.processes import _wilson
from whyfast.judge.ratios import Ratios, turn_ratios
from whyfast.judge.strategies import strategies
from whyfast.model.sample import Block
from whyfast.model.variant import Benchmark, Parameter
from whyfast.model.why import Change
from whyfast.why.split import change_of

Floats = NDArray[np.float64]
Rng = np.random.Generator

MARGIN = 0.01
#: Series that are judged together.
_AT_ONCE = 100


@dataclass(frozen=True)
class Row:
    """A claim: ``stated`` is the figure of the documentation, ``low`` and ``high`` what it allows
    (None: it states nothing), ``found`` the simulated figure with its interval."""

    what: str
    stated: str
    found: float
    ends: tuple[float, float]
    low: float | None = None
    high: float | None = None

    @property
    def agrees(self) -> str:
        if self.low is None or self.high is None:
            return "–"
        return "yes" if self.ends[1] >= self.low and self.ends[0] <= self.high else "NO"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; 1 if a claim does not hold."""
    parser = argparse.ArgumentParser(prog="bench.claims", description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--only", default="", help="claims whose function is called so")
    args = parser.parse_args(argv)
    print("| claim | stated | simulated | 95 % | agree |\n| --- | --- | --- | --- | --- |")
    wrong = 0
    for check in CHECKS:
        if args.only in check.__name__:
            for row in check(np.random.default_rng(1), args.trials):
                wrong += row.agrees == "NO"
                ends = f"{row.ends[0]:.4g} to {row.ends[1]:.4g}"
                print(f"| {row.what} | {row.stated} | {row.found:.4g} | {ends} | {row.agrees} |",
                      flush=True)  # fmt: skip
    return 1 if wrong else 0


def at_most(what: str, hits: int, n: int, limit: float) -> Row:
    """A share that is at most ``limit``."""
    return Row(what, f"at most {limit:g}", hits / n, _binomial(hits, n), 0.0, limit)


def at_least(what: str, hits: int, n: int, limit: float) -> Row:
    """A share that is at least ``limit``."""
    return Row(what, f"at least {limit:g}", hits / n, _binomial(hits, n), limit, 1.0)


def about(what: str, values: Floats, stated: float, tolerance: float = 0.0) -> Row:
    """A mean that is ``stated``, up to ``tolerance``."""
    mean, error = float(np.mean(values)), float(np.std(values) / math.sqrt(len(values)))
    ends = (mean - 2 * error, mean + 2 * error)
    about = f"{stated:g}" + (f" ± {tolerance:g}" if tolerance else "")
    return Row(what, about, mean, ends, stated - tolerance, stated + tolerance)


def broken(what: str, hits: int, n: int) -> Row:
    """A share where an assumption fails."""
    return Row(f"broken: {what}", "–", hits / n, _binomial(hits, n))


def _binomial(hits: int, n: int) -> tuple[float, float]:
    interval = stats.binomtest(hits, n).proportion_ci(0.95)
    return float(interval.low), float(interval.high)


def _in_batches(trials: int, draw: Callable[[], Ratios]) -> Iterator[list[Ratios]]:
    for start in range(0, trials, _AT_ONCE):
        yield [draw() for _ in range(min(_AT_ONCE, trials - start))]


def _turns(rng: Rng, n: int, turns: int, shift: float = 0.0) -> Ratios:
    a, b = (
        0.01 * rng.standard_normal((n, 1)) + 0.005 * rng.standard_t(3, (n, turns)) for _ in range(2)
    )
    return turn_ratios(a + shift, b)


def wealth(rng: Rng, trials: int) -> Iterator[Row]:
    """W⁺ is a martingale from 1; E has a mean of at most 1."""
    ends, e_values = [], []
    for batch in _in_batches(4 * trials, lambda: _turns(rng, 8, 10)):
        above, below = evidence(strategies(batch), np.zeros(len(batch)))
        ends.append(np.exp(above))
        e_values.append(np.exp(np.maximum(above, below)) / 2)
    yield about("mean of W⁺ after 8 blocks of equal programs", np.concatenate(ends), 1.0)
    mean = np.concatenate(e_values)
    error = 2 * float(np.std(mean)) / math.sqrt(len(mean))
    m = float(np.mean(mean))
    yield Row("mean of E after 8 blocks", "at most 1", m, (m - error, m + error), 0.0, 1.0)
    x, bet = np.meshgrid(np.linspace(-1.5, 1.5, 301), 2.0 ** np.arange(-6, 2))
    below = 2 / (1 + np.exp(-2 * bet * x)) - np.exp(bet * x - (bet * x) ** 2 / 2)
    least = float(below.min())
    yield Row(
        "least of factor − exp(λψ − λ²ψ²/2)", "at least 0", least, (least, least), -1e-12, 9.0
    )


def hull(rng: Rng, trials: int) -> Iterator[Row]:
    """Where the effect is no shift: how often that is said of shifts, and what the hull holds."""
    said = held = 0
    for batch in _in_batches(trials, lambda: _turns(rng, 60, 10, 0.02)):
        said += int(np.sum(_no_shift(strategies(batch))))
    yield at_most("“no shift” said of a shift by the signs, 60 blocks", said, trials, 0.01)

    # Half of the variant's turns are 20 % slower: medians and minima have different centres.
    def two_modes() -> Ratios:
        a, b = (0.01 * rng.standard_normal((40, 1)) + 0.002 * rng.standard_normal((40, 11))
                for _ in range(2))  # fmt: skip
        return turn_ratios(a + 0.2 * (rng.random((40, 11)) < 0.3), b)

    many = np.concatenate([two_modes().logs for _ in range(500)], axis=1)
    centres = np.median(many, axis=1)
    n = max(200, trials // 4)
    apart = 0
    for batch in _in_batches(n, two_modes):
        low, high, differ = intervals(strategies(batch), np.full(len(batch), 0.01))
        held += int(np.sum((low <= centres.min()) & (high >= centres.max())))
        apart += int(np.sum(differ))
    yield at_least("hull holds all four centres, a third of turns slower", held, n, 0.99)
    yield Row("of these, with the statistics apart", "–", apart / n, _binomial(apart, n))


def families(rng: Rng, trials: int) -> Iterator[Row]:
    """The share of wrong intervals among comparisons with a verdict: e-BY."""
    shares = []
    for _ in range(max(60, trials // 10)):
        truth = np.where(rng.random(60) < 0.3, 0.05 * rng.standard_normal(60), 0.0)
        drift = 0.01 * rng.standard_normal(25)  # shared by all: they depend on each other
        samples: dict[Key, Sample] = {
            (str(i), "b", "a"): t + drift + 0.02 * rng.standard_normal(25)
            for i, t in enumerate(truth)
        }
        verdicts = judge_family(samples, margin=MARGIN)
        decided = [
            not math.log(v.low) <= t <= math.log(v.high)
            for v, t in zip(verdicts, truth, strict=True)
            if v.outcome != "undecided"
        ]
        shares.append(sum(decided) / max(1, len(decided)))
    mean, error = float(np.mean(shares)), 2 * float(np.std(shares)) / math.sqrt(len(shares))
    ends = (max(0.0, mean - error), mean + error)
    yield Row("wrong intervals among verdicts, 60 comparisons", "at most 0.01", mean, ends, 0, 0.01)


def interactions(rng: Rng, trials: int) -> Iterator[Row]:
    """log(b/a) − log(d/c) is refuted at 1 % only if the change differs."""
    wrong = 0
    for batch in _in_batches(trials, lambda: _interaction(rng, 0.1, 0.1)):
        low, high, _ = intervals(strategies(batch), np.full(len(batch), 0.01))
        wrong += int(np.sum((low > 0) | (high < 0)))
    yield at_most("interaction of a change of 10 % in both contexts", wrong, trials, 0.01)
    found = 0
    for batch in _in_batches(trials // 4, lambda: _interaction(rng, 0.1, 0.06)):
        low, high, _ = intervals(strategies(batch), np.full(len(batch), 0.01))
        found += int(np.sum((low <= -0.04) & (high >= -0.04)))
    yield at_least("interval holds a difference of 4 points", found, trials // 4, 0.99)


def _interaction(rng: Rng, here: float, there: float) -> Ratios:
    first, second = _turns(rng, 40, 10, there), _turns(rng, 40, 10, here)
    spread = level = None
    if first.spread is not None and second.spread is not None:
        spread = np.hypot(first.spread, second.spread)
    if first.level is not None and second.level is not None:
        level = first.level + second.level
    return Ratios(first.logs - second.logs, spread, level)


def influences(rng: Rng, trials: int) -> Iterator[Row]:
    """The suite without a benchmark is the suite of the others."""
    away, named = [], 0
    n = max(60, trials // 10)
    for _ in range(n):
        samples = {
            (f"b{i}", "new", "old"): (0.20 if i == 0 else 0.01) + 0.01 * rng.standard_normal(30)
            for i in range(8)
        }
        names = [name for name, *_ in samples]
        suite = judge_suites(samples, margin=MARGIN, benchmarks={("new", "old"): names})[0]
        without = suite.influence["b0"]
        away.append(math.log(without))
        given = {b: (math.log(r), suite.verdict.outcome) for b, r in suite.influence.items()}
        named += [c.benchmark for c in carriers(suite.verdict, given, MARGIN)] == ["b0"]
    yield about("log mean of eight without the one of 20 %", np.array(away), 0.01, 0.0005)
    yield at_least("that one is named as what carries the mean", named, n, 0.95)


def small_samples(rng: Rng, trials: int) -> Iterator[Row]:
    """Thompson's range, Student's interval, all blocks on one side."""
    for n in (3, 6, 8):
        for name, noise in (("normal", rng.standard_normal), ("exponential", _exponential(rng))):
            ranges = students = 0
            for _ in range(trials):
                d = 0.01 * noise(n)
                sample = small_sample(d, 0.01)
                assert sample is not None
                ranges += math.log(sample.low) <= 0 <= math.log(sample.high)
                students += math.log(sample.normal_low) <= 0 <= math.log(sample.normal_high)
            stated = 1 - 2.0 ** (1 - n)
            rate = _binomial(ranges, trials)
            yield Row(f"range of {n} blocks holds the median, {name}", f"{stated:g}",
                      ranges / trials, rate, stated, stated)  # fmt: skip
            if name == "normal":
                yield at_least(f"Student's interval of {n} blocks, normal", students, trials, 0.99)
            else:
                yield broken(f"Student's interval of {n} blocks holds the median, exponential",
                             students, trials)  # fmt: skip


def _exponential(rng: Rng) -> Callable[[int], Floats]:
    return lambda n: rng.exponential(size=n) - math.log(2)


def cold_starts(rng: Rng, trials: int) -> Iterator[Row]:
    """The ratio of the work is m + (m − 1)·s/(1 − s), of measured ratio m and cold share s."""
    del rng, trials
    for s in (0.01, 0.05):
        work_a, work_b = 1.05, 1.0
        cold = s / (1 - s)  # of the baseline's value, the share s is the cold start
        m = (work_a + cold) / (work_b + cold)
        r = m + (m - 1) * s / (1 - s)
        yield Row(
            f"ratio 1.05, cold share {s:g} of both", "1.05", r, (r, r), 1.05 - 1e-12, 1.05 + 1e-12
        )
        m = (work_a + 2 * cold) / (work_b + cold)
        r = m + (m - 1) * s / (1 - s)
        name = f"broken: ratio 1.05, cold share {s:g}, the variant's cold start twice as long"
        yield Row(name, "–", r, (r, r))


def noise_levels(rng: Rng, trials: int) -> Iterator[Row]:
    """Values, processes and layouts: standard deviations of log ratios, 0.5, 1 and 2 %."""
    found = []
    n = max(40, trials // 20)
    for _ in range(n):
        blocks = [_block(rng, i, layout=i % 2) for i in range(120)]
        got = levels(blocks, "b", "a")
        assert got is not None
        assert got.layout is not None
        found.append((got.value, got.process, got.layout))
    each = np.array(found)
    # A median absolute deviation of 20 values is 5 % too small.
    sizes = (("value", 0.005, 0.92), ("process", 0.01, 0.95), ("layout", 0.02, 0.95))
    for column, (name, one_side, low) in zip(each.T, sizes, strict=True):
        stated, middle = one_side * math.sqrt(2), float(np.median(column))
        error = 2.5 * float(np.std(column)) / math.sqrt(n)
        ends = (middle - error, middle + error)
        what = f"noise of a {name}, median of {n} studies of 120 blocks"
        yield Row(what, f"{stated:.4f}", middle, ends, low * stated, 1.05 * stated)
    d = [layout_spread(0.01 * rng.standard_normal(60),
                       np.hypot(0.01, 0.02 * 2**0.5) * rng.standard_normal(60))[0]
         for _ in range(trials)]  # fmt: skip
    m = float(np.median(d))
    yield Row("spread of layouts of one side", "0.02 ± 5 %", m, (0.99 * m, 1.01 * m), 0.019, 0.021)
    for share in (0.5, 0.2, 0.1):
        spread = 0.03 * math.sqrt(share * (1 - share))
        pairs = [layout_spread(0.005 * rng.standard_normal(16), _two_speeds(rng, share, 16))
                 for _ in range(trials)]  # fmt: skip
        what = f"spread where {share:.0%} of 16 layouts are 3 % slower"
        m = math.sqrt(float(np.mean([s**2 for s, _ in pairs])))
        yield Row(what, f"{spread:.4f} ± 5 %", m, (m, m), 0.95 * spread, 1.05 * spread)
        hits = sum(high >= spread for _, high in pairs)
        yield at_least("its upper limit holds", hits, trials, 0.95)


def _two_speeds(rng: Rng, share: float, n: int) -> Floats:
    """Log ratios of pairs whose sides each have one of two speeds by chance."""
    slow = 0.03 * (rng.random((2, n)) < share)
    return np.asarray(slow[0] - slow[1] + 0.005 * rng.standard_normal(n))


def _block(rng: Rng, at: int, layout: int, turns: int = 20) -> Block:
    values = {}
    for side in ("a", "b"):
        mean = 0.01 * rng.standard_normal() + (0.02 * rng.standard_normal() if layout else 0.0)
        values[side] = tuple(np.exp(mean + 0.005 * rng.standard_normal(turns)).tolist())
    order = (("a", "b"),) * turns
    return Block("x", at, 0, "s", None, 1, 0, ("a", "b"), order, values, float(at), 0.1,
                 layouts={"a": at, "b": at} if layout else {})  # fmt: skip


def correlations(rng: Rng, trials: int) -> Iterator[Row]:
    """The final analysis: r + (1 + 4r)/n has no bias, the error of a mean grows by √((1+ρ)/(1−ρ));
    the warning comes to 1 % of independent series."""
    n = 45
    for r in (0.0, 0.3, 0.6):
        x = np.empty((n, 4 * trials))
        x[0] = rng.standard_normal(4 * trials)
        for t in range(1, n):
            x[t] = r * x[t - 1] + math.sqrt(1 - r * r) * rng.standard_normal(4 * trials)
        lag = lag_ones(x)
        yield about(f"r + (1 + 4r)/n of 45 blocks with r = {r:g}", lag + (1 + 4 * lag) / n, r, 0.03)
        grown = float(np.std(x.mean(axis=0)) * math.sqrt(n))
        stated = math.sqrt((1 + r) / (1 - r))
        yield Row(f"error of a mean of 45 over that at r = 0, r = {r:g}", f"{stated:.3f} ± 3 %",
                  grown, (0.98 * grown, 1.02 * grown), 0.97 * stated, 1.03 * stated)  # fmt: skip
        if r == 0:
            warned = int(np.sum(lag * math.sqrt(n) > 2.326))
            yield at_most("warned of correlation, independent", warned, 4 * trials, 0.01)


def shares(rng: Rng, trials: int) -> Iterator[Row]:
    """Wilson's interval of the share of slow processes."""
    for p, n in ((0.05, 50), (0.2, 30)):
        counts = rng.binomial(n, p, trials)
        held = sum(low <= p <= high for low, high in (_wilson(int(c), n) for c in counts))
        yield Row(f"Wilson's interval holds {p:g} of {n}", "0.95 ± 0.03", held / trials,
                  _binomial(held, trials), 0.92, 0.98)  # fmt: skip


def accounts(rng: Rng, trials: int) -> Iterator[Row]:
    """The interval of a part of wall time: 95 %."""
    for n in (5, 10, 20):
        held = sum(_holds(change_of([0.0] * n, rng.standard_normal(n).tolist(), paired=True))
                   for _ in range(trials))  # fmt: skip
        yield at_least(f"interval of a part of time, {n} blocks, normal", held, trials, 0.95)
        unpaired = sum(_holds(change_of(rng.standard_normal(n).tolist(),
                                        (2 * rng.standard_normal(n)).tolist()))
                       for _ in range(trials))  # fmt: skip
        yield at_least(f"the same of unpaired runs, {n} and {n}", unpaired, trials, 0.95)


def _holds(change: Change) -> bool:
    return change.low <= 0 <= change.high


def series_noise(rng: Rng, trials: int) -> Iterator[Row]:
    """The noise of a series from the lower quartile of its differences; false steps."""
    n = 60
    y = rng.standard_normal((trials, n))
    found = np.array([difference_noise(row) for row in y])
    yield about("noise of 60 normal points", found, 1.0, 0.1)
    y[:, 30:] += 8
    y[:, 10] += 50
    found = np.array([difference_noise(row) for row in y])
    yield about("the same with a step and an outlier", found, 1.0, 0.1)
    many = max(100, trials // 4)
    wrong = sum(bool(steps(judged([row], [0.0])[0])) for row in rng.standard_normal((many, n)))
    yield at_most("steps in 60 normal points", wrong, many, 0.01)


def slopes(rng: Rng, trials: int) -> Iterator[Row]:
    """The slope over a parameter, its intercept, and its ratio to the baseline's: 95 %."""
    at = (1, 2, 4, 8, 16)
    benchmarks = [Benchmark(f"n{x}", "turn", (), parameter=Parameter("n", "n", x)) for x in at]
    empty = _block(rng, 0, 0, turns=1)
    draws: Sequence[tuple[str, Callable[[], float]]] = (
        ("normal", lambda: float(rng.standard_normal())),
        ("of Student's t of 3", lambda: float(rng.standard_t(3))),
    )
    for noise, draw in draws:
        for passes in (8, 20):
            held = np.zeros(3, dtype=int)
            for _ in range(max(1, trials // 4)):
                blocks = []
                for _ in range(passes):
                    drift = 3 * float(rng.standard_normal())
                    for x in at:
                        times = {
                            v: (50 + k * x + drift + draw(),) for v, k in (("a", 20), ("b", 22))
                        }
                        blocks.append(replace(empty, benchmark=f"n{x}", values=times))
                (line,) = judge_lines(blocks, benchmarks=benchmarks, variants=["b"], baseline="a")
                for i, (found, truth) in enumerate(
                    ((line.slope, 22.0), (line.intercept, 50.0), (line.slope_ratio, 1.1))
                ):
                    assert found is not None
                    assert found.low is not None
                    assert found.high is not None
                    held[i] += found.low <= truth <= found.high
            for what, hits in zip(("slope", "intercept", "ratio of slopes"), held, strict=True):
                yield at_least(
                    f"interval of the {what}, {passes} passes, noise {noise}",
                    *(int(hits), max(1, trials // 4), 0.95),
                )


CHECKS: Sequence[Callable[[Rng, int], Iterator[Row]]] = (
    wealth, hull, families, interactions, influences, small_samples, cold_starts, noise_levels,
    correlations, shares, accounts, series_noise, slopes,
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
