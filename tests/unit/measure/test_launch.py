"""Running programs to their end for what they print."""

from __future__ import annotations

import os

import pytest
from tests.unit.measure.conftest import STUCK

from whyfast.measure.launch import Finished, SystemLauncher
from whyfast.measure.process import OUTPUT_MOST

pytestmark = pytest.mark.usefixtures("nothing_left")


def _run(code: str) -> Finished:
    return SystemLauncher().run(["sh", "-c", code], env=dict(os.environ), timeout=STUCK)


def test_what_it_printed_and_how_it_ended() -> None:
    assert _run("echo out; echo err >&2; exit 3") == Finished(3, "out\n", "out\nerr")


def test_a_program_that_prints_too_much_is_run_to_its_end_and_told() -> None:
    done = _run(f"head -c {2 * OUTPUT_MOST} /dev/zero; exit 3")
    assert (done.status, done.stdout, done.whole) == (3, "", False)
