"""Blocks as linked and blocks in drawn layouts take turns, each layout once."""

from __future__ import annotations

from collections.abc import Mapping

from tests.unit.measure.doubles import FakeClock, FakeRunner, Script, fails_at, steady
from tests.unit.measure.test_campaign import Memory

from whyfast.measure.campaign import BenchmarkRun, Limits, MeasuringSession, measure


def _measured(
    layouts: Mapping[str, int],
    blocks: int,
    *,
    first: int = 0,
    run: str = "r1",
    script: Script | None = None,
) -> tuple[Memory, FakeRunner]:
    clock = FakeClock()
    runner = FakeRunner(script or steady(1.0), clock)
    entry = BenchmarkRun(
        "fib", runner, ["a", "b"], ["a"], turns=2, layouts=dict(layouts), next_index=first
    )
    sink = Memory()
    measure(
        [entry],
        MeasuringSession(run, "s1", sink, clock, (0,)),
        Limits(1e6),
        lambda e: len(e.blocks) >= blocks,
    )
    return sink, runner


def test_every_second_block_takes_a_fresh_layout_of_each() -> None:
    sink, runner = _measured({"a": 4, "b": 4}, 12)
    drawn = [dict(b.layouts) for b in sink.blocks]
    assert drawn[0::2] == [{}] * 6
    assert all(drawn[1:8:2])
    # All used up: from then on only as linked.
    assert drawn[9::2] == [{}] * 2
    for variant in "ab":
        assert sorted(d[variant] for d in drawn if d) == [1, 2, 3, 4]
    # What ran is what is recorded; the first two are the calibration's, as linked.
    ran = [(v, layout) for v, _, _, layout in runner.places]
    assert all(layout == 0 for _, layout in ran[:2])
    last = ran[-24:]
    for block, pair in zip(sink.blocks, zip(last[0::2], last[1::2], strict=True), strict=True):
        assert dict(pair) == {v: block.layouts.get(v, 0) for v in "ab"}


def test_each_variant_has_an_order_of_its_own_that_follows_from_the_run() -> None:
    def orders(run: str) -> list[list[int]]:
        sink, _ = _measured({"a": 12, "b": 12}, 24, run=run)
        return [[b.layouts[v] for b in sink.blocks if b.layouts] for v in "ab"]

    a, b = orders("r1")
    assert a != b
    assert orders("r1") == [a, b]
    assert orders("r2")[0] != a


def test_a_resumed_run_goes_on_with_the_layouts_that_are_left() -> None:
    whole, _ = _measured({"a": 6, "b": 6}, 12)
    rest, _ = _measured({"a": 6, "b": 6}, 7, first=5)
    assert [b.layouts for b in rest.blocks] == [b.layouts for b in whole.blocks[5:]]


def test_a_block_compares_like_with_like() -> None:
    # One side has no layouts, or fewer: then both run as linked.
    assert [b.layouts for b in _measured({"a": 4}, 6)[0].blocks] == [{}] * 6
    fewer = [bool(b.layouts) for b in _measured({"a": 4, "b": 2}, 8)[0].blocks]
    assert fewer == [False, True, False, True, False, False, False, False]


def test_a_layout_that_fails_takes_its_variant_out() -> None:
    sink, runner = _measured({"a": 4, "b": 4}, 8, script=fails_at("b", 8))
    assert [f.variant for f in sink.failures] == ["b"]
    assert runner.open == []
