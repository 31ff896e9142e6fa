"""What a worker refuses to be asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.fleet.machines import measured, study

from whyfast.fleet.answers import HostAnswers
from whyfast.fleet.messages import Prepare, Refused, read_answer, write_task
from whyfast.investigate.services import Services
from whyfast.model.build import Build
from whyfast.store.home import Home


@pytest.mark.parametrize("program", ["/bin/sh", "../sh", "ab/../../sh"])
def test_a_program_is_none_outside_of_what_was_sent(program: str, tmp_path: Path) -> None:
    build = measured("ash", {"slow": 1.0}).recorded.builds[0]
    assert isinstance(build, Build)
    task = Prepare(study(), (), (build,), {build.variant: program}, {}, {}, ())
    answers = HostAnswers(Home(tmp_path / "cache", tmp_path / "data"), Services())
    answer = read_answer(answers.answer(write_task(task)))
    assert answer == Refused(f"{program} leads out of its folder")
