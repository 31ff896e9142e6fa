"""Searches of a study in order, with doubles, and the searches that follow from an answer."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.investigate.doubles import Watcher, World
from tests.unit.investigate.test_virtual_machines import COSTS, Machine
from tests.unit.measure.doubles import FakeClock, FakeRunner
from tests.unit.measure.tools import Replay
from tests.unit.search.worlds import Range, make_study

from whyfast.investigate.context import RunContext
from whyfast.measure.invocation import Invocation, Sample
from whyfast.measure.vm.qemu import PROGRAM
from whyfast.model.build import Kernel
from whyfast.model.code import CodeComparison
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import BuildSpec, MeasureSpec, Study
from whyfast.model.variant import Variant
from whyfast.report.pages.search_page import dump_search, search_headline, search_page
from whyfast.report.render.markdown import render_markdown
from whyfast.search import requests
from whyfast.search.axes import CandidateRange, SearchRequest
from whyfast.search.engine import Done
from whyfast.search.requests import Searched, follow, search_range
from whyfast.search.results import SearchResult, StepEvidence, begun, deepest, merged_by
from whyfast.search.state import AxisCandidate, Task
from whyfast.store.home import Home

NAMES = tuple(f"debian:linux-6.{n}" for n in range(8))


def _kernels(
    tmp_path: Path, machine: Machine, good: str = NAMES[0], bad: str = NAMES[-1]
) -> SearchResult:
    kernel = Variant("base", "path:gcc", kernel=NAMES[0])
    build = BuildSpec((), "program")
    study = make_study(tmp_path, variants=(kernel,), build=build)

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
    found = _kernels(tmp_path, machine)
    assert (found.quantity, found.answer.outcome) == ("instructions", "one of")
    golden(search_headline(found))
    shown = render_markdown(search_page(found))
    assert "debian:linux-6.4: the archive has no debian:linux-6.4" in shown
    assert "Counts repeat exactly: each program was counted once." in shown
    assert '"schema": "whyfast-search/3"' in dump_search(found)
    # Two boots each, however many blocks the search took; a kernel without an image has none.
    assert max(machine.boots.count(n) for n in NAMES) == 2
    assert machine.boots.count(NAMES[4]) == 0


def test_a_search_that_ended_boots_nothing_again(tmp_path: Path, machine: Machine) -> None:
    whole = _kernels(tmp_path, machine)
    boots = len(machine.boots)
    assert _kernels(tmp_path, machine).state == whole.state
    assert len(machine.boots) == boots


def test_kernels_that_cost_the_same_or_less(tmp_path: Path, machine: Machine, golden: Hear) -> None:
    golden(search_headline(_kernels(tmp_path, machine, NAMES[0], NAMES[2])))
    (tmp_path / "again").mkdir()
    golden(search_headline(_kernels(tmp_path / "again", machine, NAMES[7], NAMES[0])))


def test_an_end_without_a_kernel(tmp_path: Path, machine: Machine) -> None:
    with pytest.raises(UserError) as caught:
        _kernels(tmp_path, machine, NAMES[4])
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
    study = make_study(tmp_path, margin=0.02, measure=MeasureSpec(layouts=layouts))
    world = World()
    services = world.services(
        runner=lambda name, arguments: Placing(slow, moved, world.clock),
        relink=lambda recipe, build, store, seeds, *_: [Path(f"{s}") for s in seeds],
    )
    search = SearchRequest("steps", "0", "8")
    return search_range(study, search, Home(tmp_path / "c", tmp_path / "d"), Watcher(), services)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """An axis of nine programs."""

    def line(context: RunContext[Study], variant: Variant, search: SearchRequest) -> CandidateRange:
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


def _range(*names: str) -> tuple[AxisCandidate, ...]:
    return tuple(AxisCandidate(name, name) for name in names)


def _search(levels: dict[str, float]) -> Callable[[Sequence[AxisCandidate], bool], Searched]:
    """Searches ranges of candidates with these levels; the evidence has the names of both sides."""

    def one(candidates: Sequence[AxisCandidate], backwards: bool) -> Searched:
        if any(c.name == "unbuildable" for c in (candidates[0], candidates[-1])):
            raise UserError("the bad end cannot be measured", where="--bad")
        world = Range([levels[c.name] for c in candidates], noise=0.001, seed=3)
        task = Task(len(candidates) - 1)
        state, done = world.search(task)
        assert isinstance(done, Done)
        blank = begun("commits", candidates, task, backwards=backwards)
        names = [c.name for c in candidates]
        code = CodeComparison(False, False)
        return replace(blank, state=state, answer=done.answer), lambda sides: StepEvidence(
            code, files=tuple(names[s] for s in sides)
        )

    return one


MAIN = _range(*(f"m{i}" for i in range(16)))
LEVELS = {f"m{i}": 0.03 * (i >= 9) for i in range(16)}


def _followed(
    levels: dict[str, float],
    candidates: tuple[AxisCandidate, ...] = MAIN,
    *,
    backwards: bool = False,
    everything: bool = False,
    **branches: tuple[AxisCandidate, ...],
) -> SearchResult:
    axis = CandidateRange(candidates, backwards=backwards, branch=lambda c: branches.get(c.name))
    return follow(axis, _search(levels), everything=everything)


def _culprit(result: SearchResult) -> str:
    assert result.answer.where is not None
    return result.at(result.answer.where.first).name


def _differences(result: SearchResult) -> list[str]:
    """Between which two candidates the evidence of a search is."""
    return [*result.evidence.files] if result.evidence else []


def test_a_culprit_that_is_no_merge_is_all_there_is() -> None:
    result = _followed(LEVELS)
    assert result.further == ()
    assert deepest(result) is result
    assert merged_by(result) == ()
    assert _differences(result) == ["m8", "m9"]


def test_branches_in_branches_are_searched() -> None:
    outer, inner = _range("b0", "b1", "b2", "b3"), _range("c0", "c1", "c2")
    levels = {**LEVELS, "b0": 0.0, "b1": 0.0, "b2": 0.03, "b3": 0.03}
    levels |= {"c0": 0.0, "c1": 0.0, "c2": 0.03}
    result = _followed(levels, m9=outer, b2=inner)
    assert _culprit(deepest(result)) == "c2"
    assert [m.name for m in merged_by(result)] == ["m9", "b2"]
    assert _differences(deepest(result)) == ["c1", "c2"]
    assert _differences(result) == _differences(result.further[0]) == []


def test_the_merge_of_an_improvement_is_searched_from_its_newest_commit_on() -> None:
    branch = _range("b0", "b1", "b2")
    levels = {f"m{i}": 0.03 * (i < 9) for i in range(16)} | {"b0": 0.03, "b1": 0.0, "b2": 0.0}
    result = _followed(levels, MAIN[::-1], backwards=True, m9=branch)
    found = deepest(result)
    assert [c.name for c in found.candidates] == ["b2", "b1", "b0"]
    assert _culprit(found) == "b1"
    assert [m.name for m in merged_by(result)] == ["m9"]


def test_a_branch_that_does_not_show_it_leaves_the_merge_as_the_culprit() -> None:
    levels = {**LEVELS, "b0": 0.0, "b1": 0.0, "b2": 0.0}
    result = _followed(levels, m9=_range("b0", "b1", "b2"))
    (branch,) = result.further
    assert branch.answer.outcome == "none"
    assert deepest(result) is result
    assert _differences(result) == ["m8", "m9"]


def test_a_branch_that_cannot_be_searched_is_told(golden: Hear) -> None:
    result = _followed(LEVELS, m9=_range("b0", "unbuildable"))
    assert result.further == ()
    golden(*result.notes)


def test_a_second_step_is_searched_on_demand() -> None:
    levels = {f"m{i}": 0.04 * (i >= 4) + 0.02 * (i >= 12) for i in range(16)}
    assert _followed(levels).further == ()
    result = _followed(levels, everything=True)
    searches = (result, *result.further)
    culprits = {_culprit(s) for s in searches if s.answer.outcome == "culprit"}
    assert culprits == {"m4", "m12"}
    assert {s.why for s in result.further} == {"remainder"}


def test_what_repaired_some_of_it_is_searched_backwards() -> None:
    levels = {f"m{i}": 0.06 * (i >= 4) - 0.03 * (i >= 12) for i in range(16)}
    result = _followed(levels, everything=True)
    assert _culprit(result) == "m4"
    *remainders, repair = result.further
    assert [r.why for r in remainders] == ["remainder"] * len(remainders)
    assert remainders[-1].answer.outcome == "swapped"
    assert (repair.why, repair.answer.outcome) == ("repair", "culprit")
    assert repair.answer.where is not None
    assert repair.candidates[repair.answer.where.parent].name == "m12"
    said = render_markdown(search_page(result))
    assert "m12 repaired some of it: m11 is 1.03" in said
    assert "swapped" not in said
