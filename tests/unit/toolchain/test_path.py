"""Toolchains by name; compilers that are installed here, what they can do; programs that answer."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.toolchain.conftest import FakeCompiler

from whyfast.model.build import FEATURES, Language, Toolchain
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import Home
from whyfast.toolchain import Cost, first_line, run
from whyfast.toolchain.path import (
    Installed,
    PathProvider,
    ask,
    compiles,
    features,
    language_of,
    short_version,
)
from whyfast.toolchain.registry import providers, resolve, split_name

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


def test_gccs_and_clangs(bin_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    golden(refusal(CannotBuildHere, lambda: _resolve("gcc-99", own)))
    for name in ("gcc", "clang-19"):
        (bin_folder / name).touch(0o755)
    golden(refusal(CannotBuildHere, lambda: _resolve("gcc-99", own)))


def _program(file: Path, code: str) -> Path:
    file.write_text(f"#!/bin/sh\n{code}\n")
    file.chmod(0o755)
    return file


def test_what_is_no_compiler_is_reported(bin_folder: Path, own: Home, golden: Hear) -> None:
    _program(bin_folder / "silent", "exit 1")
    golden(refusal(CannotBuildHere, lambda: _resolve("silent", own)))
    _program(bin_folder / "gcc-7", "test $1 = --version && echo 1.0 || ! echo what? >&2")
    golden(refusal(CannotBuildHere, lambda: _resolve("gcc-7", own)))


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


def test_the_digest_is_that_of_real_files(fake_compiler: Make, bin_folder: Path, own: Home) -> None:
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
    golden(refusal(UserError, lambda: PathProvider().remove("gcc-99", own)))


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
    _program(
        bin_folder / "go",
        f'case "$*" in "env GOROOT") echo {tmp_path} ;; "env GOOS") echo linux ;; '
        '"env GOARCH") echo amd64 ;; version) echo go version go1.26.8 linux/amd64 ;; esac',
    )
    monkeypatch.setenv("PATH", f"{bin_folder}:/usr/bin:/bin")
    toolchain = _resolve("go", own)
    kept = own.cache / "go" / toolchain.digest[:12]
    assert toolchain.writable == (kept,)
    assert toolchain.env["GOCACHE"] == str(kept)
    assert kept.is_dir()


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("gcc", "c"),
        ("cc", "c"),
        ("clang-19", "c"),
        ("/opt/llvm/bin/clang", "c"),
        ("x86_64-linux-gnu-gcc-12", "c"),
        ("g++-12", "c++"),
        ("clang++", "c++"),
        ("c++", "c++"),
        ("rustc", "rust"),
        ("cargo", "cargo"),
        ("go", "go"),
        ("go1.22.3", "go"),
        ("cobolc", ""),
        ("gofmt", ""),
    ],
)
def test_the_language_follows_from_the_name(name: str, language: Language) -> None:
    assert language_of(name) == language


def test_behind_rustups_proxy_stands_the_real_compiler(tmp_path: Path) -> None:
    root = tmp_path / "toolchains" / "stable"
    (root / "lib").mkdir(parents=True)
    (root / "lib" / "librustc_driver-1.so").touch()
    tools = root / "bin"
    said = {
        ("/cargo/bin/rustc", "--print", "sysroot"): str(root),
        (str(tools / "cargo"), "--version"): "cargo 1.95.0 (f2d3ce0bd 2026-03-21)",
        (str(tools / "rustc"), "--print", "host-tuple"): "x86_64-unknown-linux-gnu",
    }

    def first_line(argv: Sequence[str]) -> str:
        return said[tuple(argv)]

    assert ask("cargo", "/cargo/bin/cargo", first_line) == Installed(
        program=str(tools / "cargo"),
        version="cargo 1.95.0 (f2d3ce0bd 2026-03-21)",
        target="x86_64-unknown-linux-gnu",
        files=(tools / "rustc", root / "lib" / "librustc_driver-1.so"),
        readable=(root,),
        env=(("RUSTC", str(tools / "rustc")),),
    )


def test_go_is_its_whole_root() -> None:
    said = {
        ("/bin/go", "env", "GOROOT"): "/go",
        ("/bin/go", "env", "GOOS"): "linux",
        ("/bin/go", "env", "GOARCH"): "amd64",
        ("/bin/go", "version"): "go version go1.26.8 linux/amd64",
    }
    found = ask("go", "/bin/go", lambda argv: said[tuple(argv)])
    assert (found.program, found.version) == ("/go/bin/go", "go1.26.8 linux/amd64")
    assert found.target == "amd64-linux"
    assert found.readable == (Path("/go"),)
    assert dict(found.env)["GOTOOLCHAIN"] == "local"


@pytest.mark.parametrize(
    ("name", "version"), [("rustc", "rustc "), ("go", "go"), ("cargo", "cargo ")]
)
def test_the_real_ones(name: str, version: str, tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    toolchain = PathProvider().resolve(name, Home(tmp_path, tmp_path), lambda text: None)
    assert toolchain.version.startswith(version)
    assert toolchain.language == name.replace("rustc", "rust")
    assert Path(toolchain.cc[0]).is_absolute()
    assert len(toolchain.digest) == 64


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


def test_an_unable_compiler_is_reported(fake_compiler: Make, tmp_path: Path, golden: Hear) -> None:
    cache, compiler = tmp_path / "probes", fake_compiler(rejects="probe")
    for _ in range(2):
        golden(refusal(CannotBuildHere, lambda: _features(compiler, cache)))
    assert not cache.exists()


def test_the_end_of_a_long_complaint_is_kept(bin_folder: Path, tmp_path: Path) -> None:
    chatty = _program(bin_folder / "chatty", "seq 1000 >&2; echo the point >&2; exit 1")
    with pytest.raises(CannotBuildHere) as caught:
        features((str(chatty), "cc"), dict(os.environ), "d", tmp_path)
    assert str(caught.value).startswith(f"{chatty} cc cannot compile a trivial program: ")
    assert str(caught.value).endswith("\nthe point")
    assert len(str(caught.value)) < 300 + 100 + len(str(chatty))


def test_a_compiler_that_cannot_be_started_says_nothing() -> None:
    with pytest.raises(CannotBuildHere, match=r"cannot be tested: .*No such file or directory"):
        compiles(("/does/not/exist",), {}, "int x;")


def test_a_killed_compiler_does_not_lack_a_feature(bin_folder: Path, tmp_path: Path) -> None:
    code = "if grep -q musttail $file; then kill -9 $$; fi"
    killed = _program(
        bin_folder / "killed", f"for file; do case $file in *.c) {code} ;; esac; done"
    )
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


@pytest.mark.parametrize(
    ("argv", "line"),
    [
        (["sh", "-c", "echo ' one '; echo two"], "one"),
        (["sh", "-c", "echo one; exit 1"], ""),
        (["sh", "-c", "echo one >&2"], ""),
        (["sh", "-c", "cat; echo end of input"], "end of input"),
        (["/does/not/exist"], ""),
    ],
)
def test_first_line(argv: list[str], line: str) -> None:
    assert first_line(argv) == line


def test_messages_are_english_unless_an_env_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    say = ["/bin/sh", "-c", "echo $LC_ALL$OWN"]
    assert run(say).stdout == "C\n"
    assert run(say, env={"OWN": "mine"}).stdout == "mine\n"


def test_what_does_not_end_is_ended() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        run(["sleep", "60"], timeout=0.01)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("zig:clang-19", ("zig", "clang-19")),
        ("path:/opt/llvm/bin/clang", ("path", "/opt/llvm/bin/clang")),
        ("path:a:b", ("path", "a:b")),
    ],
)
def test_a_name_is_a_provider_and_what_it_is_asked_for(name: str, parts: tuple[str, str]) -> None:
    assert split_name(name) == parts


@pytest.mark.parametrize("name", ["gcc-12", "zig:", "", "zik:clang-19", "nix:gcc", ":gcc"])
def test_a_name_that_means_nothing(name: str, golden: Hear) -> None:
    golden(refusal(UserError, lambda: split_name(name)))


def test_every_provider_lists_names() -> None:
    assert {"path", "zig"} <= set(providers())
    assert all(isinstance(p.names(), list) for p in providers().values())


def test_a_toolchain_is_resolved_by_its_provider(fake_compiler: Make, own: Home) -> None:
    fake_compiler("gcc-99")
    assert resolve("path:gcc-99", own, lambda text: None).name == "path:gcc-99"


def test_what_it_takes_to_install_a_toolchain() -> None:
    known = providers()
    assert known["path"].cost("gcc") == Cost(0, 0, 0.0)
    assert known["zig"].cost("clang-19") == Cost(100_000_000, 450_000_000, 30.0)
    assert known["debian"].cost("gcc-14") == Cost(90_000_000, 300_000_000, 90.0)
    assert known["debian"].cost("clang-18", ["make", "zlib1g-dev"]) == Cost(
        146_200_000, 680_000_000, 90.0
    )
