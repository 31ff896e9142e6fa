"""Why a step failed."""

from __future__ import annotations

import pytest

from whyfast.build.failure import why


@pytest.mark.parametrize(
    ("status", "tail", "reason"),
    [
        (2, (), "step ended with exit code 2: make"),
        (127, (), "step ended with exit code 127: make"),
        (-11, (), "step killed by SIGSEGV: make"),
        (139, (), "step killed by SIGSEGV: make"),
        (137, (), "step killed by SIGKILL, perhaps for want of memory: make"),
        (255, (), "step ended with exit code 255: make"),
        (1, ("cc: write: No space left on device", "x"), "the disk became full in the step: make"),
        (1, ("a.c:1: internal compiler error: x",), "the compiler crashed in the step: make"),
        (1, ("PLEASE submit a bug report to x",), "the compiler crashed in the step: make"),
    ],
)
def test_why(status: int, tail: tuple[str, ...], reason: str) -> None:
    assert why("make", status, tail) == reason
