"""What a compiler can do is found out by compiling, and remembered."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.toolchain.conftest import FakeCompiler

from whyfast.model.build import FEATURES
from whyfast.model.errors import CannotBuildHere
from whyfast.toolchain.path import compiles, features

Make = Callable[..., FakeCompiler]


def _features(compiler: FakeCompiler, cache: Path, digest: str = "d" * 64) -> frozenset[str]:
    return features((str(compiler.path),), dict(os.environ), digest, cache)


@pytest.mark.parametrize(
    ("rejects", "found"),
    [
        ("", FEATURES),
        ("preserve_none", ("computed-goto", "musttail")),
        ("musttail preserve_none", ("computed-goto",)),
        ("goto musttail preserve_none", ()),
    ],
)
def test_a_feature_is_there_when_its_probe_compiles(
    fake_compiler: Make, tmp_path: Path, rejects: str, found: tuple[str, ...]
) -> None:
    assert _features(fake_compiler(rejects=rejects), tmp_path / "probes") == frozenset(found)


def test_a_warning_is_a_refusal(fake_compiler: Make, tmp_path: Path) -> None:
    compiler = fake_compiler()
    _features(compiler, tmp_path / "probes")
    assert all(" -Werror " in call for call in compiler.calls)


def test_answers_are_remembered_by_digest(fake_compiler: Make, tmp_path: Path) -> None:
    cache, able, unable = tmp_path / "probes", fake_compiler("able"), fake_compiler("unable")
    unable.path.write_text(unable.path.read_text().replace("in ;", "in musttail ;"))
    assert _features(able, cache) == frozenset(FEATURES)
    assert _features(unable, cache) == frozenset(FEATURES)  # said to be the same compiler
    assert unable.compiled == 0
    assert _features(unable, cache, "e" * 64) == frozenset({"computed-goto", "preserve_none"})


def test_a_broken_memory_is_written_anew(fake_compiler: Make, tmp_path: Path) -> None:
    cache, compiler = tmp_path / "probes", fake_compiler()
    _features(compiler, cache)
    (memory,) = cache.iterdir()
    memory.write_text('["musttai')
    assert _features(compiler, cache) == frozenset(FEATURES)
    asked = compiler.compiled
    assert asked == 8
    assert _features(compiler, cache) == frozenset(FEATURES)
    assert compiler.compiled == asked


def test_a_compiler_that_can_do_nothing_is_reported_and_not_remembered(
    fake_compiler: Make, tmp_path: Path, golden: Hear
) -> None:
    cache, compiler = tmp_path / "probes", fake_compiler(rejects="probe")
    for _ in range(2):
        with pytest.raises(CannotBuildHere) as caught:
            _features(compiler, cache)
        golden(str(caught.value))
    assert not cache.exists()


def test_the_end_of_a_long_complaint_is_kept(bin_folder: Path, tmp_path: Path) -> None:
    chatty = bin_folder / "chatty"
    chatty.write_text("#!/bin/sh\nseq 1000 >&2; echo the point >&2; exit 1\n")
    chatty.chmod(0o755)
    with pytest.raises(CannotBuildHere) as caught:
        features((str(chatty), "cc"), dict(os.environ), "d", tmp_path)
    assert str(caught.value).startswith(f"{chatty} cc cannot compile a trivial program: ")
    assert str(caught.value).endswith("\nthe point")
    assert len(str(caught.value)) < 300 + 100 + len(str(chatty))


def test_a_compiler_that_cannot_be_started_says_nothing() -> None:
    with pytest.raises(CannotBuildHere, match=r"cannot be tested: .*No such file or directory"):
        compiles(("/does/not/exist",), {}, "int x;")


def test_a_compiler_that_is_killed_is_not_said_to_lack_a_feature(
    bin_folder: Path, tmp_path: Path
) -> None:
    killed = bin_folder / "killed"
    killed.write_text(
        "#!/bin/sh\nfor file; do case $file in *.c)\n"
        "    if grep -q musttail $file; then kill -9 $$; fi ;;\nesac; done\n"
    )
    killed.chmod(0o755)
    with pytest.raises(CannotBuildHere, match="killed was killed while it was tested"):
        features((str(killed),), dict(os.environ), "d", tmp_path / "probes")
    assert not (tmp_path / "probes").exists()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_real_gcc_compiles_c_and_says_why_not() -> None:
    env = dict(os.environ)
    assert compiles(("gcc",), env, "int x;") == (True, "")
    works, said = compiles(("gcc",), env, "int x")
    assert not works
    assert "error" in said
    assert not compiles(("gcc", "-Wall"), env, "static int unused;")[0]
