"""The same root again, from the provenance of a build."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.toolchain import debian_root as module
from whyfast.toolchain.archive import Binary
from whyfast.toolchain.debian_root import (
    Package,
    RecordedRoot,
    RootSpec,
    check_archive,
    digest_of,
    mmdebstrap_words,
    pinned,
    recorded_root,
)

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


def test_packages_that_the_archive_has_no_longer_are_named(
    monkeypatch: pytest.MonkeyPatch, golden: Hear
) -> None:
    wanted = recorded_root(_provenance(), "b")
    _listed(monkeypatch, ("gcc-14", "14.2.0-19", A), ("libc6", "2.41-12", B), ("tar", "1", A))
    check_archive(wanted, "trixie")
    _listed(monkeypatch, ("gcc-14", "14.2.0-20", A), ("tar", "1", A))
    with pytest.raises(CannotBuildHere) as caught:
        check_archive(wanted, "trixie")
    golden(str(caught.value))
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
