"""Ranges with a known answer, for tests: exact ones, and ones with seeded noise."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from whyfast.model.study import BuildSpec, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.search import engine
from whyfast.search.state import Observation, Pair, Reading, SearchAnswer, State, Task


def make_study(folder: Path, **parts: Any) -> Study:
    (folder / "source").mkdir(exist_ok=True)
    study = Study(
        name="demo",
        title="t",
        folder=folder,
        baselines=("base",),
        margin=0.01,
        source=Source("path", ".", folder / "source"),
        build=BuildSpec((), "program", link="link {layout}"),
        variants=(Variant("base", "path:gcc"),),
        benchmarks=(Benchmark("calls", "turn", ("{program}", "turn")),),
    )
    return replace(study, **parts)


def block(
    times: dict[int, float],
    bad: int,
    *,
    layouts: bool = False,
    pair: tuple[int, int, int] | None = None,
) -> Observation:
    """A block from log times by candidate; 0 is the good end. ``pair``: parent, culprit,
    attempt."""
    inner = sorted(c for c in times if c not in (0, bad))
    return Observation(
        ends=times[bad] - times[0],
        readings=tuple(Reading(c, times[c] - times[0], times[c] - times[bad]) for c in inner),
        layouts=layouts,
        pair=None if pair is None else Pair(*pair, times[pair[1]] - times[pair[0]]),
    )


@dataclass
class Range:
    """``levels[c]``: log time as linked; ``true[c]``: over layouts, the same if not given.
    ``noise``: standard deviation of one program in a block, ``spread``: of a fresh layout."""

    levels: Sequence[float]
    noise: float = 0.0
    seed: int = 0
    broken: frozenset[int] = frozenset()
    true: Sequence[float] | None = None
    spread: float = 0.0
    steps: list[engine.Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def take(
        self, candidates: Sequence[int], layouts: bool, pair: tuple[int, int, int] | None = None
    ) -> Observation:
        bad = len(self.levels) - 1
        levels = self.true if layouts and self.true is not None else self.levels
        times = {
            c: levels[c]
            + self.noise * self.rng.standard_normal()
            + (self.spread * self.rng.standard_normal() if layouts else 0.0)
            for c in sorted({0, bad, *candidates})
        }
        return block(times, bad, layouts=layouts, pair=pair)

    def react(self, state: State, step: engine.Step) -> State:
        match step:
            case engine.MeasureEnds(layouts):
                return engine.observe(state, self.take((), layouts))
            case engine.BuildCandidate(candidate) if candidate in self.broken:
                return engine.skip(state, candidate, "does not build")
            case engine.BuildCandidate(candidate):
                return engine.built(state, candidate)
            case engine.Measure(candidate, layouts):
                return engine.observe(state, self.take((candidate,), layouts))
            case engine.Confirm(parent, culprit, layouts, attempt):
                pair = (parent, culprit, attempt)
                return engine.observe(state, self.take((parent, culprit), layouts, pair))
            case engine.Done():
                raise AssertionError("nothing happens after the end")

    def search(
        self, task: Task, stop: Callable[[State], bool] = lambda state: False
    ) -> tuple[State, engine.Step]:
        """Search until done, or until ``stop``; the state and the last step."""
        state = State(task)
        while not isinstance(step := engine.next_step(state), engine.Done) and not stop(state):
            self.steps.append(step)
            state = self.react(state, step)
        return state, step


def place(answer: SearchAnswer) -> tuple[str, int, int]:
    """The outcome, and the first and last position that the step may have."""
    assert answer.where is not None
    return answer.outcome, answer.where.first, answer.where.last


def step_at(at: int, positions: int, effect: float) -> list[float]:
    """Levels of one step."""
    return [effect if c >= at else 0.0 for c in range(positions + 1)]
