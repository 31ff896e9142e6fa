"""Whether BPF programs may be loaded here."""

from __future__ import annotations

import ctypes
import errno
import os

import pytest
from tests.golden_files import Hear

from whyfast.measure.registry import why_no_bpf

MAP_CREATE, PROG_LOAD = 0, 5


def _kernel(answers: dict[int, int], seen: list[int]):  # type: ignore[no-untyped-def]
    def call(command: int, attributes: ctypes.Array[ctypes.c_char]) -> int:
        seen.append(command)
        return answers.get(command) or os.open(os.devnull, os.O_RDONLY)

    return call


def test_nothing_is_said_where_a_program_loads() -> None:
    seen: list[int] = []
    before = len(os.listdir("/proc/self/fd"))
    assert why_no_bpf(_kernel({}, seen)) == ""
    assert seen == [MAP_CREATE, PROG_LOAD]
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("command", [MAP_CREATE, PROG_LOAD])
@pytest.mark.parametrize("number", [errno.EPERM, errno.ENOSYS, errno.ENOMEM])
def test_the_reason_is_said(command: int, number: int, golden: Hear) -> None:
    golden(why_no_bpf(_kernel({command: -number}, [])))
