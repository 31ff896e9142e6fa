"""Debian's compilers and its Valgrind."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.cli.main import main
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import Home, home
from whyfast.toolchain import debian, debian_root, sandbox
from whyfast.toolchain.debian import (
    DebianName,
    DebianProvider,
    known_names,
    parse_name,
    remove_valgrind,
    root_folder,
    valgrind_root,
    valgrind_size,
)
from whyfast.toolchain.debian_root import Package, RecordedRoot, RootSpec, digest_of

WORKING = sandbox.Tools("/usr/bin/bwrap", "", None, "")


def _silent(text: str) -> None:
    """Nobody listens."""


def _fill(folder: Path, *, size: int = 1000) -> None:
    """A root that is complete; its compiler is a script."""
    (folder / "root").mkdir(parents=True)
    (folder / "packages.json").write_text(
        json.dumps({"gcc-14": {"version": "14.2.0-19", "sha256": "abcd"}})
    )
    (folder / "size").write_text(f"{size}\n")
    (folder / "digest").write_text("d1\n")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """An empty home on a machine where everything works, and no compiler is really started."""
    monkeypatch.setattr(sandbox, "tools", lambda: WORKING)
    monkeypatch.setattr(debian_root, "archive_address", lambda: "http://a.example/debian")
    monkeypatch.setattr(debian_root, "proxy_options", list)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(
        debian,
        "first_line",
        lambda argv, env=None: (
            "gcc-14 (Debian 14.2.0-19) 14.2.0" if "--version" in argv else "x86_64-linux-gnu"
        ),
    )
    monkeypatch.setattr(debian, "features", lambda *arguments: frozenset({"computed-goto"}))
    return Home(tmp_path / "cache", tmp_path / "data")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[RootSpec]:
    specs: list[RootSpec] = []

    def make(
        spec: RootSpec, folder: Path, words: Sequence[str], say: Callable[[str], None]
    ) -> None:
        specs.append(spec)
        say("extracting archives")
        shutil.rmtree(folder, ignore_errors=True)
        _fill(folder)

    monkeypatch.setattr(debian_root, "make_root", make)
    return specs


def test_a_root_is_made_once(own: Home, made: list[RootSpec], golden: Hear) -> None:
    provider = DebianProvider()
    said: list[str] = []
    assert not provider.installed("gcc-14", own, ["make"])
    first = provider.resolve("gcc-14", own, said.append, ["make", "gcc-14"])
    assert provider.resolve("gcc-14", own, said.append, ["make"]) == first
    assert provider.installed("gcc-14", own, ["make"])
    assert not provider.installed("gcc-14", own)
    assert [(s.suite, s.packages, s.archive) for s in made] == [
        ("trixie", ("gcc-14", "libc6-dev", "make"), "http://a.example/debian")
    ]
    golden(*said)


def test_what_a_toolchain_says(own: Home, made: list[RootSpec]) -> None:
    toolchain = DebianProvider().resolve("gcc-14@sid", own, _silent)
    assert toolchain.name == "debian:gcc-14@sid"
    assert (toolchain.version, toolchain.target) == ("gcc 14.2.0", "x86_64-linux-gnu")
    assert toolchain.cc == ("/usr/bin/gcc-14",)
    assert toolchain.root == root_folder(own, parse_name("gcc-14@sid"), ()) / "root"
    assert toolchain.packages == {"gcc-14": "14.2.0-19 sha256:abcd"}
    assert len(toolchain.digest) == 64


def test_compilers_of_equal_roots_have_different_digests(own: Home, made: list[RootSpec]) -> None:
    provider = DebianProvider()
    digests = {provider.resolve(name, own, _silent).digest for name in ("gcc-13", "gcc-14")}
    assert len(digests) == 2


def test_sizes_add_up_and_removal_takes_all(own: Home, made: list[RootSpec]) -> None:
    provider = DebianProvider()
    provider.resolve("gcc-14", own, _silent)
    provider.resolve("gcc-14", own, _silent, ["make"])
    provider.resolve("gcc-14@sid", own, _silent)
    assert provider.size("gcc-14", own) == 2000
    assert provider.size("clang-18", own) == 0
    provider.remove("gcc-14", own)
    assert provider.size("gcc-14", own) == 0
    assert provider.installed("gcc-14@sid", own)
    with pytest.raises(UserError, match="debian:gcc-14 is not installed"):
        provider.remove("gcc-14", own)


def test_mmdebstrap_is_named_when_it_is_missing(own: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(CannotBuildHere, match="apt-get install mmdebstrap"):
        DebianProvider().resolve("gcc-14", own, _silent)


def test_nothing_is_downloaded_that_could_not_be_entered(
    own: Home, made: list[RootSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = sandbox.Tools(None, "bubblewrap is not installed", None, "no namespaces (denied)")
    monkeypatch.setattr(sandbox, "tools", lambda: nothing)
    with pytest.raises(CannotBuildHere, match="bubblewrap is not installed; no namespaces"):
        DebianProvider().resolve("gcc-14", own, _silent)
    assert made == []


def test_an_unknown_name_is_a_mistake_of_the_study(own: Home) -> None:
    with pytest.raises(UserError, match="needs a suite"):
        DebianProvider().resolve("gcc-99", own, _silent)
    with pytest.raises(UserError, match="debian:clang-VERSION"):
        DebianProvider().installed("llvm", own)


def test_a_recorded_root_takes_the_place_of_another(
    own: Home, made: list[RootSpec], monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = DebianProvider()
    provider.resolve("gcc-14", own, _silent, ["make"])
    asked: list[str] = []
    monkeypatch.setattr(debian, "check_archive", lambda wanted, suite: asked.append(suite))
    packages = {"gcc-14": Package("14.2.0-18", "cd" * 32)}
    folder = root_folder(own, parse_name("gcc-14"), ["make"])
    wanted = RecordedRoot("debian:gcc-14", folder.name, packages, "amd64")
    provider.install_again(wanted, own, _silent)
    assert asked == ["trixie"]
    assert made[-1].digest == digest_of(packages)
    (folder / "digest").write_text(digest_of(packages) + "\n")
    provider.install_again(wanted, own, _silent)  # it is there
    assert len(made) == 2

    def gone(wanted: RecordedRoot, suite: str) -> None:
        raise CannotBuildHere("the archive has it no longer")

    monkeypatch.setattr(debian, "check_archive", gone)
    other = RecordedRoot("debian:gcc-14", folder.name, {}, "amd64")
    with pytest.raises(CannotBuildHere, match="no longer"):
        provider.install_again(other, own, _silent)
    assert (folder / "digest").read_text().strip() == digest_of(packages)
    with pytest.raises(UserError, match="is not a root of debian:gcc-13"):
        provider.install_again(
            RecordedRoot("debian:gcc-13", folder.name, {}, "amd64"), own, _silent
        )


def test_compilers_of_other_suites_there_are_known(own: Home, made: list[RootSpec]) -> None:
    provider = DebianProvider()
    assert provider.elsewhere(own) == []
    for name in ("gcc-14", "gcc-14@sid", "clang-19@bookworm", "clang-22@trixie"):
        provider.resolve(name, own, _silent)
    (own.toolchains / "debian-trixie-valgrind-0b8133a1").mkdir()
    (own.toolchains / "debian-trixie-valgrind-0b8133a1" / "size").write_text("1\n")
    assert provider.elsewhere(own) == ["clang-19@bookworm", "gcc-14@sid"]


def test_removal_takes_what_an_interrupted_one_left(own: Home, made: list[RootSpec]) -> None:
    provider = DebianProvider()
    provider.resolve("gcc-14", own, _silent)
    provider.resolve("gcc-13", own, _silent)
    for name in ("gcc-14", "gcc-13"):
        folder = root_folder(own, parse_name(name), ["make"])
        (folder.with_name(f"{folder.name}-unfinished-x") / "removed").mkdir(parents=True)
    provider.remove("gcc-14", own)
    left = {p.name for p in own.toolchains.iterdir() if p.is_dir()}
    assert not any("gcc-14" in name for name in left)
    assert sum("gcc-13" in name for name in left) == 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("clang-18", DebianName("clang", 18, "trixie")),
        ("clang-16", DebianName("clang", 16, "bookworm")),
        ("gcc-10", DebianName("gcc", 10, "bullseye")),
        ("clang-23", DebianName("clang", 23, "sid")),
        ("gcc-12@bookworm", DebianName("gcc", 12, "bookworm")),
        ("clang-99@experimental", DebianName("clang", 99, "experimental")),
    ],
)
def test_name(name: str, expected: DebianName) -> None:
    assert parse_name(name) == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("clang", "expected debian:clang-VERSION"),
        ("tcc-1", "expected debian:clang-VERSION"),
        ("clang-18@", "expected debian:clang-VERSION"),
        ("clang-18@../x", "expected debian:clang-VERSION"),
        ("clang-99", "needs a suite, e.g. debian:clang-99@sid"),
    ],
)
def test_mistake(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_name(name)


def test_clang_brings_its_own_linker_and_archiver() -> None:
    name = parse_name("clang-18")
    assert name.packages == ("clang-18", "lld-18", "llvm-18", "libc6-dev")
    assert name.path.startswith("/usr/lib/llvm-18/bin:")
    assert parse_name("gcc-14").packages == ("gcc-14", "libc6-dev")


def test_the_list_is_by_kind_and_age() -> None:
    names = known_names()
    assert names[:2] == ["clang-9", "clang-11"]
    assert names[-1] == "gcc-16"
    assert len(names) == len(set(names))


def _install(place: Home) -> None:
    folder = valgrind_root(place).parent
    (folder / "root").mkdir(parents=True)
    (folder / "size").write_text("270000000\n")
    (folder / "digest").write_text("d1\n")


def test_its_size_until_it_is_removed(own: Home) -> None:
    assert valgrind_size(own) == 0
    _install(own)
    assert valgrind_size(own) == 270_000_000
    remove_valgrind(own)
    assert valgrind_size(own) == 0
    assert not valgrind_root(own).parent.exists()
    with pytest.raises(UserError, match="debian:valgrind is not installed"):
        remove_valgrind(own)


def test_it_is_called_by_its_name(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    golden: Hear,
) -> None:
    monkeypatch.setenv("WHYFAST_HOME", str(tmp_path))  # with no toolchains of the user's
    _install(home())
    assert main(["toolchain", "list"]) == 0
    (line,) = (s for s in capsys.readouterr().out.splitlines() if "valgrind" in s)
    assert line.split() == ["debian:valgrind", "installed", "270", "MB"]
    assert main(["toolchain", "remove", "debian:valgrind"]) == 0
    assert capsys.readouterr().out == "removed debian:valgrind\n"
    assert main(["toolchain", "remove", "debian:valgrind"]) == 2
    golden(capsys.readouterr().err)
