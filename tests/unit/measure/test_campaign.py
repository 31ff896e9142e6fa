"""The measuring loop, with scripted programs and a clock that only they move.

Blocks as linked and blocks in drawn layouts take turns, each layout once."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from tests.unit.example_blocks import block
from tests.unit.measure.doubles import Bench, Script, fails_at, steady

from whyfast.measure import campaign
from whyfast.measure.campaign import REVIEW_AFTER, BenchmarkRun
from whyfast.measure.invocation import InvocationFailed, Sample
from whyfast.model.sample import Block, RunFailure


def test_a_settled_benchmark_rests_and_the_others_go_on() -> None:
    bench = Bench()
    bench.add("fib"), bench.add("sort")
    wanted = {"fib": 4, "sort": 40}
    bench.measure(settled=lambda e: len(e.blocks) >= wanted[e.name])
    names = [b.benchmark for b in bench.sink.blocks]
    assert names.count("sort") == 40
    assert sorted(names[:8]) == ["fib"] * 4 + ["sort"] * 4
    # Rounds that end after so many passes, each with one block of the other in some place.
    ends = [4, 6, 8, 10, 12, 15, 18, 22, 27, 33]
    at = [i for i, name in enumerate(names) if name == "sort"]
    for before, end in pairwise(ends):
        within = names[at[before] : at[end - 1] + 1].count("fib")
        around = names[at[before] - 1 : at[end - 1] + 2].count("fib")
        assert within <= 1 <= around
    assert names.count("fib") in (4 + 9, 4 + 10)
    assert [b.values for b in bench.sink.blocks[:1]] == [{"a": (1.0, 1.0), "b": (1.0, 1.0)}]


def test_a_benchmark_whose_layouts_are_used_up_takes_no_more() -> None:
    bench = Bench()
    bench.add("fib").layouts = {"a": 2, "b": 2}
    bench.add("sort")
    wanted = {"fib": 4, "sort": 20}
    bench.measure(settled=lambda e: len(e.blocks) >= wanted[e.name])
    assert (len(bench.indexes("fib")), len(bench.indexes("sort"))) == (4, 20)


def test_measuring_ends_with_the_last_benchmark_that_is_settled() -> None:
    """Whatever its round still has in store."""
    bench = Bench()
    bench.add("fib"), bench.add("sort")
    wanted = {"fib": 4, "sort": 31}
    bench.measure(settled=lambda e: len(e.blocks) >= wanted[e.name])
    assert len(bench.indexes("sort")) == 31


def test_what_is_settled_already_is_not_started() -> None:
    bench = Bench()
    bench.add()
    assert bench.measure(settled=lambda e: True) == 0.0
    assert bench.runners["fib"].events == []


@pytest.mark.parametrize(
    ("budget", "before", "spent", "clock"),
    [
        # Calibrating takes 2 s, a block of two turns of two variants, a second each, 4 s.
        (30.0, 0.0, 30.0, 30.0),
        (29.9, 0.0, 26.0, 26.0),  # no block is begun that would not end within the budget
        (2.5, 0.0, 6.0, 6.0),  # but one, however small the budget
        (30.0, 20.0, 30.0, 10.0),  # what earlier sessions spent counts
        (30.0, 30.0, 30.0, 0.0),
    ],
)
def test_the_budget(budget: float, before: float, spent: float, clock: float) -> None:
    bench = Bench()
    bench.add()
    assert bench.measure(budget, spent=before) == spent
    assert bench.clock.seconds == clock
    assert len(bench.indexes()) == max(0, clock - 2) // 4


def test_the_budget_ends_it_between_two_benchmarks() -> None:
    bench = Bench()
    for name in ("fib", "sort", "hash", "mandel"):
        bench.add(name)
    assert bench.measure(18.0) == 18.0
    assert len(bench.sink.blocks) == 3


def test_each_pass_goes_over_all_benchmarks_in_an_order_drawn_anew() -> None:
    bench = Bench()
    for name in ("fib", "sort", "hash"):
        bench.add(name)
    bench.measure(blocks=20)
    passes = [bench.sink.order[i : i + 3] for i in range(0, 60, 3)]
    assert all({o.split(" ")[1] for o in p} == {str(i)} for i, p in enumerate(passes))
    assert len({tuple(o.split(" ")[0] for o in p) for p in passes}) == 6


def test_the_order_follows_from_run_and_session() -> None:
    def order(session: str) -> list[str]:
        bench = Bench()
        for name in ("fib", "sort", "hash"):
            bench.add(name)
        bench.measure(blocks=10, session=session)
        return bench.sink.order

    assert order("s1") == order("s1") != order("s2")


def test_blocks_of_a_run_can_be_drawn_again_whatever_the_session() -> None:
    def seeds(session: str, first: int) -> list[int]:
        bench = Bench()
        bench.add().next_index = first
        bench.measure(blocks=4, session=session)
        return [b.seed for b in bench.sink.blocks]

    assert seeds("s2", 2)[:2] == seeds("s1", 0)[2:]
    assert len({*seeds("s1", 0), *seeds("s1", 4)}) == 8


def test_a_resumed_benchmark_goes_on_counting() -> None:
    bench = Bench()
    entry = bench.add()
    entry.blocks.append(block({"a": [1.0], "b": [1.0]}, index=6))
    entry.next_index = 7
    bench.measure(blocks=3, session="s9")
    assert bench.indexes() == [7, 8]
    assert [b.index for b in entry.blocks] == [6, 7, 8]
    assert {b.session for b in bench.sink.blocks} == {"s9"}


def test_a_variant_that_fails_is_reported_and_left_out_from_then_on() -> None:
    bench = Bench()
    entry = bench.add("fib", ("a", "b", "c"), fails_at("c", 6))
    bench.add("sort", ("a", "b", "c"))
    bench.measure(60.0)
    assert bench.sink.failures == [RunFailure("fib", "c", "exit code 3", "boom", ("./c",))]
    assert entry.variants == ["a", "b"]
    held = [sorted(b.values) for b in bench.sink.blocks if b.benchmark == "fib"]
    lost = held.index(["a", "b"])
    assert lost >= 1
    assert held == [["a", "b", "c"]] * lost + [["a", "b"]] * (len(held) - lost)
    assert bench.indexes() == [*range(len(held))]
    others = [sorted(b.values) for b in bench.sink.blocks if b.benchmark == "sort"]
    assert others == [["a", "b", "c"]] * len(others)
    assert len(others) >= 5
    assert all(runner.open == [] for runner in bench.runners.values())


@pytest.mark.parametrize("where", ["entering", "first turn"])
def test_a_variant_that_fails_while_calibrating_is_left_out(where: str) -> None:
    bench = Bench()
    if where == "entering":
        bench.add("fib", ("a", "b", "c"), entering={"b": "exit code 3"})
    else:
        bench.add("fib", ("a", "b", "c"), fails_at("b", 0))
    bench.measure(blocks=2)
    assert [(f.benchmark, f.variant, f.reason) for f in bench.sink.failures] == [
        ("fib", "b", "exit code 3")
    ]
    assert [sorted(b.values) for b in bench.sink.blocks] == [["a", "c"]] * 2


def test_a_benchmark_that_a_variant_has_not_falls_not_behind() -> None:
    def script(variant: str, loops: int, before: int) -> Sample:
        if variant in "ab":
            raise InvocationFailed("came with 3.6", lacks=True)
        return Sample(1.0)

    bench = Bench()
    bench.add("new", ("a", "b", "c", "d"), script, baselines=("a", "c"))
    bench.add("old", ("a", "c"))
    bench.measure(100.0)
    assert [(f.variant, f.lacks) for f in bench.sink.failures] == [("a", True), ("b", True)]
    assert abs(len(bench.indexes("new")) - len(bench.indexes("old"))) <= 1
    assert len(bench.indexes("old")) > 3


def test_without_its_only_baseline_a_benchmark_ends_and_the_others_go_on() -> None:
    bench = Bench()
    entry = bench.add("fib", ("a", "b", "c"), fails_at("a", 5))
    bench.add("sort", ("a", "b", "c"))
    bench.measure(blocks=10)
    assert not entry.comparable
    assert bench.sink.failures[0].variant == "a"
    assert len(bench.indexes("fib")) < 5
    assert bench.indexes("sort") == list(range(10))


def test_with_another_baseline_left_a_benchmark_goes_on() -> None:
    bench = Bench()
    bench.add("fib", ("a", "b", "c"), fails_at("a", 5), baselines=("a", "c"))
    bench.measure(blocks=8)
    assert bench.indexes() == list(range(8))
    assert sorted(bench.sink.blocks[-1].values) == ["b", "c"]


@pytest.mark.parametrize(
    ("variants", "baselines", "comparable"),
    [
        (["a", "b"], ["a"], True),
        (["a"], ["a"], False),
        (["b", "c"], ["a"], False),
        (["b", "c"], ["a", "c"], True),
        ([], ["a"], False),
    ],
)
def test_comparable(variants: list[str], baselines: list[str], comparable: bool) -> None:
    bench = Bench()
    entry = bench.add("fib", variants, baselines=baselines)
    assert entry.comparable is comparable
    if not comparable:
        assert bench.measure() == 0.0


def test_pinned_benchmarks_run_on_cpus_drawn_from_those_allowed() -> None:
    bench = Bench()
    bench.add("fib")
    bench.add("sort").pinned = False
    bench.measure(blocks=20)
    assert {b.cpu for b in bench.sink.blocks if b.benchmark == "fib"} == {4, 5, 6}
    assert {b.cpu for b in bench.sink.blocks if b.benchmark == "sort"} == {None}
    assert {cpu for _, cpu, _, _ in bench.runners["sort"].places} == {None}


def test_a_benchmark_whose_processes_have_threads_begins_anew_on_all_cpus() -> None:
    bench = Bench()

    def script(variant: str, loops: int, before: int) -> Sample:
        if before == 8:
            bench.runners["fib"].threads["b"] = 3
        return Sample(1.0)

    entry = bench.add(script=script)
    bench.measure(blocks=5)
    assert bench.released == [("fib", 3)]
    assert not entry.pinned
    # Calibration is two turns of each, so three blocks of two turns were taken before.
    assert [b.cpu is None for b in bench.sink.blocks] == [False] * 3 + [True] * 5
    assert [b.index for b in entry.blocks] == [3, 4, 5, 6, 7]
    assert len(bench.sink.calibrations) == 2


def test_turns_are_reviewed_when_the_blocks_have_doubled(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, str, str]] = []

    def best(blocks: Sequence[Block], variant: str, baseline: str, start: float) -> int | None:
        asked.append((len(blocks), variant, baseline))
        more = len(blocks) // REVIEW_AFTER
        return {"b": 30 * more, "c": 50 * more, "d": None}[variant]

    monkeypatch.setattr(campaign, "best_turns", best)
    bench = Bench()
    bench.add("fib", ("a", "b", "c", "d"), steady(1e-3), turns=None, loops_vary=True)
    bench.add("sort", ("a", "b"), steady(1e-3), turns=7, loops_vary=True)
    bench.measure(blocks=4 * REVIEW_AFTER + 2)
    assert asked == [(n * REVIEW_AFTER, v, "a") for n in (1, 2, 4) for v in "bcd"]
    taken = [len(b.order) for b in bench.sink.blocks if b.benchmark == "fib"]
    assert len(set(taken[:REVIEW_AFTER])) == 1
    wanted = [50] * REVIEW_AFTER + [100] * 2 * REVIEW_AFTER + [200] * 2
    assert taken[REVIEW_AFTER:] == wanted
    assert {len(b.order) for b in bench.sink.blocks if b.benchmark == "sort"} == {7}


def test_processes_that_turn_out_to_warm_up_take_more_turns() -> None:
    bench = Bench()
    entry = bench.add("fib", script=steady(1.0), turns=None, loops_vary=True)

    def settled(entry: BenchmarkRun) -> bool:
        entry.least_turns = 12 if len(entry.blocks) >= 2 else entry.least_turns
        return len(entry.blocks) >= 4

    bench.measure(settled=settled)
    assert [len(b.order) for b in bench.sink.blocks] == [5, 5, 12, 12]
    assert entry.calibration
    assert entry.calibration.turns == 12


def test_turns_are_reviewed_again_after_a_variant_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(campaign, "best_turns", lambda blocks, variant, baseline, start: 30)

    def script(variant: str, loops: int, before: int) -> Sample:
        if variant == "c" and bench.indexes()[-1:] == [REVIEW_AFTER]:
            raise InvocationFailed("crashed")
        return Sample(1e-3 * loops)

    bench = Bench()
    bench.add("fib", ("a", "b", "c"), script, turns=None, loops_vary=True)
    bench.measure(blocks=REVIEW_AFTER + 3)
    assert [(f.variant, f.reason) for f in bench.sink.failures] == [("c", "crashed")]
    assert [len(b.order) for b in bench.sink.blocks[REVIEW_AFTER:]] == [30, 30, 30]


def test_an_interrupt_keeps_what_was_taken_and_closes_all_players() -> None:
    def script(variant: str, loops: int, before: int) -> Sample:
        if before == 9:
            raise KeyboardInterrupt
        return Sample(1.0)

    bench = Bench()
    bench.add(script=script)
    with pytest.raises(KeyboardInterrupt):
        bench.measure()
    assert bench.indexes() == list(range(len(bench.sink.blocks)))
    assert len(bench.sink.blocks) >= 3
    assert bench.runners["fib"].open == []


def _measured(
    layouts: Mapping[str, int], blocks: int, *, first: int = 0, script: Script | None = None
) -> Bench:
    bench = Bench()
    entry = bench.add(script=script)
    entry.layouts, entry.next_index = layouts, first
    bench.measure(1e6, blocks=blocks)
    return bench


def test_every_second_block_takes_a_fresh_layout_of_each() -> None:
    bench = _measured({"a": 4, "b": 4}, 12)
    drawn = [dict(b.layouts) for b in bench.sink.blocks]
    assert drawn[0::2] == [{}] * 6
    assert all(drawn[1:8:2])
    # All used up: from then on only as linked.
    assert drawn[9::2] == [{}] * 2
    for variant in "ab":
        assert sorted(d[variant] for d in drawn if d) == [1, 2, 3, 4]
    # What ran is what is recorded; the first two are the calibration's, as linked.
    ran = [(v, layout) for v, _, _, layout in bench.runners["fib"].places]
    assert all(layout == 0 for _, layout in ran[:2])
    last = ran[-24:]
    pairs = zip(last[0::2], last[1::2], strict=True)
    for taken, pair in zip(bench.sink.blocks, pairs, strict=True):
        assert dict(pair) == {v: taken.layouts.get(v, 0) for v in "ab"}


@pytest.mark.parametrize(("layouts", "kinds"), [(0, "ppp"), (2, "lplpp"), (4, "lplplpl")])
def test_profiles_are_numbered_after_the_layouts_and_come_in_turn_with_them(
    layouts: int, kinds: str
) -> None:
    bench = Bench()
    entry = bench.add()
    entry.layouts, entry.profiles = {"a": layouts, "b": layouts}, {"a": 3, "b": 3}
    bench.measure(1e6, blocks=2 * len(kinds) + 2)
    drawn = [b for b in bench.sink.blocks if b.layouts]
    assert "".join("p" if b.profiles else "l" for b in drawn) == kinds
    for variant in "ab":
        taken = [b.layouts[variant] for b in drawn if b.profiles]
        assert sorted(taken) == [layouts + 1, layouts + 2, layouts + 3]
        assert sorted(b.layouts[variant] for b in drawn if not b.profiles) == [
            *range(1, layouts + 1)
        ]
    assert not any(b.profiles for b in bench.sink.blocks if not b.layouts)


def test_each_variant_has_an_order_of_its_own_that_follows_from_the_run() -> None:
    def orders(run: str) -> list[list[int]]:
        bench = Bench(run=run)
        bench.add().layouts = {"a": 12, "b": 12}
        bench.measure(blocks=24)
        return [[b.layouts[v] for b in bench.sink.blocks if b.layouts] for v in "ab"]

    a, b = orders("r1")
    assert a != b
    assert orders("r1") == [a, b]
    assert orders("r2")[0] != a


def test_a_resumed_run_goes_on_with_the_layouts_that_are_left() -> None:
    whole = _measured({"a": 6, "b": 6}, 12).sink.blocks
    rest = _measured({"a": 6, "b": 6}, 7, first=5).sink.blocks
    assert [b.layouts for b in rest] == [b.layouts for b in whole[5:]]


def test_a_block_compares_like_with_like() -> None:
    # One side has no layouts, or fewer: then both run as linked.
    assert [b.layouts for b in _measured({"a": 4}, 6).sink.blocks] == [{}] * 6
    fewer = [bool(b.layouts) for b in _measured({"a": 4, "b": 2}, 8).sink.blocks]
    assert fewer == [False, True, False, True, False, False, False, False]


def test_a_layout_that_fails_takes_its_variant_out() -> None:
    bench = _measured({"a": 4, "b": 4}, 8, script=fails_at("b", 8))
    assert [f.variant for f in bench.sink.failures] == ["b"]
    assert bench.runners["fib"].open == []
