"""What tests share to be fast: commands from a warm process, and programs compiled once."""

import fnmatch
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
from tests import compiled, warm_process
from tests.conftest import unmeasured


def test_a_command_has_its_own_words_folder_environment_and_output(tmp_path: Path) -> None:
    folder = tmp_path / "place"
    folder.mkdir()
    (folder / "old.csv").write_text("benchmark,seconds\na,1\n")
    home = {"WHYFAST_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    listed = warm_process.run(["builds"], env=home, timeout=120)
    assert (listed.returncode, listed.stdout, listed.stderr) == (0, "no builds yet\n", "")
    bad = warm_process.run(["compare", "old.csv", "gone.csv"], env=home, cwd=folder, timeout=120)
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert "gone.csv" in bad.stderr
    assert "old.csv" not in bad.stderr  # it is there


def test_a_command_is_waited_for_and_interrupted() -> None:
    with tempfile.TemporaryFile() as out:
        command = warm_process.Command(["ab", "sleep 9", "sleep 9"], out, out)
        with pytest.raises(subprocess.TimeoutExpired):
            command.wait(0.2)
        command.send_signal(signal.SIGINT)
        assert command.wait(120) == 130
        assert command.wait() == 130


def test_a_killed_command_has_the_number_of_the_signal() -> None:
    with tempfile.TemporaryFile() as out:
        command = warm_process.Command(["ab", "sleep 9", "sleep 9"], out, out)
        command.kill()
        assert command.wait(120) == -signal.SIGKILL


def test_a_program_is_compiled_anew_when_a_file_or_an_option_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "TEST_CACHE", tmp_path / "cache")
    cc, header = tmp_path / "cc", tmp_path / "a.h"
    cc.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\nfor f; do :; done; echo > "$f"\n')
    cc.chmod(0o755)
    header.write_text("1")

    def compile_with(*options: str) -> Path:
        return compiled.compiled_once([str(cc), *options, "a.c"], [tmp_path])

    first = compile_with("-O1")
    assert compile_with("-O1") == first
    assert first.exists()
    header.write_text("2")
    assert compile_with("-O1") != first
    assert compile_with("-O2") != first
    assert len((tmp_path / "calls").read_text().splitlines()) == 3


def test_a_compiler_that_fails_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "TEST_CACHE", tmp_path / "cache")
    cc = tmp_path / "cc"
    cc.write_text("#!/bin/sh\necho no such option >&2\nexit 1\n")
    cc.chmod(0o755)
    for _ in range(2):
        with pytest.raises(subprocess.CalledProcessError) as caught:
            compiled.compiled_once([str(cc), "a.c"], [tmp_path])
        assert caught.value.stderr == "no such option\n"
    assert not list((tmp_path / "cache").rglob("output*"))


def test_no_folder_of_tests_is_left_out(pytestconfig: pytest.Config) -> None:
    """By the names of folders that pytest does not look into; those of its own have ``build``."""
    tests = Path(__file__).parents[1]
    folders = {file.parent for file in tests.rglob("test_*.py")}
    names = {part for folder in folders for part in folder.relative_to(tests).parts}
    assert {"build", "unit"} <= names
    for pattern in pytestconfig.getini("norecursedirs"):
        assert fnmatch.filter(names, pattern) == []


def test_only_what_times_real_programs_is_run_again() -> None:
    failed = [
        "tests/studies/test_run.py::test_a[x/y]",
        "tests/unit/judge/test_runs.py::test_b",
        "tests/unit/measure/vm/test_boot.py::test_c",
    ]
    assert unmeasured(failed) == failed[1:2]
