from __future__ import annotations

import math
from dataclasses import replace

import pytest
from tests.unit.why.records import executed, time_of, view

from whyfast.model.why import Account, Cause, Change, Fact, Intervention, Item, Part
from whyfast.why.account import Gathered, make_account
from whyfast.why.functions import FunctionKey
from whyfast.why.groups import FunctionGroup
from whyfast.why.split import Crew
from whyfast.why.surroundings import Factor, Surroundings

WHOLE = Change(0.1, 0.2, 0.09, 0.11)
NONE = Change(0.0, 0.0, 0.0, 0.0)


def gathered(
    *groups: FunctionGroup, items: tuple[Item, ...] = (), whole: Change = WHOLE
) -> Gathered:
    split: dict[Part, Change] = {"user": whole, "kernel": NONE, "waiting": NONE}
    return Gathered("a", "b", 2.0, 1.9, 2.1, whole, split, groups, items, counted=True)


def item(part: Part, name: str, share: float, fast: float, slow: float, *callers: str) -> Item:
    time = Change(0.0, share * 0.1, share * 0.09, share * 0.11)
    return Item(part, name, time, share, facts=(Fact("calls", fast, slow),), callers=callers)


def keys(account: Account) -> list[tuple[str, float]]:
    return [(c.key, round(c.share, 2)) for c in account.causes]


#: A function that mispredicts branches for all of the difference.
GUESSES = view(executed(1e8), executed(1e8), quantities={"mispredicted branches": (1e3, 1e7)}).group
INPUT = Factor("input", "its input is `x` ({fast}: `y`)", (), ())


def test_an_input_is_the_reason_and_the_mechanism_the_how() -> None:
    found = gathered(GUESSES)
    found.around = Surroundings((INPUT,), same_program=True)
    (cause,) = make_account(found).causes
    assert (cause.key, cause.share, cause.basis) == ("input", 1.0, "measured")
    assert cause.sentence == (
        "its input is `x` (`a`: `y`); `work` has branches that the processor cannot predict: "
        "10 million mispredictions in the simulation (`a`: 1,000)"
    )
    assert cause.place.function == "work"


def test_an_input_without_a_mechanism_names_where_the_time_is() -> None:
    unlike = view(executed(1e8), executed(1e8), counted=False).group
    found = gathered(unlike)
    found.counted, found.around = False, Surroundings((INPUT,), same_program=True)
    (cause,) = make_account(found).causes
    assert (cause.key, cause.items) == ("input", ("work",))
    assert cause.sentence == "its input is `x` (`a`: `y`); most of it lies in `work` (100 %)"


def test_sides_that_may_be_equal_have_no_cause() -> None:
    assert keys(make_account(gathered(GUESSES))) == [("branch-misses", 1.0)]
    assert make_account(gathered(GUESSES, whole=Change(0.1, 0.2, -0.1, 0.3))).causes == ()


def test_surroundings_of_equal_times_are_no_cause() -> None:
    found = gathered(whole=Change(0.1, 0.101, -0.001, 0.003))
    found.around = Surroundings((INPUT,), same_program=True)
    assert make_account(found).causes == ()
    found = gathered(whole=Change(0.1, 0.2, -math.inf, math.inf))
    found.low = 0.99
    found.around = Surroundings((INPUT,), same_program=True)
    assert make_account(found).causes == ()


@pytest.mark.parametrize(
    ("low", "expected"),
    [(0.5, [("input", 0.6), ("branch-misses", 0.4)]), (0.2, [("branch-misses", 1.0)])],
)
def test_a_factor_beside_another_program_carries_what_its_trial_shows(
    low: float, expected: list[tuple[str, float]]
) -> None:
    found = gathered(GUESSES)
    found.around = Surroundings((INPUT,), same_program=False)
    found.tried = [(INPUT, Intervention("the input of the other side", 0.6, low, 0.7, 5))]
    assert keys(make_account(found)) == expected
    locale = replace(INPUT, key="locale")
    found.tried = [*found.tried, (locale, Intervention("the locale", 0.3, 0.3, 0.3, 5))]
    if low > 0.3:  # neither takes from what the other's trial shows
        shares = dict(keys(make_account(found)))
        assert shares == pytest.approx({"input": 0.6, "locale": 0.3, "branch-misses": 0.1})


def test_a_whole_program_without_optimisation_is_one_cause() -> None:
    slow = executed(5e8, stack_load=(9e7, 22), stack_store=(6e7, 16), reload=(5e7, 11))
    groups = [
        view(executed(1e8), slow, members=(name,), seconds=seconds).group
        for name, seconds in (("one", (0.05, 0.13)), ("two", (0.05, 0.09)), ("three", (0.0, -0.02)))
    ]
    account = make_account(gathered(*groups))
    assert keys(account) == [("debug-build", 1.0)]
    assert set(account.causes[0].items) == {"one", "two", "three"}


def test_the_same_work_by_fewer_threads() -> None:
    found = gathered()
    found.crews = Crew(3, 0.2, 0.1), Crew(2, 0.2, 0.2)
    (cause,) = make_account(found).causes
    assert (cause.key, cause.share) == ("threads", 1.0)
    assert cause.sentence == ("2 of its threads are at work (`a`: 3), for about the same CPU time")


@pytest.mark.parametrize(("cpu", "key"), [(0.21, "threads"), (0.4, "false-sharing")])
def test_work_that_is_divided_unevenly_is_no_shared_line(cpu: float, key: str) -> None:
    shared = Cause(
        "false-sharing", "threads write to one cache line", 0.9, 0.8, 1.0, (), "measured"
    )
    found = gathered()
    found.given = [shared]
    found.crews = Crew(2, 0.2, 0.1), Crew(2, cpu, 0.2)
    cause = make_account(found).causes[0]
    assert cause.key == key
    if key == "threads":
        assert cause.facts[0].fast == pytest.approx(2.0)
        assert cause.facts[0].slow == pytest.approx(1.05)


@pytest.mark.parametrize(
    "crews",
    [
        (Crew(2, 0.2, 0.1), Crew(2, 0.2, 0.2)),  # as many threads
        (Crew(3, 0.2, 0.1), Crew(2, 0.4, 0.2)),  # more work
        (Crew(3, 0.1, 0.1), Crew(2, 0.1, 0.1)),  # that did not run at once
        (Crew(2, 0.1, 0.12), Crew(1, 0.1, 0.4)),  # one waits while the other works
    ],
)
def test_fewer_threads_are_not_the_cause(crews: tuple[Crew, Crew]) -> None:
    found = gathered()
    found.crews = crews
    assert make_account(found).causes == ()


def test_threads_wait_for_a_lock_only_if_they_do_so_more_often() -> None:
    assert keys(make_account(gathered(items=(item("waiting", "futex", 0.9, 2, 500),)))) == [
        ("locks", 0.9)
    ]
    assert keys(make_account(gathered(items=(item("waiting", "futex", 0.9, 16, 16),)))) == []


def test_threads_that_hand_over_do_not_wait_for_a_lock() -> None:
    futex = item("waiting", "futex", 0.9, 800, 7000, "pthread_cond_signal", "main")
    assert keys(make_account(gathered(items=(futex,)))) == [("threads", 0.9)]


def test_calls_stand_before_what_threads_sleep_in() -> None:
    items = (item("kernel", "nanosleep", 0.3, 76, 5891), item("kernel", "write", 0.2, 404, 60501))
    (cause,) = make_account(gathered(items=items)).causes
    assert cause.items == ("write", "nanosleep")
    assert cause.sentence.startswith("it makes 60,501 `write` calls where `a` makes 404 and 5,891")


def test_idle_threads_of_a_scheduler_are_no_cause() -> None:
    futex = item("waiting", "futex", 0.9, 8, 700, "runtime.futex.abi0")
    naps = item("waiting", "nanosleep", 0.2, 8, 700, "runtime.usleep.abi0")
    assert make_account(gathered(items=(futex, naps))).causes == ()


def test_processes_are_counted_by_those_that_ended() -> None:
    """A program is looked for in one folder after the other: each is an execve."""
    tries = item("kernel", "execve", 0.6, 1, 133)
    ended = item("kernel", "wait4", 0.3, 0, 12)
    (cause,) = make_account(gathered(items=(tries, ended))).causes
    assert (cause.key, round(cause.share, 2)) == ("processes", 0.9)
    assert "12 where `a` starts 0" in cause.sentence
    assert "133" not in cause.sentence


def test_as_many_calls_are_a_cause_by_the_bytes_that_they_move() -> None:
    calls = item("kernel", "write", 0.9, 300, 300)
    moved = Fact("bytes by `write`", 9_600, 150_000)
    (cause,) = make_account(gathered(items=(replace(calls, facts=(*calls.facts, moved)),))).causes
    assert (cause.key, round(cause.share, 2)) == ("system-calls", 0.9)
    assert "150,000 bytes" in cause.sentence
    assert "300" not in cause.sentence


def test_kernel_time_whose_interval_has_zero_is_no_cause() -> None:
    time = Change(0.0, 0.05, -0.01, 0.11)
    calls = Item("kernel", "write", time, 0.5, facts=(Fact("write calls", 10, 10),))
    assert make_account(gathered(items=(calls,))).causes == ()
    endless = Change(0.0, 0.05, -math.inf, math.inf)
    unknown = Item("kernel", "write", endless, 0.5, facts=(Fact("write calls", 10, 400),))
    assert keys(make_account(gathered(items=(unknown,)))) == [("system-calls", 0.5)]


@pytest.mark.parametrize(
    ("name", "calls", "expected"),
    [
        ("read", (29, 29), []),
        ("read", (29, 290), [("io-wait", 0.5)]),
        ("clock_nanosleep", (1, 1), [("sleep", 0.5)]),
    ],
)
def test_waiting_of_few_runs_needs_more_calls_or_a_sleep(
    name: str, calls: tuple[float, float], expected: list[tuple[str, float]]
) -> None:
    endless = Change(0.0, 0.05, -math.inf, math.inf)
    waits = Item("waiting", name, endless, 0.5, facts=(Fact("calls", *calls),))
    assert keys(make_account(gathered(items=(waits,)))) == expected


def test_pages_that_the_loader_relocates_belong_to_the_start() -> None:
    loader = view(executed(1e6), executed(2e7), kind="start-up", seconds=(0.0, 0.03)).group
    faults = item("kernel", "page faults", 0.7, 61, 3520)
    account = make_account(gathered(loader, items=(faults,)))
    assert keys(account) == [("start-up", 1.0)]
    assert set(account.causes[0].items) == {"start-up", "page faults"}


def test_pages_that_the_program_touches_are_its_own() -> None:
    loader = view(executed(1e6), executed(2e7), kind="start-up", seconds=(0.0, 0.03)).group
    faults = item("kernel", "page faults", 0.5, 61, 3520)
    work = view(executed(1e8), executed(2e8), seconds=(0.0, 0.02)).group
    account = make_account(gathered(loader, work, items=(faults,)))
    assert [c.key for c in account.causes] == ["page-faults", "start-up", "more-work"]


def test_what_a_library_does_for_a_call_belongs_to_the_call() -> None:
    serves = view(executed(0), executed(1e6), seconds=(0.0, 0.02))
    serves.group.members[0] = time_of("__libc_write", 0.0, 0.02, "libc.so.6")
    account = make_account(gathered(serves.group, items=(item("kernel", "write", 0.8, 5, 9000),)))
    assert keys(account) == [("system-calls", 1.0)]


@pytest.mark.parametrize(
    ("caller", "found"),
    [("fprintf", [("system-calls", 1.0)]), ("main", [("system-calls", 0.8), ("string-work", 0.2)])],
)
def test_what_the_program_calls_beside_a_system_call_is_its_own(
    caller: str, found: list[tuple[str, float]]
) -> None:
    scan = view(executed(1e6), executed(9e7), kind="string-work", seconds=(0.0, 0.02)).group
    scan.members[0] = time_of("strlen", 0.0, 0.02, "libc.so.6")
    scan.callers["slow"] = [FunctionKey("", caller)]
    calls = item("kernel", "write", 0.8, 5, 9000, "fprintf", "main")
    assert keys(make_account(gathered(scan, items=(calls,)))) == found


@pytest.mark.parametrize(
    ("key", "known"),
    [("more-calls", [("system-calls", 0.8), ("more-calls", 0.1)]), ("imports", [("imports", 0.1)])],
)
def test_a_function_with_the_name_of_a_system_call_does_not_hide_it(
    key: str, known: list[tuple[str, float]]
) -> None:
    given = (Cause(key, "it calls `write`", 0.1, 0.09, 0.11, ("write",), "counted"),)
    found = gathered(items=(item("kernel", "write", 0.8, 5, 9000),))
    assert keys(make_account(replace(found, given=given))) == known


@pytest.mark.parametrize(("calls", "key"), [(9000, "system-calls"), (90000, "more-calls")])
def test_what_the_c_library_runs_once_a_call_belongs_to_the_call(calls: int, key: str) -> None:
    helper = view(executed(1e6), executed(9e7), quantities={"calls": (5, calls)}).group
    helper.members[0] = time_of("new_do_write", 0.0, 0.02, "libc.so.6")
    account = make_account(gathered(helper, items=(item("kernel", "write", 0.8, 5, 9000),)))
    assert {c.key for c in account.causes} == {"system-calls", key}


def test_all_of_a_program_that_a_sanitizer_checks_is_the_sanitizers() -> None:
    checked = executed(2e8, sanitizer_call=(1e6, 4))
    own = view(executed(1e8), checked, seconds=(0.0, 0.04)).group
    library = view(executed(0), executed(1e7), seconds=(0.0, 0.02)).group
    library.members = [time_of("asan_poison", 0.0, 0.02, "libasan.so.8")]
    found = gathered(own, library, items=(item("kernel", "page faults", 0.4, 100, 4000),))
    assert keys(make_account(found)) == [("sanitizer", 1.0)]
