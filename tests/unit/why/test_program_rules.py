"""Rules about a program as it was built or linked, and about known functions."""

from __future__ import annotations

import pytest
from tests.golden_files import Hear
from tests.unit.why.records import executed, key_of, time_of, view

from whyfast.why.causes import label, program_label


@pytest.mark.parametrize(
    "calls", [(0.0, 0.0), (206_656.0, 206_525.0), (1e5, 3e5)], ids=["unknown", "as many", "more"]
)
@pytest.mark.parametrize("kind", ["allocation", "locks"])
def test_more_calls_are_told_from_longer_ones(
    kind: str, calls: tuple[float, float], golden: Hear
) -> None:
    quantities = {"calls": calls}
    found = label(view(executed(1e8), executed(3e8), kind=kind, quantities=quantities))
    assert found is not None
    golden(found.sentence)


@pytest.mark.parametrize(
    ("members", "instructions", "golden_name"),
    [
        ([("memcmp", 0.1, 0.0), ("strcmp", 0.0, 0.3)], (1e8, 2e8), "another function"),
        ([("strcmp", 0.1, 0.3)], (1e8, 1e8), "slower"),
        ([("strcmp", 0.1, 0.3)], (1e8, 3e8), "more"),
        ([("strncpy", 0.1, 0.3)], (1e8, 3e8), "written"),
    ],
)
def test_what_a_side_does_more_with_strings(
    members: list[tuple[str, float, float]],
    instructions: tuple[float, float],
    golden_name: str,
    golden: Hear,
) -> None:
    found = view(
        executed(1e8), executed(2e8), kind="string-work", quantities={"instructions": instructions}
    )
    found.group.members[:] = [time_of(*m) for m in members]
    told = label(found)
    assert told is not None
    golden(f"{golden_name}: {told.sentence}")


def test_registers_that_are_spilled_are_no_debug_build() -> None:
    spilled = executed(7e8, stack_load=(1.7e8, 13), stack_store=(1.7e8, 14), reload=(2.5e7, 1))
    assert key_of(view(executed(4e8), spilled)) == "spills"


def test_floats_that_all_go_through_memory_are_no_debug_build() -> None:
    kinds = {"stack_load": (7e7, 22), "stack_store": (6e7, 16), "reload": (5e7, 11)}
    stored = executed(5e8, None, **kinds, stack_vector=(1.1e8, 30))
    assert key_of(view(executed(1e8), stored), program_label) == ""
    mixed = executed(5e8, None, **kinds, stack_vector=(9e7, 25))  # and counters and pointers
    assert key_of(view(executed(1e8), mixed), program_label) == "debug-build"


def test_a_program_without_optimisation() -> None:
    slow = executed(5e8, stack_load=(7e7, 22), stack_store=(6e7, 16), reload=(5e7, 11))
    found = program_label(view(executed(1e8), slow))
    assert found is not None
    assert found.sentence.startswith("{slow} was built without optimisation: 26 %")
    assert program_label(view(executed(4.9e8), slow)) is None


@pytest.mark.parametrize(("name", "found"), [("work", "debug-build"), ("main.(*vm).add", "")])
def test_small_functions_of_go_use_the_stack_where_they_are_not_inlined(
    name: str, found: str
) -> None:
    slow = executed(5e8, stack_load=(6e7, 22), stack_store=(5e7, 16), reload=(5e7, 11))  # 22 %
    seen = view(executed(1e8), slow, members=(name, "other"))
    assert key_of(seen, program_label) == found
    more = executed(5e8, stack_load=(7.5e7, 22), stack_store=(7e7, 16), reload=(5e7, 11))  # 29 %
    seen = view(executed(1e8), more, members=(name, "other"))
    assert key_of(seen, program_label) == "debug-build"


def test_a_program_whose_small_functions_are_not_inlined_either() -> None:
    slow = executed(4.6e8, stack_load=(1.7e8, 52), stack_store=(8e7, 32), reload=(2.8e7, 9))
    seen = view(executed(3e7), slow)
    assert program_label(seen) is None
    seen.group.members += [time_of(name, 0.0, 0.02) for name in ("next", "forward")]
    assert key_of(seen, program_label) == "debug-build"


@pytest.mark.parametrize(("begun", "said"), [(100_000, "starts more"), (4, "switches between")])
def test_the_scheduler_of_go_starts_or_switches_goroutines(begun: int, said: str) -> None:
    seen = view(executed(1e7), executed(2e8), kind="threads", members=("runtime.execute",))
    seen.group.calls.update(fast={"runtime.newproc1": 4}, slow={"runtime.newproc1": begun})
    found = label(seen)
    assert found is not None
    assert (found.key, said in found.sentence) == ("threads", True)


@pytest.mark.parametrize(
    ("callee", "key", "text"),
    [
        ("__addvsi3", "hardening", "overflow"),
        ("mcount", "hardening", "profiler"),
        ("__umodti3", "division", "wider"),
        ("__popcountdi2", "more-calls", "bits"),
        ("__extendhfsf2", "more-calls", "floats"),
        ("__tls_get_addr", "more-calls", "thread-local"),
        ("__dynamic_cast", "more-calls", "types"),
        ("__addvar", "more-calls", ""),
    ],
)
def test_what_the_compilers_library_is_called_for(callee: str, key: str, text: str) -> None:
    calls = {"calls": (0.0, 2e7)}
    alone = label(view(executed(0), executed(2e8), members=(callee,), quantities=calls))
    assert alone is not None
    assert (alone.key, text in alone.sentence) == (key, True)
    if text:
        caller = label(view(executed(1e8), executed(1.2e8, {callee: 2e7}), members=("work",)))
        assert caller is not None
        assert (caller.key, text in caller.sentence) == (key, True)
        few = label(view(executed(1e8), executed(3e8, {callee: 2e3}), members=("work",)))
        assert few is not None
        assert few.key == "more-work"


@pytest.mark.parametrize(
    ("calls", "text"),
    [
        (
            {"fast": {"match": 0.0, "step": 9.0}, "slow": {"match": 4e5, "step": 1e5}},
            "`match` 400,000 times",
        ),
        ({"fast": {"step": 9.0}, "slow": {"match": 1e5, "step": 4e5}}, "`match` 100,000 times"),
        ({"fast": {"match": 9.0}, "slow": {"match": 9.0, "step": 5e5}}, "`step` 500,000 times"),
    ],
    ids=["its own calls", "less than half of all", "another one"],
)
def test_calls_are_of_the_function_that_is_named(
    calls: dict[str, dict[str, float]], text: str
) -> None:
    names = ("match", "step")
    seen = view(executed(0), executed(4e8), members=names, quantities={"calls": (9.0, 5e5)})
    seen.group.calls = calls
    found = label(seen)
    assert found is not None
    assert (found.key, text in found.sentence) == ("more-calls", True)
