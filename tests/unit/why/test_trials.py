"""Which change is tried, and what it shows."""

import pytest
from tests.unit.why.records import executed, time_of

from whyfast.model.sample import Block
from whyfast.model.why import Cause, Intervention
from whyfast.why.groups import FunctionGroup
from whyfast.why.trials import (
    CHANGED,
    EXPERIMENTS,
    cause_of_trial,
    judge_trial,
    suggested,
    waits_first,
    with_trial,
)

THREADS = next(e for e in EXPERIMENTS if e.key == "threads")
DENORMALS = next(e for e in EXPERIMENTS if e.key == "denormals")


def block(index: int, fast: float, slow: float, fast_changed: float, slow_changed: float) -> Block:
    names = ("fast", "slow", *CHANGED.values())
    values = dict(zip(names, ((x,) for x in (fast, slow, fast_changed, slow_changed)), strict=True))
    return Block("whole run", index, 1, "s", None, 1, 0, names, (names,), values, 0.0, 1.0)


def group(name: str, kind: str = "", *, also_fast: bool = False, **kinds: float) -> FunctionGroup:
    fast = executed(100.0, None, **(kinds if also_fast else {}))
    ran = {"fast": fast, "slow": executed(100.0, None, **kinds)}
    return FunctionGroup([time_of(name, 0.1, 0.3)], kind, ran)


def trial(low: float) -> Intervention:
    return Intervention("x", low + 0.1, low, low + 0.2, 5)


def test_the_share_is_what_of_the_difference_goes_whatever_both_take_longer() -> None:
    blocks = [block(n, 1.0, 2.0, 1.5, 1.75) for n in range(3)]  # 1 s; 0.25 s with the change
    shown = judge_trial("one CPU", blocks, "taskset -c 0")
    assert shown is not None
    assert (shown.what, shown.share, shown.blocks) == ("one CPU", 0.75, 3)
    assert shown.command == "taskset -c 0"


def test_what_is_swapped_turns_the_difference_round() -> None:
    swapped = judge_trial(
        "the input", [block(n, 1.0, 2.0, 2.0, 1.0) for n in range(3)], swapped=True
    )
    assert swapped is not None
    assert swapped.share == 1.0


def test_two_blocks_show_nothing() -> None:
    assert judge_trial("x", [block(n, 1.0, 2.0, 1.0, 1.0) for n in range(2)]) is None


@pytest.mark.parametrize(
    ("groups", "threads", "left", "keys"),
    [
        ([group("work")], 1, 1.0, []),
        ([group("work")], 2, 0.0, ["threads"]),
        ([group("work", vector_4=10.0)], 1, 0.5, ["denormals"]),
        ([group("work", vector_4=9.0)], 1, 0.5, []),  # hardly any arithmetic on floats
        ([group("work", vector_4=50.0)], 1, 0.1, []),  # explained already
        ([group("work", vector_16=50.0, wide_move=45.0)], 1, 0.5, []),  # that only moves data
        ([group("work", x87=10.0)], 3, 0.5, ["threads", "denormals"]),
    ],
)
def test_what_is_worth_trying(
    groups: list[FunctionGroup], threads: int, left: float, keys: list[str]
) -> None:
    assert [e.key for e in suggested(groups, threads, left)] == keys


def known(key: str, share: float) -> Cause:
    return Cause(key, "it does more", share, share, share, (), "counted")


@pytest.mark.parametrize(
    ("key", "share", "changes"),
    [
        ("allocation", 0.3, ["another allocator"]),
        ("allocation", 0.29, []),
        (
            *("page-faults", 0.9),
            ["freed memory kept (glibc.malloc)", "huge pages (glibc.malloc.hugetlb=1)"],
        ),
        ("start-up", 0.5, ["symbols bound at the start (LD_BIND_NOW=1)"]),
        ("vectorisation", 1.0, []),
    ],
)
def test_a_known_cause_suggests_what_may_mend_it(
    key: str, share: float, changes: list[str]
) -> None:
    found = suggested([group("work")], 1, 1 - share, [known(key, share)])
    assert [e.what for e in found] == changes
    assert all(e.mends for e in found)


def test_what_mends_a_cause_stands_beside_it() -> None:
    other, _, huge = (e for e in EXPERIMENTS if e.key in ("allocation", "page-faults"))
    causes = [known("allocation", 0.6), known("page-faults", 0.3)]
    tried = [(other, trial(0.3)), (huge, trial(0.29))]
    assert [c.trial for c in with_trial(causes, tried)] == [trial(0.3), None]


@pytest.mark.parametrize(
    ("given", "key"),
    [
        (group("add"), "false-sharing"),
        (group("add", atomic=1.0), "locks"),
        (group("add", atomic=1.0, also_fast=True), "false-sharing"),  # to counters of their own
        (group("add", atomic=1.0, exchange=1.0, also_fast=True), "locks"),
        (group("pthread_mutex_lock", "locks"), "locks"),
    ],
)
def test_one_cpu_tells_locks_from_shared_lines(given: FunctionGroup, key: str) -> None:
    cause = cause_of_trial(THREADS, trial(0.8), [given])
    assert cause is not None
    assert (cause.key, cause.basis, cause.items, cause.share) == (
        key,
        "measured",
        (given.name,),
        0.9,
    )


def test_threads_of_a_runtime_are_no_cause_where_the_program_does_not_wait() -> None:
    copying, waiting = group("runtime.memmove", "copying", atomic=1.0), group("lock2", "locks")
    assert not waits_first([copying, waiting])
    assert waits_first([waiting, copying])


def test_a_difference_that_stays_names_no_cause() -> None:
    assert cause_of_trial(DENORMALS, trial(0.29), [group("work")]) is None
    kept = cause_of_trial(DENORMALS, trial(0.3), [group("work")])
    assert kept is not None
    assert (kept.key, kept.place.function) == ("denormals", "work")
