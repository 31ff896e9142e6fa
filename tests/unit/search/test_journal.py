"""A search that is killed goes on where it was."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.search.worlds import Range, step_at

from whyfast.model.errors import UserError
from whyfast.search.engine import Done, next_step
from whyfast.search.journal import lines, read, task_line
from whyfast.search.state import Costs, KnownEnds, State, Task

_TASK = Task(64, relinkable=True, costs=Costs(2.0, 30.0), budget=500)


def _state(stop: int) -> State:
    world = Range(step_at(20, 64, 0.05), 0.008, 1, frozenset({19, 33}), spread=0.004)
    return world.search(_TASK, stop=lambda s: len(s.observations) >= stop)[0]


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 60))
def test_at_any_point_the_journal_holds_the_state(stop: int) -> None:
    state = _state(stop)
    again = read(lines(state), "search.jsonl")
    assert again == state
    assert next_step(again) == next_step(state)


def test_the_end_of_a_search_is_read_again() -> None:
    state = _state(10_000)
    assert isinstance(next_step(read(lines(state), "search.jsonl")), Done)


def test_a_line_that_was_being_written_is_left_out() -> None:
    text = lines(_state(6))
    assert len(read(text[:-9], "search.jsonl").observations) == 5


def test_known_ends_and_weights_are_kept() -> None:
    task = Task(2, known=KnownEnds(0.03, 0.01), weights=(1.0, 2.0))
    assert read(task_line(task), "search.jsonl").task == task


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "search.jsonl: no search is recorded here; a line of whyfast-search/1 comes first"),
        ('{"task": {}}\n', "search.jsonl:1: not a line of whyfast-search/1: schema is None"),
        ("{]\n", "search.jsonl:1: not a line of whyfast-search/1"),
        (task_line(Task(4)) + '{"built": 4}\n', "search.jsonl:2: .*candidate 4 is not between"),
        (task_line(Task(4)) + '{"block": {}}\n', "search.jsonl:2: 'pair' is missing"),
        (task_line(Task(4)) + '{"found": 4}\n', "search.jsonl:2: .*neither block, built nor"),
        (task_line(Task(4)) + "[]\n", "search.jsonl:2: .*is not an object"),
        (task_line(Task(4)) + '{"built": true}\n', "search.jsonl:2: .*not a whole number"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(text, "search.jsonl")
