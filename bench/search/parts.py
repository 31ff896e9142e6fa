"""How often the parts that carry a difference are found: simulated flags with known answers.

    python -m bench.search.parts [--searches 300] [--seed 1] [--count 40]

Neither the effect nor the noise is known. ``blocks`` and ``subsets`` are means: of blocks of
measuring, and of mixtures built.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bench.search.scenes import EFFECT
from bench.search.world import DRIFT, ONE, Draw
from whyfast.search.ddmin import Minimal, Try, ddmin
from whyfast.search.state import Task
from whyfast.search.view import Subset, Trial

Level = Callable[[Subset], float]
Made = tuple[Level, Callable[[Minimal], bool]]
Make = Callable[[np.random.Generator, int], Made]


@dataclass(frozen=True)
class Kind:
    """``make(rng, count)``: the level of each subset, and what is right of an answer.

    ``differ``: whether the ends do.
    """

    name: str
    make: Make
    differ: bool = True


@dataclass
class Mixtures:
    """Blocks of the ends and a subset; ``effect`` in standard deviations of one measurement, which
    are ``unit`` as a log ratio. Over layouts ``share`` of the effect is there, and each program has
    the luck of its ``layout``."""

    rng: np.random.Generator
    level: Level
    effect: float
    differ: bool
    share: float = 1.0
    layout: Draw | None = None
    unit: float | None = None

    def __call__(self, wanted: Try) -> Trial:
        unit = self.unit or EFFECT / self.effect
        drift = DRIFT * float(self.rng.standard_normal())
        programs, effect = drift + ONE * self.rng.standard_normal(3), self.effect
        if wanted.layouts:
            assert self.layout is not None
            programs, effect = programs + self.layout(self.rng, 3), effect * self.share
        good, bad, own = programs.tolist()
        bad += effect * self.differ
        if wanted.subset is None:
            return Trial(unit * (bad - good), layouts=wanted.layouts)
        own += effect * self.level(wanted.subset)
        offset = own - (good + bad) / 2
        return Trial(
            unit * (bad - good), wanted.subset, unit * offset, wanted.fresh, wanted.layouts
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="bench.search.parts")
    parser.add_argument("--searches", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    args = parser.parse_args()
    print("| what carries the difference | effect | right | blocks | subsets | answers |")
    print("| --- " * 6 + "|")
    for effect in (2.0, 4.0):
        for kind in kinds():
            print(line(kind, effect, args.searches, args.seed, args.count), flush=True)


def line(kind: Kind, effect: float, searches: int, seed: int, count: int) -> str:
    """One row of the table."""
    right, found = 0, []
    for i in range(searches):
        rng = np.random.default_rng([seed, i])
        level, is_right = kind.make(rng, count)
        found.append(ddmin(Task(count), Mixtures(rng, level, effect, kind.differ)))
        right += is_right(found[-1])
    words = Counter(f"{f.outcome}, {f.together}" if f.together else f.outcome for f in found)
    cells = [
        kind.name,
        f"{effect:g}σ",
        f"{right / searches:.1%}",
        f"{np.mean([f.blocks for f in found]):.0f}",
        f"{np.mean([f.subsets for f in found]):.1f}",
        "; ".join(f"{word} {n}" for word, n in words.most_common()),
    ]
    return "| " + " | ".join(cells) + " |"


def kinds() -> Iterator[Kind]:
    """All kinds of carrying."""
    for k in (1, 2, 3):
        yield Kind("one" if k == 1 else f"{k}, all of them needed", _all_of(k))
    yield Kind("two that add up, 0.6 and 0.4", _adding)
    yield Kind("either of two", _either)
    yield Kind("all of them needed", _everything)
    yield Kind("luck: each mixture like one end or the other", _luck)
    yield Kind("nothing: the ends do not differ", _nothing, differ=False)


def _all_of(k: int) -> Make:
    def make(rng: np.random.Generator, count: int) -> Made:
        parts = frozenset(rng.choice(count, k, replace=False).tolist())
        return (lambda s: float(parts <= s)), lambda m: m.outcome == "set" and _union(m) == parts

    return make


def _adding(rng: np.random.Generator, count: int) -> Made:
    a, b = rng.choice(count, 2, replace=False).tolist()
    return (
        lambda s: 0.6 * (a in s) + 0.4 * (b in s),
        lambda m: m.outcome == "set" and _union(m) == {a, b} and m.together != "interplay",
    )


def _either(rng: np.random.Generator, count: int) -> Made:
    a, b = rng.choice(count, 2, replace=False).tolist()
    return (
        lambda s: float(a in s or b in s),
        lambda m: m.outcome == "set" and _union(m) in ({a}, {b}) and m.others,
    )


def _everything(rng: np.random.Generator, count: int) -> Made:
    return (lambda s: float(len(s) == count)), lambda m: m.outcome == "mixed"


def _luck(rng: np.random.Generator, count: int) -> Made:
    seed = int(rng.integers(1 << 30))

    def level(subset: Subset) -> float:
        if len(subset) in (0, count):
            return float(len(subset) == count)
        return float(np.random.default_rng([seed, *sorted(subset)]).integers(0, 2))

    return level, lambda m: m.outcome == "mixed"


def _nothing(rng: np.random.Generator, count: int) -> Made:
    return (lambda s: 0.0), lambda m: m.outcome == "none"


def _union(minimal: Minimal) -> Subset:
    return frozenset(d for part in minimal.parts for d in part)


if __name__ == "__main__":
    main()
