"""What the first process of a guest is told."""

from __future__ import annotations

import pytest

from whyfast.measure.vm.boot_plan import FACTS, BootTask, encode_plan


def test_settings_first_then_peace_then_the_tasks() -> None:
    task = BootTask("0", ("/program", "turn", "two words"), loops=25, turns=16, seconds=60)
    words = encode_plan([task], {"net.core.bpf_jit_harden": "2"}).split(b"\0")
    assert words[:9] == [
        *(b"write", b"/proc/sys/kernel/sched_rt_runtime_us", b"-1"),
        *(b"write", b"/proc/sys/net/core/bpf_jit_harden", b"2"),
        *(b"settle", b"10", b"file"),
    ]
    assert words.count(b"file") == len(FACTS)
    assert words[-10:] == [
        *(b"turns", b"0", b"25", b"16", b"60", b"3", b"/program", b"turn", b"two words"),
        b"",
    ]


def test_a_plan_that_the_guest_has_no_room_for_is_refused() -> None:
    tasks = [BootTask(str(i), ("/program", "x" * 100), 1, 1, 1) for i in range(600)]
    with pytest.raises(ValueError, match="more benchmarks and variants"):
        encode_plan(tasks, {})
    with pytest.raises(ValueError, match="more than 63 words"):
        encode_plan([BootTask("0", ("word",) * 64, 1, 1, 1)], {})
