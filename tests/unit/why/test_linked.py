from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.why.records import executed, time_of, view

from whyfast.model.why import Cause, Fact, SourcePlace
from whyfast.why.functions import FunctionKey
from whyfast.why.groups import FunctionGroup
from whyfast.why.linked import linked, with_inner, with_loops


def cause(key: str, share: float, *facts: Fact, items: tuple[str, ...] = (), at: str = "") -> Cause:
    names = items or (at or key,)
    return Cause(
        key, f"it does {key}", share, share * 0.9, share * 1.1, names, "counted",
        SourcePlace(at), facts,
    )  # fmt: skip


def shares(causes: list[Cause]) -> list[tuple[str, float]]:
    return [(c.key, round(c.share, 2)) for c in causes]


@pytest.mark.parametrize(
    ("started", "expected"),
    [(40, [("processes", 0.8)]), (1, [("start-up", 0.6), ("processes", 0.2)])],
)
def test_what_new_processes_do_before_main_is_theirs(
    started: int, expected: list[tuple[str, float]]
) -> None:
    waits = cause("processes", 0.2, Fact("wait4 calls", 0, started))
    assert shares(linked([cause("start-up", 0.6), waits], ())) == expected


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        ("goroutines started", [("threads", 0.7), ("more-calls", 0.1)]),
        (
            "calls",
            [("threads", 0.35), ("page-faults", 0.25), ("allocation", 0.1), ("more-calls", 0.1)],
        ),
    ],
)
def test_a_goroutine_has_a_stack_of_its_own(fact: str, expected: list[tuple[str, float]]) -> None:
    causes = [
        cause("threads", 0.35, Fact(fact, 4, 100_000)),
        cause("page-faults", 0.25, Fact("page faults", 2355, 6815)),
        cause("allocation", 0.1),
        cause("more-calls", 0.1, at="main.digests"),
    ]
    assert shares(linked(causes, ())) == expected


def test_larger_data_misses_more_and_takes_more_pages() -> None:
    causes = [
        cause("system-calls", 0.34, items=("munmap",)),
        cause("cache-misses", 0.3, at="push"),
        cause("cache-misses", 0.16, at="draw"),
        cause("page-faults", 0.18, Fact("page faults", 200, 1800)),
    ]
    (one,) = linked(causes, ())
    assert (one.key, round(one.share, 2), one.place.function) == ("cache-misses", 0.98, "push")
    assert one.items == ("push", "draw", "munmap", "page-faults")


@pytest.mark.parametrize(
    ("misses", "faults"),
    [(0.05, (200, 1800)), (0.3, (1700, 1800)), (0.2, (200, 1800))],
    ids=["few misses", "as many pages", "mostly pages"],
)
def test_pages_without_the_misses_of_the_same_data_stay_apart(
    misses: float, faults: tuple[int, int]
) -> None:
    causes = [
        cause("cache-misses", misses, at="push"),
        cause("page-faults", 0.5, Fact("page faults", *faults)),
    ]
    assert len(linked(causes, ())) == 2


def library(calls: tuple[float, float]) -> FunctionGroup:
    group = view(
        executed(1e6), executed(1e8), kind="string-work", quantities={"calls": calls}
    ).group  # fmt: skip
    group.members[0] = time_of("memcmp", 0.0, 0.05, "libc.so.6")
    group.users = [FunctionKey("", "find")]
    return group


@pytest.mark.parametrize(
    ("calls", "instructions", "expected"),
    [
        ((1e5, 1e7), (1e6, 5e7), [("more-work", 0.9)]),
        # The same loop that calls for each element what it called once: the call is the reason.
        ((1e5, 1e7), (4e7, 5e7), [("string-work", 0.5), ("more-work", 0.4)]),
        ((0, 1e7), (1e6, 5e7), [("string-work", 0.5), ("more-work", 0.4)]),
    ],
    ids=["longer chains", "another loop", "one side only"],
)
def test_comparisons_belong_to_the_loop_that_runs_longer(
    calls: tuple[float, float], instructions: tuple[float, float], expected: list[tuple[str, float]]
) -> None:
    loop = view(executed(instructions[0]), executed(instructions[1]), members=("find",)).group
    causes = [cause("string-work", 0.5), cause("more-work", 0.4, at="find")]
    together = with_loops(causes, [library(calls), loop])
    assert shares(together) == expected


def test_all_that_a_loop_calls_more_often_belongs_to_it() -> None:
    """A search that compares by a function, which calls another one."""
    loop = view(executed(1e6), executed(5e7), members=("find",)).group
    names = ("equal", "bytes", "once")
    calls = {"equal": (2e6, 2.5e7), "bytes": (17.0, 2.3e7), "once": (1e6, 1.5e6)}
    groups = [
        view(executed(1e6), executed(1e7), members=(n,), quantities={"calls": calls[n]}).group
        for n in names
    ]
    for group, user in zip(groups, ("find", "equal", "find"), strict=True):
        group.users = [FunctionKey("", user)]
    causes = [*(cause("more-calls", 0.1, at=n) for n in names), cause("more-work", 0.4, at="find")]
    together = with_loops(causes, [*groups, loop])
    assert shares(together) == [("more-work", 0.6), ("more-calls", 0.1)]
    assert together[0].items == ("find", "equal", "bytes")
    assert together[0].sentence.endswith("calls `equal` 25 million instead of 2 million times")


@pytest.mark.parametrize(
    ("pow_", "computed", "expected"),
    [
        ((0.0, 6e6), (0.0, 6e6), [("more-calls", 0.9)]),
        ((0.0, 6e6), (0.0, 3e7), [("more-calls", 0.7), ("more-calls", 0.2)]),
        ((6e5, 6e6), (3e6, 3e7), [("more-calls", 0.9)]),
    ],
    ids=["once a call", "in a loop of its own", "by each call as often"],
)
def test_what_a_function_calls_as_often_each_time_belongs_to_it(
    pow_: tuple[float, float],
    computed: tuple[float, float],
    expected: list[tuple[str, float]],
) -> None:
    groups = [
        view(executed(0), executed(1e7), members=(n,), quantities={"calls": calls}).group
        for n, calls in (("pow", pow_), ("compute_pow", computed))
    ]
    groups[1].callers = {"slow": [FunctionKey("libm.so.6", "pow")]}
    causes = [cause("more-calls", 0.7, at="compute_pow"), cause("more-calls", 0.2, at="pow")]
    together = with_inner(causes, groups)
    assert shares(together) == expected
    assert together[0].place.function == ("pow" if len(together) == 1 else "compute_pow")


def woken(futex: int, share: float = 0.3) -> Cause:
    facts = (Fact("futex calls", 100, futex),)
    text = f"its threads wait for one another: {futex} `futex` calls, from `runtime.futex.abi0`"
    return replace(cause("locks", share, *facts, items=("futex",)), sentence=text)


def test_threads_that_go_wakes_for_calls_that_block_belong_to_the_calls() -> None:
    causes = [
        woken(27_000),
        cause("system-calls", 0.12, Fact("write calls", 10, 40_000), items=("write",)),
        cause("more-calls", 0.07, at="runtime.exitsyscall"),
        cause("more-calls", 0.05, at="main.bill"),
    ]
    assert shares(linked(causes, ())) == [("system-calls", 0.49), ("more-calls", 0.05)]


@pytest.mark.parametrize(
    ("switches", "expected"),
    [(30_000, [("system-calls", 0.32)]), (200_000, [("threads", 0.2), ("system-calls", 0.12)])],
)
def test_goroutines_are_switched_for_calls_that_block(
    switches: int, expected: list[tuple[str, float]]
) -> None:
    causes = [
        cause("threads", 0.2, Fact("calls", 10, switches)),
        cause("system-calls", 0.12, Fact("write calls", 10, 40_000), items=("write",)),
    ]
    assert shares(linked(causes, ())) == expected


@pytest.mark.parametrize("writes", [10, 9000])
def test_threads_that_wait_for_one_another_stay_a_cause_beside_few_calls(writes: int) -> None:
    causes = [woken(27_000), cause("system-calls", 0.12, Fact("write calls", 10, writes))]
    assert shares(linked(causes, ())) == [("locks", 0.3), ("system-calls", 0.12)]
