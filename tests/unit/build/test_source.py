"""Sources that are fetched once and shared.

Upstream tarballs of source packages, from a double of the archive. Archives, good and hostile.
"""

import hashlib
import io
import os
import random
import re
import subprocess
import tarfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import pytest
from tests.golden_files import Hear, refusal
from tests.unit.build.example import silent, study

from whyfast.build.source import fetch_tarball, obtain, pool_folder, present, unpack, with_source
from whyfast.model.errors import CannotBuildHere, UserError
from whyfast.model.study import Source
from whyfast.store.home import Home
from whyfast.toolchain.archive import Listed


@pytest.fixture
def own(tmp_path: Path) -> Home:
    return Home(tmp_path / "cache", tmp_path / "data")


@pytest.fixture
def tarball(tmp_path: Path) -> Source:
    """A tarball with one file in a folder."""
    (tmp_path / "thing-1.0").mkdir()
    (tmp_path / "thing-1.0" / "main.c").write_text("int main(void) { return 0; }\n")
    archive = tmp_path / "thing.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(tmp_path / "thing-1.0", "thing-1.0")
    sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
    return Source("tarball", "thing.tar.gz", archive, sha256=sha256)


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(folder), *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two commits, the first tagged; the checkout has been changed since."""
    folder = tmp_path / "repository"
    folder.mkdir()
    _git(folder, "init", "--quiet")
    (folder / ".gitattributes").write_text("left-out export-ignore\n")
    (folder / "left-out").write_text("kept\n")
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    _git(folder, "add", ".")
    _git(folder, "commit", "--quiet", "-m", "one")
    _git(folder, "tag", "v1")
    (folder / "run").write_text("second\n")
    _git(folder, "commit", "--quiet", "-a", "-m", "two")
    (folder / "run").write_text("changed and not committed\n")
    return folder


def test_a_tarball_is_unpacked_once(own: Home, tarball: Source, golden: Hear) -> None:
    said: list[str] = []
    assert present(tarball, own) is None
    first = obtain(tarball, own, said.append)
    assert (first.folder / "main.c").is_file()
    assert first.folder.parent == own.sources
    tarball.folder.unlink()
    assert obtain(tarball, own, said.append) == first
    assert obtain(first, own, said.append) == first
    assert present(tarball, own) == first
    golden(*said)


def test_a_tarball_of_another_sha256_is_refused(own: Home, tarball: Source) -> None:
    wrong = Source("tarball", "thing.tar.gz", tarball.folder, sha256="0" * 64)
    made = study(tarball.folder.parent)
    object.__setattr__(made, "source", wrong)
    with pytest.raises(UserError) as caught:
        with_source(made, own, silent)
    assert f"the source is not available: {tarball.folder}: has the sha256 " in str(caught.value)
    assert not [p for p in own.sources.iterdir() if not p.name.endswith(".lock")]


def test_remains_of_an_interrupted_unpacking_go(own: Home, tarball: Source) -> None:
    remains = own.sources / f"{tarball.sha256[:40]}-unfinished-x"
    remains.mkdir(parents=True)
    obtain(tarball, own, silent)
    assert not remains.exists()


def test_a_commit_is_taken_as_it_is_and_the_checkout_stays(
    own: Home, repository: Path, golden: Hear
) -> None:
    status = _git(repository, "status", "--porcelain")
    source = Source("git", "repository", repository, revision="v1")
    folder = obtain(source, own, silent).folder
    assert sorted(p.name for p in folder.iterdir()) == [".gitattributes", "left-out", "run"]
    assert (folder / "run").read_text() == "#!/bin/sh\n"
    assert (folder / "run").stat().st_mode & 0o100
    assert folder.name == _git(repository, "rev-parse", "v1")
    assert _git(repository, "status", "--porcelain") == status
    golden((repository / "run").read_text())
    assert _git(repository, "worktree", "list").count("\n") == 0


def test_a_branch_is_followed(own: Home, repository: Path) -> None:
    source = Source("git", "repository", repository, revision="HEAD")
    assert (obtain(source, own, silent).folder / "run").read_text() == "second\n"
    _git(repository, "commit", "--quiet", "-a", "-m", "three")
    assert present(source, own) is None
    assert "not committed" in (obtain(source, own, silent).folder / "run").read_text()


def test_an_address_is_cloned_once_and_fetched_on_demand(own: Home, repository: Path) -> None:
    said: list[str] = []
    address = f"file://{repository}"
    source = Source("git", address, repository.parent, revision="v1")
    assert present(source, own) is None
    first = obtain(source, own, said.append)
    assert obtain(source, own, said.append) == first == present(source, own)
    _git(repository, "tag", "v2")
    obtain(Source("git", address, repository.parent, revision="v2"), own, said.append)
    assert [line.split()[0] for line in said] == ["cloning", "taking", "fetching", "taking"]


def test_a_clone_that_was_killed_is_made_anew(
    own: Home, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    git = tmp_path / "bin" / "git"
    git.write_text(
        "#!/bin/sh\nfor last; do :; done\n"
        'case "$*" in *" clone "*) mkdir -p "$last"; echo x >"$last/HEAD"; kill -9 $$ ;; esac\n'
    )
    git.chmod(0o755)
    source = Source("git", f"file://{repository}", repository.parent, revision="v1")
    said: list[str] = []
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
        with pytest.raises(UserError):
            obtain(source, own, said.append)
    assert present(source, own) is None
    assert (obtain(source, own, said.append).folder / "run").is_file()
    assert [line.split()[0] for line in said] == ["cloning", "cloning", "taking"]
    assert not list(own.sources.glob("*-unfinished*"))


@pytest.mark.parametrize(
    ("name", "revision", "message"),
    [
        ("repository", "v9", "has no commit 'v9'"),
        (".", "v1", "not a readable git repository: fatal: not a git repository"),
        ("file:///no/such", "v1", "git: "),
    ],
)
def test_what_git_cannot_give(
    own: Home, repository: Path, name: str, revision: str, message: str
) -> None:
    folder = repository.parent / name if "://" not in name else repository
    with pytest.raises(UserError, match=message):
        obtain(Source("git", name, folder, revision=revision), own, silent)


def test_a_folder_is_left_where_it_is(own: Home, tmp_path: Path) -> None:
    source = Source("path", ".", tmp_path)
    assert obtain(source, own, silent) is source
    assert present(source, own) is source
    assert not own.cache.exists()


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


def _fetch(
    to: Path,
    download: Callable[[str, str, Path], str | None],
    index: Callable[[str, str], Sequence[Listed]],
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("whyfast.build.source.download", download)
        patch.setattr("whyfast.build.source.listed_sources", index)
        fetch_tarball("thing", "1.0", SHA256, "sid", to)


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
    _fetch(target, serving, _listing())
    assert target.read_bytes() == CONTENT


def test_a_tarball_with_another_content_is_not_kept(tmp_path: Path) -> None:
    serving = _serving({"pool/main/t/thing/thing_1.0.orig.tar.xz": b"other"})
    with pytest.raises(UserError, match=r"the tarball has the sha256 .* where the study has"):
        _fetch(tmp_path / "archive", serving, _listing())
    assert not (tmp_path / "archive").exists()


def test_the_error_names_what_is_listed_and_what_is_served(tmp_path: Path, golden: Hear) -> None:
    serving = _serving({"pool/two": CONTENT})
    index = _listing(Listed("1.1", "pool/one", "11"), Listed("1.2", "pool/two", "22"))
    golden(refusal(UserError, lambda: _fetch(tmp_path / "archive", serving, index)))
    assert list(tmp_path.iterdir()) == []


def test_another_reason_goes_first(tmp_path: Path) -> None:
    def download(path: str, sha256: str, to: Path) -> str | None:
        return "Could not resolve 'a.example'" if path.endswith("gz") else "does not serve"

    def index(package: str, suite: str) -> Sequence[Listed]:
        raise CannotBuildHere("the source index of sid cannot be had: no network")

    with pytest.raises(UserError) as caught:
        _fetch(tmp_path / "a", download, index)
    assert str(caught.value).startswith("Could not resolve 'a.example'; available versions unknown")


def test_no_such_package(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="sid lists no source package thing"):
        _fetch(tmp_path / "a", _serving({}), _listing())


def _member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type = kind
    member.linkname = link
    member.mode = 0o644
    return member


def _pax(name: str, key: str, value: str) -> tarfile.TarInfo:
    member = _member(name)
    member.pax_headers = {key: value}
    return member


def _dated(name: str, date: str) -> tarfile.TarInfo:
    return _pax(name, "mtime", date)


@pytest.fixture
def _python_3_11_2(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the filters that Python has from 3.11.4 on."""
    for name in ("data_filter", "tar_filter", "fully_trusted_filter"):
        monkeypatch.delattr(tarfile, name, raising=False)


Mode = Literal["w:", "w:gz", "w:bz2", "w:xz"]


def _archive(folder: Path, *members: tarfile.TarInfo, mode: Mode = "w:") -> Path:
    path = folder / "archive.tar"
    with tarfile.open(path, mode) as tar:
        for member in members:
            content = b"content of " + member.name.encode()
            member.size = len(content) if member.isreg() else 0
            tar.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return path


@pytest.mark.parametrize("mode", get_args(Mode))
def test_the_only_folder_of_an_archive_is_it(tmp_path: Path, mode: Mode, golden: Hear) -> None:
    script = _member("thing-1.0/configure")
    script.mode = 0o6775
    archive = _archive(
        tmp_path,
        _member("thing-1.0/src/a.c"),
        script,
        _member("thing-1.0/b.c", tarfile.SYMTYPE, "src/../src/a.c"),
        _member("thing-1.0/c.c", tarfile.LNKTYPE, "thing-1.0/src/a.c"),
        mode=mode,
    )
    folder = unpack(archive, tmp_path / "to")
    assert folder == tmp_path / "to" / "thing-1.0"
    golden((folder / "src/a.c").read_text())
    assert (folder / "b.c").read_text() == (folder / "c.c").read_text()
    assert (folder / "configure").stat().st_mode & 0o7777 == 0o755


def test_an_archive_without_a_folder_is_the_source_itself(tmp_path: Path) -> None:
    archive = _archive(tmp_path, _member("a.c"), _member("b.c"))
    assert unpack(archive, tmp_path / "to") == tmp_path / "to"


def test_a_later_file_replaces_an_earlier_one(tmp_path: Path) -> None:
    archive = _archive(tmp_path, _member("x/a"), _member("x/a"))
    assert (unpack(archive, tmp_path / "to") / "a").read_text() == "content of x/a"


@pytest.mark.parametrize(
    ("members", "what"),
    [
        ([_member("/etc/evil")], "'/etc/evil' in it is a name that leads outside"),
        ([_member("x/../../evil")], "a name that leads outside"),
        ([_member("x/link", tarfile.SYMTYPE, "/etc")], "a link that leads outside"),
        ([_member("x/link", tarfile.SYMTYPE, "../../y")], "a link that leads outside"),
        ([_member("x/hard", tarfile.LNKTYPE, "../evil")], "a link that leads outside"),
        ([_member("x/hard", tarfile.LNKTYPE, "/etc/passwd")], "a link that leads outside"),
        ([_member("x/hard", tarfile.LNKTYPE, "x/missing")], "a hard link to what is not a file"),
        ([_member("x/fifo", tarfile.FIFOTYPE)], "neither a file nor a folder nor a link"),
        ([_member("x/device", tarfile.CHRTYPE)], "neither a file nor a folder nor a link"),
        (
            # harmless when it is made, but not once there is what it leads through
            [
                _member("x/link", tarfile.SYMTYPE, "here/.."),
                _member("x/here", tarfile.SYMTYPE, ".."),
            ],
            "a link that leads outside",
        ),
        (
            [
                _member("a/b/deep/file"),
                _member("x", tarfile.SYMTYPE, "a/b"),
                _member("x/file", tarfile.SYMTYPE, "../../../evil"),
            ],
            "a link that leads outside",
        ),
        (
            [_member("x/a"), _member("x/l", tarfile.SYMTYPE, "a"), _member("x/l/b")],
            None,  # a is a file: cannot be a folder as well
        ),
        ([_member("x/" * 300 + "y")], "a name of over 200 folders"),
        ([_dated("x/y", "nan")], "cannot be unpacked"),
        ([_dated("x/y", "1e300")], "cannot be unpacked"),
        ([_pax("x/y", "path", "x/\0y")], None),  # up to the NUL, or refused, as Python has it
    ],
)
@pytest.mark.usefixtures("_python_3_11_2")
def test_hostile_archives(tmp_path: Path, members: list[tarfile.TarInfo], what: str | None) -> None:
    archive = _archive(tmp_path, *members)
    with pytest.raises((UserError, OSError), match=re.escape(what) if what else None):
        unpack(archive, tmp_path / "to" / "deep")
    assert sorted(os.listdir(tmp_path)) == ["archive.tar", "to"]
    assert os.listdir(tmp_path / "to") == ["deep"]


def test_a_file_is_not_written_through_a_link(tmp_path: Path) -> None:
    archive = _archive(tmp_path, _member("a"), _member("l", tarfile.SYMTYPE, "a"), _member("l"))
    with pytest.raises(UserError, match="a name that leads through a link"):
        unpack(archive, tmp_path / "to")


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b broken", b"\xfd7zXZ\0 broken"])
def test_what_is_no_archive(tmp_path: Path, content: bytes) -> None:
    archive = tmp_path / "archive"
    archive.write_bytes(content)
    with pytest.raises(UserError, match=r"archive: cannot be unpacked: "):
        unpack(archive, tmp_path / "to")


def test_an_archive_that_ends_too_early(tmp_path: Path) -> None:
    (tmp_path / "noise").write_bytes(random.Random(1).randbytes(100_000))
    archive = tmp_path / "archive"
    with tarfile.open(archive, "w:xz") as tar:
        tar.add(tmp_path / "noise", "noise")
    archive.write_bytes(archive.read_bytes()[:50_000])
    with pytest.raises(UserError, match="cannot be unpacked"):
        unpack(archive, tmp_path / "to")


def _header(member: tarfile.TarInfo) -> bytes:
    return member.tobuf(tarfile.GNU_FORMAT)


def test_a_negative_size_is_no_endless_loop(tmp_path: Path) -> None:
    """Python before 3.11.14 goes back by that size, to the same header again; later ones, and
    Debian's of 2026, refuse it themselves."""
    member = _member("x/a")
    member.size = -512
    (tmp_path / "archive.tar").write_bytes(_header(member) + bytes(1024))
    with pytest.raises(UserError, match=r"archive\.tar: .*(-512 bytes|invalid offset)"):
        unpack(tmp_path / "archive.tar", tmp_path / "to")


def test_a_long_name_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    member = _member("././@LongLink", tarfile.GNUTYPE_LONGNAME)
    member.size = 3_000_000_000
    (tmp_path / "archive.tar").write_bytes(_header(member) + bytes(1024))
    with pytest.raises(UserError, match="a header of it has 3,000,000,"):
        unpack(tmp_path / "archive.tar", tmp_path / "to")


def test_files_keep_their_dates(tmp_path: Path) -> None:
    member, hard = _member("x/a.py"), _member("x/b.py", tarfile.LNKTYPE, "x/a.py")
    member.mtime = hard.mtime = 1_000_000_000
    folder = unpack(_archive(tmp_path, member, hard), tmp_path / "to")
    assert [(folder / n).stat().st_mtime for n in ("a.py", "b.py")] == [1e9, 1e9]
