"""A check measures over layouts what placement alone could have made."""

import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.studies.commit_study import Repository
from tests.unit.investigate.doubles import Watcher, World, own, ratios

from whyfast.build.recipe import Recipe
from whyfast.build.relink import CannotRelink
from whyfast.investigate.check_layouts import FEWEST, LAYOUTS
from whyfast.investigate.check_run import Request, run_check
from whyfast.measure.invocation import Sample
from whyfast.model.build import Build
from whyfast.model.result import Result
from whyfast.report.sections.check import check_sentences
from whyfast.store.builds import BuildStore

STUDY = """\
[study]
title = "Did this change make it slower?"
baseline = "release"

[build]
steps = ["{cc} {cflags} -c {source}/main.c"]
link = "{cc} -o {program} *.o {layout} {ldflags}"
program = "vm"

[variant.release]
toolchain = "path:cc"

[benchmarks.one]
runner = "command"
command = ["{program}", "1"]

[measure]
turns = 2
"""


def relink(
    recipe: Recipe,
    build: Build,
    store: BuildStore,
    seeds: Sequence[int],
    keep: Sequence[str],
    seconds: float | None = None,
) -> list[Path]:
    return [build.program.with_name(f"vm.layout-{seed}") for seed in seeds]


def cannot(
    recipe: Recipe,
    build: Build,
    store: BuildStore,
    seeds: Sequence[int],
    keep: Sequence[str],
    seconds: float | None = None,
) -> list[Path]:
    raise CannotRelink("linking layout 1 ended with exit code 1")


def repository(folder: Path) -> Repository:
    repository = Repository(folder / "repo")
    (repository.folder / "whyfast.toml").write_text(STUDY)
    (repository.folder / "main.c").write_text("before")
    repository.commit("first")
    (repository.folder / "main.c").write_text("after")
    return repository


def check(folder: Path, slower: float, relinker: object, budget: float = 600.0) -> Result:
    world = World(script=ratios({"base": 1.0, "head": slower}))
    services = world.services(cpus=(0,), relink=relinker)
    request = Request(repository(folder).folder, budget=budget)
    return run_check(request, own(folder), Watcher(), services=services)


def drawn(result: Result) -> int:
    return sum(bool(b.layouts) for b in result.recorded.blocks)


@pytest.mark.parametrize(("slower", "layouts"), [(1.02, LAYOUTS), (1.1, 0), (1.0, 0)])
def test_a_small_difference_is_measured_over_layouts(
    tmp_path: Path, slower: float, layouts: int
) -> None:
    result = check(tmp_path, slower, relink)
    assert drawn(result) == layouts
    assert result.judged.about == ("change" if layouts else "binaries")
    assert any(s.startswith("Placement alone moves ") for s in check_sentences(result)) == (
        layouts > 0
    )


def test_without_other_layouts_the_verdict_is_about_the_builds_and_says_why(tmp_path: Path) -> None:
    result = check(tmp_path, 1.02, cannot)
    assert drawn(result) == 0
    assert [v.outcome for v in result.judged.verdicts] == ["slower"]
    assert any("exit code 1" in s for s in check_sentences(result))


def test_half_of_a_small_budget_is_kept_for_layouts(tmp_path: Path) -> None:
    # Blocks of two turns of about a second each: half of them go to what is as linked.
    result = check(tmp_path, 1.02, relink, budget=120.0)
    assert FEWEST <= drawn(result) < LAYOUTS
    assert sum(b.seconds for b in result.recorded.blocks) <= 120.0
    assert result.judged.about == "change"


def test_a_check_of_equal_speed_keeps_nothing_back(tmp_path: Path) -> None:
    world = World(script=ratios({"base": 1.0, "head": 1.0}))
    services = world.services(cpus=(0,), relink=relink)
    repository(tmp_path)
    asked = Request(tmp_path / "repo", budget=24.0)
    result = run_check(asked, own(tmp_path), Watcher(), services=services)
    assert drawn(result) == 0
    assert sum(b.seconds for b in result.recorded.blocks) > 12.0


def test_a_budget_too_small_for_layouts_says_how_much_they_take(tmp_path: Path) -> None:
    result = check(tmp_path, 1.02, relink, budget=80.0)
    assert drawn(result) == 0
    assert any("(--budget)" in s for s in check_sentences(result))


def test_links_that_take_too_long_for_the_budget_are_given_up_after_the_first(
    tmp_path: Path,
) -> None:
    world = World(script=ratios({"base": 1.0, "head": 1.02}))
    linked: list[int] = []

    def slow(
        recipe: Recipe,
        build: Build,
        store: BuildStore,
        seeds: Sequence[int],
        keep: Sequence[str],
        seconds: float | None = None,
    ) -> list[Path]:
        linked.extend(seeds)
        world.clock.seconds += 30.0 * len(seeds)
        return relink(recipe, build, store, seeds, keep)

    services = world.services(cpus=(0,), relink=slow)
    request = Request(repository(tmp_path).folder, budget=200.0)
    result = run_check(request, own(tmp_path), Watcher(), services=services)
    assert (len(linked), drawn(result)) == (1, 0)
    (said,) = [s for s in check_sentences(result) if "(--budget)" in s]
    # Ten links of both sides, with the one of a control, and nine blocks of both.
    assert 600 <= int(said.partition("about ")[2].split()[0]) < 700


def test_an_undecided_check_over_layouts_goes_on_with_further_ones(tmp_path: Path) -> None:
    rng = random.Random(1)

    def noisy(variant: str, loops: int, before: int) -> Sample:
        luck = rng.gauss(0, 0.03)
        return ratios({"base": 1.0, "head": 1.012 * math.exp(luck)})(variant, loops, before)

    repository(tmp_path)
    counts = []
    services = World(script=noisy).services(cpus=(0,), relink=relink)
    for _ in range(2):
        request = Request(tmp_path / "repo", budget=300.0)
        result = run_check(request, own(tmp_path), Watcher(), services=services)
        counts.append(drawn(result))
    assert FEWEST <= counts[0] <= LAYOUTS < counts[1]
