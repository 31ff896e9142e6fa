"""Programs by their files, as they are counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.investigate.doubles import World, own

from whyfast.investigate import exec_prefixes
from whyfast.investigate.counting import file_tasks
from whyfast.measure.count import Profiler
from whyfast.store.home import Home
from whyfast.toolchain.sandbox import Box

ROOT = Path("/root-of-a-toolchain")


def _given(home: Home, files: list[Path], profiler: Profiler) -> list[tuple[object, ...]]:
    """What is run of each, and how."""
    named = [(f.name, f) for f in files]
    services = World().services(valgrind=_valgrind)
    with file_tasks(named, ["x"], home, services, 9.0, profiler, print) as (tasks, valgrind):
        assert valgrind is None
        return [(t.variant, t.run.command, t.run.enter, t.run.scratch) for t in tasks]


def _valgrind(home: Home, note: object) -> Path:
    wanted.append("valgrind")
    raise KeyError


wanted: list[str] = []


def test_a_program_may_stand_beside_itself(tmp_path: Path) -> None:
    file = tmp_path / "p"
    run = ("p", (str(file), "x"), (), None)
    assert _given(own(tmp_path), [file, file], "callgrind") == [run, run]


def test_those_of_a_root_get_words_and_a_folder_and_no_valgrind_that_is_not_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boxes: list[Box] = []

    def around(box: Box, scratch: Path) -> list[str]:
        boxes.append(box)
        return ["enter"]

    monkeypatch.setattr(exec_prefixes, "around_program", around)
    monkeypatch.setattr(exec_prefixes, "_root", lambda file, home: ROOT)
    ((_, command, enter, scratch),) = _given(own(tmp_path), [tmp_path / "p"], "perf")
    assert (command, enter) == ((str(tmp_path / "p"), "x"), ("enter",))
    assert isinstance(scratch, Path)
    assert scratch.parent == own(tmp_path).cache / "counting"
    assert scratch in boxes[-1].writable
    assert wanted == []
    with pytest.raises(KeyError):
        _given(own(tmp_path), [tmp_path / "p"], "callgrind")
    assert wanted == ["valgrind"]
