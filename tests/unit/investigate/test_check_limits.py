"""How long a check may build, and what is left of its time for measuring."""

from collections.abc import Sequence
from typing import Any

import pytest
from tests.unit.investigate.conftest import Bench

from whyfast.build.recipe import Recipe
from whyfast.investigate.services import Note
from whyfast.model.build import BuildFailure
from whyfast.model.errors import UserError
from whyfast.model.study import Study
from whyfast.store.builds import BuildStore


def test_a_build_that_is_late_says_how_to_give_it_longer(bench: Bench) -> None:
    limits = list[float]()

    def build(recipes: Sequence[Recipe], store: BuildStore, note: Note, seconds: float) -> Any:
        limits.append(seconds)
        late = BuildFailure("head", "late", "building takes longer than 180 s, in the step: make")
        return [*bench.world.build(recipes[:1], store), late]

    with pytest.raises(UserError, match="--build-limit 360s") as caught:
        bench.run(build=build)
    assert "what was built is kept" in str(caught.value)
    bench.change_study("[build]", '[build]\ntakes = "5m"')
    with pytest.raises(UserError, match="--build-limit 2400s"):
        bench.run(build=build)
    assert limits == [180.0, 1200.0]


@pytest.mark.parametrize(("took", "budget"), [(50.0, 130.0), (170.0, 60.0)])
def test_what_building_takes_is_taken_from_the_time_for_measuring(
    bench: Bench, took: float, budget: float
) -> None:
    def build(recipes: Sequence[Recipe], store: BuildStore, *given: Any) -> Any:
        bench.world.clock.seconds += took
        return bench.world.build(recipes, store)

    for asked, given in ((None, budget), (300.0, 300.0)):
        question = bench.run(budget=asked, build=build).question
        assert isinstance(question, Study)
        assert question.measure.budget == given
