"""What a project's program is given to do, tried within a limit; real processes, a clock that is
told how long they take."""

from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from whyfast.investigate.first_work import Tries, tried_ones
from whyfast.investigate.services import Silent
from whyfast.measure.invocation import Clock
from whyfast.model.build import Build
from whyfast.study.project import Project


def test_all_tries_together_have_a_limit(tmp_path: Path) -> None:
    """Each takes 31 of the 60 seconds: the second is begun, the third is not."""
    moments = count(0, 31)
    clock = cast(Clock, SimpleNamespace(monotonic=lambda: float(next(moments))))
    tries = Tries(cast(Build, SimpleNamespace(program="true")), Silent(), clock)
    words = {name: ("{program}", name) for name in ("one", "two", "three")}
    project = Project("gcc", (), "app", candidates=words)
    found = tried_ones(tmp_path, project, tries)
    assert list(found.benchmarks) == ["one", "two"]
    assert tries.untried == ["three"]
    assert any("60 s" in text and "three" in text for text in found.comments)
