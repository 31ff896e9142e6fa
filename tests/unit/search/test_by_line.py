"""Searches along kernels, with doubles of QEMU, the archive and the build."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.investigate.doubles import Watcher, World
from tests.unit.investigate.test_virtual_machines import COSTS, Machine
from tests.unit.measure.doubles import FakeClock, FakeRunner
from tests.unit.measure.tools import Replay

from whyfast.investigate.context import RunContext
from whyfast.measure.invocation import Invocation, Sample
from whyfast.measure.vm.qemu import PROGRAM
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.machine import Kernel
from whyfast.model.study import BuildSpec, MeasureSpec, Source, Study
from whyfast.model.variant import Benchmark, Variant
from whyfast.report.pages.search_page import dump_search, search_headline, search_page
from whyfast.report.render.markdown import render_markdown
from whyfast.search import requests
from whyfast.search.axes.axis import CandidateRange, SearchRequest
from whyfast.search.requests import search_range
from whyfast.search.results import SearchResult
from whyfast.search.state import AxisCandidate
from whyfast.store.home import Home

NAMES = tuple(f"debian:linux-6.{n}" for n in range(8))


def _search(
    tmp_path: Path, machine: Machine, good: str = NAMES[0], bad: str = NAMES[-1]
) -> SearchResult:
    (tmp_path / "source").mkdir(exist_ok=True)
    study = Study(
        name="kernels",
        title="t",
        folder=tmp_path,
        baselines=("base",),
        margin=0.01,
        source=Source("path", ".", tmp_path / "source"),
        build=BuildSpec((), "program"),
        variants=(Variant("base", "path:gcc", kernel=NAMES[0]),),
        benchmarks=(Benchmark("calls", "turn", ("{program}", "turn")),),
    )

    def fetch(name: str, home: Home, progress: Callable[[str], None]) -> Kernel:
        if name.endswith("6.4"):
            raise CannotBuildHere(f"the archive has no {name}")
        image = tmp_path / name.replace(":", "-")
        image.write_text(name)
        return Kernel(name, name, "linux", "1", "sid", "aa", image, name)

    world = World(launcher=Replay({PROGRAM: machine}))
    home = Home(tmp_path / "cache", tmp_path / "data")
    search = SearchRequest("kernels", good, bad, among=NAMES)
    return search_range(study, search, home, Watcher(), world.services(kernel=fetch))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A loop costs 12 instructions, and 18 from Linux 6.5 on."""
    for number, name in enumerate(NAMES):
        monkeypatch.setitem(COSTS, name, 12 if number < 5 else 18)
    return Machine()


def test_since_which_kernel(tmp_path: Path, machine: Machine, golden: Hear) -> None:
    found = _search(tmp_path, machine)
    assert (found.quantity, found.answer.outcome) == ("instructions", "one of")
    golden(search_headline(found))
    shown = render_markdown(search_page(found))
    assert "debian:linux-6.4: the archive has no debian:linux-6.4" in shown
    assert "Counts repeat exactly: each program was counted once." in shown
    assert '"schema": "whyfast-search/1"' in dump_search(found)
    # Two boots each, however many blocks the search took; a kernel without an image has none.
    assert max(machine.boots.count(n) for n in NAMES) == 2
    assert machine.boots.count(NAMES[4]) == 0


def test_a_search_that_ended_boots_nothing_again(tmp_path: Path, machine: Machine) -> None:
    whole = _search(tmp_path, machine)
    boots = len(machine.boots)
    assert _search(tmp_path, machine).state == whole.state
    assert len(machine.boots) == boots


def test_kernels_that_cost_the_same_or_less(tmp_path: Path, machine: Machine, golden: Hear) -> None:
    golden(search_headline(_search(tmp_path, machine, NAMES[0], NAMES[2])))
    (tmp_path / "again").mkdir()
    golden(search_headline(_search(tmp_path / "again", machine, NAMES[7], NAMES[0])))


def test_an_end_without_a_kernel(tmp_path: Path, machine: Machine) -> None:
    with pytest.raises(UserError) as caught:
        _search(tmp_path, machine, NAMES[4])
    assert str(caught.value).startswith("--good: the good end, debian:linux-6.4, cannot be")


class Placing(FakeRunner):
    """Programs from number ``slow`` on take 6 % longer; a third of the layouts add 5 %
    to any, and as linked those from ``moved`` on have such a one."""

    def __init__(self, slow: int, moved: int, clock: FakeClock) -> None:
        self.slow, self.moved, self.layouts = slow, moved, dict[str, int]()
        super().__init__(self._time, clock, loops_vary=True)

    def enter(self, variant: str, *, cpu: int | None, pad: int, layout: int = 0) -> Invocation:
        self.layouts[variant] = layout
        return super().enter(variant, cpu=cpu, pad=pad, layout=layout)

    def _time(self, variant: str, loops: int, before: int) -> Sample:
        layout, number = self.layouts[variant], int(variant)
        luck = random.Random(f"{variant} {layout}")
        slow = luck.random() < 1 / 3 if layout else number >= self.moved
        noise = 1 + 0.002 * random.Random(f"{variant} {layout} {before}").random()
        seconds = noise * (1.05 if slow else 1) * (1.06 if number >= self.slow else 1)
        return Sample(seconds * loops)


def _timed(tmp_path: Path, slow: int, moved: int, layouts: int) -> SearchResult:
    (tmp_path / "source").mkdir()
    study = Study(
        name="passes",
        title="t",
        folder=tmp_path,
        baselines=("base",),
        margin=0.02,
        source=Source("path", ".", tmp_path / "source"),
        build=BuildSpec((), "program", link="link {layout}"),
        variants=(Variant("base", "path:gcc"),),
        benchmarks=(Benchmark("calls", "turn", ("{program}", "turn")),),
        measure=MeasureSpec(layouts=layouts),
    )
    world = World()
    services = world.services(
        runner=lambda name, arguments: Placing(slow, moved, world.clock),
        relink=lambda recipe, build, store, seeds, keep: [Path(f"{s}") for s in seeds],
    )
    search = SearchRequest("steps", "0", "8")
    return search_range(study, search, Home(tmp_path / "c", tmp_path / "d"), Watcher(), services)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """An axis of nine programs."""

    def line(work: RunContext[Study], variant: Variant, search: SearchRequest) -> CandidateRange:
        return CandidateRange(tuple(AxisCandidate(str(n), f"step {n}", variant) for n in range(9)))

    monkeypatch.setattr(requests, "RANGES", {"steps": line})


@pytest.mark.usefixtures("steps")
def test_a_step_that_only_moves_code_is_placement(tmp_path: Path) -> None:
    found = _timed(tmp_path, slow=99, moved=5, layouts=12)
    assert (found.answer.outcome, found.answer.tested) == ("placement", "placement")
    assert "1.05" in search_headline(found)
    assert "In other layouts 'step 8' is 1.0" in render_markdown(search_page(found))


@pytest.mark.usefixtures("steps")
def test_a_step_that_does_more_is_confirmed_over_layouts(tmp_path: Path) -> None:
    found = _timed(tmp_path, slow=3, moved=99, layouts=12)
    answer = found.answer
    assert (answer.outcome, answer.tested) == ("culprit", "change")
    assert "'step 3'" in search_headline(found)
    shown = render_markdown(search_page(found))
    assert "Placement alone scatters a program by 2." in shown
    assert "± 2 errors" in shown
    assert "Placement was not tested" not in shown


@pytest.mark.usefixtures("steps")
def test_without_layouts_it_is_said_that_placement_was_not_tested(tmp_path: Path) -> None:
    found = _timed(tmp_path, slow=3, moved=99, layouts=0)
    assert found.answer.outcome == "culprit"
    shown = render_markdown(search_page(found))
    assert "Placement was not tested" in shown
