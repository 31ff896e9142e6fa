"""Builds that a limit has ended: the next one goes on at the step that was ended, with what was
made before it and without what may be cut short."""

import threading
import time
from pathlib import Path

import pytest
from tests.unit.build.example import recipe, silent

from whyfast.build import run
from whyfast.build.recipe import Recipe
from whyfast.build.run import build_all
from whyfast.build.steps import Steps
from whyfast.model.build import Build, BuildFailure
from whyfast.store.builds import BuildStore

#: What a step does when it is ended: it has begun, and goes on only once the gate is there.
_WAITS = "echo begun >> '{log}'; test -e '{gate}' || exec sleep 600"


def twice(source: Path, store: BuildStore, first: str, second: str) -> tuple[list[str], Build]:
    """Built with a limit by three steps, the second of which waits; then without. What the steps
    have told, and the build."""
    log, gate = source.parent / "log", source.parent / "gate"
    steps = tuple(
        step.format(log=log)
        for step in (f"echo first >> '{log}'; {first}", second, "cp made.c {{program}}")
    )
    made = recipe(
        source, steps=(steps[0], f"{steps[1]}; {_WAITS.format(log=log, gate=gate)}", steps[2])
    )
    assert late(made, store, log).kind == "late"
    assert not list(store.all())
    gate.touch()
    (build,) = build_all([made], store, silent)
    assert isinstance(build, Build), build
    return log.read_text().split(), build


def late(made: Recipe, store: BuildStore, log: Path) -> BuildFailure:
    """Ended by the limit as soon as the second step has begun."""
    steps = Steps()

    def end() -> None:
        while not (log.exists() and "begun" in log.read_text()):
            time.sleep(0.01)
        steps.cancel()

    threading.Thread(target=end, daemon=True).start()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(run, "Steps", lambda: steps)
        (failure,) = build_all([made], store, silent)
    assert isinstance(failure, BuildFailure)
    return failure


def test_it_goes_on_at_the_step_that_was_ended(source: Path, store: BuildStore) -> None:
    said, build = twice(
        source, store, "echo whole > made.c", "ls cut.c >> '{log}' || :; echo > cut.c"
    )
    assert said == ["first", "begun", "begun"]
    assert build.program.read_text() == "whole\n"
    assert (build.program.parent / "cut.c").exists()


def test_what_fails_then_is_made_anew(source: Path, store: BuildStore) -> None:
    said, _ = twice(source, store, "echo whole > made.c", "mkdir once")
    assert said == ["first", "begun", "first", "begun"]


@pytest.mark.parametrize("change", ["echo new >> src/main.c", "rm src/main.c"])
def test_so_is_one_whose_steps_change_the_source(
    source: Path, store: BuildStore, change: str
) -> None:
    said, _ = twice(source, store, f"echo whole > made.c; {change}", ":")
    assert said == ["first", "begun", "first", "begun"]
