"""Compilers of other languages than C: what they are asked, and what a build has to know."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from whyfast.model.build import Language
from whyfast.store.home import Home
from whyfast.toolchain.path import Installed, PathProvider, ask, language_of


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
