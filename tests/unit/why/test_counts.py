"""Simulated counts by function, and the model of cycles."""

from __future__ import annotations

import pytest

from whyfast.formats.profiles import SimulatedProfile
from whyfast.why.counts import counts_by_function, cycles_of, modelled_seconds, objects_of
from whyfast.why.functions import FunctionKey, Names

LIBC = "/lib/libc.so.6"
MAIN, WORK, STRLEN = ("/x/slow", "main"), ("/x/slow", "work.part.0"), (LIBC, "__strlen_avx2")
EVENTS = (
    "Ir",
    "Dr",
    "Dw",
    "I1mr",
    "D1mr",
    "D1mw",
    "ILmr",
    "DLmr",
    "DLmw",
    "Bc",
    "Bcm",
    "Bi",
    "Bim",
)
KEYS = FunctionKey("", "main"), FunctionKey("", "work"), FunctionKey("libc.so.6", "strlen")


def profile() -> SimulatedProfile:
    return SimulatedProfile(
        EVENTS,
        {
            MAIN: [100, 10, 5, 1, 0, 0, 0, 0, 0, 20, 2, 0, 0],
            WORK: [5000, 900, 90, 0, 40, 4, 0, 3, 2, 600, 50, 30, 7],
            ("/x/slow", "work"): [1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            STRLEN: [300, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        },
        places={"/x/slow": {0x1000: [100] + [0] * 12, 0x1100: [50] + [0] * 12}},
        calls={
            (MAIN, WORK): [10, 6300] + [0] * 12,
            (WORK, STRLEN): [30, 300] + [0] * 12,
            (MAIN, STRLEN): [2, 20] + [0] * 12,
        },
    )


def names() -> Names:
    return Names({"fast": {"/x/fast", LIBC}, "slow": {"/x/slow", LIBC}})


def test_events_by_function_under_plain_names() -> None:
    side = counts_by_function([profile()], names())
    main, work, strlen = KEYS
    assert dict(side.events[work]) == {
        "instructions": 6000,
        "loads": 900,
        "stores": 90,
        "L1 data misses": 44,
        "last-level misses": 5,
        "L1 instruction misses": 0,
        "branches": 600,
        "mispredicted branches": 57,
        "indirect branches": 30,
    }
    assert side.symbols[work] == {"work", "work.part.0"}
    assert side.of(main, "branches") == 20
    assert side.of(FunctionKey("", "gone"), "branches") == 0
    assert side.totals["instructions"] == 6400
    assert side.called == {work: 10, strlen: 32}
    assert side.callers(strlen) == [work, main]
    assert side.inclusive[main, work] == 6300
    assert side.places == {"/x/slow": {0x1000: 100.0, 0x1100: 50.0}}


def test_processes_are_added_up() -> None:
    one, two = (counts_by_function([profile()] * n, names()) for n in (1, 2))
    assert two.totals["instructions"] == 2 * one.totals["instructions"] == 12800
    assert two.called[KEYS[1]] == 20
    assert two.places["/x/slow"] == {0x1000: 200.0, 0x1100: 100.0}


def test_an_event_that_was_not_simulated_is_none() -> None:
    side = counts_by_function([SimulatedProfile(("Ir",), {MAIN: [7]})], names())
    assert side.totals["instructions"] == 7
    assert side.totals["mispredicted branches"] == 0


def test_files_of_a_profile() -> None:
    assert objects_of([profile()]) == {"/x/slow", LIBC}


def test_cycles_of_the_model() -> None:
    row = {"instructions": 300.0, "mispredicted branches": 2, "L1 data misses": 3, "branches": 50}
    assert cycles_of(row) == pytest.approx(99 + 30 + 30)
    assert cycles_of({"last-level misses": 2}) == 300.0


def test_modelled_seconds_add_up_to_the_user_time_of_each_side() -> None:
    small = SimulatedProfile(("Ir",), {("/x/fast", "main"): [100], ("/x/fast", "work"): [300]})
    sides = {
        "fast": counts_by_function([small], names()),
        "slow": counts_by_function([profile()], names()),
    }
    seconds = modelled_seconds(sides, {"fast": 0.4, "slow": 2.0})
    assert seconds["fast"] == pytest.approx({KEYS[0]: 0.1, KEYS[1]: 0.3})
    assert sum(seconds["slow"].values()) == pytest.approx(2.0)
    # 63 of main, 1,980 + 855 + 440 + 750 of work, 99 of strlen
    assert seconds["slow"][KEYS[1]] == pytest.approx(2.0 * 4025 / 4187)


def test_of_nothing_simulated_nothing_is_modelled() -> None:
    empty = {side: counts_by_function([], names()) for side in ("fast", "slow")}
    assert modelled_seconds(empty, {"fast": 1.0, "slow": 2.0}) == {"fast": {}, "slow": {}}
