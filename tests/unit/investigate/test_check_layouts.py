"""A check measures over layouts what placement alone could have made."""

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.investigate.conftest import STUDY, TRACED, Bench
from tests.unit.investigate.doubles import World, ratios

from whyfast.build.recipe import Recipe
from whyfast.build.relink import CannotRelink
from whyfast.investigate import check_run
from whyfast.investigate.check_measuring import FEWEST, LAYOUTS
from whyfast.measure.invocation import Sample
from whyfast.model.build import Build
from whyfast.model.code import ChangeCoverage
from whyfast.model.result import Result
from whyfast.report.sections.check import check_sentences
from whyfast.store.builds import BuildStore

LINKED = STUDY.replace(
    'steps = ["cp {source}/main.c {program}"]',
    'steps = ["{cc} -c {source}/main.c"]\nlink = "{cc} -o {program} *.o {layout} {ldflags}"',
).replace('[benchmarks.two]\nrunner = "command"\ncommand = ["{program}", "2"]\n\n', "")


def relink(
    recipe: Recipe, build: Build, store: BuildStore, seeds: list[int], *_: Any
) -> list[Path]:
    return [build.program.with_name(f"vm.layout-{seed}") for seed in seeds]


def cannot(*_: Any) -> list[Path]:
    raise CannotRelink("linking layout 1 ended with exit code 1")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The change is 2 % slower."""
    return Bench(tmp_path, World(script=ratios({"base": 1.0, "head": 1.02})), LINKED)


def drawn(result: Result) -> int:
    return sum(bool(b.layouts) for b in result.recorded.blocks)


@pytest.mark.parametrize(
    ("slower", "more", "layouts"),
    [
        (1.02, 1.02, LAYOUTS),
        (1.1, 1.06, 0),
        (1.1, 1.01, LAYOUTS),
        (1.1, None, LAYOUTS),
        (2.1, None, 0),
        (1, 1, 0),
    ],
)
def test_a_difference_that_is_small_or_not_of_instructions_is_measured_over_layouts(
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    slower: float,
    more: float | None,
    layouts: int,
) -> None:
    seen = ChangeCoverage("one", ("hot",), "", None if more is None else (100.0, 100.0 * more))
    monkeypatch.setattr(check_run, "same_builds", lambda *sides: TRACED)
    monkeypatch.setattr(check_run, "reached_by", lambda *given: (seen,))
    bench.takes({"base": 1.0, "head": slower})
    result = bench.run(budget=600.0, relink=relink)
    assert drawn(result) == layouts
    assert result.judged.about == ("change" if layouts else "binaries")
    assert any(s.startswith("Placement alone moves ") for s in check_sentences(result)) == (
        layouts > 0
    )
    for p in result.judged.placements:
        for low, high, enough in ((0.0, math.inf, False), (0.7, 1.4, False), (0.98, 1.03, True)):
            few = replace(p.varied, outcome="undecided", low=low, high=high)
            judged = replace(result.judged, placements=(replace(p, varied=few),))
            told = " ".join(check_sentences(replace(result, judged=judged)))
            assert ("too few links" in told, "no difference found" in told) == (not enough, enough)


def test_without_other_layouts_the_verdict_is_about_the_builds_and_says_why(bench: Bench) -> None:
    result = bench.run(budget=600.0, relink=cannot)
    assert drawn(result) == 0
    assert [v.outcome for v in result.judged.verdicts] == ["slower"]
    assert any("exit code 1" in s for s in check_sentences(result))


def test_half_of_a_small_budget_is_kept_for_layouts(bench: Bench) -> None:
    # Blocks of two turns of about a second each: half of them go to what is as linked.
    result = bench.run(budget=120.0, relink=relink)
    assert FEWEST <= drawn(result) < LAYOUTS
    assert sum(b.seconds for b in result.recorded.blocks) <= 120.0
    assert result.judged.about == "change"


def test_a_check_of_equal_speed_keeps_nothing_back(bench: Bench) -> None:
    bench.takes({"base": 1.0, "head": 1.0})
    result = bench.run(budget=24.0, relink=relink)
    assert drawn(result) == 0
    assert sum(b.seconds for b in result.recorded.blocks) > 12.0


def test_a_budget_too_small_for_layouts_says_how_much_they_take(bench: Bench) -> None:
    result = bench.run(budget=80.0, relink=relink)
    assert drawn(result) == 0
    assert any("(--budget)" in s for s in check_sentences(result))


def test_links_that_take_too_long_for_the_budget_are_given_up_after_the_first(bench: Bench) -> None:
    linked: list[int] = []

    def slow(*given: Any) -> list[Path]:
        seeds = given[3]
        linked.extend(seeds)
        bench.world.clock.seconds += 30.0 * len(seeds)
        return relink(*given)

    result = bench.run(budget=200.0, relink=slow)
    assert (len(linked), drawn(result)) == (1, 0)
    (said,) = [s for s in check_sentences(result) if "(--budget)" in s]
    # Ten links of both sides, with the one of a control, and nine blocks of both.
    assert 600 <= int(said.partition("about ")[2].split()[0]) < 700


def test_an_undecided_check_over_layouts_goes_on_with_further_ones(bench: Bench) -> None:
    rng = random.Random(1)

    def noisy(variant: str, loops: int, before: int) -> Sample:
        luck = rng.gauss(0, 0.03)
        return ratios({"base": 1.0, "head": 1.012 * math.exp(luck)})(variant, loops, before)

    bench.world.script = noisy
    counts = [drawn(bench.run(relink=relink)) for _ in range(2)]
    assert FEWEST <= counts[0] <= LAYOUTS < counts[1]
