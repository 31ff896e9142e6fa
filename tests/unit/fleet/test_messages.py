"""Tasks and answers as JSON, and what is told apart from what was asked.

What a worker refuses to be asked.
"""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.golden_files import refusal
from tests.unit.fleet.machines import measured, study

from whyfast.fleet.messages import (
    LARGEST,
    AskFacts,
    Chunk,
    Lacking,
    Prepare,
    Refused,
    Take,
    Unprepared,
    fits,
    read_answer,
    read_task,
    write,
)
from whyfast.fleet.worker import HostAnswers
from whyfast.investigate.services import Services
from whyfast.measure.block import WantedBlock, draw
from whyfast.measure.calibrate import WantedCalibration, WantedLengths
from whyfast.model.build import Build
from whyfast.model.codec import Malformed
from whyfast.model.sample import Block, Calibration, RunFailure
from whyfast.store.home import Home

PLAN = draw(7, ["a", "b"], 3, (0, 1), {"a": 2, "b": 1})
BLOCK = WantedBlock(PLAN, "fib", "a", 4, "s1")
CALIBRATION = WantedCalibration("fib", ("a", "b"), None, WantedLengths(None, 5))


def taken() -> Block:
    """What :data:`BLOCK` asks for."""
    return Block(
        *("fib", 4, 7, "s1", PLAN.cpu, 1, 0, PLAN.start_order, PLAN.order),
        values={"a": (0.1, 0.2, 0.3), "b": (0.1, 0.25, 0.3)},
        started=1e9,
        seconds=0.5,
        layouts=PLAN.layouts,
    )


@pytest.mark.parametrize("wanted", [BLOCK, CALIBRATION])
def test_what_is_wanted_comes_out_as_it_went_in(wanted: Any) -> None:
    task = read_task(write(Take("k", wanted)))
    assert task == Take("k", wanted)


def test_tasks_and_answers_are_json() -> None:
    assert json.loads(write(AskFacts())) == {"kind": "survey"}
    for answer in (Lacking({"ab": 3}), Unprepared(), Refused("no"), taken()):
        assert read_answer(write(answer)) == answer
    assert read_task(write(Chunk("ab", 4, 9))) == Chunk("ab", 4, 9)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "message: is not JSON"),
        (b"\x80\x05K\x01.", "message: is not JSON"),
        (b"[1]", "kind: expected one of"),
        (b"{}", "kind: expected one of"),
        (b'{"kind": "none"}', "kind: expected one of"),
        (b'{"kind": "lacking", "archives": {"a": "b"}}', "archives.a"),
        (b'{"kind": "calibration", "loops": NaN}', "not a number of JSON: NaN"),
        ("{}", "expected bytes, got str"),
        (None, "expected bytes, got NoneType"),
        (b"[" * 100_000, "message: is not JSON"),
        (b'{"kind": ' + b"[" * 900 + b"]" * 900 + b"}", "nested more than 64 deep"),
        (b'{"e": ' + b'{"a":' * 900 + b"1" + b"}" * 901, "nested more than 64 deep"),
        (b" " * (LARGEST + 1), "message: too long: 64000001 bytes; at most 64000000 are read"),
    ],
)
def test_what_is_no_answer_is_malformed(text: object, said: str) -> None:
    assert said in refusal(Malformed, lambda: read_answer(text))


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
        replace(taken(), seconds=math.inf),
        replace(taken(), values={"a": (0.1, 0.2, math.inf), "b": (0.1, 0.25, 0.3)}),
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


@pytest.mark.parametrize(
    "other",
    [
        Calibration("fib", 0, 5, 0.1, 0.1),
        Calibration("fib", 2**63, 5, 0.1, 0.1),
        Calibration("fib", 1, 10**12, 0.1, 0.1),
        Calibration("fib", 1, 6, 0.1, 0.1),
        Calibration("fib", 1, 5, math.inf, 0.1),
        Calibration("fib", 1, 5, 0.1, 0.1, ((1, math.nan),)),
        Calibration("fib", 1, 5, 0.1, 0.1, (), {"a": math.inf}),
        taken(),
    ],
)
def test_a_calibration_that_was_not_asked_does_not_fit(other: Any) -> None:
    assert not fits(other, CALIBRATION)


def test_the_turns_of_a_block_are_bounded_where_the_host_chooses_them() -> None:
    free = replace(CALIBRATION, lengths=WantedLengths())
    assert fits(Calibration("fib", 1, 400, 0.1, 0.1), free)
    text = (
        b'{"kind":"calibration","benchmark":"fib","loops":1,'
        b'"turns":1000000000000,"value":1,"start":1}'
    )
    answer = read_answer(text)
    assert isinstance(answer, Calibration)
    assert not fits(answer, free)


@pytest.mark.parametrize("program", ["/bin/sh", "../sh", "ab/../../sh"])
def test_a_program_is_none_outside_of_what_was_sent(program: str, tmp_path: Path) -> None:
    build = measured("ash", {"slow": 1.0}).recorded.builds[0]
    assert isinstance(build, Build)
    task = Prepare(study(), (), (build,), {build.variant: program}, {}, {}, ())
    answers = HostAnswers(Home(tmp_path / "cache", tmp_path / "data"), Services())
    answer = read_answer(answers.answer(write(task)))
    assert answer == Refused(f"{program} leads out of its folder")
