"""``[source]`` of kinds that are fetched, and ``packages``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.study import Source
from whyfast.study.load import load_study

SHA256 = "ab" * 32
#: From Python 3.14 on there is no such file, without a reason.
TOO_LONG = (
    " does not exist; relative to DEMO" if sys.version_info >= (3, 14) else ": File name too long"
)
DEBIAN = f'debian = "python3.14"\nversion = "3.14.6"\nsha256 = "{SHA256}"'

CASES = {
    "no version": 'debian = "python3.14"',
    "no sha256": 'debian = "python3.14"\nversion = "3.14.6"',
    "bad sha256": DEBIAN.replace(SHA256, "abc"),
    "bad package": DEBIAN.replace("python3.14", "../x"),
    "bad version": DEBIAN.replace("3.14.6", "3/14"),
    "bad suite": f'{DEBIAN}\nsuite = "../"',
    "key of another kind": 'path = "src"\nversion = "1"',
    "tarball gone": f'tarball = "x.tar.xz"\nsha256 = "{SHA256}"',
    "tarball long": f'tarball = "{"x" * 300}"\nsha256 = "{SHA256}"',
    "tarball folder": f'tarball = "src"\nsha256 = "{SHA256}"',
    "tarball address": f'tarball = "https://example.org/x.tar.xz"\nsha256 = "{SHA256}"',
    "no revision": 'git = "https://example.org/x"',
    "an option for a revision": 'git = "https://example.org/x"\nrevision = "--upload-pack=x"',
    "repository gone": 'git = "../gone"\nrevision = "v1"',
}


def test_mistakes(valid: str, message: Callable[[str], str], golden: Hear) -> None:
    for name, source in CASES.items():
        text = valid.replace('path = "src"', source)
        golden(f"{name}: {message(text)}")


@pytest.mark.parametrize(("more", "suite"), [("", "sid"), ('suite = "trixie"', "trixie")])
def test_debian(valid: str, write: Callable[[str], Path], more: str, suite: str) -> None:
    file = write(valid.replace('path = "src"', f"{DEBIAN}\n{more}"))
    assert load_study(file).source == Source(
        "debian", "python3.14", file.parent, version="3.14.6", sha256=SHA256, suite=suite
    )


def test_tarball(valid: str, write: Callable[[str], Path]) -> None:
    text = f'tarball = "study.toml"\nsha256 = "{SHA256.upper()}"'
    file = write(valid.replace('path = "src"', text))
    assert load_study(file).source == Source("tarball", "study.toml", file, sha256=SHA256)


@pytest.mark.parametrize("address", ["https://example.org/x", "git@example.org:x/y.git"])
def test_git_address(valid: str, write: Callable[[str], Path], address: str) -> None:
    file = write(valid.replace('path = "src"', f'git = "{address}"\nrevision = "v1"'))
    assert load_study(file).source == Source("git", address, file.parent, revision="v1")


def test_git_folder(valid: str, write: Callable[[str], Path]) -> None:
    file = write(valid.replace('path = "src"', 'git = "src"\nrevision = "v1"'))
    assert load_study(file).source == Source("git", "src", file.parent / "src", revision="v1")


def test_packages(
    valid: str, write: Callable[[str], Path], message: Callable[[str], str], golden: Hear
) -> None:
    text = valid.replace("[build]", '[build]\npackages = ["make", "zlib1g-dev", "make"]')
    assert load_study(write(text)).build.packages == ("make", "zlib1g-dev")
    golden(message(text.replace('"zlib1g-dev"', '"zlib,evil"')))
