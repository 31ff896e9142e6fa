"""Roots of Debian: made, and made again as recorded."""

import hashlib
import json
import stat
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear, refusal

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.files import delete
from whyfast.toolchain import debian_root as module
from whyfast.toolchain.archive import Binary
from whyfast.toolchain.debian_root import (
    RECORD,
    Package,
    RecordedRoot,
    RootSpec,
    check_archive,
    digest_of,
    explain_failure,
    make_root,
    mmdebstrap_words,
    parse_record,
    pinned,
    recorded_root,
)

SPEC = RootSpec("trixie", ("gcc-14", "make"), "http://a.example/debian", need=1000)

SHOWN = """\
Package: gcc-14
Version: 14.2.0-19
SHA256: abcd
Description: a compiler

Package: base-files
Version: 13.8
SHA256: 1234
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive as mmdebstrap writes it, with what a user must not get from it."""
    tree = tmp_path / "tree"
    (tree / RECORD).parent.mkdir(parents=True)
    (tree / RECORD).write_text(SHOWN)
    (tree / "usr/bin").mkdir(parents=True)
    (tree / "usr/bin/su").write_text("su")
    (tree / "usr/bin/su").chmod(0o4755)
    (tree / "usr/locked").mkdir(mode=0o555)
    (tree / "dev").mkdir()
    (tree / "dev/null").touch()
    made = tmp_path / "made.tar"
    with tarfile.open(made, "w") as tar:
        tar.add(tree, ".")
    return made


def _script(text: str) -> list[str]:
    return ["/bin/sh", "-c", text]


def test_a_root_is_complete_and_says_what_is_in_it(tmp_path: Path, archive: Path) -> None:
    folder = tmp_path / "cache" / "root-1"
    said: list[str] = []
    words = _script(f"echo 'I: extracting archives...' >&2; echo 'I: done' >&2; cat {archive}")
    make_root(SPEC, folder, words, said.append)
    assert said == ["extracting archives"]
    assert json.loads((folder / "packages.json").read_text()) == {
        "base-files": {"version": "13.8", "sha256": "1234"},
        "gcc-14": {"version": "14.2.0-19", "sha256": "abcd"},
    }
    lines = b"base-files 13.8 1234\ngcc-14 14.2.0-19 abcd"
    assert (folder / "digest").read_text() == hashlib.sha256(lines).hexdigest() + "\n"
    assert not (folder / "root" / RECORD).exists()
    assert [p.name for p in folder.parent.iterdir()] == ["root-1"]


def test_nothing_in_it_is_privileged_or_cannot_be_deleted(tmp_path: Path, archive: Path) -> None:
    folder = tmp_path / "root-1"
    make_root(SPEC, folder, _script(f"cat {archive}"), lambda text: None)
    root = folder / "root"
    assert stat.S_IMODE((root / "usr/bin/su").stat().st_mode) == 0o755
    assert (root / "usr/locked").stat().st_mode & stat.S_IWUSR
    assert list((root / "dev").iterdir()) == []
    delete(folder)
    assert not folder.exists()


@pytest.mark.parametrize("exit_code", [0, 1])
def test_a_failure_keeps_only_the_old_root(tmp_path: Path, archive: Path, exit_code: int) -> None:
    folder = tmp_path / "cache" / "root-1"
    (folder / "root").mkdir(parents=True)
    words = _script(f"echo 'E: Unable to locate package gcc-14' >&2; exit {exit_code}")
    with pytest.raises(CannotBuildHere):
        make_root(SPEC, folder, words, lambda text: None)
    assert [p.name for p in folder.parent.iterdir()] == ["root-1"]


@pytest.mark.parametrize(
    "said",
    ["tar: ./a: Cannot write: No space left on device", "tar: ./a: Cannot mkdir: Not a directory"],
)
def test_why_it_could_not_be_unpacked(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, said: str, golden: Hear
) -> None:
    (tmp_path / "bin").mkdir()
    tar = tmp_path / "bin" / "tar"
    tar.write_text(
        f"#!/bin/sh\ncat >/dev/null\necho '{said}' >&2\n"
        "echo 'tar: Exiting with failure status due to previous errors' >&2\nexit 2\n"
    )
    tar.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    golden(
        refusal(
            CannotBuildHere,
            lambda: make_root(
                SPEC, tmp_path / "root-1", _script(f"cat {archive}"), lambda text: None
            ),
        )
    )


def test_remains_of_a_killed_process_go(tmp_path: Path, archive: Path) -> None:
    folder = tmp_path / "root-1"
    (tmp_path / "root-1-unfinished-abc" / "root").mkdir(parents=True)
    make_root(SPEC, folder, _script(f"cat {archive}"), lambda text: None)
    assert not (tmp_path / "root-1-unfinished-abc").exists()


def test_room_is_asked_for_first(tmp_path: Path) -> None:
    spec = RootSpec("trixie", (), "http://a.example/debian", need=10**18)
    with pytest.raises(
        CannotBuildHere, match=r"not enough disk space for a Debian trixie root: .* free"
    ):
        make_root(spec, tmp_path / "root", _script("touch ran"), lambda text: None)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("E: Unable to locate package clang-99", "Debian trixie has no package clang-99"),
        (
            "E: Package 'a' has no installation candidate\nE: Unable to locate package b",
            "Debian trixie has no packages a, b",
        ),
        (
            "E: The repository 'http://a.example/debian trixie Release' does not have a Release "
            "file.\nE: apt-get update failed",
            "the archive http://a.example/debian has no suite trixie",
        ),
        (
            "tar: x: Cannot write: No space left on device",
            "no space left on the disk for the Debian trixie root",
        ),
        ("E: first\nE: second", "mmdebstrap could not create a Debian trixie root: first"),
        ("", "mmdebstrap could not create a Debian trixie root: exit code 25"),
    ],
)
def test_why_a_root_could_not_be_made(said: str, reason: str) -> None:
    assert explain_failure(said.splitlines(), SPEC, 25) == reason


def test_an_ordinary_user_is_told_what_is_missing() -> None:
    said = ["E: invalid mode: unshare", "newuidmap: not found"]
    assert "apt-get install uidmap" in explain_failure(said, SPEC, 1)


def test_the_command(golden: Hear) -> None:
    words = mmdebstrap_words(SPEC, "/usr/bin/mmdebstrap", "unshare")
    assert words[:5] == [
        "/usr/bin/mmdebstrap",
        "--variant=apt",
        "--format=tar",
        "--mode=unshare",
        "--include=gcc-14,make",
    ]
    assert words[-3:] == ["trixie", "-", "http://a.example/debian"]
    assert not any("Check-Valid-Until" in word for word in words)
    sid = RootSpec("sid", (), "x", ('Acquire::http::Proxy "p";',))
    golden(*[w for w in mmdebstrap_words(sid, "m", "root") if w.startswith("--aptopt")])


def test_the_record_of_packages() -> None:
    assert parse_record(SHOWN + "\nPackage: local\nVersion: 1\n")["local"] == Package("1", "")
    assert list(parse_record(SHOWN)) == ["base-files", "gcc-14"]


A, B = "a" * 64, "b" * 64


def _provenance(**changes: Any) -> dict[str, Any]:
    toolchain = {
        "name": "debian:gcc-14",
        "target": "aarch64-linux-gnu",
        "root": "/home/u/.cache/whyfast/toolchains/debian-trixie-gcc-14-01234567/root",
        "packages": {"gcc-14": f"14.2.0-19 sha256:{A}", "libc6": f"2.41-12 sha256:{B}"},
    }
    return {"toolchain": {**toolchain, **changes}}


def test_what_provenance_says() -> None:
    found = recorded_root(_provenance(), "b")
    assert (found.name, found.architecture) == ("debian:gcc-14", "arm64")
    assert found.folder == "debian-trixie-gcc-14-01234567"
    packages = {"gcc-14": Package("14.2.0-19", A), "libc6": Package("2.41-12", B)}
    assert found.packages == packages
    assert found.digest == digest_of(packages)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "zig:clang-18"}, "not built in a Debian root, but by zig:clang-18"),
        ({"packages": {}}, "not built in a Debian root"),
        ({"root": "/etc"}, "not a root of a Debian toolchain"),
        ({"root": "/x/debian-trixie-gcc-14-../root"}, "not a root of a Debian toolchain"),
        ({"packages": {"gcc-14": "14"}}, "gcc-14 is recorded without a sha256"),
    ],
)
def test_what_is_no_record(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words) as caught:
        recorded_root(_provenance(**changes), "--from b")
    assert caught.value.where == "--from b"
    with pytest.raises(UserError):
        recorded_root({}, "b")


def _listed(monkeypatch: pytest.MonkeyPatch, *binaries: tuple[str, str, str]) -> None:
    found = [Binary(n, v, f"pool/{n}.deb", sha256, 1) for n, v, sha256 in binaries]
    monkeypatch.setattr(module, "listed_binaries", lambda *a: found)


def test_packages_no_longer_had_are_named(monkeypatch: pytest.MonkeyPatch, golden: Hear) -> None:
    wanted = recorded_root(_provenance(), "b")
    _listed(monkeypatch, ("gcc-14", "14.2.0-19", A), ("libc6", "2.41-12", B), ("tar", "1", A))
    check_archive(wanted, "trixie")
    _listed(monkeypatch, ("gcc-14", "14.2.0-20", A), ("tar", "1", A))
    golden(refusal(CannotBuildHere, lambda: check_archive(wanted, "trixie")))
    # the same version from another build is another package
    _listed(monkeypatch, ("gcc-14", "14.2.0-19", B), ("libc6", "2.41-12", B))
    with pytest.raises(CannotBuildHere, match="1 of the 2 packages"):
        check_archive(wanted, "trixie")


def test_only_the_packages_of_the_root_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    def listed(*question: str) -> list[Binary]:
        asked.append(question)
        return []

    monkeypatch.setattr(module, "listed_binaries", listed)
    packages = {"libstdc++6": Package("14", A), "libpython3.13": Package("3", B)}
    root = RecordedRoot("debian:gcc-14", "folder", packages, "amd64")
    with pytest.raises(CannotBuildHere, match="2 of the 2 packages"):
        check_archive(root, "trixie")
    assert asked == [(r"^(libpython3[.]13|libstdc[+][+]6)$", "trixie", "amd64")]


def test_versions_are_pinned_while_the_root_is_made(tmp_path: Path) -> None:
    wanted = recorded_root(_provenance(), "b")
    spec = pinned(RootSpec("trixie", ("gcc-14",), "http://a.example/debian"), wanted)
    assert spec.packages == ("gcc-14", "libc6")
    assert spec.digest == wanted.digest
    assert "Package: libc6\nPin: version 2.41-12\nPin-Priority: 1001\n" in spec.preferences
    hooks = [w for w in mmdebstrap_words(spec, "mmdebstrap", "root") if "preferences.d" in w]
    assert [h.split("=")[0] for h in hooks] == ["--setup-hook", "--customize-hook"]
    plain = RootSpec("trixie", ("gcc-14",), "http://a.example/debian")
    assert not any("preferences.d" in w for w in mmdebstrap_words(plain, "mmdebstrap", "root"))
