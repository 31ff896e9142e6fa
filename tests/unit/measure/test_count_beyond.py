"""What a longer run did beyond a shorter one."""

from __future__ import annotations

from whyfast.measure.count import beyond
from whyfast.model.counters import FunctionCost, Profile


def _profile(*functions: FunctionCost, total: float) -> Profile:
    return Profile("t", "simulated", ("Ir", "Bim"), functions, {"Ir": total, "Bim": 1.0})


def test_start_up_goes_and_work_stays() -> None:
    longer = _profile(
        FunctionCost("work", "", {"Ir": 900.0, "Bim": 9.0}),
        FunctionCost("start", "libc.so", {"Ir": 100.0, "Bim": 0.0}),
        FunctionCost("leave", "", {"Ir": 5.0, "Bim": 0.0}),
        total=1005.0,
    )
    shorter = _profile(
        FunctionCost("work", "", {"Ir": 400.0, "Bim": 4.0}),
        FunctionCost("start", "libc.so", {"Ir": 100.0, "Bim": 0.0}),
        FunctionCost("leave", "", {"Ir": 6.0, "Bim": 0.0}),
        total=506.0,
    )
    found = beyond(longer, shorter)
    assert found.functions == (FunctionCost("work", "", {"Ir": 500.0, "Bim": 5.0}),)
    assert found.totals == {"Ir": 499.0, "Bim": 0.0}


def test_functions_of_one_name_in_two_libraries_are_two() -> None:
    longer = _profile(FunctionCost("f", "a.so", {"Ir": 10.0}), total=10.0)
    shorter = _profile(FunctionCost("f", "b.so", {"Ir": 10.0}), total=10.0)
    assert beyond(longer, shorter).functions == longer.functions
