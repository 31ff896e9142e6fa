"""The loop over a subject, the store, progress, and prefetching."""

import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from tests.unit.search.worlds import Range, place, step_at

from whyfast.model.code import CodeComparison
from whyfast.model.errors import UserError
from whyfast.search.ddmin import Failed, Try, next_try
from whyfast.search.engine import BuildCandidate, Step, built, next_step, observe, skip
from whyfast.search.results import FORMAT, SearchFile, StepEvidence, search_key
from whyfast.search.run import BARS, drive, likely_next, likely_subsets, posterior_lines
from whyfast.search.state import AxisCandidate, Observation, Pair, Reading, State, Task
from whyfast.search.subject import CandidateFailed, Layouts, Times, observation
from whyfast.search.view import Trial

NAMES = [str(n) for n in range(33)]
BLOCK = Observation(0.1, (Reading(3, 0.0, -0.1),), layouts=True, pair=Pair(2, 3, 1, 0.1))


@dataclass
class Levels:
    """Candidate k takes ``levels[k]`` seconds, give or take half a per cent."""

    levels: Sequence[float]
    broken: frozenset[int] = frozenset()
    rng: random.Random = field(default_factory=lambda: random.Random(7))
    built: list[int] = field(default_factory=list)
    settled: list[tuple[int, ...]] = field(default_factory=list)
    asked: list[tuple[int, Layouts | None]] = field(default_factory=list)

    def build(self, candidate: int) -> None:
        if candidate in self.broken:
            raise CandidateFailed(candidate, "does not build")
        self.built.append(candidate)

    def rebuild_clean(self, candidates: Sequence[int]) -> None:
        self.settled.append(tuple(candidates))

    def prefetch(self, candidates: Iterable[int]) -> None:
        """Nothing is built ahead."""

    def block(
        self, candidates: Sequence[int], *, number: int, layouts: Layouts | None
    ) -> list[Times]:
        self.asked.append((number, layouts))
        for candidate in candidates:
            if candidate in self.broken:
                raise CandidateFailed(candidate, "does not build")
        drift = self.rng.gauss(0, 0.02)
        times = {c: np.array([self._time(c, drift) for _ in range(5)]) for c in candidates}
        return [times]

    def _time(self, candidate: int, drift: float) -> float:
        return self.levels[candidate] * math.exp(drift + self.rng.gauss(0, 0.005))


def _step_at(culprit: int) -> list[float]:
    return [1.0 if n < culprit else 1.05 for n in range(len(NAMES))]


def test_the_culprit_is_found_and_skipped_candidates_are_told() -> None:
    subject = Levels(_step_at(20), broken=frozenset({16, 17}))
    kept: list[State] = []
    state, answer = drive(subject, State(Task(32)), lambda now, step: kept.append(now))
    assert place(answer) == ("culprit", 20, 20)
    assert answer.step is not None
    assert answer.step.low < math.log(1.05) < answer.step.high
    assert set(state.skipped.values()) <= {"does not build"}
    assert kept[-1] == state
    assert len(set(subject.built)) == len(subject.built)
    assert set(subject.settled) == {(19, 20)}


def test_an_end_that_cannot_be_built_ends_the_search() -> None:
    subject = Levels(_step_at(20), broken=frozenset({32}))
    with pytest.raises(CandidateFailed) as caught:
        drive(subject, State(Task(32)), lambda now, step: None)
    assert (caught.value.candidate, caught.value.reason) == (32, "does not build")


class Killed(Exception):
    """A search is killed."""


def _killed(file: SearchFile, subject: Levels, task: Task, at: Callable[[State], bool]) -> State:
    """What is kept of a search that is killed once its state is so."""

    def keep(now: State, step: Step) -> None:
        file.save_state(now)
        if at(now):
            raise Killed

    with pytest.raises(Killed):
        drive(subject, State(task), keep)
    state = file.load_state(task)
    assert state is not None
    return state


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 0, "names": []}', "\x00"])
def test_what_cannot_be_gone_on_with_is_no_state(tmp_path: Path, text: str) -> None:
    file = SearchFile(tmp_path / "search.json", NAMES)
    file.path.write_text(text)
    assert file.load_state(Task(32)) is None
    file.save_state(State(Task(32)))
    assert file.load_state(Task(32)) == State(Task(32))
    assert SearchFile(file.path, NAMES[1:]).load_state(Task(32)) is None
    with pytest.raises(UserError, match=r"search\.json/x: cannot be written"):
        SearchFile(file.path / "x", NAMES).save_events(EVENTS)


EVENTS = (Trial(0.5, None, 0.0), Trial(0.5, frozenset({1}), 0.25), Failed(frozenset({0}), "why"))
STATE = skip(built(observe(State(Task(32)), BLOCK), 3), 4, "does not build")


def test_only_a_search_of_these_names_and_this_format_is_resumed(tmp_path: Path) -> None:
    file = SearchFile(tmp_path / "kept.json", NAMES)
    other = SearchFile(file.path, NAMES[1:])

    def loaded(kept: SearchFile) -> tuple[object, object]:
        return kept.load_events(), kept.load_state(Task(32))

    for content in (EVENTS, None), ((), STATE):
        if content[0]:
            file.save_events(EVENTS)
        else:
            file.save_state(STATE)
        assert (loaded(file), loaded(other)) == (content, ((), None))
        data = json.loads(file.path.read_text())
        file.path.write_text(json.dumps({**data, "format": FORMAT - 1}))
        assert loaded(file) == ((), None)


def test_the_key_tells_searches_apart() -> None:
    assert search_key("a", ["b"], 0.01) == search_key("a", ["b"], 0.01)
    assert search_key("a", ["b"], 0.01) != search_key("a", ["b"], 0.02)
    assert len(search_key("a")) == 24


def test_what_is_learnt_from_a_block_is_medians_of_neighbouring_turns() -> None:
    one = {0: np.array([1.0, 2.0, 4.0]), 3: np.array([1.0, 4.0, 8.0]), 8: np.array([2.0, 4.0, 8.0])}
    other = {0: np.array([1.0]), 3: np.array([1.0]), 8: np.array([8.0])}
    seen = observation([one, other], 8, layouts=False, pair=(0, 3, 1))
    two = math.log(2)
    assert seen.ends == pytest.approx((two + 3 * two) / 2)
    assert [r.candidate for r in seen.readings] == [3]
    assert seen.readings[0].to_good == pytest.approx(two / 2)
    assert seen.readings[0].to_bad == pytest.approx((0 - 3 * two) / 2)
    assert seen.pair is not None
    assert seen.pair.jump == pytest.approx(two / 2)


def test_no_layout_runs_in_two_blocks_not_even_after_an_interrupt(tmp_path: Path) -> None:
    file, task = SearchFile(tmp_path / "search.json", NAMES), Task(32, relinkable=True)
    first, second = (Levels(_step_at(20)) for _ in range(2))
    state = _killed(file, first, task, lambda now: sum(o.layouts for o in now.observations) == 7)
    after, answer = drive(second, state, lambda now, step: None)
    assert (answer.outcome, answer.tested) == ("culprit", "change")
    asked = [*first.asked, *second.asked]
    assert [number for number, _ in asked] == list(range(1, len(after.observations) + 1))
    taken = [(c, n) for _, layouts in asked for c, n in (layouts or {}).items()]
    assert len(set(taken)) == len(taken)
    varied = sum(o.layouts for o in after.observations)
    assert [n for c, n in taken if c == 0] == list(range(1, varied + 1))
    assert [n for c, n in taken if c == 19] == list(range(1, 11))


CANDIDATES = tuple(AxisCandidate(str(i), f"change {i}") for i in range(17))


def test_before_the_noise_is_known_there_is_only_a_count() -> None:
    assert posterior_lines(State(Task(16)), CANDIDATES) == ("0 blocks, 0 built",)


def test_the_posterior_has_its_peak_at_the_step() -> None:
    state, _ = Range(step_at(12, 16, 0.03), noise=0.001).search(Task(16))
    line, taken, likely, *_ = posterior_lines(state, CANDIDATES)
    bars = line.removeprefix("good │").removesuffix("│ bad")
    assert len(bars) == 16
    assert bars.index(BARS[-1]) == 11
    assert taken.startswith(f"{len(state.observations)} blocks, ")
    assert likely.endswith(": change 12")


EFFECT = 0.1


def ends_seen(positions: int) -> State:
    """A search that is about to build the middle."""
    state = State(Task(positions))
    while not isinstance(next_step(state), BuildCandidate):
        state = observe(state, Observation(EFFECT))
    return state


def test_before_anything_was_seen_the_middle_then_the_quarters_then_the_eighths() -> None:
    first = list(likely_next(State(Task(16))))[:7]
    assert first == [8, 12, 4, 14, 10, 6, 2]


def test_the_one_that_is_wanted_now_is_not_among_them() -> None:
    state = ends_seen(16)
    assert next_step(state) == BuildCandidate(8)
    assert list(likely_next(state))[:2] == [12, 4]


def test_what_is_measured_decides_which_half_comes_next() -> None:
    state = built(ends_seen(16), 8)
    for like_bad in (True, False):
        reading = Reading(8, EFFECT, 0.0) if like_bad else Reading(8, 0.0, -EFFECT)
        seen = state
        while not isinstance(next_step(seen), BuildCandidate):
            seen = observe(seen, Observation(EFFECT, (reading,)))
        near = list(likely_next(seen))[:2]
        assert near == ([6, 2] if like_bad else [14, 10])


def test_what_cannot_be_built_and_what_is_built_is_not_foreseen() -> None:
    state = skip(built(ends_seen(16), 12), 4, "does not build")
    assert not {4, 12} & set(likely_next(state))


def test_the_subsets_of_a_search_for_a_set() -> None:
    task = Task(8)
    events: tuple[Trial, ...] = ()
    while True:
        wanted = next_try(task, events)
        assert isinstance(wanted, Try)
        if wanted.subset is not None:
            break
        events = (*events, Trial(EFFECT))
    assert wanted.subset == frozenset(range(4))
    assert list(likely_subsets(task, events))[:2] == [frozenset(range(6)), frozenset(range(2))]


def test_the_evidence_of_a_step_is_found_once(tmp_path: Path) -> None:
    file = SearchFile(tmp_path / "search.json", NAMES)
    step = StepEvidence(CodeComparison(identical=False, same=False), files=("a.py",))
    calls: list[StepEvidence | None] = []

    def found(evidence: StepEvidence | None) -> StepEvidence | None:
        calls.append(evidence)
        return evidence

    assert file.evidence((3, 4), lambda: found(None)) is None
    assert file.evidence((3, 4), lambda: found(step)) == step
    assert SearchFile(file.path, NAMES).evidence((3, 4), lambda: found(None)) == step
    assert file.evidence((4, 5), lambda: found(None)) is None  # of another step
    assert calls == [None, step, None]
