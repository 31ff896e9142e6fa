"""The known answer: what only moves code is called placement, what adds work is not."""

from pathlib import Path

import pytest
from bench.placement_trials import Case, clopper_pearson, trial

from whyfast.study.load import load_study

STUDIES = Path(__file__).resolve().parents[2] / "studies"


@pytest.mark.parametrize(("case", "said"), [("placement", "placement"), ("5 % more work", "")])
def test_a_known_case_is_called_by_its_name(case: Case, said: str, tmp_path: Path) -> None:
    # It ends as soon as it is decided; the rest of the time is for a busy machine.
    done = trial(case, 20260101, 40.0, tmp_path, layouts=40).placement
    assert done.layouts >= 9
    assert len(done.points) == done.layouts
    if said:
        assert (done.outcome, done.linked.outcome) == (said, "slower"), done
        assert done.linked.low > 1.1
    else:
        assert done.outcome != "placement"
        # How often the interval holds the truth is measured elsewhere; here it is to be about it.
        assert done.varied.low < 1.08
        assert done.varied.high > 1.02


@pytest.mark.parametrize("name", ["code-placement", "code-placement-vm", "code-placement-cpython"])
def test_the_bundled_studies_draw_layouts_enough_to_decide(name: str) -> None:
    study = load_study(STUDIES / name)
    assert study.measure.layouts >= 16
    assert study.build.link is not None


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(0, 100, 0.0, 0.0362), (95, 100, 0.8872, 0.9836), (100, 100, 0.9638, 1.0)],
)
def test_the_interval_of_a_count(k: int, n: int, low: float, high: float) -> None:
    assert clopper_pearson(k, n) == pytest.approx((low, high), abs=1e-4)
