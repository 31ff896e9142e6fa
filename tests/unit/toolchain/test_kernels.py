"""Kernels from Debian's packages, and their names."""

import io
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.golden_files import Hear, refusal

from whyfast.model.build import Kernel
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.store.home import Home
from whyfast.toolchain import kernels
from whyfast.toolchain.archive import Binary, parse_binaries
from whyfast.toolchain.kernels import (
    KernelName,
    available,
    candidates,
    extract_image,
    get_kernel,
    installed,
    kernel_folder,
    parse_kernel,
)

NEWER = Binary("linux-image-6.1.0-50-amd64", "6.1.176-1", "pool/newer.deb", "aa", 10)
OLDER = Binary("linux-image-6.1.0-47-amd64", "6.1.170-1", "pool/older.deb", "bb", 10)


class Archive:
    """Lists two kernels and serves those in ``served``; what it serves holds an image."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.served: dict[str, Binary] = {}
        self.asked: list[str] = []
        patch.setattr(kernels, "listed_binaries", self.index)
        patch.setattr(kernels, "download", self.download)
        patch.setattr(kernels, "extract_image", _extract)

    def index(self, pattern: str, suite: str, architecture: str) -> Sequence[Binary]:
        self.asked.append(f"{suite} {architecture}")
        return [OLDER, NEWER]

    def download(self, path: str, sha256: str, to: Path) -> str | None:
        if path not in self.served:
            return "the archive does not serve it"
        assert sha256 == self.served[path].sha256
        to.write_bytes(b"package " + path.encode())
        return None

    def get(self, home: Home, *served: Binary, say: Callable[[str], None] = print) -> Kernel:
        self.served = {package.path: package for package in served}
        return get_kernel("debian:linux-6.1", home, say)


def _extract(package: Path, to: Path) -> None:
    to.write_bytes(b"image of " + package.read_bytes())


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch) -> Archive:
    return Archive(monkeypatch)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


def test_the_newest_that_is_served_is_kept(home: Home, archive: Archive, golden: Hear) -> None:
    said: list[str] = []
    kernel = archive.get(home, OLDER, say=said.append)
    assert archive.asked == ["bookworm amd64"]
    golden(*said)
    assert (kernel.release, kernel.version, kernel.upstream) == (
        "6.1.0-47-amd64",
        "6.1.170-1",
        "6.1.170",
    )
    assert kernel.image.read_bytes() == b"image of package pool/older.deb"
    assert kernel.package_sha256 == "bb"
    assert installed("debian:linux-6.1", home)


def test_what_is_there_needs_no_archive(home: Home, archive: Archive) -> None:
    first = archive.get(home, NEWER)
    assert archive.get(home) == first
    assert len(archive.asked) == 1


def test_a_missing_version_is_answered_with_those_there_are(
    home: Home, archive: Archive, golden: Hear
) -> None:
    golden(refusal(CannotBuildHere, lambda: get_kernel("debian:linux-6.1.9@sid", home, print)))


def test_nothing_half_made_is_left(
    home: Home, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(package: Path, to: Path) -> None:
        raise CannotBuildHere("the package contains no kernel")

    monkeypatch.setattr(kernels, "extract_image", broken)
    with pytest.raises(CannotBuildHere, match="contains no kernel"):
        archive.get(home, NEWER, OLDER)
    folder = kernel_folder(home, "debian:linux-6.1")
    assert [p.name for p in folder.parent.iterdir()] == ["debian-linux-6.1.lock"]


def make_package(folder: Path, files: dict[str, bytes]) -> Path:
    """A package as dpkg-deb reads it, by ``ar`` of three members."""
    made = folder / "made.deb"
    data, control = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    with tarfile.open(fileobj=control, mode="w"):
        pass
    with made.open("wb") as out:
        out.write(b"!<arch>\n")
        for name, content in (
            ("debian-binary", b"2.0\n"),
            ("control.tar", control.getvalue()),
            ("data.tar", data.getvalue()),
        ):
            head = f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(content):<10}`\n"
            out.write(head.encode() + content + b"\n" * (len(content) % 2))
    return made


@pytest.mark.parametrize(
    "name", ["./boot/vmlinuz-6.1.0-50-amd64", "./usr/lib/modules/7.3.4+deb13-amd64/vmlinuz"]
)
def test_the_image_is_found_where_debian_puts_it(tmp_path: Path, name: str) -> None:
    package = make_package(tmp_path, {"./boot/config": b"no", name: b"the image"})
    extract_image(package, tmp_path / "image")
    assert (tmp_path / "image").read_bytes() == b"the image"


def test_a_package_without_a_kernel_is_refused(tmp_path: Path) -> None:
    package = make_package(tmp_path, {"./usr/share/doc/linux": b"no"})
    with pytest.raises(CannotBuildHere, match="contains no kernel"):
        extract_image(package, tmp_path / "image")


@pytest.mark.parametrize("length", [0, 8, 200, -9600])
def test_what_is_no_whole_package_is_refused(tmp_path: Path, length: int) -> None:
    package = make_package(tmp_path, {"./boot/vmlinuz-6.1": b"the image" * 100})
    package.write_bytes(package.read_bytes()[:length])
    with pytest.raises((CannotBuildHere, OSError), match=r"cannot be unpacked|Incorrect"):
        extract_image(package, tmp_path / "image")


def test_the_index_of_binary_packages() -> None:
    text = (
        "Package: linux-image-6.1.0-50-amd64\nVersion: 6.1.176-1\nFilename: pool/x.deb\n"
        "Size: 70302080\nSHA256: 7b55\nDescription: Linux 6.1\n for amd64\n\n"
        "Package: linux-image-amd64\nVersion: 6.1.176-1\n"
    )
    assert parse_binaries(text) == [
        Binary("linux-image-6.1.0-50-amd64", "6.1.176-1", "pool/x.deb", "7b55", 70302080)
    ]


def test_remains_of_a_killed_process_go_and_a_full_disk_is_named(
    home: Home, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = kernel_folder(home, "debian:linux-6.1")
    remains = folder.with_name(f"{folder.name}-unfinished-x")
    remains.mkdir(parents=True)

    def full(package: Path, to: Path) -> None:
        raise OSError(28, "No space left on device", str(to))

    monkeypatch.setattr(kernels, "extract_image", full)
    with pytest.raises(CannotBuildHere, match=r"linux-6.1 cannot be stored: .*No space left"):
        archive.get(home, NEWER)
    assert not remains.exists()
    assert not folder.exists()


def package(name: str, version: str) -> Binary:
    return Binary(name, version, f"pool/{name}.deb", "aa", 10)


LISTED = [
    package("linux-image-6.1.0-47-amd64", "6.1.170-1"),
    package("linux-image-6.1.0-50-amd64", "6.1.176-1"),
    package("linux-image-6.1.0-50-amd64-unsigned", "6.1.176-1"),
    package("linux-image-6.1.0-50-cloud-amd64", "6.1.176-1"),
    package("linux-image-6.1.0-50-amd64-dbg", "6.1.176-1"),
    package("linux-image-6.12.9+deb12-amd64", "6.12.9-1~bpo12+1"),
    package("linux-image-6.12.43+deb12-amd64", "6.12.43-1~bpo12+1"),
    package("linux-image-7.3.4+deb13-amd64", "7.3.4-1~bpo13+1"),
    package("linux-binary-7.3.4+deb13-amd64", "7.3.4-1~bpo13+1"),
]


@pytest.mark.parametrize(
    ("name", "version", "flavour", "suites"),
    [
        ("debian:linux-6.1", "6.1", "", ("bookworm",)),  # a long-term version has its suite
        ("debian:linux-7.0.4-cloud", "7.0.4", "cloud", ("trixie-backports", "sid")),
        ("debian:linux@sid", "", "", ("sid",)),  # the newest of that suite
    ],
)
def test_names(name: str, version: str, flavour: str, suites: tuple[str, ...]) -> None:
    assert parse_kernel(name) == KernelName(name, version, flavour, suites)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fedora:linux-6.1", "available: debian"),
        ("debian:clang-19", "expected debian:linux-VERSION"),
        ("debian:linux", "has neither a version nor a suite"),
        ("debian:linux-6", "expected debian:linux-VERSION"),
        ("debian:linux-6.1@", "expected debian:linux-VERSION"),
    ],
)
def test_other_names_are_refused_with_the_right_form(name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse_kernel(name)


@pytest.mark.parametrize(
    ("name", "packages"),
    [
        # The newest goes first, and the signed before the unsigned.
        ("linux-6.1", ["6.1.0-50-amd64", "6.1.0-50-amd64-unsigned", "6.1.0-47-amd64"]),
        # Versions are numbers and not texts.
        ("linux-6.12", ["6.12.43+deb12-amd64", "6.12.9+deb12-amd64"]),
        ("linux-6.1-cloud", ["6.1.0-50-cloud-amd64"]),
    ],
)
def test_candidates(name: str, packages: list[str]) -> None:
    fitting = candidates(parse_kernel(f"debian:{name}"), "suite", LISTED)
    assert [c.package.package for c in fitting] == [f"linux-image-{p}" for p in packages]


def test_a_candidate_comes_before_its_release() -> None:
    early = package("linux-image-7.1-rc7-amd64", "7.1~rc7-1~exp1")
    late = package("linux-image-7.1-amd64", "7.1-1~exp1")
    found = candidates(parse_kernel("debian:linux@experimental"), "experimental", [early, late])
    assert [c.package for c in found] == [late, early]


def test_new_kernels_are_in_a_package_of_their_own() -> None:
    first, *_ = candidates(parse_kernel("debian:linux@sid"), "suite", LISTED)
    assert first.package.package == "linux-binary-7.3.4+deb13-amd64"


def test_what_there_is_is_said_by_upstream_version() -> None:
    wanted = parse_kernel("debian:linux-9.9")
    assert available(wanted, "sid", LISTED) == ["6.1.170", "6.1.176", "6.12.9", "6.12.43", "7.3.4"]
