"""The machine's archive, asked of a double of apt."""

import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear

from whyfast.model.errors import CannotBuildHere
from whyfast.toolchain import archive

SOURCES = """\
Package: python9
Version: 9.1.2-1
Directory: pool/main/p/python9
Checksums-Sha1:
 aa 10 python9_9.1.2.orig.tar.xz
Checksums-Sha256:
 1111 10 python9_9.1.2-1.dsc
 2222 20 python9_9.1.2.orig.tar.xz
 3333 30 python9_9.1.2-1.debian.tar.xz

Package: python9
Version: 9.1.3-1
Checksums-Sha256:
 4444 20 python9_9.1.3.orig.tar.xz
Directory: pool/main/p/python9
"""


class Apt:
    """Answers by the first two words of a command; ``asked`` are the commands in order."""

    def __init__(self, answers: Mapping[str, tuple[int, str, str]]) -> None:
        self.answers = answers
        self.asked: list[list[str]] = []

    def __call__(
        self, argv: Sequence[str], *, timeout: float | None = None
    ) -> subprocess.CompletedProcess[str]:
        self.asked.append(list(argv))
        for key, (status, out, err) in self.answers.items():
            if key in " ".join([Path(argv[0]).name, *argv[1:]]):
                return subprocess.CompletedProcess(argv, status, out, err)
        raise FileNotFoundError(2, "No such file or directory", argv[0])


#: Puts a double in the place of apt.
Answering = Callable[[Mapping[str, tuple[int, str, str]]], Apt]


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Answering:
    monkeypatch.delenv(archive.VARIABLE, raising=False)

    def double(answers: Mapping[str, tuple[int, str, str]]) -> Apt:
        apt = Apt(answers)
        monkeypatch.setattr(archive, "run", apt)
        return apt

    return double


@pytest.fixture
def at_example(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> Answering:
    """The same, with the address of the archive set."""
    monkeypatch.setenv(archive.VARIABLE, "http://a.example/debian")
    return answering


def test_the_address_is_that_of_the_signed_name(answering: Answering) -> None:
    lists = "Debian-Security|http://one.example/debian-security/\nDebian|http://two.example/deb/\n"
    answering({"indextargets": (0, lists, "")})
    assert archive.archive_address() == "http://two.example/deb"


def test_without_lists_it_is_what_apt_would_download(answering: Answering) -> None:
    uris = (
        "'https://packages.example/other/dists/x/InRelease' other 0 \n"
        "'http://a.example/debian-security/dists/x-security/InRelease' security 0 \n"
        "'http://a.example/mirror/debian/dists/x/InRelease' main 0 \n"
    )
    answering({"indextargets": (0, "", ""), "--print-uris": (0, uris, "")})
    assert archive.archive_address() == "http://a.example/mirror/debian"


def test_the_variable_goes_first(answering: Answering, monkeypatch: pytest.MonkeyPatch) -> None:
    answering({})
    monkeypatch.setenv(archive.VARIABLE, "http://own.example/debian/")
    assert archive.archive_address() == "http://own.example/debian"


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({}, "apt cannot be run to find a Debian archive"),
        ({"apt-get": (0, "", "")}, "this machine's apt names no Debian archive"),
    ],
)
def test_no_archive(
    answering: Answering, answers: Mapping[str, tuple[int, str, str]], reason: str
) -> None:
    answering(answers)
    with pytest.raises(CannotBuildHere, match=reason) as caught:
        archive.archive_address()
    assert archive.VARIABLE in str(caught.value)


def test_proxies_are_carried_over_and_nothing_else(answering: Answering, golden: Hear) -> None:
    dump = (
        'Acquire::http::Proxy "http://proxy.example:3142";\n'
        'Acquire::https::Proxy "";\n'
        'Acquire::http::deb.example::Proxy "DIRECT";\n'
        'Acquire::Retries "3";\n'
    )
    answering({"apt-config dump": (0, dump, "")})
    golden(*archive.proxy_options())


@pytest.fixture
def helper(tmp_path: Path) -> str:
    """What apt-config says of apt's methods, beside which there is an apt-helper."""
    (tmp_path / "methods").mkdir()
    (tmp_path / "apt-helper").touch()
    return f"found='{tmp_path}/methods/'\n"


@pytest.mark.parametrize(
    ("status", "said", "reason"),
    [
        (100, "E: Failed to fetch http://a/b  404  Not Found\nE: More", "does not serve"),
        (100, "E: Failed to fetch http://a/b  Hash Sum mismatch\n Hashes:", "sha256 differs"),
        (
            100,
            "W: a warning\nE: Could not resolve 'a.example'\nE: Download Failed",
            "Could not resolve 'a.example'",
        ),
        (
            100,
            "E: Failed to fetch http://a/b  Hash Sum mismatch\n - SHA256: ab 404 cd",
            "sha256 differs",
        ),
        (
            100,
            "E: Failed to fetch http://a/python_3.404.tar.xz  500  Internal Server Error",
            "500 Internal Server Error",
        ),
        (7, "", "apt-helper ended with exit code 7"),
    ],
)
def test_why_a_download_failed(
    tmp_path: Path, helper: str, at_example: Answering, status: int, said: str, reason: str
) -> None:
    apt = at_example({"apt-config": (0, helper, ""), "apt-helper": (status, "", said)})
    target = tmp_path / "file"
    target.write_text("half")
    assert reason in (archive.download("pool/x.tar.xz", "1234", target) or "")
    assert not target.exists()
    assert apt.asked[-1][1:] == [
        "download-file",
        "http://a.example/debian/pool/x.tar.xz",
        str(target),
        "SHA256:1234",
    ]


def test_a_download(tmp_path: Path, helper: str, at_example: Answering) -> None:
    at_example({"apt-config": (0, helper, ""), "apt-helper": (0, "", "")})
    (tmp_path / "file").touch()
    assert archive.download("pool/x.tar.xz", "1234", tmp_path / "file") is None


def test_upstream_tarballs_of_an_index() -> None:
    assert archive.parse_sources(SOURCES) == [
        archive.Listed("9.1.2", "pool/main/p/python9/python9_9.1.2.orig.tar.xz", "2222"),
        archive.Listed("9.1.3", "pool/main/p/python9/python9_9.1.3.orig.tar.xz", "4444"),
    ]


def test_an_expired_index_of_a_moving_suite_is_read(at_example: Answering) -> None:
    apt = at_example({"update": (0, "", ""), "showsrc": (0, SOURCES, "")})
    assert len(archive.listed_sources("python9", "sid")) == 2
    assert "Acquire::Check-Valid-Until=false" in apt.asked[0]
    archive.listed_sources("python9", "bookworm")
    assert "Acquire::Check-Valid-Until=false" not in apt.asked[2]
    archive.listed_sources("python9", "trixie-backports")
    assert "Acquire::Check-Valid-Until=false" in apt.asked[4]


def test_an_index_that_cannot_be_had(at_example: Answering) -> None:
    at_example({"update": (100, "", "W: x\nE: The repository has no Release file.\nE: more")})
    with pytest.raises(
        CannotBuildHere, match="index of sid is not available: The repository has no"
    ):
        archive.listed_sources("python9", "sid")


def test_an_index_without_apt(at_example: Answering) -> None:
    at_example({})
    with pytest.raises(CannotBuildHere, match="apt, which reads the source index of sid"):
        archive.listed_sources("python9", "sid")


def test_an_index_that_cannot_be_read_is_not_an_empty_one(at_example: Answering) -> None:
    at_example({"update": (0, "", ""), "search": (100, "", "E: Regex compilation error")})
    with pytest.raises(CannotBuildHere, match="package index of sid is not available: Regex"):
        archive.listed_binaries("[", "sid", "amd64")
