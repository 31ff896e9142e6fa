"""Lines by a parameter, exact counts, and series over releases."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.unit.example_blocks import block
from tests.unit.judge.example_study import plain_study

from whyfast.judge.lines import (
    judge_counts,
    judge_lines,
    median_estimate,
    release_series,
    spread,
    version_key,
)
from whyfast.model.sample import Block
from whyfast.model.variant import Benchmark, Parameter, Variant
from whyfast.model.verdict import Coefficient, Line, Verdict

LENGTHS = (0, 1, 2, 5)
FAMILY = tuple(
    Benchmark(f"calls-{n}", "turn", ("{program}",), parameter=Parameter("calls", "call", n))
    for n in LENGTHS
)


def _blocks(time: Callable[[str, int, int], float], passes: int) -> list[Block]:
    """Blocks of three loops; ``time(variant, length, number of the pass)`` of one loop."""
    return [
        block(
            {v: [3 * time(v, n, i)] * 4 for v in ("base", "other")},
            benchmark=f"calls-{n}",
            index=i,
        )
        for i in range(passes)
        for n in LENGTHS
    ]


def _is(found: Coefficient | None, value: float) -> bool:
    """Whether it is that value, without any doubt left."""
    return found is not None and [found.value, found.low, found.high] == pytest.approx([value] * 3)


def _judge(blocks: list[Block]) -> tuple[Line, ...]:
    return judge_lines(blocks, benchmarks=FAMILY, variants=("base", "other"), baseline="base")


def test_exact_lines_are_found_exactly() -> None:
    def time(variant: str, n: int, i: int) -> float:
        drift = 1e-9 * i  # of the machine, from pass to pass
        return (10e-9 + 2e-9 * n if variant == "base" else 10e-9 + 6e-9 * n) + drift

    base, other = _judge(_blocks(time, 9))
    assert (base.family, base.name, base.variant, base.passes) == ("calls", "call", "base", 9)
    assert _is(base.slope, 2e-9)
    # The drift of nine passes is in the intercept: 10 to 18 ns, and in no slope.
    assert base.intercept.value == pytest.approx(14e-9)
    assert base.intercept.low == pytest.approx(11e-9)
    assert base.intercept.high == pytest.approx(17e-9)
    assert base.slope_ratio is None
    assert other.slope.value == pytest.approx(6e-9)
    assert _is(other.slope_ratio, 3.0)
    assert [p.at for p in other.points] == [0, 1, 2, 5]
    assert other.points[3].seconds.value == pytest.approx(44e-9)
    assert abs(other.departure) < 1e-15


def test_what_is_no_line_is_said_to_be_none() -> None:
    base, _ = _judge(_blocks(lambda v, n, i: 10e-9 + 1e-9 * n + (5e-9 if n == 5 else 0), 6))
    assert base.departure_at == 5
    assert base.departure > 2e-9


def test_one_disturbed_pass_moves_nothing() -> None:
    base, _ = _judge(_blocks(lambda v, n, i: (10e-9 + 2e-9 * n) * (50 if i == 3 else 1), 9))
    assert _is(base.slope, 2e-9)
    assert base.points[0].process == pytest.approx(0, abs=1e-12)


def test_where_layouts_are_varied_the_line_is_over_them() -> None:
    def time(v: str, n: int, i: int) -> float:
        return 10e-9 + (2e-9 if i % 2 else 5e-9) * n

    blocks = [
        replace(b, layouts={"base": b.index, "other": b.index}) if b.index % 2 else b
        for b in _blocks(time, 12)
    ]
    base, _ = _judge(blocks)
    assert _is(base.slope, 2e-9)
    assert base.passes == 6


def test_too_little_for_a_line_or_an_interval() -> None:
    def time(v: str, n: int, i: int) -> float:
        return 1e-8 + 1e-9 * n

    base, _ = _judge(_blocks(time, 5))
    assert (base.slope.low, base.slope.high) == (None, None)
    incomplete = [b for b in _blocks(time, 6) if b.benchmark in ("calls-0", "calls-1")]
    assert _judge(incomplete) == ()
    assert _judge([]) == ()


def test_a_variant_that_failed_at_a_length_keeps_the_others() -> None:
    blocks = [
        block({"base": [3e-8] * 4, "other": [6e-8] * 4}, benchmark=f"calls-{n}", index=i)
        if n != 5
        else block({"base": [3e-8] * 4}, benchmark="calls-5", index=i)
        for i in range(6)
        for n in LENGTHS
    ]
    base, other = _judge(blocks)
    assert [p.at for p in base.points] == [0, 1, 2, 5]
    assert [p.at for p in other.points] == [0, 1, 2]
    assert other.slope_ratio is None


@pytest.mark.parametrize(
    ("count", "low", "high"),
    # Binomial(n, 1/2): P(X = 0) is 1/32 for 5 and 1/64 for 6; for 9, P(X ≤ 1) = 10/512;
    # for 20, P(X ≤ 5) = 0.0207.
    [(5, None, None), (6, 0, 5), (9, 1, 7), (20, 5, 14)],
)
def test_the_interval_of_a_median(count: int, low: int | None, high: int | None) -> None:
    values = [float(i) for i in range(count)]
    random.Random(1).shuffle(values)
    assert median_estimate(values) == Coefficient((count - 1) / 2, low, high)


def test_the_interval_covers_as_often_as_it_says() -> None:
    rng = random.Random(7)
    covered = 0
    for _ in range(1000):
        found = median_estimate([rng.expovariate(1) for _ in range(12)])
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.6931 <= found.high
    # 12 values: the interval from order statistics holds the median in 96.1 % of all cases.
    assert 945 <= covered <= 975


def _counted(index: int, **values: float) -> Block:
    order = tuple(values)
    counts = {name: (value,) for name, value in values.items()}
    return Block("b", index, 0, "s", None, 1, 0, order, (order,), counts, 0.0, 0.0)


def judge(*blocks: Block) -> list[Verdict]:
    variants = ["base", "new"]
    return [
        *judge_counts(blocks, benchmarks=["b"], variants=variants, baselines=["base"], margin=0.01)
    ]


def test_equal_boots_give_a_point() -> None:
    (verdict,) = judge(_counted(0, base=100.0, new=150.0), _counted(1, base=100.0, new=150.0))
    assert (verdict.outcome, verdict.ratio, verdict.low, verdict.high) == ("slower", 1.5, 1.5, 1.5)
    assert (verdict.confidence, verdict.blocks, verdict.metric) == (1.0, 2, "instructions")


@pytest.mark.parametrize(("base", "new", "outcome"), [(200, 100, "faster"), (1000, 1009, "same")])
def test_one_boot_is_enough_for_an_exact_ratio(base: float, new: float, outcome: str) -> None:
    assert [v.outcome for v in judge(_counted(0, base=base, new=new))] == [outcome]


def test_boots_that_differ_leave_what_both_allow() -> None:
    (verdict,) = judge(_counted(0, base=100.0, new=110.0), _counted(1, base=125.0, new=150.0))
    assert (verdict.outcome, verdict.low, verdict.high) == ("undecided", 110 / 125, 1.5)


def test_what_was_never_counted_is_left_out() -> None:
    assert judge(_counted(0, base=1.0)) == []


def test_spread_of_boots() -> None:
    assert spread([100.0, 100.0]) == 0.0
    assert spread([100.0, 125.0]) == 0.25


def variant(kernel: str, spectre: str) -> Variant:
    return Variant(
        f"{kernel}-{spectre}",
        "path:gcc",
        kernel=f"debian:linux-{kernel}",
        boot=(f"spectre_v2={spectre}",),
        axes={"kernel": kernel, "spectre_v2": spectre},
    )


def line(name: str, slope: float) -> Line:
    at = Coefficient(slope, None, None)
    return Line(
        "calls", "tail call", name, (), at, Coefficient(9.0, None, None), None, 0, 0, 2, 0.95
    )


SLOPES = {
    "6.12-off": 18.0,
    "6.12-on": 18.1,
    "5.10-off": 12.0,
    "5.10-on": 18.0,
    "6.1-off": 12.0,
    "6.1-on": 18.0,
}
VARIANTS = tuple(variant(*name.split("-")) for name in SLOPES)
RELEASES = {"5.10": "5.10.223", "6.1": "6.1.176", "6.12": "6.12.107"}


def test_a_series_holds_everything_but_the_kernel_still() -> None:
    lines = [line(name, slope) for name, slope in SLOPES.items()]
    releases = {v.name: RELEASES[v.axes["kernel"]] for v in VARIANTS}
    off, on = release_series(plain_study(*VARIANTS, baseline=VARIANTS[0].name), lines, releases)
    assert (off.name, on.name) == ("spectre_v2 off", "spectre_v2 on")
    assert [(p.kernel, p.slope) for p in off.points] == [
        ("5.10.223", 12.0),
        ("6.1.176", 12.0),
        ("6.12.107", 18.0),
    ]
    (step,) = off.steps
    assert (step.before.kernel, step.after.kernel, step.ratio) == ("6.1.176", "6.12.107", 1.5)
    assert on.steps == ()  # 0.6 % is within the margin


@pytest.mark.parametrize(("slope", "steps"), [(12.0, 1), (0.0, 0)])
def test_a_kernel_without_a_line_is_passed_over_and_a_slope_of_0_is_no_step(
    slope: float, steps: int
) -> None:
    lines = [line("5.10-off", slope), line("6.12-off", 18.0)]
    releases = {v.name: RELEASES[v.axes["kernel"]] for v in VARIANTS}
    (off,) = release_series(plain_study(*VARIANTS, baseline=VARIANTS[0].name), lines, releases)
    assert [p.kernel for p in off.points] == ["5.10.223", "6.12.107"]
    assert len(off.steps) == steps


def test_other_settings_are_another_series() -> None:
    plain = variant("5.10", "off")
    hardened = replace(plain, name="hardened", sysctl={"net.core.bpf_jit_harden": "2"})
    lines = [line(plain.name, 12.0), line("hardened", 18.0)]
    found = release_series(
        plain_study(plain, hardened, baseline=plain.name),
        lines,
        {plain.name: "5.10.223", "hardened": "5.10.223"},
    )
    assert [len(s.points) for s in found] == [1, 1]


def test_another_build_is_another_series() -> None:
    plain = variant("5.10", "off")
    others = [
        replace(plain, name="debug", configure=("--debug",)),
        replace(plain, name="env", env={"LC_ALL": "C"}),
        replace(plain, name="older", revision="0123abc"),
    ]
    names = [plain.name, *(v.name for v in others)]
    found = release_series(
        plain_study(plain, *others, baseline=plain.name),
        [line(n, 12.0) for n in names],
        dict.fromkeys(names, "5.10.223"),
    )
    assert [[p.variant for p in s.points] for s in found] == [[n] for n in names]


def test_releases_are_ordered_as_numbers() -> None:
    assert sorted(["5.10.1", "5.4.9", "6.1.0"], key=version_key) == ["5.4.9", "5.10.1", "6.1.0"]
