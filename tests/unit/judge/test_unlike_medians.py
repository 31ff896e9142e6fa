"""Medians of single times that lie elsewhere than the ratio."""

from __future__ import annotations

from dataclasses import replace

from tests.golden_files import Hear

from whyfast.judge.outliers import unlike_medians
from whyfast.model.sample import Block
from whyfast.model.verdict import Verdict

VERDICT = Verdict("new", "old", "work", "slower", 1.4, 1.35, 1.5, 0.99, 9.0, 9)


def block(old: float, new: float) -> Block:
    values = {"old": (old,), "new": (new,)}
    return Block("work", 0, 1, "s", None, 1, 0, ("old", "new"), (("old", "new"),), values, 0.0, 1.0)


#: Turns that are held up hold up both: 1.4x in each, but most of "old" is quick, of "new" slow.
UNEVEN = [block(1.0, 1.4)] * 4 + [block(1.0, 4.0)] * 2 + [block(3.0, 4.2)] * 3


def test_a_ratio_that_its_medians_contradict_is_explained(golden: Hear) -> None:
    (note,) = unlike_medians([VERDICT], UNEVEN)
    assert (note.kind, note.severity) == ("unlike-medians", "note")
    golden(note.text)


def test_medians_near_the_ratio_need_no_word() -> None:
    assert unlike_medians([VERDICT], [block(1.0, 1.4)] * 9) == ()
    assert unlike_medians([VERDICT], [block(1.0, 1.6)] * 9) == ()  # outside, but not by much
    assert unlike_medians([replace(VERDICT, high=5.0)], UNEVEN) == ()
    assert unlike_medians([replace(VERDICT, benchmark=None)], UNEVEN) == ()
