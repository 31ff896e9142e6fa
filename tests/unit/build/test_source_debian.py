"""Upstream tarballs of source packages, from a double of the archive."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.build.source import fetch_tarball, pool_folder
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.toolchain.archive import Listed

CONTENT = b"the tarball"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def _serving(files: Mapping[str, bytes]) -> Callable[[str, str, Path], str | None]:
    def download(path: str, sha256: str, to: Path) -> str | None:
        if path not in files:
            return "the archive does not serve it"
        to.write_bytes(files[path])
        return None

    return download


def _listing(*listed: Listed) -> Callable[[str, str], Sequence[Listed]]:
    return lambda package, suite: listed


@pytest.mark.parametrize(
    ("package", "folder"),
    [("python3.14", "pool/main/p/python3.14"), ("libffi", "pool/main/libf/libffi")],
)
def test_the_pool(package: str, folder: str) -> None:
    assert pool_folder(package) == folder


@pytest.mark.parametrize("suffix", ["xz", "gz", "bz2"])
def test_a_version_that_is_no_longer_listed_is_fetched(tmp_path: Path, suffix: str) -> None:
    serving = _serving({f"pool/main/t/thing/thing_1.0.orig.tar.{suffix}": CONTENT})
    target = tmp_path / "archive"
    fetch_tarball(*("thing", "1.0", SHA256, "sid", target), download=serving, index=_listing())
    assert target.read_bytes() == CONTENT


def test_a_tarball_with_another_content_is_not_kept(tmp_path: Path) -> None:
    serving = _serving({"pool/main/t/thing/thing_1.0.orig.tar.xz": b"other"})
    with pytest.raises(UserError, match=r"the tarball has the sha256 .* where the study has"):
        fetch_tarball(
            *("thing", "1.0", SHA256, "sid", tmp_path / "archive"),
            download=serving,
            index=_listing(),
        )
    assert not (tmp_path / "archive").exists()


def test_the_error_says_what_is_listed_and_what_of_it_is_served(
    tmp_path: Path, golden: Hear
) -> None:
    serving = _serving({"pool/two": CONTENT})
    index = _listing(Listed("1.1", "pool/one", "11"), Listed("1.2", "pool/two", "22"))
    with pytest.raises(UserError) as caught:
        fetch_tarball(
            *("thing", "1.0", SHA256, "sid", tmp_path / "archive"), download=serving, index=index
        )
    golden(str(caught.value))
    assert list(tmp_path.iterdir()) == []


def test_another_reason_goes_first(tmp_path: Path) -> None:
    def download(path: str, sha256: str, to: Path) -> str | None:
        return "Could not resolve 'a.example'" if path.endswith("gz") else "does not serve"

    def index(package: str, suite: str) -> Sequence[Listed]:
        raise CannotBuildHere("the source index of sid cannot be had: no network")

    with pytest.raises(UserError) as caught:
        fetch_tarball(
            *("thing", "1.0", SHA256, "sid", tmp_path / "a"), download=download, index=index
        )
    assert str(caught.value).startswith("Could not resolve 'a.example'; what else there is cannot")


def test_no_such_package(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="sid lists no source package thing"):
        fetch_tarball(
            *("thing", "1.0", SHA256, "sid", tmp_path / "a"),
            download=_serving({}),
            index=_listing(),
        )
