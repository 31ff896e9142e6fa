"""A search as lines of JSON, one an event, appended as they happen.

A search that was killed goes on from what its file holds: at most the line that was being written
is lost. The first line is the task; the state is what the others add up to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from whyfast.model.errors import UserError
from whyfast.search.engine import begin, built, observe, skip
from whyfast.search.state import Costs, KnownEnds, Observation, Pair, Reading, State, Task

SCHEMA = "whyfast-search/1"

T = TypeVar("T")


def task_line(task: Task) -> str:
    """The first line of a journal."""
    return _line({"schema": SCHEMA, "task": asdict(task)})


def block_line(block: Observation) -> str:
    """A block that was taken."""
    return _line({"block": asdict(block)})


def built_line(candidate: int) -> str:
    """A candidate that was built."""
    return _line({"built": candidate})


def skipped_line(candidate: int, reason: str) -> str:
    """A candidate that cannot be measured."""
    return _line({"skipped": candidate, "reason": reason})


def lines(state: State) -> str:
    """The whole journal of a state."""
    return "".join(
        [
            task_line(state.task),
            *(built_line(c) for c in sorted(state.built)),
            *(skipped_line(c, why) for c, why in state.skipped.items()),
            *(block_line(b) for b in state.observations),
        ]
    )


def read(text: str, where: str | Path) -> State:
    """The state that a journal holds; an unfinished last line is left out.

    UserError names the line that cannot be read. ``where`` is the file, for that message.
    """
    complete = text[: text.rfind("\n") + 1].splitlines()
    if not complete:
        raise UserError(f"no search is recorded here; a line of {SCHEMA} comes first", where=where)
    first = _understood(complete[0], 1, where, _task)
    state = begin(first)
    for number, line in enumerate(complete[1:], start=2):
        state = _understood(line, number, where, _event(state))
    return state


def _task(value: Mapping[str, object]) -> Task:
    if value.get("schema") != SCHEMA:
        raise ValueError(f"schema is {value.get('schema')!r}, not {SCHEMA!r}")
    task = _mapping(value["task"])
    known, weights = task["known"], task["weights"]
    return Task(
        positions=_whole(task["positions"]),
        margin=_number(task["margin"]),
        relinkable=_truth(task["relinkable"]),
        known=None if known is None else KnownEnds(**_numbers(known)),
        costs=Costs(**_numbers(task["costs"])),
        weights=None if weights is None else tuple(_number(w) for w in _items(weights)),
        budget=None if task["budget"] is None else _whole(task["budget"]),
    )


def _event(state: State) -> Callable[[Mapping[str, object]], State]:
    def happened(value: Mapping[str, object]) -> State:
        if "block" in value:
            return observe(state, _block(_mapping(value["block"]), state.task))
        if "built" in value:
            return built(state, _inside(value["built"], state.task))
        if "skipped" in value:
            return skip(state, _inside(value["skipped"], state.task), str(value["reason"]))
        raise ValueError("neither block, built nor skipped")

    return happened


def _block(value: Mapping[str, object], task: Task) -> Observation:
    pair = value["pair"]
    return Observation(
        ends=_number(value["ends"]),
        readings=tuple(_reading(_mapping(r), task) for r in _items(value["readings"])),
        layouts=_truth(value["layouts"]),
        pair=None if pair is None else _pair(_mapping(pair), task),
    )


def _reading(value: Mapping[str, object], task: Task) -> Reading:
    candidate = _inside(value["candidate"], task)
    return Reading(candidate, _number(value["to_good"]), _number(value["to_bad"]))


def _pair(value: Mapping[str, object], task: Task) -> Pair:
    parent, culprit = _whole(value["parent"]), _whole(value["culprit"])
    if not 0 <= parent < culprit <= task.positions:
        raise ValueError(f"parent {parent} and culprit {culprit} are not in the range")
    return Pair(parent, culprit, _whole(value["attempt"]), _number(value["jump"]))


def _understood(
    line: str, number: int, where: str | Path, read_: Callable[[Mapping[str, object]], T]
) -> T:
    try:
        return read_(_mapping(json.loads(line)))
    except KeyError as error:
        raise UserError(f"{error} is missing", where=f"{where}:{number}") from None
    except (ValueError, TypeError) as error:
        raise UserError(f"not a line of {SCHEMA}: {error}", where=f"{where}:{number}") from None


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, allow_nan=False) + "\n"


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError(f"{value!r} is not an object")
    return value


def _items(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError(f"{value!r} is not a list")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


def _numbers(value: object) -> dict[str, float]:
    return {key: _number(v) for key, v in _mapping(value).items()}


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"{value!r} is not a whole number")
    return value


def _inside(value: object, task: Task) -> int:
    candidate = _whole(value)
    if not 0 < candidate < task.positions:
        raise ValueError(f"candidate {candidate} is not between the ends")
    return candidate


def _truth(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value
