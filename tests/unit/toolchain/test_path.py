"""Compilers that are on PATH."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear
from tests.unit.toolchain.conftest import FakeCompiler

from whyfast.model.build import Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import Home
from whyfast.toolchain.path import PathProvider, short_version

Make = Callable[..., FakeCompiler]


def _resolve(name: str, home: Home) -> Toolchain:
    return PathProvider().resolve(name, home, lambda text: None)


def test_a_compiler_is_described_by_what_it_says(fake_compiler: Make, own: Home) -> None:
    compiler = fake_compiler("gcc-99", rejects="musttail preserve_none")
    toolchain = _resolve("gcc-99", own)
    assert toolchain == Toolchain(
        name="path:gcc-99",
        provider="path",
        version="gcc 99.1.2",
        target="x86_64-fake-linux",
        digest=toolchain.digest,
        cc=(str(compiler.path),),
        features=frozenset({"computed-goto"}),
        env={},
    )
    assert len(toolchain.digest) == 64


def test_names_are_the_gccs_and_clangs_of_all_folders(
    bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("gcc", "gcc-12", "clang-19", "g++", "gcc-ar-12", "cc", "clang-format-19", "rustc"):
        (bin_folder / name).touch(0o755)
    for name in ("gcc", "clang", "gcc-4.9"):
        (other / name).touch(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}:/does/not/exist:{other}")
    assert PathProvider().names() == [
        *("clang", "clang-19", "g++", "gcc", "gcc-12", "gcc-4.9", "rustc")
    ]


def test_a_compiler_that_is_missing_is_reported_with_those_that_are_there(
    bin_folder: Path, own: Home, monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    monkeypatch.setenv("PATH", str(bin_folder))
    with pytest.raises(CannotBuildHere) as caught:
        _resolve("gcc-99", own)
    golden(str(caught.value))
    for name in ("gcc", "clang-19"):
        (bin_folder / name).touch(0o755)
    with pytest.raises(CannotBuildHere) as caught:
        _resolve("gcc-99", own)
    golden(str(caught.value))


def _program(file: Path, code: str) -> Path:
    file.write_text(f"#!/bin/sh\n{code}\n")
    file.chmod(0o755)
    return file


def test_a_program_that_is_no_compiler_is_reported(
    bin_folder: Path, own: Home, golden: Hear
) -> None:
    _program(bin_folder / "silent", "exit 1")
    with pytest.raises(CannotBuildHere) as caught:
        _resolve("silent", own)
    golden(str(caught.value))
    _program(bin_folder / "gcc-7", "test $1 = --version && echo 1.0 || ! echo what? >&2")
    with pytest.raises(CannotBuildHere) as caught:
        _resolve("gcc-7", own)
    golden(str(caught.value))


def test_a_compiler_of_another_language_is_taken_as_it_is(bin_folder: Path, own: Home) -> None:
    _program(bin_folder / "cobolc", "test $1 = --version && echo cobolc 3.2 || exit 1")
    toolchain = _resolve("cobolc", own)
    assert (toolchain.version, toolchain.language, toolchain.features) == (
        "cobolc 3.2",
        "",
        frozenset(),
    )


def test_a_compiler_of_a_relative_folder_is_found_from_everywhere(
    fake_compiler: Make, own: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = fake_compiler("fakecc")
    monkeypatch.chdir(compiler.path.parent)
    assert _resolve("./fakecc", own).cc == (str(compiler.path),)
    monkeypatch.setenv("PATH", ".:/usr/bin:/bin")
    assert _resolve("fakecc", own).cc == (str(compiler.path),)


def test_the_digest_is_that_of_the_files_that_do_the_work(
    fake_compiler: Make, bin_folder: Path, own: Home
) -> None:
    compiler = fake_compiler()
    seen = [_resolve("fakecc", own).digest]
    for tool in ("fake-cc1", "fake-as", "fake-ld"):
        (bin_folder / tool).write_text("one")
        (bin_folder / tool).chmod(0o755)
        seen.append(_resolve("fakecc", own).digest)
        (bin_folder / tool).write_text("another")
        seen.append(_resolve("fakecc", own).digest)
    compiler.path.write_text(compiler.path.read_text() + "# patched\n")
    seen.append(_resolve("fakecc", own).digest)
    assert len(set(seen)) == len(seen) == 8

    os.utime(compiler.path, (1, 1))
    assert _resolve("fakecc", own).digest == seen[-1]
    shutil.copy(compiler.path, bin_folder / "othername")
    assert _resolve("othername", own).digest == seen[-1]


def test_what_it_can_do_is_asked_once(fake_compiler: Make, own: Home) -> None:
    compiler = fake_compiler()
    first = _resolve("fakecc", own)
    compiled = compiler.compiled
    assert compiled == 4
    assert _resolve("fakecc", own) == first
    assert compiler.compiled == compiled


def test_installed_and_remove(fake_compiler: Make, own: Home, golden: Hear) -> None:
    fake_compiler("gcc-99")
    assert PathProvider().installed("gcc-99", own)
    assert not PathProvider().installed("gcc-98", own)
    with pytest.raises(UserError) as caught:
        PathProvider().remove("gcc-99", own)
    golden(str(caught.value))


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_real_gcc(own: Home) -> None:
    toolchain = _resolve("gcc", own)
    name, version = toolchain.version.split(" ")
    assert name == "gcc"
    assert version[0].isdigit()
    assert "linux" in toolchain.target
    assert "computed-goto" in toolchain.features
    assert Path(toolchain.cc[0]).is_absolute()
    assert _resolve("gcc", own) == toolchain


@pytest.mark.parametrize(
    ("line", "short"),
    [
        ("gcc (Debian 12.2.0-14+deb12u1) 12.2.0", "gcc 12.2.0"),
        ("gcc-9 (Ubuntu 9.4.0-1ubuntu1~20.04.2) 9.4.0", "gcc 9.4.0"),
        ("cc (GCC) 14.1.1 20240522 (Red Hat 14.1.1-4)", "gcc 14.1.1"),
        ("Debian clang version 14.0.6", "clang 14.0.6"),
        ("clang version 19.1.7 (https://github.com/x/y 0123abc)", "clang 19.1.7"),
        ("Ubuntu clang version 18.1.3 (1ubuntu1)", "clang 18.1.3"),
        ("Homebrew clang version 17.0", "clang 17.0"),
        ("rustc 1.95.0 (59807616e 2026-04-14)", "rustc 1.95.0"),
        ("go1.26.8 linux/amd64", "go 1.26.8"),
        ("some compiler", "some compiler"),
    ],
)
def test_short_version(line: str, short: str) -> None:
    assert short_version(line) == short


def test_go_keeps_what_it_has_compiled(
    bin_folder: Path, own: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = bin_folder / "go"
    go.write_text(
        "#!/bin/sh\n"
        f'case "$*" in "env GOROOT") echo {tmp_path} ;; "env GOOS") echo linux ;; '
        '"env GOARCH") echo amd64 ;; version) echo go version go1.26.8 linux/amd64 ;; esac\n'
    )
    go.chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_folder}:/usr/bin:/bin")
    toolchain = _resolve("go", own)
    kept = own.cache / "go" / toolchain.digest[:12]
    assert toolchain.writable == (kept,)
    assert toolchain.env["GOCACHE"] == str(kept)
    assert kept.is_dir()
