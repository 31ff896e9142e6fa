"""Interrupted or killed: nothing half-made counts as built, and nothing goes on running."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.build.example import named, reasons, recipe

from whyfast.build.run import build_all
from whyfast.build.steps import Steps
from whyfast.model.build import Build, BuildFailure
from whyfast.store.builds import BuildStore
from whyfast.store.files import exclusive

ROOT = Path(__file__).resolve().parents[3]

#: Seconds after which a test that would hang fails instead.
STUCK = 60.0

#: Builds the variants that it is given as NAME=STEP, each with a second step that makes a program.
BUILDER = """
import signal, sys
from pathlib import Path
from tests.unit.build.example import named, recipe
from whyfast.build.run import build_all
from whyfast.store.builds import BuildStore
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
source, root, workers, *variants = sys.argv[1:]
recipes = [
    recipe(Path(source), variant=named(name), steps=(step, "cp {source}/main.c {program}"))
    for name, step in (v.split("=", 1) for v in variants)
]
say = lambda text: print(text, flush=True)
try:
    build_all(recipes, BuildStore(Path(root)), say, workers=int(workers))
except KeyboardInterrupt:
    say("interrupted")
"""

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(source: Path, store: BuildStore) -> Iterator[Start]:
    """``start("a=STEP", …, workers=2)``: a process that builds these variants."""
    started: list[subprocess.Popen[str]] = []

    def run(*variants: str, workers: int = 2) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", BUILDER, str(source), str(store.root), str(workers)]
        started.append(
            subprocess.Popen([*command, *variants], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        )
        return started[-1]

    yield run
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


def _appears(file: Path) -> str:
    """The content of a file that a step will write."""
    deadline = time.monotonic() + STUCK
    while not (file.exists() and file.read_text().endswith("\n")):
        assert time.monotonic() < deadline, f"nothing wrote {file.name}"
        time.sleep(0.01)
    return file.read_text()


def _sleeping(file: Path) -> str:
    return f"echo $$ > '{file}'; sleep 600; echo awake >> '{file}'"


def _running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def test_an_interrupt_leaves_no_build(start: Start, store: BuildStore, tmp_path: Path) -> None:
    files = [tmp_path / "a", tmp_path / "b"]
    building = start(*(f"{f.name}={_sleeping(f)}" for f in files))
    pids = [int(_appears(f)) for f in files]
    building.send_signal(signal.SIGINT)
    said, _ = building.communicate(timeout=STUCK)
    assert said.splitlines()[-1] == "interrupted"
    assert not any(_running(pid) for pid in pids)
    assert list(store.all()) == []


def test_after_an_interrupt_no_other_variant_is_begun(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "a"
    step = _sleeping(file)
    # Two that are equal to the first wait for it, and two others for a thread.
    building = start(*(f"{n}={step}" for n in "abc"), f"d={step};:", f"e={step};:", workers=3)
    _appears(file)
    building.send_signal(signal.SIGINT)
    said, _ = building.communicate(timeout=STUCK)
    lines = said.splitlines()
    assert lines[-1] == "interrupted"
    assert len([line for line in lines if line.startswith("building")]) == 1
    assert file.read_text().count("\n") == 1


def test_no_step_begins_after_an_interrupt(
    source: Path, store: BuildStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cancelled, cancel = threading.Event(), Steps.cancel

    def and_tell(self: Steps) -> None:
        cancel(self)
        cancelled.set()

    def progress(text: str) -> None:
        if text.startswith("building a"):
            raise KeyboardInterrupt
        if text.startswith("building b"):
            assert cancelled.wait(STUCK)

    monkeypatch.setattr(Steps, "cancel", and_tell)
    recipes = [
        recipe(source, variant=named("a", "-a")),
        recipe(source, variant=named("b", "-b"), steps=(f"touch '{tmp_path}/begun'",)),
    ]
    with pytest.raises(KeyboardInterrupt):
        build_all(recipes, store, progress, workers=2)
    assert not (tmp_path / "begun").exists()


def test_a_wait_is_interrupted(start: Start, source: Path, store: BuildStore, golden: Hear) -> None:
    made = recipe(source, variant=named("a"), steps=("true", "cp {source}/main.c {program}"))
    with exclusive(store.lock(made.digest)):
        building = start("a=true")
        assert building.stdout
        golden(building.stdout.readline())
        building.send_signal(signal.SIGINT)
        said, _ = building.communicate(timeout=STUCK)
    assert said == "interrupted\n"


def test_a_killed_build_is_made_anew(
    start: Start, source: Path, store: BuildStore, tmp_path: Path
) -> None:
    gate, once = tmp_path / "gate", tmp_path / "once"
    step = f"echo $$ > '{once}'; test -e '{gate}' || sleep 600"
    building = start(f"a={step}")
    pid = int(_appears(once))
    building.kill()
    building.communicate(timeout=STUCK)
    os.killpg(pid, signal.SIGKILL)  # the step of a killed process goes on by itself
    assert list(store.all()) == []

    gate.touch()
    made = recipe(source, variant=named("a"), steps=(step, "cp {source}/main.c {program}"))
    assert store.folder(made.digest).exists()
    assert reasons(build_all([made], store, lambda text: None)) == [None]
    assert [b.digest for b in store.all()] == [made.digest]


def test_what_takes_longer_than_the_limit_is_ended_and_says_so(
    source: Path, store: BuildStore
) -> None:
    slow = recipe(source, variant=named("a", "-a"), steps=("sleep 600",))
    fast = recipe(source, variant=named("b", "-b"), steps=("cp {source}/main.c {program}",))
    first, second = build_all([slow, fast], store, lambda text: None, 1.0)
    assert isinstance(first, BuildFailure)
    assert (first.kind, isinstance(second, Build)) == ("late", True)
    assert first.reason == "building takes longer than 1 s, in the step: sleep 600"
    again = build_all([fast], store, lambda text: None, 0.0)
    assert [isinstance(b, Build) and b.reused for b in again] == [True]
