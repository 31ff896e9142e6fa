"""Every rule: records that it fires on, and their nearest neighbours that it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.why.records import executed, key_of, time_of, view

from whyfast.explain.executed import Weights
from whyfast.why.causes import RULES, label, misses_alike, program_label
from whyfast.why.view import GroupView

#: A tenth of a second is 3e8 cycles: counts below are held against that.
VECTORS = executed(1e8, vector_32=(4e7, 8), load=2e7)
SCALARS = executed(6e8, vector_4=(3e8, 6), load=1.6e8)
LOADS = {"loads": (5e7, 5e7)}


def replacing(seen: GroupView) -> GroupView:
    """The same, where the last member took all of the fast side's time."""
    (first, *_, last) = seen.group.members
    seen.group.members[:] = [time_of(first.key.name, 0.0, 0.2), time_of(last.key.name, 0.1, 0.0)]
    return seen


FIRES = {
    "vectorisation: scalar": (view(VECTORS, SCALARS), "vectorisation"),
    "vectorisation: narrower": (
        view(VECTORS, executed(2e8, vector_16=(8e7, 8), load=4e7)),
        "vectorisation",
    ),
    "vectorisation: a sum in order": (
        view(
            executed(1.35e8, vector_16=(6.8e7, 19), load=4.5e7),
            executed(3.15e8, vector_16=(1.6e8, 15), vector_4=(9e7, 17), load=4.5e7),
        ),
        "vectorisation",
    ),
    "division of integers": (
        view(executed(1e8), executed(1.1e8, integer_division=(2e7, 1))),
        "division",
    ),
    "division in a loop that the other side has in front of it": (
        view(executed(7e8, float_division=(3e3, 1)), executed(7e8, float_division=(9e7, 1))),
        "division",
    ),
    "division of floats": (
        view(executed(1e8), executed(1.1e8, float_division=(2e7, 1))),
        "division",
    ),
    "devirtualisation": (
        view(executed(1e8), executed(4e8, indirect_call=(5e7, 1))),
        "devirtualisation",
    ),
    "devirtualisation: a guarded copy": (
        view(
            executed(9e8, load=(3e8, 5), branch=(1e8, 2)),
            executed(1.3e9, load=(5e8, 7), branch=(2e8, 4), indirect_call=(0, 1)),
        ),
        "devirtualisation",
    ),
    "devirtualisation: more calls than on the other side": (
        view(executed(3e8, indirect_call=(5e7, 1)), executed(4.2e8, indirect_call=(1.5e8, 2))),
        "devirtualisation",
    ),
    "processes": (view(executed(0), executed(1e8), kind="processes"), "processes"),
    "inlining": (
        view(executed(1e8), executed(4e8, {"get": 5e7}), members=("get", "work")),
        "inlining",
    ),
    "copying by a string instruction": (
        view(executed(2e8, block_copy=(5e7, 1)), executed(9e8, block_copy=(7e8, 1))),
        "copying",
    ),
    "copying, sampled": (
        view(executed(0.1), executed(0.2, block_copy=(0.02, 1)), counted=False),
        "copying",
    ),
    "bounds checks": (
        view(executed(1e8, branch=1e7), executed(2e8, branch=(6e7, 3), check=(5e7, 2))),
        "bounds-checks",
    ),
    "bounds checks, sampled": (
        view(executed(0.1), executed(0.2, check=(0.02, 2)), counted=False),
        "bounds-checks",
    ),
    "hardened library": (view(executed(1e8), executed(2e8, hardening_check=(5e7, 2))), "hardening"),
    "assertions": (view(executed(1e8), executed(2e8, assertion=(5e7, 2))), "debug-build"),
    "stack protector": (view(executed(1e8), executed(1.3e8, canary=(2e7, 2))), "hardening"),
    "retpoline": (view(executed(1e8), executed(1.1e8, thunk=(1e6, 1))), "hardening"),
    "jump table lost": (
        view(
            executed(3e8, indirect_jump=(5e7, 1), branch=(5e7, 2)), executed(6e8, branch=(2e8, 9))
        ),
        "jump-table",
    ),
    "store forwarding": (
        view(executed(1e8), executed(1.1e8, blocked_load=(1e7, 1))),
        "store-forwarding",
    ),
    "a sum in memory": (
        view(executed(2e8), executed(2e8, update=(5e7, 1)), quantities=LOADS),
        "store-forwarding",
    ),
    "a sum in memory beside mispredictions": (
        view(
            executed(2e8),
            executed(2e8, update=(5e7, 1)),
            quantities={"mispredicted branches": (1e3, 1e7), **LOADS},
        ),
        "branch-misses",
    ),
    "one table instead of four": (
        view(
            replace(executed(2e8), tables=Weights({f"{n}": 1.5e7 for n in range(4)})),
            replace(executed(1.9e8), tables=Weights({"0": 6e7})),
            quantities=LOADS,
        ),
        "store-forwarding",
    ),
    "counters of coverage": (view(executed(1e8), executed(3e8, counter=(1e8, 6))), "hardening"),
    "counters that are atomic": (
        view(executed(1e8), executed(1.2e8, atomic=(2e7, 1), counter=(2e7, 1))),
        "hardening",
    ),
    "atomic instructions": (view(executed(1e8), executed(1.2e8, atomic=(2e7, 1))), "locks"),
    "spills": (
        view(
            executed(4e8, stack_load=(0, 1)),
            executed(7e8, stack_load=(1.7e8, 13), stack_store=(1.7e8, 14)),
        ),
        "spills",
    ),
    "spills: half of what is added": (
        view(
            executed(4e8, stack_load=(0, 1)),
            executed(7e8, stack_load=(8e7, 13), stack_store=(7e7, 14)),
        ),
        "spills",
    ),
    "cleared registers": (
        view(executed(1e8), executed(1.9e8, cleared_register=(8e7, 40))),
        "hardening",
    ),
    "x87": (view(executed(1e8), executed(2e8, x87=(1e8, 9))), "x87"),
    "debug build": (
        view(
            executed(1e8, stack_load=3e6),
            executed(5e8, stack_load=(1e8, 22), stack_store=(8e7, 16), reload=(7e7, 11)),
        ),
        "debug-build",
    ),
    "unrolling, of which the end of the loop is mispredicted": (
        view(
            executed(4.4e8, load=(3.6e7, 30), store=(3.6e7, 6), branch=(1.2e7, 3)),
            executed(1e9, load=(2.2e8, 4), store=(3.6e7, 2), branch=(1.6e8, 9)),
            quantities={"mispredicted branches": (1e4, 1e7)},
        ),
        "unrolling",
    ),
    "mispredictions": (
        view(executed(1e8), executed(1e8), quantities={"mispredicted branches": (1e3, 1e7)}),
        "branch-misses",
    ),
    "mispredictions of further rounds of the same loops": (
        view(
            executed(1.28e8, branch=(1.8e7, 9)),
            executed(1.48e8, branch=(2.2e7, 8)),
            quantities={"mispredicted branches": (2e6, 5e6)},
            seconds=(0.03, 0.056),
        ),
        "more-work",
    ),
    "mispredictions of a branch that the other side does not have": (
        view(
            executed(1.28e8, branch=(1.8e7, 8)),
            executed(1.48e8, branch=(2.2e7, 9)),
            quantities={"mispredicted branches": (2e6, 5e6)},
            seconds=(0.03, 0.056),
        ),
        "branch-misses",
    ),
    "vectorisation": (
        view(executed(1e8, vector_16=(5e7, 3)), executed(4e8), seconds=(0.03, 0.12)),
        "vectorisation",
    ),
    "vectorisation, for which single instructions take too long": (
        view(executed(7e8, vector_16=(4e8, 9)), executed(1.3e9), seconds=(0.036, 0.544)),
        "more-work",
    ),
    "store forwarding in code that is not vectorised, either": (
        view(
            executed(7e8, vector_16=(4e8, 9)),
            executed(1.3e9, blocked_load=(6.4e7, 2)),
            seconds=(0.036, 0.544),
        ),
        "store-forwarding",
    ),
    "cache misses": (
        view(executed(1e8), executed(1e8), quantities={"last-level misses": (1e3, 1e6)}),
        "cache-misses",
    ),
    "misses that the last level serves, of the same instructions": (
        view(executed(1e8), executed(1e8), quantities={"L1 data misses": (1e6, 4e6)}),
        "cache-misses",
    ),
    "work that one side alone does, through pointers": (
        view(
            executed(0),
            executed(4e8, indirect_call=(5e7, 1), stack_load=(2e8, 30)),
            quantities={"calls": (0, 5e5)},
        ),
        "more-calls",
    ),
    "calls": (view(executed(1e8), executed(4e8), quantities={"calls": (1e4, 5e5)}), "more-calls"),
    "work": (view(executed(1e8), executed(5e8)), "more-work"),
    "a search from end to end, which misses more than one by halves": (
        view(executed(1e6), executed(5e8), quantities={"last-level misses": (1e2, 2e6)}),
        "more-work",
    ),
    "allocation": (view(executed(1e8), executed(3e8), kind="allocation"), "allocation"),
}

SILENT = {
    "a sum in memory that takes no time": view(
        executed(2e8), executed(2e8, update=(5e6, 1)), quantities=LOADS
    ),
    "a sum in memory, of which misses are not known": view(
        executed(2e8), executed(2e8, update=(5e7, 1))
    ),
    "one table changed more often": view(
        replace(executed(2e8), tables=Weights({f"{n}": 1e6 for n in range(4)})),
        replace(executed(1.9e8), tables=Weights({"0": 6e7})),
        quantities=LOADS,
    ),
    "vectors on both sides": view(VECTORS, VECTORS),
    "narrower vectors that save instructions": view(
        VECTORS, executed(1.1e8, vector_16=(8e7, 8), load=1e7)
    ),
    "a function instead of another one that ran on the fast side alone": replacing(
        view(executed(1e8), executed(1e8, {"lower": 2e7}), members=("lower", "fold"))
    ),
    "few divisions": view(executed(1e8), executed(1e8, integer_division=(1e6, 1))),
    "divisions that the other side has too": view(
        executed(1e8, integer_division=(2e7, 1)), executed(1e8, integer_division=(2e7, 1))
    ),
    "indirect calls on both sides": view(
        executed(1e8, indirect_call=(5e7, 1)), executed(1e8, indirect_call=(5e7, 1))
    ),
    "a copy that is a small part": view(executed(1e8), executed(1.02e8, block_copy=(5e5, 1))),
    "checks of which few ran": view(executed(1e8), executed(1.02e8, check=(1e6, 2))),
    "few blocked loads": view(executed(1e8), executed(1e8, blocked_load=(1e6, 1))),
    "few atomic instructions": view(executed(1e8), executed(1e8, atomic=(1e6, 1))),
    "few mispredictions": view(
        executed(1e8), executed(1e8), quantities={"mispredicted branches": (1e3, 1e6)}
    ),
    "few misses": view(executed(1e8), executed(1e8), quantities={"last-level misses": (1e3, 1e5)}),
    "misses of the first level that more instructions bring": view(
        executed(1e8), executed(1.5e8), quantities={"L1 data misses": (3e6, 6e6)}
    ),
    "more instructions that cannot take so long": view(executed(1e8), executed(1.5e8)),
    "nothing counted, nothing in the code": view(executed(0.1), executed(0.2), counted=False),
}


@pytest.mark.parametrize(("seen", "key"), FIRES.values(), ids=FIRES)
def test_a_rule_fires(seen: GroupView, key: str) -> None:
    assert key_of(seen) == key


@pytest.mark.parametrize("seen", SILENT.values(), ids=SILENT)
def test_no_rule_fires_at_the_edge(seen: GroupView) -> None:
    assert label(seen) is None


def test_no_rule_claims_equal_code() -> None:
    same = executed(3e8, load=(1e8, 4), branch=(5e7, 2), check=(1e7, 1), stack_load=(1e8, 9))
    assert [rule(view(same, same)) for rule in RULES] == [None] * len(RULES)


def test_more_work_of_the_same_kind_also_misses_more() -> None:
    # Eight times the instructions with eight times the mispredictions: a loop that goes on.
    more = view(
        executed(6.2e7),
        executed(5e8),
        quantities={"mispredicted branches": (4.8e5, 3.8e6)},
        seconds=(0.01, 0.058),
    )
    assert key_of(more) == "more-work"


def test_all_own_code_of_another_program() -> None:
    fast, slow = executed(1e8, {"scan": 9}), executed(5e8, {"parse": 5e7})
    found = label(view(fast, slow, members=("parse", "scan"), kind="program"))
    assert found is not None
    assert (found.key, found.facts[0].slow) == ("more-work", 5e8)
    assert (
        key_of(view(VECTORS, SCALARS, members=("parse", "scan"), kind="program")) == "vectorisation"
    )
    misses = {"last-level misses": (1e4, 5e6)}
    fewer = view(fast, executed(0.9e8), quantities=misses, kind="program")
    assert key_of(fewer) == "cache-misses"
    assert label(view(fast, executed(0.9e8), kind="program")) is None
    assert label(view(fast, slow, counted=False, kind="program")) is None


def test_names_may_hold_braces() -> None:
    found = label(
        view(executed(1e8), executed(5e8), members=("main::{{closure}}",), seconds=(0.1, 0.2))
    )
    assert found is not None
    assert found.sentence == "`main::{{closure}}` executes 5x the instructions"


def test_the_code_of_a_library_that_one_side_alone_calls_is_no_cause() -> None:
    protected = executed(1e8, canary=(2e7, 4), atomic=(2e7, 4))
    program = view(executed(0), protected, seconds=(0.0, 0.05))
    assert key_of(replace(program, replacing=True)) == "hardening"
    library = view(executed(0), protected, seconds=(0.0, 0.05))
    library.group.members[0] = time_of("buffered_vfprintf", 0.0, 0.05, "libc.so.6")
    assert label(library) is None


def test_more_work_that_waits_for_memory() -> None:
    """Too few instructions for the time, but each of them misses as it did before."""
    more = {"last-level misses": (1e4, 1e6)}
    fast, slow = executed(1e6), executed(1e8)
    assert key_of(view(fast, slow, quantities=more, seconds=(0.001, 0.1))) == "more-work"


def test_code_that_is_the_same_on_both_sides_gets_no_cause_of_code() -> None:
    fast, slow = executed(1e8, stack_load=(1e6, 4)), executed(4e8, stack_load=(2e8, 4))
    fast.instructions = slow.instructions = 40
    assert key_of(view(fast, slow, seconds=(0.03, 0.1))) == "more-work"
    slow.instructions = 41
    assert program_label(view(fast, slow)) is None


def test_a_longer_search_that_also_misses_more_is_more_work() -> None:
    """Level 6 of gzip: 7.4 times the instructions, each of which takes longer."""
    misses = {"L1 data misses": (1.1e6, 3.3e7), "instructions": (6.6e7, 4.9e8)}
    seen = view(executed(6.6e7), executed(4.9e8), quantities=misses, seconds=(0.012, 0.185))
    assert key_of(seen) == "more-work"


@pytest.mark.parametrize(("replacing", "key"), [(False, "more-calls"), (True, "branch-misses")])
def test_what_only_one_side_does_is_more_work_unless_it_takes_the_place_of_other_work(
    replacing: bool, key: str
) -> None:
    more = {"mispredicted branches": (0.0, 1e7), "calls": (0.0, 1.0)}
    seen = view(executed(0), executed(1e8), quantities=more)
    assert key_of(replace(seen, replacing=replacing)) == key


def test_misses_that_memory_serves_of_a_list_in_another_order() -> None:
    fast, slow = executed(7.9e7, load=(3e7, 6)), executed(1.05e8, load=(4e7, 9))
    misses = {"L1 data misses": (4.2e6, 1.2e7), "instructions": (7.9e7, 1.05e8)}
    assert key_of(view(fast, slow, quantities=misses, seconds=(0.026, 1.03))) == "cache-misses"
    # So many instructions take as long by themselves.
    misses["instructions"] = (7.9e7, 2.5e9)
    assert (
        key_of(view(fast, executed(2.5e9), quantities=misses, seconds=(0.026, 1.03))) == "more-work"
    )


def test_a_longer_way_of_the_code_is_no_reason_at_the_rate_of_the_fast_side() -> None:
    """A hash table with 200 times the keys: each look-up executes some more, and misses."""
    misses = {"L1 data misses": (2e4, 9e5), "instructions": (3e7, 4.5e7)}
    fast, slow = executed(3e7), executed(4.5e7)
    assert key_of(view(fast, slow, quantities=misses, seconds=(0.005, 0.048))) == "cache-misses"
    # Its rate is not known.
    assert key_of(view(fast, slow, quantities=misses, seconds=(0.0, 0.02))) != "cache-misses"


def test_misses_carry_what_more_instructions_do_not_at_the_rate_of_the_fast_side() -> None:
    """A terrain walked by columns and not by rows (measured; seven times as long)."""
    misses = {"L1 data misses": (1.03e6, 1.65e7), "instructions": (4.55e7, 1.157e8)}
    fast, slow = executed(4.55e7), executed(1.157e8)
    assert key_of(view(fast, slow, quantities=misses, seconds=(0.0071, 0.0538))) == "cache-misses"
    assert key_of(view(fast, slow, quantities=misses, seconds=(0.025, 0.0538))) == "more-work"


ALIKE = {"instructions": (1e8, 1e8), "L1 data misses": (7e6, 7e6)}


@pytest.mark.parametrize(
    ("finer", "key"),
    [
        ({}, ""),
        ({"second-level misses": (9e5, 1e6)}, ""),
        ({"second-level misses": (9e5, 7e6)}, "cache-misses"),
        ({"misses on other pages": (8e4, 9e4)}, ""),
        ({"misses on other pages": (8e4, 2.7e6)}, "cache-misses"),
        # The fast side sorts what it visits.
        (
            {
                "instructions": (1.1e8, 1e8),
                "L1 data misses": (ALIKE["L1 data misses"][0], 1.4 * ALIKE["L1 data misses"][0]),
                "misses on other pages": (8e4, 2.7e6),
            },
            "cache-misses",
        ),
    ],
)
def test_misses_of_the_second_level_or_on_other_pages_with_as_many_of_the_first(
    finer: dict[str, tuple[float, float]], key: str
) -> None:
    quantities = {**ALIKE, **finer}
    seen = view(executed(1e8), executed(1e8), quantities=quantities)
    assert misses_alike(seen)
    assert key_of(seen) == key


@pytest.mark.parametrize(
    "other",
    [
        {"instructions": (1e8, 1.1e8)},
        {"L1 data misses": (1e6, 7e6)},
        {"L1 data misses": (1e6, 1e6)},
    ],
)
def test_the_second_level_is_looked_at_only_where_the_first_tells_nothing(
    other: dict[str, tuple[float, float]],
) -> None:
    assert not misses_alike(view(executed(1e8), executed(1e8), quantities={**ALIKE, **other}))


def test_work_of_which_the_other_side_has_as_good_as_none_is_no_multiple() -> None:
    found = label(view(executed(80), executed(5e8)))
    assert found is not None
    assert found.sentence == "`work` executes 500 million instructions ({fast}: 80)"
