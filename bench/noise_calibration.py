"""How often two runs of the same build are called different, by three ways to judge them.

    python bench/noise_calibration.py RUN.json RUN.json …    reruns of one build, by any tool
    python bench/noise_calibration.py --alone RUN.json …     each run with the next, without reruns
    python bench/noise_calibration.py --simulate             with drift and heavy tails, no files

Pairs are held out: for each number of reruns R, R of the runs calibrate ``--noise`` and two others
are compared. ``--near`` takes R + 2 runs that follow each other in time; without it they are drawn
at random. All that is called different is a false call. Of what is named where it is there tells a
difference of 10 % that is put into every tenth benchmark, either way.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from whyfast.formats.load import load_recordings
from whyfast.investigate.compare_run import split_quantities
from whyfast.judge.noise import Noise, calibrate_noise
from whyfast.judge.runs import compare_runs
from whyfast.model.sample import SECOND, Recording, Series

Floats = NDArray[np.float64]
Trial = tuple[list[Recording], Recording, Recording]

_WAYS = ("pooled t-test over all values", "two files alone", "two files with --noise")

#: What is put in, and into what share of the benchmarks.
EFFECT, SHARE_CHANGED = 1.1, 0.1


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table of false calls for each number of reruns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*")
    parser.add_argument("--reruns", type=int, nargs="+", default=[2, 3, 5, 8])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--margin", type=float, default=0.01)
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--simulate", action="store_true")
    args = parser.parse_args(argv)
    rng = np.random.default_rng(1)
    if args.simulate:
        for shared, own in ((0.0, 0.0), (0.0, 0.01), (0.01, 0.01), (0.03, 0.01)):
            print(f"\nsimulated: drift {shared:.0%} shared by a run, {own:.0%} of each benchmark")

            def draw(n: int, shared: float = shared, own: float = own) -> list[Recording]:
                return simulated(n, shared, own, rng)

            for reruns in args.reruns:
                trials = (split(draw(reruns + 2), reruns) for _ in range(args.trials))
                report(reruns, trials, args.margin)
        return 0
    if len(args.runs) < (2 if args.alone else 4):
        parser.error("needs at least four runs (--alone: two), or --simulate")
    loaded, _ = split_quantities(load_recordings(args.runs), ())
    runs = sorted(loaded, key=lambda r: r.started or 0)
    print(f"{len(runs)} runs of {len(common(runs))} benchmarks")
    if args.alone:
        alone(runs, args.margin, rng)
        return 0
    for reruns in args.reruns:
        if len(runs) >= reruns + 2:
            report(reruns, held_out(runs, reruns, args.trials, args.near, rng), args.margin)
    return 0


def alone(runs: Sequence[Recording], margin: float, rng: np.random.Generator) -> None:
    """Each run with the next: how many benchmarks are called, and how many true differences."""
    called: list[float] = []
    found: list[bool] = []
    for base, head in pairwise(runs):
        names = common([base, head])
        said = compare_runs(base, [head], names, margin=margin)
        called.append(float(np.mean([v.outcome in ("faster", "slower") for v in said.verdicts])))
        found += named(base, head, names, margin, rng)
    print(
        f"{len(called)} pairs: called {np.mean(called):.1%} (median {np.median(called):.1%}, most "
        f"{max(called):.0%}); of {len(found)} differences of {EFFECT - 1:.0%}, "
        f"{np.mean(found):.0%} named"
    )


def named(
    base: Recording,
    head: Recording,
    names: Sequence[str],
    margin: float,
    rng: np.random.Generator,
    noise: Noise | None = None,
) -> list[bool]:
    """For each difference put into ``head``, whether it is named with its direction."""
    chosen = [name for name in names if rng.random() < SHARE_CHANGED]
    factors = {name: EFFECT if rng.random() < 0.5 else 1 / EFFECT for name in chosen}
    series = {n: scaled(s, factors.get(n, 1.0)) for n, s in head.series.items()}
    said = compare_runs(base, [replace(head, series=series)], names, margin=margin, noise=noise)
    return [
        v.outcome == ("slower" if factors[v.benchmark] > 1 else "faster")
        for v in said.verdicts
        if v.benchmark in factors
    ]


def scaled(series: Series, factor: float) -> Series:
    """All its times multiplied."""
    return replace(series, processes=tuple(tuple(v * factor for v in p) for p in series.processes))


def split(runs: list[Recording], reruns: int) -> Trial:
    """The first ``reruns`` calibrate, the last two are the pair."""
    return runs[:reruns], runs[-2], runs[-1]


def held_out(
    runs: Sequence[Recording], reruns: int, trials: int, near: bool, rng: np.random.Generator
) -> Iterator[Trial]:
    """Calibrating runs and a pair that is not among them."""
    if near:
        for start in range(len(runs) - reruns - 1):
            yield split(list(runs[start : start + reruns + 2]), reruns)
        return
    for _ in range(trials):
        drawn = rng.permutation(len(runs))[: reruns + 2]
        yield split([runs[i] for i in drawn], reruns)


def common(runs: Sequence[Recording]) -> list[str]:
    """Benchmarks that all runs have."""
    return [
        name
        for name, series in runs[0].series.items()
        if series.unit == SECOND and all(name in r.series for r in runs)
    ]


def report(reruns: int, trials: Iterator[Trial], margin: float) -> None:
    """One line a way of judging: false calls among benchmarks, and among geometric means."""
    benchmarks: dict[str, list[float]] = {way: [] for way in _WAYS}
    suites: dict[str, list[float]] = {way: [] for way in _WAYS}
    widths: dict[str, list[float]] = {way: [] for way in _WAYS}
    found: dict[str, list[bool]] = {way: [] for way in _WAYS}
    rng = np.random.default_rng(2)
    for noise_runs, base, head in trials:
        names = common([*noise_runs, base, head])
        pooled = [pooled_t(head.series[n], base.series[n]) < 0.05 for n in names]
        benchmarks[_WAYS[0]].append(float(np.mean(pooled)))
        for way, noise in ((_WAYS[1], None), (_WAYS[2], calibrate_noise(noise_runs))):
            said = compare_runs(base, [head], names, margin=margin, noise=noise)
            different = [v.outcome in ("faster", "slower") for v in said.verdicts]
            benchmarks[way].append(float(np.mean(different)))
            found[way] += named(base, head, names, margin, rng, noise)
            widths[way] += [math.log(v.high / v.low) / 2 for v in said.verdicts if v.low > 0]
            suites[way].extend(s.verdict.outcome in ("faster", "slower") for s in said.suites)
    print(f"\n{reruns} reruns, {len(benchmarks[_WAYS[0]])} pairs, margin {margin:.2%}")
    for way in _WAYS:
        whole = f"{np.mean(suites[way]):6.1%}" if suites[way] else "     –"
        share = f"{np.mean(found[way]):.0%}" if found[way] else "–"
        half = f"±{np.median(widths[way]):.2%}" if widths[way] else "–"
        print(
            f"  {way:32} benchmarks {np.mean(benchmarks[way]):6.1%}"
            f"   geometric mean {whole}   median interval {half}"
            f"   {EFFECT - 1:.0%} named {share}"
        )


def pooled_t(head: Series, base: Series) -> float:
    """p-value of Student's t-test on all values as if each were independent."""
    x = np.concatenate([np.asarray(p) for p in head.processes])
    y = np.concatenate([np.asarray(p) for p in base.processes])
    return float(stats.ttest_ind(x, y).pvalue)


def simulated(
    number: int, shared: float, own: float, rng: np.random.Generator, benchmarks: int = 40
) -> list[Recording]:
    """Runs of one build: 20 processes of 3 values; every level has tails of a t with 4 degrees."""
    draw: Callable[..., Floats] = lambda *size: rng.standard_t(4, size) / np.sqrt(2)  # noqa: E731
    sizes = own * np.exp(0.7 * rng.standard_normal(benchmarks))
    processes = 0.01 * np.exp(0.7 * rng.standard_normal(benchmarks))
    runs = []
    for r in range(number):
        drift = shared * draw() + sizes * draw(benchmarks)
        series = {}
        for b in range(benchmarks):
            levels = drift[b] + processes[b] * draw(20)
            values = np.exp(levels[:, None] + 0.003 * draw(20, 3))
            name = f"b{b}"
            series[name] = Series(name, SECOND, tuple(tuple(map(float, p)) for p in values))
        runs.append(Recording(f"run{r}", "simulated", "simulated", series))
    return runs


if __name__ == "__main__":
    sys.exit(main())
