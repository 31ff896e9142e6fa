"""Candidates of a study: which are built from what the last one left. What is counted of the
programs of a search, by tools that are doubles."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.build.example import study as example
from tests.unit.build.example import write_source
from tests.unit.investigate.doubles import Watcher, World, own
from tests.unit.investigate.test_counting import COSTS, Tools
from tests.unit.measure.doubles import Script, steady
from tests.unit.search.worlds import make_study

from whyfast.build.recipe import Recipe
from whyfast.build.run import Rebuilt
from whyfast.investigate.context import RunContext
from whyfast.investigate.services import Note, asking_compilers_once
from whyfast.measure.invocation import Sample
from whyfast.model.build import Build, BuildOutcome, Toolchain
from whyfast.model.study import MeasureSpec, Study
from whyfast.model.variant import Benchmark, RunnerName, Variant
from whyfast.search.state import AxisCandidate, Quantity
from whyfast.search.study_subject import StudySubject, counting
from whyfast.search.subject import CandidateFailed
from whyfast.store.home import Home

Builds = Callable[..., Sequence[BuildOutcome]]


@dataclass
class Yard:
    """Notes which candidates are built how."""

    clean: list[str] = field(default_factory=list)
    used: list[str] = field(default_factory=list)

    def noting(self, kind: list[str], build: Builds) -> Builds:
        def noted(recipes: Sequence[Recipe], *given: Any) -> list[BuildOutcome]:
            kind.extend(r.variant for r in recipes)
            folder = "clean" if kind is self.clean else "used"
            return [
                replace(b, program=Path(folder, b.variant)) if isinstance(b, Build) else b
                for b in build(recipes, *given)
            ]

        return noted


@pytest.fixture
def yard() -> Yard:
    return Yard()


def _subject(
    tmp_path: Path, yard: Yard, *, incremental: bool = True, layouts: int = 2, most: int = 1000
) -> StudySubject:
    study = make_study(tmp_path, measure=MeasureSpec(layouts=layouts), control=False)
    services = World().services()
    services = replace(
        services,
        build=yard.noting(yard.clean, services.build),
        build_incrementally=yard.noting(yard.used, services.build),
        relink=lambda recipe, build, store, seeds, *_: [Path(f"layout-{s}") for s in seeds[:most]],
    )
    context = RunContext(study, Home(tmp_path / "cache", tmp_path / "data"), Watcher(), services)
    candidates = [AxisCandidate(str(n), str(n), study.variants[0]) for n in range(5)]
    count = lambda good, own: (float(len(yard.clean)),)  # noqa: E731
    return StudySubject(
        context, candidates, 1, "instructions", count=count, incremental=incremental
    )


def test_the_ends_are_clean_and_what_is_between_is_not(tmp_path: Path, yard: Yard) -> None:
    subject = _subject(tmp_path, yard)
    for candidate in (0, 4, 2, 3):
        subject.build(candidate)
    subject.block([0, 2, 4], number=1, layouts=None)
    assert (yard.clean, yard.used) == (["0", "4"], ["2", "3"])


def test_what_is_settled_is_built_clean_once_and_counted_again(tmp_path: Path, yard: Yard) -> None:
    subject = _subject(tmp_path, yard)
    (before,) = subject.block([0, 2, 4], number=1, layouts=None)
    assert before[2].tolist() == [2.0]
    for _ in range(2):
        subject.rebuild_clean([2, 3])
        (after,) = subject.block([0, 2, 3, 4], number=1, layouts=None)
    assert (yard.clean, yard.used) == (["0", "4", "2", "3"], ["2"])
    assert after[2].tolist() == [4.0]


def test_one_build_is_counted_once(tmp_path: Path, yard: Yard) -> None:
    subject, counted = _subject(tmp_path, yard, incremental=False), []

    def count(good: RunContext[Study], own: RunContext[Study]) -> tuple[float, ...]:
        counted.append(own.builds[0].variant)
        return (1.0,)

    subject = replace(subject, count=count)
    for _ in range(2):
        subject.block([0, 2, 4], number=1, layouts=None)
        subject.rebuild_clean([2])
    assert counted == ["0", "2", "4"]


def test_over_layouts_only_clean_builds_are_measured(tmp_path: Path, yard: Yard) -> None:
    subject = _subject(tmp_path, yard)
    subject.build(2)
    subject.block([0, 2, 4], number=1, layouts={0: 1, 2: 1, 4: 1})
    assert (yard.used, yard.clean) == (["2"], ["0", "2", "4"])


@pytest.mark.parametrize("incremental", [True, False])
def test_layouts_are_linked_of_clean_builds_only(
    tmp_path: Path, yard: Yard, incremental: bool
) -> None:
    subject = _subject(tmp_path, yard, incremental=incremental)
    for candidate in (0, 2):
        subject.build(candidate)
    assert [len(subject._made[c].layouts) for c in (0, 2)] == [1, 0]
    subject.rebuild_clean([2])
    assert len(subject._made[2].layouts["2"]) == 2


def test_without_it_all_are_clean(tmp_path: Path, yard: Yard) -> None:
    subject = _subject(tmp_path, yard, incremental=False, layouts=0)
    subject.block([0, 2, 4], number=1, layouts=None)
    subject.rebuild_clean([2, 3])
    assert (yard.clean, yard.used) == (["0", "2", "4", "3"], [])


def test_layouts_are_for_ends_that_have_them(tmp_path: Path, yard: Yard) -> None:
    assert _subject(tmp_path, yard).can_vary()
    assert yard.clean == ["0", "4"]


@pytest.mark.parametrize(("layouts", "wanted"), [(0, 1), (12, 13)])
def test_without_enough_layouts_nothing_is_measured_over_them(
    tmp_path: Path, yard: Yard, layouts: int, wanted: int
) -> None:
    subject = _subject(tmp_path, yard, layouts=layouts, most=13)
    assert subject.can_vary() == bool(layouts)
    with pytest.raises(CandidateFailed, match="cannot be linked in other layouts"):
        subject.block([0, 4], number=1, layouts={0: wanted, 4: wanted})


def test_further_layouts_are_linked_when_all_were_used(tmp_path: Path, yard: Yard) -> None:
    subject = _subject(tmp_path, yard, layouts=12)
    linked = {}
    for layout in (1, 12, 13, 24, 25, 97):
        subject.block([0, 4], number=1, layouts={0: layout, 4: 1})
        (programs,) = subject._made[0].layouts.values()
        linked[layout] = programs
    assert {n: len(p) for n, p in linked.items()} == {1: 12, 12: 12, 13: 24, 24: 24, 25: 48, 97: 97}
    assert linked[97][:12] == linked[1]  # the first ones stay what they are
    assert len(set(linked[97])) == 97
    assert len(subject._made[4].layouts["4"]) == 12


def test_an_end_that_does_not_build_is_tried_once(tmp_path: Path, yard: Yard) -> None:
    subject = _subject(tmp_path, yard)
    broken = replace(World(broken=("4",)).services(), relink=subject.context.services.relink)
    services = replace(broken, build=yard.noting(yard.clean, broken.build))
    subject.context = replace(subject.context, services=services)
    assert not subject.can_vary()
    for _ in range(2):
        with pytest.raises(CandidateFailed, match="step 1 failed"):
            subject.block([0, 4], number=1, layouts=None)
    assert yard.clean == ["0", "4"]


def test_a_search_is_one_phase_however_much_it_builds(tmp_path: Path, yard: Yard) -> None:
    subject = _subject(tmp_path, yard)
    watcher = Watcher()
    subject = replace(subject, context=replace(subject.context, observer=watcher))
    subject.build(0)
    assert watcher.heard == ["linking 2 layouts of 0"]
    assert watcher.phases == []


def _contexts(folder: Path, tools: Tools, runner: RunnerName) -> tuple[RunContext[Study], ...]:
    services, home = World(launcher=tools.replay).services(), own(folder)
    toolchain = {"toolchain": {"name": "path:cc", "digest": "t"}}
    works = []
    for name in COSTS:
        (folder / name).write_text("no machine code")
        study = replace(
            example(write_source(folder)),
            baselines=(name,),
            variants=(Variant(name),),
            benchmarks=(Benchmark("fib", runner, ("{program}",)),),
        )
        build = Build(name, name, folder / name, name, toolchain, True)
        toolchains = (World().toolchain("t", home, print, ()),)
        works.append(
            RunContext(study, home, Watcher(), services, toolchains=toolchains, builds=(build,))
        )
    return tuple(works)


def _simulated(tools: Tools) -> list[str]:
    ran = [argv for argv in tools.replay.calls if "--tool=callgrind" in argv]
    return [Path(argv[-1]).name for argv in ran]


def test_all_do_the_work_that_the_good_end_chose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COSTS, "a", (100_000, 1_000))
    monkeypatch.setitem(COSTS, "b", (100_000, 2_000_000))
    tools = Tools()
    good, other = _contexts(tmp_path, tools, "turn")
    count = counting("instructions")
    (a,), (b,) = count(good, good), count(good, other)
    assert b == 2_000 * a
    assert a > 1_000_000


@pytest.mark.parametrize("runner", ["turn", "command"])
def test_the_good_end_is_not_simulated_again(tmp_path: Path, runner: RunnerName) -> None:
    tools = Tools()
    good, other = _contexts(tmp_path, tools, runner)
    count = counting("instructions")
    count(good, good)
    before = len(_simulated(tools))
    count(good, other)
    assert "a" in _simulated(tools)[:before]
    assert set(_simulated(tools)[before:]) == {"b"}


def _measured(tmp_path: Path, quantity: Quantity, script: Script) -> StudySubject:
    world = World(script=script)

    def rebuild(recipe: Recipe, home: Home) -> Rebuilt:
        return Rebuilt(2.0 if int(recipe.variant) >= 2 else 1.0, 1e8)

    study = make_study(tmp_path, measure=MeasureSpec(), control=False)
    services = world.services(rebuild=rebuild)
    context = RunContext(study, own(tmp_path), Watcher(), services)
    candidates = [AxisCandidate(str(n), str(n), study.variants[0]) for n in range(5)]
    return StudySubject(context, candidates, 1, quantity)


def test_the_time_of_a_build_is_that_of_one_more_build(tmp_path: Path) -> None:
    subject = _measured(tmp_path, "build-time", steady(1.0))
    (block,) = subject.block([0, 2, 4], number=1, layouts=None)
    assert {c: seconds.tolist() for c, seconds in block.items()} == {0: [1.0], 2: [2.0], 4: [2.0]}


def test_peak_memory_comes_with_the_values(tmp_path: Path) -> None:
    def script(variant: str, loops: int, before: int) -> Sample:
        return Sample(1.0 * loops, None, {"maxrss": 1e8 * (1 + int(variant))})

    subject = _measured(tmp_path, "peak-memory", script)
    blocks = subject.block([0, 2, 4], number=1, layouts=None)
    assert {c: set(x.tolist()) for c, x in blocks[0].items()} == {0: {1e8}, 2: {3e8}, 4: {5e8}}


def test_without_peak_memory_the_heap_is_named(tmp_path: Path) -> None:
    subject = _measured(tmp_path, "peak-memory", steady(1.0))
    with pytest.raises(CandidateFailed, match="peak-heap"):
        subject.block([0, 2, 4], number=1, layouts=None)


def test_what_is_no_program_has_no_size(tmp_path: Path) -> None:
    subject = _measured(tmp_path, "size", steady(1.0))
    with pytest.raises(CandidateFailed, match="ELF"):
        subject.block([0, 2, 4], number=1, layouts=None)


def test_each_compiler_is_asked_once_with_each_set_of_packages(tmp_path: Path) -> None:
    world, asked = World(), list[tuple[str, tuple[str, ...]]]()

    def resolve(name: str, home: Home, note: Note, packages: Sequence[str]) -> Toolchain:
        asked.append((name, tuple(packages)))
        return world.toolchain(name, home, note, packages)

    services = asking_compilers_once(world.services(toolchain=resolve))
    for name, packages in [("path:a", []), ("path:a", []), ("path:b", []), ("path:a", ["x"])] * 2:
        assert services.toolchain(name, own(tmp_path), print, packages).name == name
    assert asked == [("path:a", ()), ("path:b", ()), ("path:a", ("x",))]
