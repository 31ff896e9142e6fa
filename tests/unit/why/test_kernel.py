"""Kernel time and waiting, divided among system calls and page faults."""

from dataclasses import replace

import pytest

from whyfast.formats.profiles import StackFrame
from whyfast.measure.perf import SampledRun
from whyfast.measure.tools import CallRow, TracedRun
from whyfast.model.why import Change, Item
from whyfast.why.kernel import (
    kernel_items,
    moves_alike,
    purpose,
    supported,
    touching,
    waiting_items,
    with_bytes,
)

WHOLE = Change(0.010, 0.110, 0.099, 0.101)  # seconds: 0.1 more
KERNEL = Change(0.0, 0.080, 0.078, 0.082)


def traced(waits: dict[str, float] | None = None, **calls: tuple[float, int]) -> TracedRun:
    rows = {n: CallRow(n, seconds, number, 0) for n, (seconds, number) in calls.items()}
    waited = {n: CallRow(n, s, rows[n].calls, 0) for n, s in (waits or {}).items()}
    return TracedRun(rows, waited)


def shares(items: list[Item]) -> dict[str, float]:
    return {i.name: round(i.share, 3) for i in items}


def test_kernel_time_is_divided_by_the_time_of_calls() -> None:
    fast = traced(write=(0.001, 100), openat=(0.0001, 3))
    slow = traced(write=(0.061, 60_100), openat=(0.0001, 3), read=(0.020, 20_000))
    items = kernel_items(KERNEL, WHOLE, (fast, slow), (100.0, 100.0))
    assert shares(items) == {"write": 0.6, "read": 0.2}  # 60 and 20 of 80 ms, which are 80 %
    (calls,) = items[0].facts
    assert (calls.name, calls.fast, calls.slow, calls.basis) == (
        *("write calls", 100.0, 60_100.0, "counted"),
    )
    assert (items[0].time.low, items[0].time.high) == pytest.approx((0.0585, 0.0615))


def test_calls_whose_time_the_kernel_does_not_see_count_by_their_number() -> None:
    fast, slow = traced(write=(0.0, 100)), traced(write=(0.0, 400_100))
    assert shares(kernel_items(KERNEL, WHOLE, (fast, slow), (100.0, 100.0))) == {"write": 0.8}


def test_fewer_calls_that_wait_for_others_are_left_out() -> None:
    fast = traced(futex=(0.010, 639), epoll_pwait=(0.010, 44), openat=(0.001, 67))
    slow = traced(futex=(0.090, 591), epoll_pwait=(0.090, 44), openat=(0.041, 9049))
    assert shares(kernel_items(KERNEL, WHOLE, (fast, slow), (100.0, 100.0))) == {"openat": 0.8}


def test_as_many_calls_that_took_longer_under_the_tracer_are_no_cause() -> None:
    fast, slow = traced(write=(0.020, 8014)), traced(write=(0.090, 8014))
    (item,) = kernel_items(KERNEL, WHOLE, (fast, slow), (100.0, 100.0))
    assert (item.name, supported(item)) == ("write", False)
    assert moves_alike(item, (fast, slow))
    assert not moves_alike(replace(item, name="openat"), (fast, slow))
    assert with_bytes([item], {"write": 4096}, {"write": 4100}) == [item]
    (larger,) = with_bytes([item], {"write": 4096}, {"write": 40_960})
    assert supported(larger)
    assert [(f.fast, f.slow) for f in larger.facts] == [(8014, 8014), (4096, 40_960)]


def test_faults_are_of_the_accounting() -> None:
    (item,) = kernel_items(KERNEL, WHOLE, None, (100.0, 80_100.0))
    assert (item.name, item.facts[0].basis, purpose(item)) == (
        *("page faults", "measured", "page-faults"),
    )


def test_what_the_tracer_hardly_saw_divides_nothing() -> None:
    fast, slow = traced(write=(0.001, 100)), traced(write=(0.002, 200))
    assert kernel_items(KERNEL, WHOLE, (fast, slow), (100.0, 100.0)) == []


def test_waiting_is_wall_time_beyond_the_call_and_the_tracer() -> None:
    fast = traced({"read": 0.001}, read=(0.0001, 10))
    slow = traced(
        {"read": 0.001, "clock_nanosleep": 0.09}, read=(0.0001, 10), clock_nanosleep=(0.0, 1)
    )
    waiting = Change(0.0, 0.09, 0.089, 0.091)
    (item,) = waiting_items(waiting, WHOLE, (fast, slow))
    assert (item.name, round(item.share, 2), purpose(item)) == ("clock_nanosleep", 0.9, "sleep")


def test_what_tracing_adds_is_told_from_calls_that_never_wait() -> None:
    """On a busy machine the tracer waits for a CPU at each call, and so does what it traces."""
    busy = {"read": 0.08, "fstat": 0.1, "clock_nanosleep": 0.03}
    calls = {"read": (0.0, 400), "fstat": (0.0, 500), "clock_nanosleep": (0.0, 2)}
    fast = traced({"read": 0.0, "fstat": 0.0, "clock_nanosleep": 0.0}, **calls)
    items = waiting_items(Change(0.0, 0.08, 0.079, 0.081), WHOLE, (fast, traced(busy, **calls)))
    assert [i.name for i in items] == ["clock_nanosleep"]


def test_a_parent_that_waits_for_its_child_waits_for_what_the_child_does() -> None:
    fast = traced({"wait4": 0.0, "fsync": 0.0}, wait4=(0.0, 1), fsync=(0.0, 1))
    slow = traced({"wait4": 0.09, "fsync": 0.08}, wait4=(0.0, 1), fsync=(0.0, 1))
    items = waiting_items(Change(0.0, 0.08, 0.079, 0.081), WHOLE, (fast, slow))
    assert [i.name for i in items] == ["fsync"]


@pytest.mark.parametrize(
    ("call", "key"),
    [
        ("write", "system-calls"), ("clone3", "processes"), ("futex", "locks"),
        ("fsync", "io-wait"), ("brk", "page-faults"), ("mmap", "start-up"),
    ],
)  # fmt: skip
def test_what_calls_are_for(call: str, key: str) -> None:
    few, many = ((0.0, 1), (0.08, 400))
    fast, slow = (TracedRun({call: CallRow(call, *numbers, 0)}, {}) for numbers in (few, many))
    (item,) = kernel_items(KERNEL, WHOLE, (fast, slow), (0.0, 0.0))
    assert purpose(item) == key


def test_who_starts_processes_waits_for_them_in_reads_as_well() -> None:
    waits = {"read": 0.09, "wait4": 0.01}
    fast = traced({"read": 0.0}, read=(0.0, 10), wait4=(0.0, 0), execve=(0.0, 1))
    slow = traced(waits, read=(0.0, 22), wait4=(0.0, 12), execve=(0.001, 13))
    (item,) = waiting_items(Change(0.0, 0.1, 0.09, 0.11), WHOLE, (fast, slow))
    assert (item.name, round(item.share, 2), purpose(item)) == ("wait4", 1.0, "processes")


MEMSET, CALLOC = ("/lib/libc.so.6", "__memset_avx2"), ("/lib/libc.so.6", "calloc")
DRAW, MAIN, CLEAR = ("/x/p", "draw"), ("/x/p", "main"), ("/x/p", "runtime.memclrNoHeapPointers")


@pytest.mark.parametrize(
    ("stacks", "found"),
    [
        ({(MEMSET, CALLOC, DRAW, MAIN): 6.0, (MAIN,): 4.0}, (CALLOC, DRAW)),
        ({(DRAW, MAIN): 3.0, (MEMSET, MAIN): 2.0}, (DRAW,)),
        ({(CLEAR, DRAW, MAIN): 1.0}, (DRAW,)),  # a runtime inside the program
        ({(DRAW, MAIN): 3.0, (MEMSET, MAIN): 3.0, (MAIN,): 1.0}, ()),  # nobody touches half
        ({(MEMSET,): 1.0}, ()),
    ],
)
def test_who_touches_most_pages_first(
    stacks: dict[tuple[tuple[str, str], ...], float], found: tuple[tuple[str, str], ...]
) -> None:
    frames = {
        tuple(StackFrame(name, 0, path, 0) for path, name in stack): seconds
        for stack, seconds in stacks.items()
    }
    assert touching([SampledRun("slow", frames)]) == found


@pytest.mark.parametrize(("number", "key"), [(499, "start-up"), (500, "system-calls")])
def test_a_heap_that_grows_is_no_loading(number: int, key: str) -> None:
    fast, slow = traced(mprotect=(0.0, 75)), traced(mprotect=(0.2, number))
    (item,) = kernel_items(KERNEL, WHOLE, (fast, slow), (100.0, 100.0))
    assert purpose(item) == key
