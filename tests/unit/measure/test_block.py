"""Running one block: in the planned order, and with nobody left behind.

Drawing a block: reproducible, uniform, and blind to which variant is which."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from tests.golden_files import Hear
from tests.unit.measure.doubles import FakeClock, FakeRunner, Script, fails_at, steady

from whyfast.measure.block import MAX_PAD, Plan, WantedBlock, draw, run_block
from whyfast.measure.invocation import InvocationFailed, Sample
from whyfast.model.sample import Block, RunFailure

PLAN = Plan(
    seed=99,
    cpu=3,
    start_order=("b", "a"),
    pads={"a": 10, "b": 20},
    order=(("a", "b"), ("b", "a"), ("b", "a")),
    layouts={"b": 2},
)


def _run(runner: FakeRunner, *, plan: Plan = PLAN, warmups: int = 1) -> Block:
    plan = replace(plan, loops=5, warmups=warmups)
    return run_block(runner, WantedBlock(plan, "fib", "a", 4, "s1"), runner.clock)


def _runner(script: Script, entering: dict[str, str] | None = None) -> FakeRunner:
    return FakeRunner(script, FakeClock(), entering=entering)


def test_turns_are_taken_exactly_as_planned() -> None:
    runner = _runner(steady(0.5))
    _run(runner, warmups=2)
    assert runner.events == [
        *("enter b", "enter a"),
        *("b 5", "a 5", "b 5", "a 5"),  # warm-ups
        *("a 5", "b 5", "b 5", "a 5", "b 5", "a 5"),
        *("close b", "close a"),
    ]


def test_players_are_started_where_and_how_the_plan_says() -> None:
    runner = _runner(steady(0.5))
    _run(runner)
    assert runner.places == [("b", 3, 20, 2), ("a", 3, 10, 0)]


def test_the_block_holds_every_value_by_variant_and_turn_and_no_warm_up() -> None:
    runner = _runner(lambda v, loops, before: Sample({"a": 1.0, "b": 10.0}[v] + before))
    runner.clock.seconds = 100.0
    assert _run(runner) == Block(
        benchmark="fib",
        index=4,
        seed=99,
        session="s1",
        cpu=3,
        loops=5,
        warmups=1,
        start_order=("b", "a"),
        order=PLAN.order,
        values={"a": (2.0, 3.0, 4.0), "b": (11.0, 12.0, 13.0)},
        started=1_000_100.0,
        seconds=1 + 10 + 2 + 3 + 4 + 11 + 12 + 13,
        extra={},
        layouts={"b": 2},
        threads={"a": 1, "b": 1},
    )


def test_further_quantities_are_kept_beside_their_values() -> None:
    def script(variant: str, loops: int, before: int) -> Sample:
        return Sample(1.0, extra={"user": before + 0.5} if variant == "a" else {})

    assert _run(_runner(script)).extra == {"a": {"user": (1.5, 2.5, 3.5)}}


def test_a_quantity_that_did_not_come_with_every_turn_is_left_out() -> None:
    def script(variant: str, loops: int, before: int) -> Sample:
        sometimes = {"maxrss": 9.0} if before != 2 else {}
        return Sample(1.0, extra={"user": 0.5, **sometimes})

    assert _run(_runner(script)).extra == {v: {"user": (0.5, 0.5, 0.5)} for v in "ba"}


def test_a_player_that_does_not_come_up_is_named_and_those_before_it_are_closed() -> None:
    runner = _runner(steady(1.0), entering={"a": "could not be started: No such file"})
    with pytest.raises(InvocationFailed) as caught:
        _run(runner)
    assert caught.value.variant == "a"
    assert caught.value.as_failure("fib", "a") == RunFailure(
        "fib", "a", "could not be started: No such file", "out", ("./a",)
    )
    assert runner.events == ["enter b", "enter a", "close b"]


@pytest.mark.parametrize("turn", [0, 1, 3])
@pytest.mark.parametrize("variant", ["a", "b"])
def test_a_player_that_fails_is_named_and_all_are_closed(variant: str, turn: int) -> None:
    runner = _runner(fails_at(variant, turn))
    with pytest.raises(InvocationFailed) as caught:
        _run(runner)
    assert caught.value.variant == variant
    assert caught.value.as_failure("fib", variant) == RunFailure(
        "fib", variant, "exit code 3", "boom", ("./" + variant,)
    )
    assert runner.turns[variant] == turn + 1
    assert runner.events[-2:] == ["close b", "close a"]


def test_an_interrupt_closes_all_players() -> None:
    def script(variant: str, loops: int, before: int) -> Sample:
        raise KeyboardInterrupt

    runner = _runner(script)
    with pytest.raises(KeyboardInterrupt):
        _run(runner)
    assert runner.open == []


def _checks(of: Callable[[str, int], str | None]) -> Script:
    return lambda variant, loops, before: Sample(1.0, of(variant, before))


@pytest.mark.parametrize(
    ("checks", "variant", "reason"),
    [
        (lambda v, n: "0x1" if v == "a" else "0x2", "b", "wrong result: 0x2, where a has 0x1"),
        (lambda v, n: "0x1" if v == "a" or n < 3 else "0x2", "b", "wrong result: 0x2 after 0x1"),
        (lambda v, n: "0x1" if v == "b" or n < 2 else "0x3", "a", "wrong result: 0x3 after 0x1"),
    ],
)
def test_whoever_disagrees_with_the_reference_is_named(
    checks: Callable[[str, int], str], variant: str, reason: str
) -> None:
    runner = _runner(_checks(checks))
    with pytest.raises(InvocationFailed) as caught:
        _run(runner)
    assert (caught.value.variant, caught.value.reason) == (variant, reason)
    assert runner.open == []


def test_the_reference_is_right_also_when_it_comes_late(golden: Hear) -> None:
    plan = Plan(1, None, ("c", "b", "a"), {"a": 0, "b": 0, "c": 0}, (("c", "b", "a"),))
    runner = _runner(_checks(lambda v, n: "0x1" if v == "a" else f"0x{v}"))
    with pytest.raises(InvocationFailed) as caught:
        _run(runner, plan=plan, warmups=0)
    golden(caught.value.reason)


@pytest.mark.parametrize(
    "checks", [lambda v, n: "0x1", lambda v, n: None, lambda v, n: None if v == "a" else "0x2"]
)
def test_equal_or_absent_results_are_right(checks: Callable[[str, int], str | None]) -> None:
    assert _run(_runner(_checks(checks))).values["b"] == (1.0, 1.0, 1.0)


def test_what_all_turns_waited_for_a_cpu_is_no_part_of_the_values() -> None:
    runner = _runner(
        lambda v, loops, before: Sample(
            {"a": 1.0, "b": 10.0}[v] + before, None, {"waited": 0.25 * before, "user": 0.5}
        )
    )
    block = _run(runner)
    assert block.values == {"a": (1.75, 2.5, 3.25), "b": (10.75, 11.5, 12.25)}
    assert block.extra["b"] == {"waited": (0.25, 0.5, 0.75), "user": (0.5, 0.5, 0.5)}


def test_where_one_side_is_not_known_to_have_waited_both_keep_their_time() -> None:
    runner = _runner(
        lambda v, loops, before: Sample(
            1.0, None, {"user": 0.5, **({"waited": 0.25} if (v, before) != ("b", 2) else {})}
        )
    )
    block = _run(runner)
    assert block.values == {"a": (1.0, 1.0, 1.0), "b": (1.0, 1.0, 1.0)}
    assert block.extra == {v: {"user": (0.5, 0.5, 0.5)} for v in "ab"}


VARIANTS = ("a", "b", "c")


def _looks_uniform(seen: Iterable[Hashable], possible: Iterable[Hashable]) -> bool:
    """Whether a chi-square test, which is wrong once in a million times, finds nothing."""
    counts = Counter(seen)
    cells = list(possible)
    assert set(counts) <= set(cells)
    expected = counts.total() / len(cells)
    distance = sum((counts[c] - expected) ** 2 / expected for c in cells)
    return bool(distance < chi2.isf(1e-6, len(cells) - 1))


def _plans(n: int, turns: int = 1) -> list[Plan]:
    return [draw(seed, VARIANTS, turns, (0, 1, 2, 3)) for seed in range(n)]


def test_a_seed_draws_the_same_block_again() -> None:
    assert draw(5, VARIANTS, 20, (0, 1)) == draw(5, VARIANTS, 20, (0, 1))
    assert draw(5, VARIANTS, 20, (0, 1)) != draw(6, VARIANTS, 20, (0, 1))
    assert draw(5, VARIANTS, 20, (0, 1)).seed == 5


@given(st.integers(0, 2**48), st.lists(st.text(), min_size=1, max_size=6, unique=True))
def test_every_variant_starts_once_and_takes_every_turn_once(seed: int, names: list[str]) -> None:
    plan = draw(seed, names, 7, (3, 5))
    assert sorted(plan.start_order) == sorted(names)
    assert len(plan.order) == 7
    assert all(sorted(order) == sorted(names) for order in plan.order)
    assert set(plan.pads) == set(names)
    assert all(0 <= pad <= MAX_PAD for pad in plan.pads.values())
    assert plan.cpu in (3, 5)


@given(st.integers(0, 2**48), st.permutations(VARIANTS))
def test_exchanging_variants_exchanges_them_in_the_block(seed: int, others: list[str]) -> None:
    rename = dict(zip(VARIANTS, others, strict=True))
    plan, renamed = draw(seed, VARIANTS, 5, (0, 1)), draw(seed, others, 5, (0, 1))
    assert renamed.cpu == plan.cpu
    assert renamed.start_order == tuple(rename[v] for v in plan.start_order)
    assert renamed.pads == {rename[v]: pad for v, pad in plan.pads.items()}
    assert renamed.order == tuple(tuple(rename[v] for v in order) for order in plan.order)


def test_every_order_of_turns_occurs_about_equally_often() -> None:
    seen = [order for plan in _plans(60, turns=100) for order in plan.order]
    assert _looks_uniform(seen, permutations(VARIANTS))


def test_every_order_of_starting_occurs_about_equally_often() -> None:
    assert _looks_uniform((p.start_order for p in _plans(3000)), permutations(VARIANTS))


def test_every_cpu_occurs_about_equally_often() -> None:
    assert _looks_uniform((p.cpu for p in _plans(3000)), (0, 1, 2, 3))


def test_paddings_are_spread_evenly_over_a_page() -> None:
    seen = [pad * 16 // (MAX_PAD + 1) for plan in _plans(2000) for pad in plan.pads.values()]
    assert _looks_uniform(seen, range(16))
    assert all(len(set(plan.pads.values())) > 1 for plan in _plans(20))


@pytest.mark.parametrize("turn", [0, 1])
def test_who_starts_first_says_nothing_about_who_runs_first(turn: int) -> None:
    plans = _plans(4500, turns=2)
    seen = ((p.start_order[0], p.order[turn][0]) for p in plans)
    assert _looks_uniform(seen, [(x, y) for x in VARIANTS for y in VARIANTS])


def test_neighbouring_turns_are_drawn_apart() -> None:
    order = draw(1, ("a", "b"), 4000, ()).order
    pairs = [order[i] + order[i + 1] for i in range(0, len(order), 2)]
    orders = list(permutations(("a", "b")))
    assert _looks_uniform(pairs, [x + y for x in orders for y in orders])


def test_without_cpus_to_choose_from_nothing_is_pinned() -> None:
    assert draw(1, VARIANTS, 1, ()).cpu is None
