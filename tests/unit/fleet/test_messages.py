"""Tasks and answers as JSON, and what is told apart from what was asked."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyfast.fleet.messages import (
    AskFacts,
    Chunk,
    Lacking,
    Refused,
    Taken,
    Unprepared,
    fits,
    read_answer,
    read_task,
    task_of,
    wanted_of,
    write_answer,
    write_task,
)
from whyfast.measure.calibrate import WantedLengths
from whyfast.measure.schedule import draw
from whyfast.measure.wanted import WantedBlock, WantedCalibration
from whyfast.model.codec import Malformed
from whyfast.model.sample import Block, Calibration, RunFailure

PLAN = draw(7, ["a", "b"], 3, (0, 1), {"a": 2, "b": 1})
BLOCK = WantedBlock(PLAN, "fib", "a", 4, "s1")
CALIBRATION = WantedCalibration("fib", ("a", "b"), None, WantedLengths(None, 5, math.inf))


def taken() -> Block:
    """What :data:`BLOCK` asks for."""
    return Block(
        "fib",
        4,
        7,
        "s1",
        PLAN.cpu,
        1,
        0,
        PLAN.start_order,
        PLAN.order,
        {"a": (0.1, 0.2, 0.3), "b": (0.1, 0.25, 0.3)},
        1e9,
        0.5,
        layouts=PLAN.layouts,
    )


@pytest.mark.parametrize("wanted", [BLOCK, CALIBRATION])
def test_what_is_wanted_comes_out_as_it_went_in(wanted: Any) -> None:
    task = read_task(write_task(task_of(wanted, "k")))
    assert wanted_of(task) == wanted  # type: ignore[arg-type]
    assert task.key == "k"  # type: ignore[union-attr]


def test_tasks_and_answers_are_json() -> None:
    assert json.loads(write_task(AskFacts())) == {"task": {"kind": "survey"}}
    for answer in (Lacking({"ab": 3}), Unprepared(), Refused("no"), Taken(block=taken())):
        assert read_answer(write_answer(answer)) == answer
    assert read_task(write_task(Chunk("ab", 4, 9))) == Chunk("ab", 4, 9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "message: is not JSON"),
        (b"\x80\x05K\x01.", "message: is not JSON"),
        (b"[1]", "an object is wanted"),
        (b"{}", "answer: is missing"),
        (b'{"answer": {"kind": "none"}}', "answer.kind: one of"),
        (b'{"answer": {"kind": "lacking", "parcels": {"a": "b"}}}', "answer.parcels.a"),
        (b'{"answer": {"kind": "taken", "calibration": NaN}}', "NaN is no number"),
        ("{}", "bytes are wanted, not str"),
        (None, "bytes are wanted, not NoneType"),
        (b"[" * 100_000, "message: is not JSON"),
    ],
)
def test_what_is_no_answer_is_malformed(text: object, said: str) -> None:
    with pytest.raises(Malformed) as raised:
        read_answer(text)
    assert said in str(raised.value)


@given(st.binary())
def test_any_bytes_are_an_answer_or_malformed(text: bytes) -> None:
    with pytest.raises(Malformed):
        read_answer(text)


def test_what_was_asked_fits() -> None:
    assert fits(taken(), BLOCK)
    assert fits(RunFailure("fib", "b", "crashed", "", ()), BLOCK)
    assert fits(Calibration("fib", 1, 5, 0.1, 0.1), CALIBRATION)
    assert fits(RunFailure("fib", "b", "crashed", "", ()), CALIBRATION)


@pytest.mark.parametrize(
    "other",
    [
        replace(taken(), benchmark="sum"),
        replace(taken(), index=5),
        replace(taken(), session="s0"),
        replace(taken(), cpu=9),
        replace(taken(), loops=2),
        replace(taken(), layouts={}),
        replace(taken(), seconds=-1.0),
        replace(taken(), order=PLAN.order[:2]),
        replace(taken(), values={"a": (0.1, 0.2, 0.3)}),
        replace(taken(), values={"a": (0.1, 0.2), "b": (0.1, 0.2)}),
        replace(taken(), values={"a": (0.1, 0.2, 0.0), "b": (0.1, 0.2, 0.3)}),
        RunFailure("fib", "c", "crashed", "", ()),
        RunFailure("sum", "a", "crashed", "", ()),
        Calibration("fib", 1, 5, 0.1, 0.1),
    ],
)
def test_what_was_not_asked_does_not_fit(other: Any) -> None:
    assert not fits(other, BLOCK)


def test_half_a_calibration_does_not_fit() -> None:
    assert not fits(Calibration("fib", 0, 5, 0.1, 0.1), CALIBRATION)
    assert not fits(taken(), CALIBRATION)
