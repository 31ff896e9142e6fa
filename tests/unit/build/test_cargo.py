"""What builds by cargo take over of each other, with nothing compiled."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.build.example import built, recipe, toolchain

from whyfast.build import cargo
from whyfast.build.recipe import Recipe
from whyfast.build.run import build_all
from whyfast.model.build import BuildFailure
from whyfast.store.builds import BuildStore

BWRAP = ("bwrap", "--tmpfs", "/var/tmp", "--tmpfs", "/tmp", "--")


def _by_cargo(source: Path) -> Recipe:
    (source / "Cargo.toml").write_text('[package]\nname = "my-own"\n')
    deps = "target/release/deps"
    made = f"mkdir -p {deps} && touch -d @1 {deps}/libserde-1.rlib {deps}/libmy_own-2.rlib"
    step = f"ls src > /dev/null; [ -e {deps} ] || ({made}); ls {deps} > {{program}}"
    return recipe(source, steps=(step,), compiler=replace(toolchain(), language="cargo"))


def test_other_packages_are_taken_over_and_none_of_the_source(
    source: Path, store: BuildStore
) -> None:
    first = built(_by_cargo(source), store)
    assert first.program.read_text().split() == ["libmy_own-2.rlib", "libserde-1.rlib"]
    (source / "new.rs").write_text("new")
    saved = first.program.parent / "target/release/deps/bench-1.bench.2-cgu.0.rcgu.no-opt.bc"
    saved.touch()  # as large as a program, and made anew
    second = built(_by_cargo(source), store)
    assert second.program.read_text().split() == ["libserde-1.rlib"]
    kept = second.program.parent / "target/release/deps/libserde-1.rlib"
    assert kept.stat().st_mtime == 1  # or cargo would compile what depends on it


def test_an_unfinished_build_goes_on_from_what_it_compiled(
    source: Path, store: BuildStore, tmp_path: Path
) -> None:
    done = tmp_path / "done"
    lines = f"mkdir -p target; echo x >> target/a; cp target/a {{program}}; [ -e {done} ]"
    wanted = replace(_by_cargo(source), steps=(lines,))
    (failed,) = build_all([wanted], store, lambda text: None)
    assert isinstance(failed, BuildFailure)
    done.touch()
    assert built(wanted, store).program.read_text() == "x\nx\n"


def test_the_home_of_cargo_is_the_same_for_all_where_tmp_is_private(tmp_path: Path) -> None:
    assert cargo.environment(tmp_path, BWRAP)["CARGO_HOME"] == "/tmp/cargo"
    assert cargo.environment(tmp_path, ())["CARGO_HOME"] == str(tmp_path / "work/cargo")


def test_the_wrapper_keeps_the_folder_out_here_and_where_it_is_repeated(tmp_path: Path) -> None:
    cargo.write_wrapper(tmp_path)
    env = cargo.environment(tmp_path, ())
    words = [env["RUSTC_WRAPPER"], "echo", "-vV"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert said == f"-vV --remap-path-prefix={tmp_path}/work=/whyfast\n"
    lines = [*cargo.repeat_lines(env), '"$RUSTC_WRAPPER" echo']
    words = ["sh", "-euc", "\n".join(lines)]
    said = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert said == f"--remap-path-prefix={tmp_path}=/whyfast\n"
    assert cargo.repeat_lines({}) == []


@pytest.mark.parametrize(
    ("place", "words", "metadata"),
    [
        ("/work/src", "--crate-type bin --test", "pkg-bin---test"),
        ("/work/src/member", "--crate-type lib", "pkg-lib"),
        ("/cargo/registry/src/index/pkg-1.0.0", "--crate-type lib", "0a1b"),
        ("/work/src/vendor/pkg", "--crate-type lib", "0a1b"),
    ],
)
def test_the_version_of_a_package_of_the_source_is_not_in_its_hash(
    tmp_path: Path, place: str, words: str, metadata: str
) -> None:
    cargo.write_wrapper(tmp_path)
    given = f"{words} -C metadata=%s -C extra-filename=-0a1b --extern b=b.rlib a\\ b.rs"
    env = {**os.environ, "CARGO_MANIFEST_DIR": place, "CARGO_PKG_NAME": "pkg"}
    command = ["sh", "-c", f"./{cargo.WRAPPER} printf '%s\\n' {given % '0a1b'}"]
    said = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=tmp_path, env=env
    ).stdout.splitlines()
    assert said[:-1] == [w.replace("\\", "") for w in re.split(r"(?<!\\) ", given % metadata)]
